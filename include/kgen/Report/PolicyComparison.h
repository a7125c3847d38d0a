//===- PolicyComparison.h - Policies over several problems and seeds -------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Report/RunReport.h"

#include "llvm/ADT/ArrayRef.h"

namespace kgen::report {

/// How far the runs of one policy lie apart.
struct Spread {
  double low = 0, middle = 0, high = 0; ///< least, median, greatest; 0 without runs
};
/// Of VALUES, in any order.
Spread spreadOf(std::vector<double> values);

/// What one policy reached over all its runs.
struct PolicySummary {
  std::string policy;
  int runs = 0, wins = 0;        ///< runs, and those within 1 % of the best of their problem and seed
  Spread speedup;                ///< of the best kernel over round 0
  double meanSpeedup = 0;        ///< geometric
  Spread round;                  ///< in which the best was found
  Spread share;                  ///< of the run's branches after which it was found, 0 to 1
  std::vector<int> foundInRound; ///< for each run
  std::vector<Spread> soFar;     ///< speedup of the best so far after 0, 1, 2, ... branches
  std::vector<double> meanSoFar; ///< its geometric mean
};

/// One entry for each policy, in the order in which RUNS name them. Runs in which nothing passed count as no gain.
std::vector<PolicySummary> summarizePolicies(llvm::ArrayRef<RunReport> runs);

/// A table for a terminal.
std::string printPoliciesText(llvm::ArrayRef<RunReport> runs);
/// Every number, and each run's.
std::string printPoliciesJson(llvm::ArrayRef<RunReport> runs);
/// One page without scripts: the table, in which round each policy found its best, and the best so far of each with its
/// spread.
std::string printPoliciesHtml(llvm::ArrayRef<RunReport> runs);

} // namespace kgen::report
