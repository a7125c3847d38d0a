//===- HtmlDrawings.cpp - The curve and the scatter as SVG -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Html.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace kgen::report::html;

namespace {

constexpr int colours = 6; ///< classes r0 to r5 of the style sheet

/// A logarithmic axis from pixel FROM to pixel TO.
struct LogAxis {
  double low = 0, high = 0, from, to;
  LogAxis(double from, double to) : from(from), to(to) {}

  void take(double value) {
    if (value <= 0)
      return;
    low = low == 0 ? value : std::min(low, value);
    high = std::max(high, value);
  }
  /// Some room on both sides.
  void close() {
    double room = high / low < 1.5 ? 1.3 : std::pow(high / low, 0.06);
    low /= room;
    high *= room;
  }
  double at(double value) const { return from + (to - from) * std::log(value / low) / std::log(high / low); }
  /// Round numbers, four to nine of them.
  std::vector<double> ticks() const {
    std::vector<double> out;
    for (auto steps : {std::vector<double>{1}, {1, 3}, {1, 2, 5}, {1, 1.5, 2, 3, 5, 7}}) {
      out.clear();
      for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high; decade *= 10)
        for (double step : steps)
          if (decade * step >= low && decade * step <= high)
            out.push_back(decade * step);
      if (out.size() >= 4)
        break;
    }
    return out;
  }
};

std::string tickName(double us) {
  std::string text;
  raw_string_ostream os(text);
  double value = us < 1e3 ? us : us < 1e6 ? us / 1e3 : us / 1e6;
  os << format("%g", value) << (us < 1e3 ? " µs" : us < 1e6 ? " ms" : " s");
  return text;
}

void drawDot(raw_ostream &os, double x, double y, const Mark &mark) {
  os << format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" class=\"r%d%s\">", x, y, mark.best ? "5" : "3.5",
               mark.round % colours, mark.best ? " best" : "")
     << "<title>" << escape(mark.title) << "</title></circle>\n";
}

} // namespace

std::string kgen::report::html::drawCurve(ArrayRef<Mark> marks, ArrayRef<Level> levels) {
  constexpr double width = 960, height = 340, left = 64, right = 936, top = 14, bottom = 300;
  LogAxis axis(bottom, top);
  double last = 1;
  for (const Mark &mark : marks) {
    axis.take(mark.y);
    last = std::max(last, mark.x);
  }
  if (axis.high == 0)
    return "";
  for (const Level &level : levels)
    axis.take(level.y);
  axis.close();
  auto across = [&](double x) { return left + (right - left) * (x + 0.5) / (last + 1); };
  std::string text;
  raw_string_ostream os(text);
  os << format(
      "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"Times of all branches, and the best so far\">\n", width,
      height);
  for (double tick : axis.ticks())
    os << format("<line class=\"grid\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/><text x=\"%.0f\" y=\"%.1f\" "
                 "text-anchor=\"end\">",
                 left, right, axis.at(tick), axis.at(tick), left - 8, axis.at(tick) + 4)
       << tickName(tick) << "</text>\n";
  // Rounds: a line before the first branch of each.
  int round = -1;
  double named = -100;
  for (const Mark &mark : marks) {
    if (mark.round <= round)
      continue;
    round = mark.round;
    double x = across(mark.x - 0.5);
    os << format("<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.0f\" y2=\"%.0f\"/>", x, x, top, bottom);
    if (x - named > 58) {
      os << format("<text x=\"%.1f\" y=\"%.0f\">round %d</text>\n", x + 3, bottom + 16, round);
      named = x;
    }
  }
  os << format(
      "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">branches, in the order in which they were tried</text>\n", right,
      bottom + 34);
  // Names of levels that lie close together are moved apart.
  std::vector<Level> sorted(levels.begin(), levels.end());
  llvm::sort(sorted, [](const Level &a, const Level &b) { return a.y > b.y; });
  double above = -100;
  for (const Level &level : sorted) {
    if (level.y <= 0)
      continue;
    double y = axis.at(level.y), word = std::max(y - 4, above + 14);
    above = word;
    os << format("<line class=\"level\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/><text x=\"%.0f\" y=\"%.1f\" "
                 "text-anchor=\"end\">",
                 left, right, y, y, right - 4, word)
       << escape(level.name) << "</text>\n";
  }
  double best = 0;
  std::string path;
  raw_string_ostream line(path);
  for (const Mark &mark : marks)
    if (mark.best) {
      if (best == 0)
        line << format("M%.1f %.1f", across(mark.x), axis.at(mark.y));
      else
        line << format("H%.1fV%.1f", across(mark.x), axis.at(mark.y));
      best = mark.y;
    }
  if (best > 0)
    os << "<path class=\"so-far\" d=\"" << path << format("H%.1f\"/>\n", across(last));
  for (const Mark &mark : marks)
    if (mark.y > 0)
      drawDot(os, across(mark.x), axis.at(mark.y), mark);
  os << "</svg>\n";
  return text;
}

std::string kgen::report::html::drawScatter(ArrayRef<Mark> marks) {
  constexpr double width = 480, height = 330, left = 60, right = 462, top = 12, bottom = 280;
  LogAxis x(left, right), y(bottom, top);
  for (const Mark &mark : marks) {
    x.take(mark.x);
    y.take(mark.y);
  }
  if (x.high == 0 || y.high == 0)
    return "";
  x.close();
  y.close();
  std::string text;
  raw_string_ostream os(text);
  os << format("<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"Measured times over the prior's\">\n", width,
               height);
  for (double tick : y.ticks())
    os << format("<line class=\"grid\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/><text x=\"%.0f\" y=\"%.1f\" "
                 "text-anchor=\"end\">",
                 left, right, y.at(tick), y.at(tick), left - 7, y.at(tick) + 4)
       << tickName(tick) << "</text>\n";
  double named = -100;
  for (double tick : x.ticks()) {
    os << format("<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.0f\" y2=\"%.0f\"/>", x.at(tick), x.at(tick), top,
                 bottom);
    if (x.at(tick) - named < 52)
      continue;
    named = x.at(tick);
    os << format("<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">", x.at(tick), bottom + 17) << tickName(tick)
       << "</text>\n";
  }
  os << format("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">expected by the prior; upwards: measured</text>\n",
               right, bottom + 38);
  for (const Mark &mark : marks)
    drawDot(os, x.at(mark.x), y.at(mark.y), mark);
  os << "</svg>\n";
  return text;
}
