//===- RunReport.cpp ------------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Report/RunReport.h"
#include "kgen/Candidate/Measurement.h"
#include "kgen/Candidate/UntrustedText.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm;

namespace kgen::report {

namespace {
double percentOf(double other, double mine) { return other > 0 && mine > 0 ? 100 * other / mine : 0; }

double baseline(const candidate::Measurement &measurement, const char *name) {
  auto it = measurement.baselines.find(name);
  return it == measurement.baselines.end() ? 0 : it->second;
}
} // namespace

static std::vector<double> ranksOf(const std::vector<double> &values) {
  std::vector<size_t> order(values.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  llvm::sort(order, [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]])
      ++end;
    for (size_t j = i; j < end; ++j)
      ranks[order[j]] = (i + end - 1) / 2.0;
    i = end;
  }
  return ranks;
}

double rankCorrelation(const std::vector<std::pair<double, double>> &pairs) {
  std::vector<double> x, y;
  for (auto [a, b] : pairs) {
    x.push_back(a);
    y.push_back(b);
  }
  x = ranksOf(x);
  y = ranksOf(y);
  double mean = (double(pairs.size()) - 1) / 2, xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

RunReport summarizeRun(const trajectory::RunFolder &run) {
  RunReport report;
  const trajectory::Json &config = run.getConfig();
  report.run = run.getPath().str();
  report.problem = config.value("problem", "");
  report.size = config.value("size", "");
  report.device = config.value("device", "");
  if (std::string model = config.value("device_model", ""); !model.empty())
    report.device += " " + model;
  report.precision = config.value("precision", "");
  report.rules = config.value("rules", "kgen");
  report.policy = config.value("policy", "");
  report.llm = config.value("llm", "");
  report.isolation = config.value("isolation", "");
  report.seed = config.value("seed", uint64_t(0));
  report.stopReason = run.getStopReason();
  report.seconds = run.getSecondsSpent();
  report.ledger = trajectory::addUp(run);
  std::vector<std::pair<double, double>> priors;
  for (const trajectory::BranchRecord &branch : run.getBranches()) {
    if (branch.measurement.empty()) {
      ++report.unmeasured;
      continue;
    }
    auto measurement = candidate::Measurement::parse(branch.measurement);
    if (!measurement) {
      consumeError(measurement.takeError());
      continue;
    }
    if (!branch.duplicateOf.empty()) {
      ++report.duplicates; // an earlier kernel under another name
      continue;
    }
    ++report.branches;
    ++report.verdicts[candidate::verdictName(measurement->verdict).str()];
    if (branch.round == 0)
      report.genericVerdict = candidate::verdictName(measurement->verdict).str();
    if (report.rows.empty() || report.rows.back().round != branch.round) {
      report.rows.emplace_back();
      report.rows.back().round = branch.round;
    }
    ReportRow &row = report.rows.back();
    ++row.tried;
    if (!measurement->passed())
      continue;
    ++row.passed;
    if (branch.priorUs > 0)
      priors.push_back({branch.priorUs, measurement->timeUs});
    // Baselines and floor are the problem's: any branch that has them will do.
    if (double eager = baseline(*measurement, "eager"))
      report.eagerUs = eager;
    if (double compile = baseline(*measurement, "compile"))
      report.compileUs = compile;
    if (measurement->floorUs > 0)
      report.floorUs = measurement->floorUs;
    if (branch.round == 0)
      report.genericUs = measurement->timeUs;
    if (row.timeUs == 0 || measurement->timeUs < row.timeUs) {
      row.timeUs = measurement->timeUs;
      row.id = branch.id;
      row.idea = candidate::onOneLine(branch.idea.text);
      row.settings = candidate::onOneLine(branch.label);
      if (branch.canWin() && measurement->beats(report.best.timeUs))
        report.bestDiagnosis = measurement->diagnosis;
    }
    if (branch.canWin() && measurement->beats(report.best.timeUs)) {
      report.best = row;
      report.bestSanitizer = candidate::onOneLine(measurement->sanitizer);
      if (report.bestSanitizer.empty() && !StringRef(measurement->device).starts_with("host"))
        report.bestSanitizer = "has not looked at it by itself";
      // The round may hold a quicker kernel that did not win beside the best one.
      report.best.timeUs = measurement->timeUs;
      report.best.id = branch.id;
      report.best.idea = candidate::onOneLine(branch.idea.text);
      report.best.settings = candidate::onOneLine(branch.label);
      report.curve.push_back({branch.id, report.branches - 1, branch.round, branch.doneAt, measurement->timeUs});
    }
  }
  const trajectory::BranchRecord *best = run.findBranch(report.best.id);
  if (best && best->files.count("directives.mlir")) {
    auto script = run.readFile(best->id, "directives.mlir");
    if (script)
      report.bestDirectives = std::move(*script);
    else
      consumeError(script.takeError());
  }
  report.priorBranches = priors.size();
  report.priorCorrelation = rankCorrelation(priors);
  auto fill = [&](ReportRow &row) {
    row.ofGeneric = percentOf(report.genericUs, row.timeUs);
    row.ofEager = percentOf(report.eagerUs, row.timeUs);
    row.ofCompile = percentOf(report.compileUs, row.timeUs);
    row.ofFloor = percentOf(report.floorUs, row.timeUs);
  };
  for (ReportRow &row : report.rows)
    fill(row);
  fill(report.best);
  return report;
}

trajectory::Json toJson(const std::vector<CurvePoint> &curve) {
  trajectory::Json list = trajectory::Json::array();
  for (const CurvePoint &point : curve)
    list.push_back({{"branch", point.id},
                    {"branches", point.branches},
                    {"round", point.round},
                    {"seconds", point.seconds},
                    {"time_us", point.timeUs}});
  return list;
}

std::string printReportJson(const RunReport &report) {
  auto rowJson = [](const ReportRow &row) {
    return trajectory::Json{{"round", row.round},      {"branch", row.id},
                            {"idea", row.idea},        {"settings", row.settings},
                            {"tried", row.tried},      {"passed", row.passed},
                            {"time_us", row.timeUs},   {"of_generic", row.ofGeneric},
                            {"of_eager", row.ofEager}, {"of_compile", row.ofCompile},
                            {"of_floor", row.ofFloor}};
  };
  trajectory::Json rows = trajectory::Json::array();
  for (const ReportRow &row : report.rows)
    rows.push_back(rowJson(row));
  trajectory::Json json = {
      {"version", 1},
      {"problem", report.problem},
      {"size", report.size},
      {"device", report.device},
      {"precision", report.precision},
      {"rules", report.rules},
      {"policy", report.policy},
      {"llm", report.llm},
      {"isolation", report.isolation},
      {"seed", report.seed},
      {"stop_reason", report.stopReason ? trajectory::stopReasonWords(*report.stopReason).str() : ""},
      {"seconds", report.seconds},
      {"branches", report.branches},
      {"duplicates", report.duplicates},
      {"verdicts", report.verdicts},
      {"generic_us", report.genericUs},
      {"eager_us", report.eagerUs},
      {"compile_us", report.compileUs},
      {"floor_us", report.floorUs},
      {"speedup", report.getSpeedup()},
      {"best", rowJson(report.best)},
      {"curve", toJson(report.curve)},
      {"prior", {{"branches", report.priorBranches}, {"rank_correlation", report.priorCorrelation}}},
      {"ledger", toJson(report.ledger)},
      {"rounds", rows}};
  return json.dump(2, ' ', false, trajectory::Json::error_handler_t::replace) + "\n";
}

} // namespace kgen::report
