//===- ConvHalo.h - Convolutions of shifted pixels ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule of family conv with mma = wgmma and im2col = halo: a box of pixels with its neighbours lies in shared
// memory once, and every tap of the filter multiplies it, shifted. See conv_halo.cuh.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ConvDispatch.h"

namespace kgen::kernels {

/// Neighbouring output depths whose few filters are rows of one product of a warpgroup, the input depths that they need
/// in all, and how many it is to those of the next product. Each 1 where nothing is stacked.
struct StackedDepths {
  int64_t depths = 1, slices = 1, advance = 1;
};
/// DEPTHS of CONV's output stacked: a whole number of strides if it is transposed.
StackedDepths stackDepths(const Conv &conv, int64_t depths);
/// As many as fill a product of FILTERS rows, by whole warps.
StackedDepths stackFittingDepths(const Conv &conv, int64_t filters = 64);

/// Family::complete and Family::emit of a conv dispatch with mma = wgmma and im2col = halo.
mlir::LogicalResult completeConvHalo(DispatchOp dispatch, const Conv &conv, ScheduleParams &params, const Chip &chip);
mlir::FailureOr<DispatchCode> emitConvHalo(DispatchOp dispatch, const Conv &conv, const schedule::ConvHalo &schedule,
                                           const Chip &chip);

} // namespace kgen::kernels
