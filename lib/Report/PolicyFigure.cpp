//===- PolicyFigure.cpp - Policies side by side, as a page ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Html.h"
#include "kgen/Report/PolicyComparison.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace llvm;
using kgen::report::html::escape;

namespace kgen::report {
namespace {

constexpr int colours = 6; ///< classes r0 to r5 of the style sheet

/// In which round the runs of each policy found their best: a row of bars for each.
void drawRounds(raw_ostream &os, ArrayRef<PolicySummary> list) {
  constexpr double left = 108, right = 936, rowHeight = 98, top = 10, barHeight = 50;
  constexpr int mostBins = 24;
  double height = top + rowHeight * list.size() + 18;
  os << format("<svg viewBox=\"0 0 960 %.0f\" role=\"img\" aria-label=\"In which round each policy found its best "
               "kernel\">\n",
               height);
  int most = 1;
  struct Row {
    std::vector<int> bins;
    int width, last;
  };
  std::vector<Row> rows;
  for (const PolicySummary &one : list) {
    int last = one.foundInRound.empty() ? 0 : *llvm::max_element(one.foundInRound);
    // Policies have rounds of their own: one revision, or fifty branches.
    int width = std::max(1, (last + mostBins) / mostBins);
    Row row{std::vector<int>(last / width + 1), width, last};
    for (int round : one.foundInRound)
      most = std::max(most, ++row.bins[round / width]);
    rows.push_back(std::move(row));
  }
  for (size_t i = 0; i < list.size(); ++i) {
    const Row &row = rows[i];
    double base = top + rowHeight * i + barHeight + 8, step = (right - left) / std::max<size_t>(6, row.bins.size());
    os << format("<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">", left - 14, base - barHeight / 2 + 4)
       << escape(list[i].policy) << "</text>\n"
       << format("<line class=\"grid\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", left, right, base, base);
    for (size_t bin = 0; bin < row.bins.size(); ++bin) {
      double x = left + step * bin, tall = barHeight * row.bins[bin] / most;
      int first = int(bin) * row.width, final = std::min(first + row.width - 1, row.last);
      std::string name = std::to_string(first) + (final > first ? "–" + std::to_string(final) : "");
      os << format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", x + step / 2, base + 15) << name
         << "</text>\n";
      if (row.bins[bin] == 0)
        continue;
      os << format("<rect class=\"r%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>", int(i % colours),
                   x + 3, base - tall, std::max(2.0, step - 6), tall)
         << escape(list[i].policy) << ": " << row.bins[bin] << " of " << list[i].runs << " runs in round " << name
         << "</title></rect>"
         << format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%d</text>\n", x + step / 2, base - tall - 4,
                   row.bins[bin]);
    }
  }
  os << "</svg>\n";
}

/// The best so far of policy INDEX: its mean as a line, least and greatest as a band, the others faint.
void drawSoFar(raw_ostream &os, ArrayRef<PolicySummary> list, size_t index, double high) {
  constexpr double left = 46, right = 348, top = 12, bottom = 180;
  const PolicySummary &mine = list[index];
  size_t last = std::max<size_t>(1, mine.soFar.size() - 1);
  auto across = [&](size_t count) { return left + (right - left) * double(count) / double(last); };
  auto up = [&](double speedup) {
    return bottom - (bottom - top) * std::log(std::max(1.0, speedup)) / std::log(std::max(1.1, high));
  };
  os << "<svg viewBox=\"0 0 360 222\" role=\"img\" aria-label=\"Best so far of policy " << escape(mine.policy)
     << "\">\n";
  std::vector<double> ticks = {1};
  for (double tick : {1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, 300.0, 1000.0})
    if (tick <= high && std::abs(up(tick) - up(ticks.back())) > 16)
      ticks.push_back(tick);
  for (double tick : ticks)
    os << format("<line class=\"grid\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/><text x=\"%.0f\" y=\"%.1f\" "
                 "text-anchor=\"end\">%g×</text>\n",
                 left, right, up(tick), up(tick), left - 6, up(tick) + 4, tick);
  for (const PolicySummary &other : list) {
    if (&other == &mine)
      continue;
    os << "<path class=\"other-policy\" d=\"";
    for (size_t i = 0; i < other.meanSoFar.size(); ++i)
      os << format("%c%.1f %.1f", i ? 'L' : 'M', across(i), up(other.meanSoFar[i]));
    os << "\"/>\n";
  }
  int colour = index % colours;
  os << format("<path class=\"r%d band\" d=\"", colour);
  for (size_t i = 0; i < mine.soFar.size(); ++i)
    os << format("%c%.1f %.1f", i ? 'L' : 'M', across(i), up(mine.soFar[i].high));
  for (size_t i = mine.soFar.size(); i-- > 0;)
    os << format("L%.1f %.1f", across(i), up(mine.soFar[i].low));
  os << "Z\"/>\n" << format("<path class=\"s%d mean\" d=\"", colour);
  for (size_t i = 0; i < mine.meanSoFar.size(); ++i)
    os << format("%c%.1f %.1f", i ? 'L' : 'M', across(i), up(mine.meanSoFar[i]));
  os << "\"/>\n"
     << format("<text x=\"%.0f\" y=\"%.0f\">0</text><text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">%zu branches"
               "</text>\n",
               left, bottom + 16, right, bottom + 16, last)
     << format("<text x=\"%.0f\" y=\"%.0f\" class=\"name\">", left, bottom + 36) << escape(mine.policy)
     << "</text></svg>\n";
}

std::string number(const char *form, double value) {
  std::string text;
  raw_string_ostream(text) << format(form, value);
  return text;
}

void printTable(raw_ostream &os, ArrayRef<PolicySummary> list) {
  os << "<div class=\"wide\"><table><thead><tr><th>policy</th><th class=\"n\">runs</th><th class=\"n\">× round 0</th>"
        "<th class=\"n\">least</th><th class=\"n\">median</th><th class=\"n\">greatest</th><th class=\"n\">best in "
        "round</th><th class=\"n\">after % of branches</th><th class=\"n\">best of all</th></tr></thead><tbody>\n";
  for (const PolicySummary &one : list) {
    os << "<tr><td>" << escape(one.policy) << "</td>";
    for (const std::string &value :
         {std::to_string(one.runs), number("%.2f", one.meanSpeedup), number("%.2f", one.speedup.low),
          number("%.2f", one.speedup.middle), number("%.2f", one.speedup.high),
          number("%.3g", one.round.middle) + " (" + number("%.3g", one.round.low) + "–" +
              number("%.3g", one.round.high) + ")",
          number("%.0f", 100 * one.share.middle), std::to_string(one.wins) + " of " + std::to_string(one.runs)})
      os << "<td class=\"n\">" << value << "</td>";
    os << "</tr>\n";
  }
  os << "</tbody></table></div>\n";
}

} // namespace

std::string printPoliciesHtml(ArrayRef<RunReport> runs) {
  std::vector<PolicySummary> list = summarizePolicies(runs);
  std::vector<std::string> problems;
  for (const RunReport &run : runs)
    if (!is_contained(problems, run.problem))
      problems.push_back(run.problem);
  std::string text;
  raw_string_ostream os(text);
  os << "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" "
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>Policies compared</title>\n<style>"
     << html::style
     << ".panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr)); gap: 1rem; }\n"
        ".other-policy { stroke: var(--line); stroke-width: 1.5; fill: none; }\n.band { opacity: .22; }\n"
        ".mean { stroke-width: 2; fill: none; }\nsvg text.name { fill: var(--text); font-weight: 600; font-size: 13px; "
        "}\n";
  for (int i = 0; i < colours; ++i)
    os << ".s" << i << " { stroke: var(--r" << i << "); }\n";
  os << "</style></head>\n<body><main>\n<h1>Policies compared</h1>\n<p>" << runs.size() << " searches of "
     << problems.size() << (problems.size() == 1 ? " problem" : " problems") << " (";
  for (size_t i = 0; i < problems.size(); ++i)
    os << (i ? ", " : "") << escape(problems[i]);
  os << ")";
  if (!runs.empty())
    os << " on " << escape(runs.front().device) << ", " << escape(runs.front().size)
       << " size. All searches of a problem share one measurement of round 0; a branch whose text was tried before "
          "counts "
          "for nobody.";
  os << "</p>\n";
  printTable(os, list);
  os << "<p class=\"faint\">× round 0: geometric mean over all runs. Best of all: within 1 % of the fastest kernel "
        "that "
        "any policy found for the same problem and seed.</p>\n<h2>In which round each policy found its best "
        "kernel</h2>\n"
        "<p class=\"faint\">Bars count runs; round 0 means that nothing was better than the generic kernel. A policy's "
        "rounds are its own: sequential has one branch in each.</p>\n<div class=\"drawing\">";
  drawRounds(os, list);
  double high = 1.1;
  for (const PolicySummary &one : list)
    for (const Spread &spread : one.soFar)
      high = std::max(high, spread.high);
  os << "</div>\n<h2>The best so far, over round 0</h2>\n<p class=\"faint\">Line: geometric mean over the policy's "
        "runs; "
        "band: least to greatest; grey: the other policies' means.</p>\n<div class=\"panels\">\n";
  for (size_t i = 0; i < list.size(); ++i)
    drawSoFar(os, list, i, high);
  os << "</div>\n<h2>Every run</h2>\n<div class=\"wide\"><table><thead><tr><th>problem</th><th>policy</th><th "
        "class=\"n\">seed</th><th class=\"n\">best</th><th class=\"n\">× round 0</th><th class=\"n\">in round</th><th "
        "class=\"n\">after branches</th><th class=\"n\">branches</th></tr></thead><tbody>\n";
  for (const RunReport &run : runs) {
    bool found = !run.curve.empty();
    os << "<tr><td>" << escape(run.problem) << "</td><td>" << escape(run.policy) << "</td><td class=\"n\">" << run.seed
       << "</td><td class=\"n\">" << html::time(run.best.timeUs) << "</td><td class=\"n\">"
       << number("%.2f", run.getSpeedup()) << "</td><td class=\"n\">" << (found ? run.curve.back().round : 0)
       << "</td><td class=\"n\">" << (found ? run.curve.back().branches : 0) << "</td><td class=\"n\">"
       << std::max(0, run.branches - 1) << "</td></tr>\n";
  }
  os << "</tbody></table></div>\n</main></body></html>\n";
  return text;
}

} // namespace kgen::report
