//===- SumConvolution.h - Sums of a convolution's outputs -------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the rewrites of Algebra.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "AlgebraBuilder.h"

namespace kgen::aten {

/// Whether the sum of CONV's result over DIMS, none of extent 1, costs less in front of it.
bool isSummable(const Convolution &conv, llvm::ArrayRef<int64_t> dims);

/// The sum of CONV's outputs, without its bias, of INPUT (CONV's own or its sum over images) over channels, if
/// CHANNELS, and over the dimensions SPATIAL, counted without images and channels. What is summed has extent 1.
mlir::Value sumConvolution(AlgebraBuilder &b, const Convolution &conv, mlir::Value input, bool channels,
                           llvm::ArrayRef<unsigned> spatial);

} // namespace kgen::aten
