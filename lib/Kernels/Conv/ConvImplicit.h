//===- ConvImplicit.h - Convolutions as implicit products -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule of family conv with mma = wgmma and pipeline = tma: boxes of channels-last images, copied by tensor map,
// are the left operands of warpgroup products. See conv_implicit.cuh.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ConvDispatch.h"

namespace kgen::kernels {

/// Family::complete and Family::emit of a conv dispatch with mma = wgmma and pipeline = tma.
mlir::LogicalResult completeConvImplicit(DispatchOp dispatch, const Conv &conv, ScheduleParams &params,
                                         const Chip &chip);
mlir::FailureOr<DispatchCode> emitConvImplicit(DispatchOp dispatch, const Conv &conv,
                                               const schedule::ConvImplicit &schedule);

} // namespace kgen::kernels
