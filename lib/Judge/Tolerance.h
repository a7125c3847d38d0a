//===- Tolerance.h - What a candidate may be off by -------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Judge/Reference.h"

namespace kgen::judge {

/// Where rounding moves the answers by more than this share of their norm they say nothing of a candidate.
constexpr double mostRoundingCost = 0.05;

/// Whether graphs of class PRECISION hold their numbers in 16 bits: fp16 and bf16.
inline bool isNarrow(llvm::StringRef precision) { return precision == "fp16" || precision == "bf16"; }

/// What outputs of DTYPE may be off by in class PRECISION.
candidate::ErrorNorms toleranceOf(llvm::StringRef precision, const MeasuredErrors &errors, candidate::DType dtype);

} // namespace kgen::judge
