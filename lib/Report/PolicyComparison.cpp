//===- PolicyComparison.cpp -----------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Report/PolicyComparison.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace kgen::report {

Spread spreadOf(std::vector<double> values) {
  if (values.empty())
    return {};
  llvm::sort(values);
  size_t half = values.size() / 2;
  double middle = values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
  return {values.front(), middle, values.back()};
}

static double geometricMean(ArrayRef<double> values) {
  double sum = 0;
  for (double value : values)
    sum += std::log(value);
  return values.empty() ? 0 : std::exp(sum / values.size());
}

/// RUN's speedup over round 0 after COUNT branches; 1 while nothing better was found.
static double speedupAfter(const RunReport &run, int count) {
  double best = run.genericUs;
  for (const CurvePoint &point : run.curve)
    if (point.branches <= count)
      best = point.timeUs;
  return best > 0 && run.genericUs > 0 ? run.genericUs / best : 1;
}

std::vector<PolicySummary> summarizePolicies(ArrayRef<RunReport> runs) {
  std::vector<PolicySummary> list;
  for (const RunReport &run : runs) {
    if (none_of(list, [&](const PolicySummary &one) { return one.policy == run.policy; }))
      list.emplace_back().policy = run.policy;
  }
  int longest = 0;
  for (const RunReport &run : runs)
    longest = std::max(longest, run.branches - 1);
  for (PolicySummary &one : list) {
    std::vector<double> speedups, rounds, shares;
    std::vector<const RunReport *> mine;
    for (const RunReport &run : runs) {
      if (run.policy != one.policy)
        continue;
      mine.push_back(&run);
      double best = run.best.timeUs;
      for (const RunReport &other : runs)
        if (other.problem == run.problem && other.seed == run.seed && other.best.timeUs > 0)
          best = best > 0 ? std::min(best, other.best.timeUs) : other.best.timeUs;
      one.wins += run.best.timeUs > 0 && run.best.timeUs <= 1.01 * best;
      speedups.push_back(std::max(run.getSpeedup(), run.best.timeUs > 0 ? 0.0 : 1.0));
      int round = run.curve.empty() ? 0 : run.curve.back().round;
      one.foundInRound.push_back(round);
      rounds.push_back(round);
      shares.push_back(run.curve.empty() || run.branches < 2 ? 0
                                                             : double(run.curve.back().branches) / (run.branches - 1));
    }
    one.runs = mine.size();
    one.speedup = spreadOf(speedups);
    one.meanSpeedup = geometricMean(speedups);
    one.round = spreadOf(rounds);
    one.share = spreadOf(shares);
    for (int count = 0; count <= longest; ++count) {
      std::vector<double> values;
      for (const RunReport *run : mine)
        values.push_back(speedupAfter(*run, count));
      one.soFar.push_back(spreadOf(values));
      one.meanSoFar.push_back(geometricMean(values));
    }
  }
  return list;
}

static std::string printSpread(const Spread &spread, const char *form) {
  std::string text;
  raw_string_ostream os(text);
  os << format(form, spread.middle);
  if (spread.low < spread.high)
    os << " (" << format(form, spread.low) << " to " << format(form, spread.high) << ")";
  return text;
}

std::string printPoliciesText(ArrayRef<RunReport> runs) {
  std::vector<std::vector<std::string>> rows = {
      {"policy", "runs", "x round 0", "its spread", "best in round", "after % of branches", "best of all"}};
  for (const PolicySummary &one : summarizePolicies(runs)) {
    std::string mean;
    raw_string_ostream(mean) << format("%.2f", one.meanSpeedup);
    Spread percent = {100 * one.share.low, 100 * one.share.middle, 100 * one.share.high};
    rows.push_back({one.policy, std::to_string(one.runs), mean, printSpread(one.speedup, "%.2f"),
                    printSpread(one.round, "%.3g"), printSpread(percent, "%.0f"),
                    std::to_string(one.wins) + " of " + std::to_string(one.runs)});
  }
  std::vector<size_t> widths(rows[0].size());
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  raw_string_ostream os(text);
  for (const auto &row : rows) {
    os << left_justify(row[0], widths[0]);
    for (size_t i = 1; i < row.size(); ++i)
      os << "  " << right_justify(row[i], widths[i]);
    os << "\n";
  }
  os << "\nx round 0 is the geometric mean over all runs; a spread is median (least to greatest); best of all: within\n"
        "1 % of the fastest kernel that any policy found for the same problem and seed.\n";
  return text;
}

static trajectory::Json toJson(const Spread &spread) {
  return {{"low", spread.low}, {"median", spread.middle}, {"high", spread.high}};
}

std::string printPoliciesJson(ArrayRef<RunReport> runs) {
  trajectory::Json policies = trajectory::Json::array(), list = trajectory::Json::array();
  for (const PolicySummary &one : summarizePolicies(runs))
    policies.push_back({{"policy", one.policy},
                        {"runs", one.runs},
                        {"wins", one.wins},
                        {"mean_speedup", one.meanSpeedup},
                        {"speedup", toJson(one.speedup)},
                        {"round", toJson(one.round)},
                        {"share", toJson(one.share)},
                        {"found_in_round", one.foundInRound},
                        {"mean_so_far", one.meanSoFar}});
  for (const RunReport &run : runs) {
    list.push_back({{"policy", run.policy},
                    {"problem", run.problem},
                    {"size", run.size},
                    {"device", run.device},
                    {"seed", run.seed},
                    {"run", run.run},
                    {"best_us", run.best.timeUs},
                    {"generic_us", run.genericUs},
                    {"branches", run.branches},
                    {"curve", toJson(run.curve)}});
  }
  trajectory::Json json = {{"version", 1}, {"policies", policies}, {"runs", list}};
  return json.dump(2, ' ', false, trajectory::Json::error_handler_t::replace) + "\n";
}

} // namespace kgen::report
