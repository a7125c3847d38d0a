//===- Comparison.cpp - Several runs side by side -------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Report/Comparison.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace llvm;

namespace kgen::report {

namespace {
/// The best time after COUNT branches (round 0 not counted); 0 before the first.
double bestAfter(const RunReport &run, int count) {
  double best = 0;
  for (const CurvePoint &point : run.curve)
    if (point.branches <= count)
      best = point.timeUs;
  return best;
}

/// The cells of the table, the head first.
std::vector<std::vector<std::string>> table(ArrayRef<RunReport> runs) {
  int longest = 0;
  for (const RunReport &run : runs)
    longest = std::max(longest, run.branches - 1);
  std::vector<std::vector<std::string>> rows = {
      {"policy", "best", "x round 0", "% floor", "in round", "after branches"}};
  std::vector<int> marks;
  for (int quarter = 1; quarter <= 4; ++quarter) {
    int mark = (longest * quarter + 3) / 4;
    if (mark == 0 || (!marks.empty() && marks.back() == mark))
      continue;
    marks.push_back(mark);
    rows[0].push_back("best at " + std::to_string(mark));
  }
  for (const char *name : {"branches", "passed", "seconds", "seed"})
    rows[0].push_back(name);
  auto number = [](const char *form, double value) {
    std::string text;
    raw_string_ostream(text) << format(form, value);
    return text;
  };
  for (const RunReport &run : runs) {
    std::vector<std::string> row = {run.policy, printTime(run.best.timeUs), number("%.2f", run.getSpeedup()),
                                    run.best.ofFloor > 0 ? number("%.0f %%", run.best.ofFloor) : "-"};
    bool found = !run.curve.empty();
    row.push_back(found ? std::to_string(run.curve.back().round) : "-");
    row.push_back(found ? std::to_string(run.curve.back().branches) : "-");
    for (int mark : marks)
      row.push_back(printTime(bestAfter(run, mark)));
    auto passed = run.verdicts.find("PASS");
    row.push_back(std::to_string(run.branches));
    row.push_back(std::to_string(passed == run.verdicts.end() ? 0 : passed->second));
    row.push_back(number("%.0f", run.seconds));
    row.push_back(std::to_string(run.seed));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string title(ArrayRef<RunReport> runs) {
  const RunReport &first = runs.front();
  return first.problem + " (" + first.size + " size, " + first.precision + ") on " + first.device;
}
} // namespace

std::string printComparisonText(ArrayRef<RunReport> runs) {
  std::string text = title(runs) + "\n\n";
  auto rows = table(runs);
  std::vector<size_t> widths(rows[0].size());
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  raw_string_ostream os(text);
  for (const auto &row : rows) {
    os << left_justify(row[0], widths[0]);
    for (size_t i = 1; i < row.size(); ++i)
      os << "  " << right_justify(row[i], widths[i]);
    os << "\n";
  }
  os << "\nThe best so far of each, from branch to branch:\n";
  for (const RunReport &run : runs)
    os << "  " << left_justify(run.policy, 11) << printCurve(run) << "\n";
  return text;
}

std::string printComparisonMarkdown(ArrayRef<RunReport> runs) {
  std::string text = "# " + title(runs) + "\n\n";
  auto rows = table(runs);
  raw_string_ostream os(text);
  for (size_t r = 0; r < rows.size(); ++r) {
    for (const std::string &cell : rows[r])
      os << "| " << cell << " ";
    os << "|\n";
    for (size_t i = 0; r == 0 && i < rows[0].size(); ++i)
      os << "|---";
    if (r == 0)
      os << "|\n";
  }
  return text;
}

std::string printComparisonJson(ArrayRef<RunReport> runs) {
  trajectory::Json list = trajectory::Json::array();
  for (const RunReport &run : runs) {
    list.push_back({{"policy", run.policy},
                    {"run", run.run},
                    {"seed", run.seed},
                    {"best_us", run.best.timeUs},
                    {"generic_us", run.genericUs},
                    {"floor_us", run.floorUs},
                    {"branches", run.branches},
                    {"seconds", run.seconds},
                    {"curve", toJson(run.curve)}});
  }
  trajectory::Json json = {{"version", 1},
                           {"problem", runs.front().problem},
                           {"size", runs.front().size},
                           {"device", runs.front().device},
                           {"runs", list}};
  return json.dump(2, ' ', false, trajectory::Json::error_handler_t::replace) + "\n";
}

} // namespace kgen::report
