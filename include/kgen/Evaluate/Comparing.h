//===- Comparing.h - Two candidates timed in turns ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Evaluate/Evaluator.h"

namespace kgen::evaluate {

struct CompareOptions {
  int pairs = 1;              ///< how many comparisons are made
  bool passedBefore = false;  ///< both have a PASS: the repeats on one input were done
  double slowDownPercent = 0; ///< a kernel of ours that waits makes the candidate slower by this
  double disturbPercent = 0;  ///< the same for the baseline, but only beside the candidate: it must be noticed
};

struct CompareResult {
  candidate::Measurement candidate, baseline;          ///< their verdicts; no comparison unless both are PASS
  std::vector<candidate::SpeedComparison> comparisons; ///< one per pair
};

/// Verifies both, then times them in blocks of ABBA, each in a process of its own, every result rechecked. Fifteen to
/// sixty blocks; five where one is surely more than 1.2 times as fast as the other, on device host twice.
llvm::Expected<CompareResult> compareCandidates(Evaluator &evaluator, const CandidateFiles &candidate,
                                                const CandidateFiles &baseline, const EvaluateOptions &options,
                                                const CompareOptions &how);

} // namespace kgen::evaluate
