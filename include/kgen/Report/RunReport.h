//===- RunReport.h - What a run found -------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Trajectory/Ledger.h"
#include "kgen/Trajectory/RunFolder.h"

#include <string>
#include <vector>

namespace kgen::report {

/// One line of the table: the fastest right kernel that a round found.
struct ReportRow {
  int round = 0;
  std::string id, idea, settings;
  int tried = 0, passed = 0; ///< branches of the round, without those whose text was tried before
  double timeUs = 0;         ///< 0 when none passed
  /// Another time over this one's, in percent: above 100 is faster than the other. 0 when unknown.
  double ofGeneric = 0, ofEager = 0, ofCompile = 0, ofFloor = 0;
};

/// A branch that was faster than everything before it.
struct CurvePoint {
  std::string id;
  int branches = 0; ///< tried by then, itself included; neither round 0 nor a text that was tried before counts
  int round = 0;
  double seconds = 0; ///< that the run had taken
  double timeUs = 0;
};

struct RunReport {
  std::string run, problem, size, device, precision, rules, policy, llm, isolation;
  std::optional<trajectory::StopReason> stopReason; ///< none: it goes on, or was cut short
  uint64_t seed = 0;
  std::vector<ReportRow> rows;
  ReportRow best;                ///< id is empty when nothing passed
  std::vector<CurvePoint> curve; ///< the best so far, in branch order; the last one is `best`
  std::string bestDiagnosis;
  std::string bestSanitizer;  ///< what compute-sanitizer said of it, or why it was not asked; empty on device host
  std::string bestDirectives; ///< the whole script, of which `settings` names what was new
  double genericUs = 0, eagerUs = 0, compileUs = 0, floorUs = 0, seconds = 0;
  int branches = 0;                    ///< measured, round 0 included, but not those whose text was tried before
  int duplicates = 0;                  ///< those
  int unmeasured = 0;                  ///< begun when the search ended
  std::map<std::string, int> verdicts; ///< verdict -> branches
  std::string genericVerdict;          ///< round 0's
  trajectory::Ledger ledger;
  double priorCorrelation = 0; ///< Spearman's, of the prior and the measured time; of priorBranches kernels
  int priorBranches = 0;

  /// Round 0's time over the best one's; 0 when nothing passed.
  double getSpeedup() const { return best.timeUs > 0 ? genericUs / best.timeUs : 0; }
};

/// Reads what RUN recorded.
RunReport summarizeRun(const trajectory::RunFolder &run);
/// For a terminal: at most COLUMNS wide.
std::string printReportText(const RunReport &report, int columns = 100);
/// report.md
std::string printReportMarkdown(const RunReport &report);
/// report.json
std::string printReportJson(const RunReport &report);

/// What the run cost, in two lines of words, and as a table by idea category.
std::string printLedgerText(const trajectory::Ledger &ledger);
std::string printLedgerMarkdown(const trajectory::Ledger &ledger);
trajectory::Json toJson(const trajectory::Ledger &ledger);

/// Spearman's rank correlation of pairs, equal values sharing their mean rank; 0 when one side is
/// constant.
double rankCorrelation(const std::vector<std::pair<double, double>> &pairs);

trajectory::Json toJson(const std::vector<CurvePoint> &curve);
/// "1000 us, 412 us (3), 210 us (17)": times, and after how many branches.
std::string printCurve(const RunReport &report);

/// A time with a unit that a reader likes: "12.3 us", "4.56 ms".
std::string printTime(double us);

} // namespace kgen::report
