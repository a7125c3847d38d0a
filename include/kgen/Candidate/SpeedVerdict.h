//===- SpeedVerdict.h - Whether one kernel is faster than another ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kgen::candidate {

/// Fast: surely more than 1 % faster. Slow: surely more than 1 % slower. Same: within 1 % for sure.
/// Invalid: the comparison itself went wrong.
enum class Speed { Fast, Same, Slow, Ambiguous, Invalid };

llvm::StringRef speedName(Speed speed);
std::optional<Speed> parseSpeed(llvm::StringRef name);

/// Four runs in the order candidate, baseline, baseline, candidate; microseconds. A drift that is linear
/// in time cancels within a block.
struct SpeedBlock {
  double candidate[2] = {0, 0}, baseline[2] = {0, 0};
};

/// What a comparison found. RATIO is the baseline's time over the candidate's: above 1 the candidate is
/// faster.
struct SpeedComparison {
  Speed verdict = Speed::Ambiguous;
  double ratio = 0, low = 0, high = 0; ///< median over the blocks, 95 % interval by bootstrap
  double candidateUs = 0, baselineUs = 0, baselineAloneUs = 0;
  int blocks = 0;
  std::string baseline; ///< what it was compared with
};

/// "FAST: 1.1314 times as fast, 95 % of it in ...".
std::string describeSpeed(const SpeedComparison &comparison);

/// How much faster counts.
constexpr double speedMargin = 0.01;
/// What one kernel's times in two processes may differ by without noise in either, in microseconds: on an H200 up to
/// 0.16 of 6.6 was seen, far outside the intervals. Less than this is no difference, whatever the interval says.
constexpr double speedResolutionUs = 0.25;
/// A baseline that is slower than alone by more than this beside the candidate makes a comparison invalid: on
/// a card, and on a host that has other things to do.
constexpr double disturbedMargin = 0.05, disturbedHostMargin = 0.35;

/// ALONEUS: the baseline's median before the candidate ran; 0 = unknown. The bootstrap (1000 resamples of
/// the blocks' log ratios) draws from SEED, so a judgement can be repeated.
SpeedComparison judgeSpeed(llvm::ArrayRef<SpeedBlock> blocks, double aloneUs, uint64_t seed = 1,
                           double disturbed = disturbedMargin);

/// Half the width of the 95 % interval of the median (by order statistics), over the median. Infinite for
/// fewer than six samples.
double relativeSpread(std::vector<double> samples);

} // namespace kgen::candidate
