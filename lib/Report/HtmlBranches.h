//===- HtmlBranches.h - All branches of a run, for its page ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Candidate/Measurement.h"
#include "kgen/Report/RunReport.h"

#include <string>
#include <vector>

namespace kgen::report::html {

/// A measured branch, as the journal has it.
struct Branch {
  const trajectory::BranchRecord *record;
  candidate::Measurement measurement;
  bool best = false; ///< better than all before it
};

/// In the order in which they were measured; what cannot be read is left out.
std::vector<Branch> readBranches(const trajectory::RunFolder &run, const RunReport &report);

/// "5 to 95 % of the samples", as "125.6–129.4 µs"; "" without samples.
std::string interval(const candidate::Measurement &measurement);

/// The curve, and who was best so far, in words.
std::string printCurveSection(const std::vector<Branch> &branches, const RunReport &report);
/// The table of branches, by round.
std::string printBranchTable(const std::vector<Branch> &branches, const RunReport &report);
/// Who came of whom.
std::string printTree(const std::vector<Branch> &branches, const RunReport &report);
/// What the prior expected, when it expected anything.
std::string printPrior(const std::vector<Branch> &branches, const RunReport &report);

} // namespace kgen::report::html
