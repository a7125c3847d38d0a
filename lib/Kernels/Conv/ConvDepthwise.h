//===- ConvDepthwise.h - A filter for each channel ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedules of family conv for images with a filter for each channel: conv_depthwise.cuh with the channels last,
// conv_planes.cuh with the channels first.
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

/// Whether conv_planes.cuh computes CONV: it is depthwise, reads and writes channels first, and a thread can hold its
/// filter.
bool isDepthwisePlanes(const Conv &conv);

/// The same of a conv dispatch for which isDepthwisePlanes().
mlir::LogicalResult completeConvPlanes(DispatchOp dispatch, const Conv &conv, ScheduleParams &params, const Chip &chip);
mlir::FailureOr<DispatchCode> emitConvPlanes(DispatchOp dispatch, const Conv &conv,
                                             const schedule::ConvDepthwise &schedule);

} // namespace kgen::kernels
