//===- ConvDepthwise.h - A filter for each channel, channels last ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule of family conv for channels-last images with a filter for each channel. See conv_depthwise.cuh.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ConvDispatch.h"

namespace kgen::kernels {

/// Whether CONV has one filter for each channel, in one or two dimensions, and no pooling.
bool isDepthwise(const Conv &conv);

/// Family::complete and Family::emit of a conv dispatch that is depthwise and reads and writes channels last.
mlir::LogicalResult completeConvDepthwise(DispatchOp dispatch, const Conv &conv, ScheduleParams &params,
                                          const Chip &chip);
mlir::FailureOr<DispatchCode> emitConvDepthwise(DispatchOp dispatch, const Conv &conv,
                                                const schedule::ConvDepthwise &schedule);

} // namespace kgen::kernels
