//===- Accumulation.h - What fp32 accumulators may be off by --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

namespace kgen {

/// What each class's fp32 accumulators may be off by, relative to the size of what they added up: four roundings. A sum
/// of n terms of either sign, added one after the other, is off by about 0.4 of a rounding of the sum of their sizes,
/// whatever n is (N. J. Higham and T. Mary, "Sharper probabilistic backward error analysis for basic linear algebra
/// kernels with random data", SIAM J. Sci. Comput. 42(5), 2020); a sum of one sign is as large as its terms, and the
/// norms' own bounds hold.
constexpr double accumulationRoundoff = 0x1p-22;

} // namespace kgen
