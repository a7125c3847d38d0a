//===- ConvWgmma.h - Convolutions on warpgroup products -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule of family conv with mma = wgmma: images in shared memory as chunks that matrix
// descriptors address, weights resident, pooling in registers. See templates/conv_wgmma.cuh.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ConvDispatch.h"

namespace kgen::kernels {

/// Family::complete and Family::emit of a conv dispatch with mma = wgmma.
mlir::LogicalResult completeConvWgmma(DispatchOp dispatch, const Conv &conv, ScheduleParams &params, const Chip &chip);
mlir::FailureOr<DispatchCode> emitConvWgmma(DispatchOp dispatch, const Conv &conv, const schedule::ConvWgmma &schedule,
                                            const Chip &chip);

} // namespace kgen::kernels
