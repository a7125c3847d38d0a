//===- RunReportText.cpp - A report to read -------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Report/RunReport.h"
#include "kgen/Report/TerminalText.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace kgen::report {

namespace {
std::string printPercent(double percent) {
  if (percent <= 0)
    return "-";
  std::string text;
  raw_string_ostream(text) << format(percent < 10 ? "%.1f %%" : "%.0f %%", percent);
  return text;
}

/// TEXT cut to WIDTH characters at a word where that is possible.
std::string shorten(StringRef text, size_t width) {
  if (text.size() <= width)
    return text.str();
  StringRef cut = text.take_front(width > 3 ? width - 3 : width);
  size_t space = cut.rfind(' ');
  if (space != StringRef::npos && space > width / 2)
    cut = cut.take_front(space);
  return cut.rtrim(" ,;:").str() + "...";
}

/// A model's words in Markdown: no column, no element.
std::string inMarkdown(StringRef text) {
  std::string out;
  for (char c : text)
    out += c == '|' ? "\\|" : c == '<' ? "&lt;" : std::string(1, c);
  return out;
}
} // namespace

std::string printTime(double us) {
  std::string text;
  raw_string_ostream os(text);
  if (us <= 0)
    os << "-";
  else if (us < 100)
    os << format("%.2f us", us);
  else if (us < 10000)
    os << format("%.1f us", us);
  else if (us < 1e6)
    os << format("%.2f ms", us / 1e3);
  else
    os << format("%.3f s", us / 1e6);
  return text;
}

std::string printCurve(const RunReport &report) {
  std::string text;
  for (const CurvePoint &point : report.curve) {
    text += (text.empty() ? "" : ", ") + printTime(point.timeUs);
    if (point.round > 0)
      text += " (" + std::to_string(point.branches) + ")";
  }
  return text;
}

/// "79 branches after round 0 (60 PASS, 19 REJECT)": round 0 is nobody's idea, and no count of branches has it.
static std::string printTried(const RunReport &report) {
  std::string text;
  raw_string_ostream os(text);
  int after = std::max(0, report.branches - 1);
  os << after << (after == 1 ? " branch" : " branches") << " after round 0";
  const char *separator = " (";
  for (auto [verdict, count] : report.verdicts) {
    count -= verdict == report.genericVerdict;
    if (count == 0)
      continue;
    os << separator << count << " " << verdict;
    separator = ", ";
  }
  if (after > 0)
    os << ")";
  if (report.duplicates > 0)
    os << ", " << report.duplicates << " more with a text that was tried before";
  return text;
}

std::string printReportText(const RunReport &report, int columns) {
  std::string text;
  raw_string_ostream os(text);
  os << "\n"
     << report.problem << " (" << report.size << " size, " << report.precision
     << (report.rules == "kgen" ? "" : ", rules " + report.rules) << ") on " << report.device << "\n\n";
  // PyTorch's columns only where it was timed, so that the words have room.
  bool torch = report.eagerUs > 0 || report.compileUs > 0, floor = report.floorUs > 0;
  auto line = [&](StringRef round, StringRef id, StringRef time, StringRef generic, StringRef eager, StringRef compile,
                  StringRef ofFloor, StringRef idea) {
    std::string start;
    raw_string_ostream row(start);
    row << left_justify(round, 6) << left_justify(id, 14) << right_justify(time, 11) << right_justify(generic, 11);
    if (torch)
      row << right_justify(eager, 9) << right_justify(compile, 11);
    if (floor)
      row << right_justify(ofFloor, 9);
    row << "  ";
    size_t width = std::max<int>(24, columns - int(start.size()));
    os << start << shorten(idea, width) << "\n";
  };
  line("round", "branch", "time", "% round 0", "% eager", "% compile", "% floor", "idea");
  for (const ReportRow &row : report.rows) {
    if (row.id.empty())
      os << left_justify(std::to_string(row.round), 6) << "none of " << row.tried << " passed\n";
    else
      line(std::to_string(row.round), row.id, printTime(row.timeUs), printPercent(row.ofGeneric),
           printPercent(row.ofEager), printPercent(row.ofCompile), printPercent(row.ofFloor), row.idea);
  }
  os << "\n";
  if (report.best.id.empty()) {
    os << "nothing passed\n";
    return text;
  }
  // A name, and words beside it in lines that fit.
  constexpr int indent = 10;
  auto entry = [&](StringRef name, StringRef words) {
    StringRef start = name;
    for (const std::string &one : wrapLines(words, columns - indent)) {
      os << left_justify(start, indent) << one << "\n";
      start = "";
    }
  };
  entry("best:", report.run + "/" + report.best.id);
  entry("idea:", report.best.idea);
  entry("settings:", report.best.settings);
  for (StringRef rest = report.bestDirectives; !rest.empty();) {
    auto [first, next] = rest.split('\n');
    os << "          " << first << "\n";
    rest = next;
  }
  std::string words;
  raw_string_ostream out(words);
  auto flush = [&](StringRef name) {
    entry(name, words);
    words.clear();
  };
  out << printTime(report.best.timeUs) << ", " << format("%.2f", report.getSpeedup()) << " times as fast as round 0 ("
      << printTime(report.genericUs) << ")";
  flush("time:");
  if (report.best.round > 0) {
    out << "in round " << report.best.round << ", after " << report.curve.back().branches << " of "
        << report.branches - 1 << " branches; the best so far: " << printCurve(report);
    flush("found:");
  }
  entry("now:", report.bestDiagnosis);
  if (!report.bestSanitizer.empty())
    entry("checked:", "compute-sanitizer: " + report.bestSanitizer);
  out << printTried(report) << format(" in %.0f s", report.seconds);
  if (report.unmeasured > 0)
    out << "; " << report.unmeasured << " more begun and not measured";
  if (report.stopReason && report.stopReason != trajectory::StopReason::Done)
    out << "; ended early: " << trajectory::stopReasonWords(*report.stopReason);
  flush("tried:");
  if (report.priorBranches > 2) {
    out << "rank correlation with the measured times " << format("%.2f", report.priorCorrelation) << " over "
        << report.priorBranches << " kernels";
    flush("prior:");
  }
  std::string ledger = printLedgerText(report.ledger);
  for (StringRef rest = ledger; !rest.empty();) {
    auto [first, next] = rest.split('\n');
    entry(first.take_front(indent).rtrim(), first.drop_front(std::min<size_t>(indent, first.size())));
    rest = next;
  }
  return text;
}

std::string printReportMarkdown(const RunReport &report) {
  std::string text;
  raw_string_ostream os(text);
  os << "# " << report.problem << "\n\n";
  os << "Device " << report.device << ", " << report.size << " size, precision class " << report.precision << ", rules "
     << report.rules << ", policy " << report.policy << ", ideas from " << report.llm << ", seed " << report.seed
     << ". " << printTried(report) << " in " << format("%.0f s", report.seconds) << " ("
     << (report.stopReason ? trajectory::stopReasonWords(*report.stopReason) : "not ended") << ").\n\n";
  if (!report.isolation.empty())
    os << "Isolation: " << report.isolation << ".\n\n";
  if (report.best.id.empty()) {
    os << "Nothing passed.\n";
  } else {
    os << "Best: `" << report.best.id << "`, " << printTime(report.best.timeUs) << ", "
       << format("%.2f", report.getSpeedup()) << " times as fast as round 0.\n\n> " << inMarkdown(report.best.idea)
       << "\n\n";
    if (report.best.round > 0)
      os << "Found in round " << report.best.round << " by policy " << report.policy << ", after "
         << report.curve.back().branches
         << " branches. The best so far, and after how many branches: " << printCurve(report) << ".\n\n";
    if (!report.bestSanitizer.empty())
      os << "compute-sanitizer: " << inMarkdown(report.bestSanitizer) << ".\n\n";
    if (!report.best.settings.empty())
      os << "Settings: " << inMarkdown(report.best.settings) << "\n\n";
    if (!report.bestDirectives.empty())
      os << "```mlir\n" << report.bestDirectives << "```\n\n";
  }
  os << "| round | branch | idea | time | % of round 0 | % of eager | % of compile | % of floor | passed |\n";
  os << "|---|---|---|---|---|---|---|---|---|\n";
  for (const ReportRow &row : report.rows)
    os << "| " << row.round << " | " << (row.id.empty() ? "none" : row.id) << " | " << inMarkdown(row.idea) << " | "
       << printTime(row.timeUs) << " | " << printPercent(row.ofGeneric) << " | " << printPercent(row.ofEager) << " | "
       << printPercent(row.ofCompile) << " | " << printPercent(row.ofFloor) << " | " << row.passed << " of "
       << row.tried << " |\n";
  os << "\nA percentage is the other time over this one's: above 100 % is faster. The floor is what the memory and\n"
        "arithmetic of the device allow.\n";
  if (report.priorBranches > 2)
    os << "\nSpearman's rank correlation of the prior with the measured times: "
       << format("%.2f", report.priorCorrelation) << " over " << report.priorBranches << " kernels.\n";
  os << "\n" << printLedgerMarkdown(report.ledger);
  return text;
}

} // namespace kgen::report
