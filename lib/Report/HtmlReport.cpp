//===- HtmlReport.cpp - A run as one page ------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Report/HtmlReport.h"

#include "Html.h"
#include "HtmlBranches.h"
#include "kgen/Toolchain/Cache.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace llvm;
using namespace kgen;
using namespace kgen::report;
using namespace kgen::report::html;

/// What a class allows, in words; docs/precision.md has it in full.
static StringRef describeClass(StringRef precision) {
  return StringSwitch<StringRef>(precision)
      .Case("strict-fp32", "fp32 throughout: an answer that was rounded to TF32 or to 16 bits on the way is WRONG")
      .Case("tf32", "operands of products may lose what TF32 or scaled fp16 loses; sums are fp32")
      .Case("fp16", "operands are fp16 as given, sums are fp32")
      .Case("bf16", "operands are bf16 as given, sums are fp32")
      .Default("");
}

static void fact(raw_ostream &os, StringRef name, const std::string &value) {
  if (!value.empty())
    os << "<tr><th>" << name << "</th><td>" << value << "</td></tr>\n";
}

static std::string number(const char *form, double value) {
  std::string text;
  raw_string_ostream(text) << format(form, value);
  return text;
}

static void printNumbers(raw_ostream &os, const RunReport &report) {
  auto one = [&](const std::string &value, StringRef what) {
    os << "<li><b>" << value << "</b><span>" << what << "</span></li>";
  };
  os << "<ul class=\"numbers\">";
  one(html::time(report.best.timeUs), "best kernel");
  if (report.best.ofEager > 0)
    one(percent(report.best.ofEager), "of PyTorch eager");
  if (report.best.ofCompile > 0)
    one(percent(report.best.ofCompile), "of torch.compile");
  if (report.best.ofFloor > 0)
    one(percent(report.best.ofFloor), "of the floor, " + html::time(report.floorUs));
  one(number("%.1f×", report.getSpeedup()), "as fast as round 0");
  auto passed = report.verdicts.find("PASS");
  // Round 0 is nobody's idea, and no count of branches has it.
  int right = (passed == report.verdicts.end() ? 0 : passed->second) - (report.genericVerdict == "PASS");
  one(std::to_string(right) + " of " + std::to_string(std::max(0, report.branches - 1)), "branches passed");
  one(report.seconds < 600 ? number("%.0f s", report.seconds) : number("%.1f min", report.seconds / 60), "wall time");
  os << "</ul>\n";
}

/// What was asked, and by which rules it was judged.
static void printContract(raw_ostream &os, const RunReport &report, const trajectory::RunFolder &run,
                          const std::vector<Branch> &branches, const Branch *best) {
  os << "<h2>What was asked</h2>\n<div class=\"wide\"><table class=\"facts\"><tbody>\n";
  fact(os, "problem", escape(report.problem) + ", " + escape(report.size) + " size");
  fact(os, "device", escape(report.device));
  std::string contract = escape(report.precision);
  if (StringRef words = describeClass(report.precision); !words.empty())
    contract += ": " + escape(words);
  if (best && best->measurement.tolerance.l2 > 0) {
    double worst = 0;
    for (const candidate::InputError &error : best->measurement.errors)
      worst = std::max(worst, error.norms.l2);
    contract += number(". Allowed error against fp64, measured for this problem: %.2g of the answer's norm",
                       best->measurement.tolerance.l2) +
                number("; the best kernel's largest is %.2g", worst) + ", over " +
                std::to_string(best->measurement.errors.size()) + " sets of inputs";
  }
  fact(os, "precision", contract);
  fact(os, "rules",
       escape(report.rules) +
           (report.rules == "kgen" ? ": fp64 reference, secret inputs, every timed result checked" : ""));
  fact(os, "isolation", escape(report.isolation));
  fact(os, "policy", escape(report.policy));
  fact(os, "ideas from", escape(report.llm));
  fact(os, "search seed", std::to_string(report.seed));
  // Each sitting of a search has a secret of its own.
  std::vector<std::string> secrets, warnings;
  for (const Branch &branch : branches) {
    if (!branch.measurement.inputs.empty() && !is_contained(secrets, branch.measurement.inputs))
      secrets.push_back(branch.measurement.inputs);
    for (const std::string &warning : branch.measurement.warnings)
      if (!is_contained(warnings, warning))
        warnings.push_back(warning);
  }
  // "seed 1F..." is what the commitment is the digest of, once its length stands before it.
  for (std::string &secret : secrets)
    for (const std::string &seed : run.getSeeds())
      if (StringRef(secret).ends_with(toolchain::contentKey({seed})))
        secret += ", told at the end: " + seed;
  fact(os, "inputs", escape(join(secrets, "; ")));
  fact(os, "warnings", escape(join(warnings, "; ")));
  if (best)
    fact(os, "sanitizer", escape(best->measurement.sanitizer));
  std::string end =
      report.stopReason ? trajectory::stopReasonWords(*report.stopReason).str() : "still going on, or cut short";
  std::string verdicts;
  for (const auto &[verdict, count] : report.verdicts)
    verdicts += (verdicts.empty() ? "" : ", ") + std::to_string(count) + " " + verdict;
  fact(os, "ended", escape(end) + "; " + escape(verdicts));
  os << "</tbody></table></div>\n";
}

/// The sentences of a diagnosis as a list: what it judges, then single kernels.
static void printDiagnosis(raw_ostream &os, StringRef diagnosis) {
  os << "<ul>";
  while (!diagnosis.empty()) {
    size_t end = std::min(diagnosis.find(". Machine code of "), diagnosis.find(". Profiled "));
    StringRef sentence = diagnosis.take_front(end);
    diagnosis = end == StringRef::npos ? "" : diagnosis.drop_front(end + 2);
    while (!sentence.empty()) {
      auto [part, rest] = sentence.split("; ");
      // The facts of one kernel stay together.
      if (sentence.starts_with("Machine code of ") || sentence.starts_with("Profiled "))
        part = sentence, rest = "";
      os << "<li>" << escape(part) << "</li>";
      sentence = rest;
    }
  }
  os << "</ul>\n";
}

static void printKernels(raw_ostream &os, const candidate::Measurement &m) {
  if (m.kernels.empty() || m.device == "host")
    return;
  os << "<div class=\"wide\"><table><thead><tr><th>kernel</th><th class=\"n\">registers</th><th class=\"n\">static "
        "shared</th>"
        "<th class=\"n\">spilled</th><th class=\"n\">threads resident</th><th>matrix units</th></tr></thead><tbody>\n";
  for (const candidate::KernelResources &k : m.kernels)
    os << "<tr><td><code>" << escape(k.kernel) << "</code></td><td class=\"n\">" << k.registers
       << "</td><td class=\"n\">" << k.sharedBytes << " B</td><td class=\"n\">" << k.spillBytes
       << " B</td><td class=\"n\">" << number("%.0f %%", 100 * k.occupancy) << "</td><td>"
       << (k.tensorCore ? "yes" : "no") << "</td></tr>\n";
  os << "</tbody></table></div>\n";
  if (m.profile.empty())
    return;
  os << "<h3>Nsight Compute</h3>\n<div class=\"wide\"><table><thead><tr><th>launch</th><th class=\"n\">time</th><th "
        "class=\"n\">DRAM</th>"
        "<th class=\"n\">matrix units</th><th class=\"n\">issue slots</th><th class=\"n\">warps resident</th><th "
        "class=\"n\">L2 "
        "hits</th><th>waits longest for</th></tr></thead><tbody>\n";
  for (const candidate::KernelProfile &p : m.profile) {
    os << "<tr><td><code>" << escape(p.kernel) << "</code></td><td class=\"n\">" << html::time(p.timeUs) << "</td>";
    for (double value : {p.dram, p.tensor, p.issue, p.warps, p.l2Hits})
      os << "<td class=\"n\">" << number("%.0f %%", value) << "</td>";
    os << "<td>" << escape(p.stall) << (p.stall.empty() ? "" : number(", %.1f cycles", p.stallCycles))
       << "</td></tr>\n";
  }
  os << "</tbody></table></div>\n";
}

/// A file of the best branch's folder behind a fold; nothing when the run has none.
static void printFile(raw_ostream &os, const trajectory::RunFolder &run, const trajectory::BranchRecord &branch,
                      StringRef name, StringRef title, bool open) {
  if (!branch.files.count(name.str()))
    return;
  auto text = run.readFile(branch.id, name);
  if (!text) {
    os << "<p class=\"faint\">" << escape(name) << ": " << escape(toString(text.takeError())) << "</p>\n";
    return;
  }
  os << "<details" << (open ? " open" : "") << "><summary>" << title << " (" << escape(name) << ", "
     << StringRef(*text).count('\n') << " lines)</summary><pre><code>" << escape(*text) << "</code></pre></details>\n";
}

static void printBest(raw_ostream &os, const RunReport &report, const trajectory::RunFolder &run, const Branch &best) {
  os << "<h2>The best kernel</h2>\n<p>" << escape(report.best.id) << ", " << html::time(report.best.timeUs);
  if (std::string range = interval(best.measurement); !range.empty())
    os << " (5 to 95 % of " << best.measurement.samples.size() << " samples: " << range << ")";
  if (const candidate::Conditions &c = best.measurement.after; c.clockMHz > 0)
    os << number(" at %.0f MHz", c.clockMHz) << number(", %.0f W", c.powerWatts) << number(", %.0f °C", c.temperature);
  os << ".</p>\n<p>" << escape(report.best.idea) << "</p>\n";
  if (best.measurement.speed)
    os << "<p>Timed in turns with the best before it: " << escape(candidate::describeSpeed(*best.measurement.speed))
       << ".</p>\n";
  os << "<h3>Diagnosis</h3>\n";
  printDiagnosis(os, best.measurement.diagnosis);
  printKernels(os, best.measurement);
  os << "<h3>Text</h3>\n";
  printFile(os, run, *best.record, "directives.mlir", "Directives", true);
  printFile(os, run, *best.record, "kernel.cu", "CUDA-C", false);
  printFile(os, run, *best.record, "plan.json", "Launch plan", false);
}

static void printLedger(raw_ostream &os, const trajectory::Ledger &ledger, const RunReport &report) {
  os << "<h2>What it cost</h2>\n<p>Wall time " << number("%.0f s", ledger.seconds) << ", "
     << number("%.0f s", ledger.total.deviceSeconds) << " of them on the device; policy " << escape(report.policy)
     << ".";
  if (!ledger.pricesAsOf.empty())
    os << " Prices of " << escape(ledger.pricesAsOf) << ".";
  for (const std::string &model : ledger.unpriced)
    os << " " << escape(model) << " has no price.";
  bool asked = ledger.total.requests > 0;
  os << "</p>\n<div class=\"wide\"><table><thead><tr><th>ideas</th><th class=\"n\">branches</th><th "
        "class=\"n\">device</th>";
  if (asked)
    os << "<th class=\"n\">answers</th><th class=\"n\">waiting</th><th class=\"n\">tokens in</th><th "
          "class=\"n\">cached</th><th class=\"n\">tokens out</th><th class=\"n\">reasoning</th><th "
          "class=\"n\">money</th>";
  os << "</tr></thead><tbody>\n";
  auto line = [&](const std::string &name, const trajectory::Costs &costs) {
    os << "<tr><td>" << escape(name) << "</td><td class=\"n\">" << costs.branches << "</td><td class=\"n\">"
       << number("%.1f s", costs.deviceSeconds) << "</td>";
    if (asked)
      os << "<td class=\"n\">" << costs.requests << "</td><td class=\"n\">" << number("%.0f s", costs.askSeconds)
         << "</td><td class=\"n\">" << costs.input << "</td><td class=\"n\">" << costs.cached << "</td><td class=\"n\">"
         << costs.output << "</td><td class=\"n\">" << costs.reasoning << "</td><td class=\"n\">"
         << number("$%.4f", costs.dollars) << "</td>";
    os << "</tr>\n";
  };
  for (const auto &[name, costs] : ledger.categories)
    line(name, costs);
  for (const auto &[name, costs] : ledger.models)
    line(name, costs);
  line("all", ledger.total);
  os << "</tbody></table></div>\n";
}

std::string kgen::report::printReportHtml(const RunReport &report, const trajectory::RunFolder &run) {
  std::vector<Branch> branches = readBranches(run, report);
  auto found = llvm::find_if(branches, [&](const Branch &b) { return b.record->id == report.best.id; });
  const Branch *best = found == branches.end() ? nullptr : &*found;
  std::string text;
  raw_string_ostream os(text);
  os << "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" "
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>"
     << escape(report.problem) << " on " << escape(report.device) << "</title>\n<style>" << style
     << "</style>\n</head>\n<body>\n<main>\n<h1>" << escape(report.problem) << "</h1>\n<p class=\"faint\">"
     << escape(report.size) << " size, class " << escape(report.precision) << ", on " << escape(report.device)
     << "; a search by kgen</p>\n";
  printNumbers(os, report);
  printContract(os, report, run, branches, best);
  os << "<h2>The search</h2>\n" << printCurveSection(branches, report);
  if (best)
    printBest(os, report, run, *best);
  os << "<h2>Branches</h2>\n" << printBranchTable(branches, report);
  os << "<h2>Tree of ideas</h2>\n" << printTree(branches, report);
  os << "<h2>The prior</h2>\n" << printPrior(branches, report);
  printLedger(os, report.ledger, report);
  os << "<p class=\"faint\">Derive every kernel again, without a device: <code>kgen-search replay "
     << escape(report.run) << "</code></p>\n</main>\n</body>\n</html>\n";
  return text;
}
