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

/// Family::complete and Family::emit of a conv dispatch with mma = wgmma and im2col = halo.
mlir::LogicalResult completeConvHalo(DispatchOp dispatch, const Conv &conv, ScheduleParams &params, const Chip &chip);
mlir::FailureOr<DispatchCode> emitConvHalo(DispatchOp dispatch, const Conv &conv, const schedule::ConvHalo &schedule,
                                           const Chip &chip);

} // namespace kgen::kernels
