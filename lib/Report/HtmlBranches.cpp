//===- HtmlBranches.cpp - All branches of a run, for its page ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "HtmlBranches.h"
#include "Html.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <set>

using namespace llvm;
using namespace kgen;
using namespace kgen::report;
using namespace kgen::report::html;

/// TEXT cut to about WIDTH characters, at a word.
static std::string shorten(StringRef text, size_t width) {
  if (text.size() <= width)
    return text.str();
  StringRef cut = text.take_front(width);
  size_t space = cut.rfind(' ');
  if (space != StringRef::npos && space > width / 2)
    cut = cut.take_front(space);
  // Half a character at the end is no UTF-8: escape() would show it.
  while (!cut.empty() && ((unsigned char)cut.back() & 0x80))
    cut = cut.drop_back();
  return cut.rtrim(" ,;:").str() + " …";
}

static double percentOf(double other, double mine) { return other > 0 && mine > 0 ? 100 * other / mine : 0; }

std::vector<Branch> kgen::report::html::readBranches(const trajectory::RunFolder &run, const RunReport &report) {
  std::vector<Branch> out;
  for (const trajectory::BranchRecord &record : run.getBranches()) {
    if (record.measurement.empty())
      continue;
    auto measurement = candidate::Measurement::parse(record.measurement);
    if (!measurement) {
      consumeError(measurement.takeError());
      continue;
    }
    bool best = llvm::any_of(report.curve, [&](const CurvePoint &point) { return point.id == record.id; });
    out.push_back({&record, std::move(*measurement), best});
  }
  return out;
}

std::string kgen::report::html::interval(const candidate::Measurement &m) {
  if (m.samples.empty())
    return "";
  std::vector<double> samples = m.samples;
  llvm::sort(samples);
  auto quantile = [&](double share) { return samples[size_t(share * double(samples.size() - 1) + 0.5)]; };
  double low = quantile(0.05), high = quantile(0.95);
  std::string text;
  raw_string_ostream os(text);
  if (high < 10000)
    os << format(high < 100 ? "%.2f–%.2f µs" : "%.1f–%.1f µs", low, high);
  else
    os << format("%.2f–%.2f ms", low / 1e3, high / 1e3);
  return text;
}

std::string kgen::report::html::printCurveSection(const std::vector<Branch> &branches, const RunReport &report) {
  std::vector<Mark> marks;
  for (size_t i = 0; i < branches.size(); ++i) {
    const Branch &branch = branches[i];
    const trajectory::BranchRecord &record = *branch.record;
    // A kernel under another name would draw its first measurement again.
    bool counts = branch.measurement.passed() && record.duplicateOf.empty();
    marks.push_back({double(i), counts ? branch.measurement.timeUs : 0, record.round, branch.best,
                     record.id + ", " + html::time(branch.measurement.timeUs) + ": " + shorten(record.idea.text, 120) +
                         (record.label.empty() ? "" : " [" + shorten(record.label, 80) + "]")});
  }
  std::vector<Level> levels;
  auto level = [&](const char *name, double us) {
    if (us > 0)
      levels.push_back({std::string(name) + " " + html::time(us), us});
  };
  level("PyTorch eager", report.eagerUs);
  level("torch.compile", report.compileUs);
  level("floor", report.floorUs);
  std::string drawing = drawCurve(marks, levels);
  if (drawing.empty())
    return "<p>Nothing passed.</p>\n";
  std::string text = "<div class=\"drawing\">" + drawing + "</div>\n";
  raw_string_ostream os(text);
  os << "<p class=\"faint\">Every dot is a kernel that passed, coloured by round; the line is the best so far (policy "
     << escape(report.policy) << "). Time is logarithmic.</p>\n<p>";
  if (report.best.round > 0)
    os << "Policy " << escape(report.policy) << " found its best in round " << report.best.round << ", after "
       << report.curve.back().branches << " of " << report.branches - 1 << " branches"
       << format(" and %.0f s. ", report.curve.back().seconds);
  os << "Best so far, and after how many branches: ";
  for (size_t i = 0; i < report.curve.size(); ++i) {
    const CurvePoint &point = report.curve[i];
    os << (i ? ", " : "") << html::time(point.timeUs);
    if (point.round > 0)
      os << " (" << point.branches << ")";
  }
  os << ".</p>\n";
  return text;
}

/// The idea, what it was carried out with, and behind a fold what became of it.
static void printIdea(raw_ostream &os, const Branch &branch) {
  const trajectory::BranchRecord &record = *branch.record;
  os << escape(record.idea.text);
  if (!record.label.empty())
    os << "<br><code>" << escape(record.label) << "</code>";
  std::vector<std::string> more;
  if (!record.repairs.empty())
    more.push_back("mends " + record.repairs);
  if (!record.duplicateOf.empty())
    more.push_back("the same kernel as " + record.duplicateOf);
  if (!branch.measurement.detail.empty())
    more.push_back(branch.measurement.detail);
  if (record.duplicateOf.empty()) {
    if (branch.measurement.speed)
      more.push_back(candidate::describeSpeed(*branch.measurement.speed));
    if (!branch.measurement.diagnosis.empty())
      more.push_back(branch.measurement.diagnosis);
  }
  if (more.empty())
    return;
  constexpr size_t oneLine = 110;
  if (more.size() == 1 && (more[0].size() < oneLine || branch.measurement.diagnosis.empty())) {
    os << "<br><span class=\"faint\">" << escape(more[0]) << "</span>";
    return;
  }
  os << "<details><summary>" << escape(shorten(more[0], 90)) << "</summary>";
  for (const std::string &line : more)
    os << "<p>" << escape(line) << "</p>";
  os << "</details>";
}

std::string kgen::report::html::printBranchTable(const std::vector<Branch> &branches, const RunReport &report) {
  bool torch = report.eagerUs > 0 || report.compileUs > 0, floor = report.floorUs > 0;
  int columns = 6 + 2 * torch + floor;
  std::string text;
  raw_string_ostream os(text);
  os << "<div class=\"wide\"><table class=\"branches\"><thead><tr><th>branch</th><th>parent</th><th>verdict</th><th "
        "class=\"n\">time</th>"
        "<th class=\"n\">% of round 0</th>";
  if (torch)
    os << "<th class=\"n\">% of eager</th><th class=\"n\">% of compile</th>";
  if (floor)
    os << "<th class=\"n\">% of floor</th>";
  os << "<th>idea</th></tr></thead><tbody>\n";
  int round = -1;
  for (const Branch &branch : branches) {
    const trajectory::BranchRecord &record = *branch.record;
    const candidate::Measurement &m = branch.measurement;
    if (record.round != round) {
      round = record.round;
      auto row = llvm::find_if(report.rows, [&](const ReportRow &one) { return one.round == round; });
      os << "<tr class=\"round\"><th colspan=\"" << columns << "\">Round " << round << " <span>";
      if (row != report.rows.end())
        os << row->passed << " of " << row->tried << " passed"
           << (row->timeUs > 0 ? ", fastest " + html::time(row->timeUs) : std::string());
      os << "</span></th></tr>\n";
    }
    os << "<tr"
       << (branch.best                   ? " class=\"best\""
           : !record.duplicateOf.empty() ? " class=\"same\""
                                         : "")
       << " id=\"" << escape(record.id) << "\"><td class=\"id\">" << escape(record.id) << "</td><td class=\"id\">";
    if (!record.parent.empty())
      os << "<a href=\"#" << escape(record.parent) << "\">" << escape(record.parent) << "</a>";
    StringRef verdict = candidate::verdictName(m.verdict);
    os << "</td><td class=\"" << (m.passed() ? "PASS" : "other") << "\">" << verdict << "</td><td class=\"n\">";
    if (m.passed()) {
      os << html::time(m.timeUs);
      if (std::string range = interval(m); !range.empty() && record.duplicateOf.empty())
        os << "<br><span class=\"faint\">" << range << "</span>";
    }
    double us = m.passed() ? m.timeUs : 0;
    auto share = [&](const char *of, double other) {
      // The words are for narrow pages, which have no head row.
      os << "<td class=\"n\" data-of=\"" << of << "\">" << percent(percentOf(other, us)) << "</td>";
    };
    os << "</td>";
    share("of round 0", report.genericUs);
    if (torch) {
      share("of eager", report.eagerUs);
      share("of compile", report.compileUs);
    }
    if (floor)
      share("of the floor", report.floorUs);
    os << "<td class=\"idea\">";
    printIdea(os, branch);
    os << "</td></tr>\n";
  }
  os << "</tbody></table></div>\n<p class=\"faint\">Under each time: 5 to 95 % of its samples. A percentage is the "
        "other time over this one: above 100 % this kernel is faster. Marked rows were the best so far.</p>\n";
  return text;
}

std::string kgen::report::html::printTree(const std::vector<Branch> &branches, const RunReport &report) {
  std::map<std::string, std::vector<const Branch *>> children;
  std::set<std::string> known, way;
  for (const Branch &branch : branches)
    known.insert(branch.record->id);
  std::map<std::string, std::string> parents;
  for (const Branch &branch : branches) {
    // What came of a branch that was not measured hangs at the root.
    const std::string &parent = branch.record->parent;
    children[known.count(parent) ? parent : ""].push_back(&branch);
    parents[branch.record->id] = parent;
  }
  for (std::string id = report.best.id; !id.empty() && way.insert(id).second;)
    id = parents.count(id) ? parents[id] : "";
  std::string text;
  raw_string_ostream os(text);
  // Depth first with a stack of its own: a tree of a model's making may be deep.
  struct Level {
    const std::vector<const Branch *> *list;
    size_t next;
  };
  std::vector<Level> stack = {{&children[""], 0}};
  os << "<ul class=\"tree\">\n";
  std::set<std::string> seen;
  while (!stack.empty()) {
    Level &top = stack.back();
    if (top.next == top.list->size()) {
      os << "</ul>" << (stack.size() > 1 ? "</li>" : "") << "\n";
      stack.pop_back();
      continue;
    }
    const Branch &branch = *(*top.list)[top.next++];
    const trajectory::BranchRecord &record = *branch.record;
    os << "<li"
       << (way.count(record.id)         ? " class=\"way\""
           : record.duplicateOf.empty() ? ""
                                        : " class=\"same\"")
       << "><span class=\"node\"><a href=\"#" << escape(record.id) << "\">" << escape(record.id) << "</a> ";
    if (branch.measurement.passed())
      os << html::time(branch.measurement.timeUs);
    else
      os << "<span class=\"other\">" << candidate::verdictName(branch.measurement.verdict) << "</span>";
    os << " · "
       << escape(record.label.empty() || record.round == 0
                     ? shorten(record.idea.text, 100)
                     : shorten(record.idea.text, 60) + " · " + shorten(record.label, 60))
       << "</span>";
    if (children.count(record.id) && seen.insert(record.id).second) {
      os << "<ul>\n";
      stack.push_back({&children[record.id], 0});
    } else {
      os << "</li>\n";
    }
  }
  os << "<p class=\"faint\">In bold: the way to the best kernel.</p>\n";
  return text;
}

std::string kgen::report::html::printPrior(const std::vector<Branch> &branches, const RunReport &report) {
  std::vector<Mark> marks;
  for (const Branch &branch : branches)
    if (branch.record->priorUs > 0 && branch.measurement.passed() && branch.record->duplicateOf.empty())
      marks.push_back({branch.record->priorUs, branch.measurement.timeUs, branch.record->round, branch.best,
                       branch.record->id + ", expected " + html::time(branch.record->priorUs) + ", measured " +
                           html::time(branch.measurement.timeUs)});
  if (marks.size() < 3)
    return "<p>The prior ranked fewer than three kernels that were measured.</p>\n";
  std::string text;
  raw_string_ostream os(text);
  os << "<p>Spearman's rank correlation of the prior with the measured times: <b>"
     << format("%.2f", report.priorCorrelation) << "</b> over " << report.priorBranches << " kernels.</p>\n"
     << "<div class=\"drawing small\">" << drawScatter(marks) << "</div>\n";
  return text;
}
