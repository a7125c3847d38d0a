//===- Measurement.cpp - measurement.json in and out ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Candidate/Measurement.h"

#include "kgen/Candidate/UntrustedText.h"

#include "nlohmann/json.hpp"

#include <algorithm>
#include <cmath>

using namespace kgen;
using namespace kgen::candidate;
using json = nlohmann::ordered_json;

static constexpr const char *verdictNames[] = {"PASS",  "WRONG",  "FAULT",    "TIMEOUT",    "RACE",
                                               "CHEAT", "REJECT", "BADREPLY", "UNSUPPORTED"};

llvm::StringRef kgen::candidate::verdictName(Verdict verdict) { return verdictNames[size_t(verdict)]; }

std::optional<Verdict> kgen::candidate::parseVerdict(llvm::StringRef name) {
  for (size_t i = 0; i < std::size(verdictNames); ++i)
    if (name == verdictNames[i])
      return Verdict(i);
  return std::nullopt;
}

bool kgen::candidate::lacksRoom(const Measurement &measurement) {
  return measurement.verdict == Verdict::Reject && llvm::StringRef(measurement.detail).starts_with(noRoom);
}

double kgen::candidate::median(std::vector<double> samples) {
  if (samples.empty())
    return 0;
  std::sort(samples.begin(), samples.end());
  size_t n = samples.size();
  return n % 2 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
}

static json normsJson(const ErrorNorms &norms) { return {{"max", norms.max}, {"l2", norms.l2}}; }

/// NaN and infinity print as null; they come back as infinity, the worst error.
static double number(const json &value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::infinity();
}

static json conditionsJson(const Conditions &c) {
  return {{"clock_mhz", c.clockMHz}, {"power_w", c.powerWatts}, {"temperature_c", c.temperature}};
}

static Conditions parseConditions(const json &value) {
  return {number(value.at("clock_mhz")), number(value.at("power_w")), number(value.at("temperature_c"))};
}

static json countsJson(const InstructionCounts &counts) {
  json out{{"total", counts.total}};
  for (const auto &[kind, count] : counts.kinds)
    out[kind] = count;
  return out;
}

static InstructionCounts parseCounts(const json &value) {
  InstructionCounts counts;
  for (const auto &[kind, count] : value.items())
    (kind == "total" ? counts.total : counts.kinds[kind]) = count.get<int>();
  return counts;
}

static json speedJson(const SpeedComparison &s) {
  return {{"verdict", speedName(s.verdict).str()},
          {"against", s.baseline},
          {"ratio", s.ratio},
          {"interval", {s.low, s.high}},
          {"blocks", s.blocks},
          {"candidate_us", s.candidateUs},
          {"against_us", s.baselineUs},
          {"against_alone_us", s.baselineAloneUs}};
}

static SpeedComparison parseSpeedComparison(const json &value) {
  SpeedComparison s;
  std::string name = value.at("verdict").get<std::string>();
  auto verdict = parseSpeed(name);
  if (!verdict)
    throw std::runtime_error("unknown speed verdict '" + name + "'");
  s.verdict = *verdict;
  s.baseline = value.at("against").get<std::string>();
  s.ratio = number(value.at("ratio"));
  s.low = number(value.at("interval").at(0));
  s.high = number(value.at("interval").at(1));
  s.blocks = value.at("blocks").get<int>();
  s.candidateUs = number(value.at("candidate_us"));
  s.baselineUs = number(value.at("against_us"));
  s.baselineAloneUs = number(value.at("against_alone_us"));
  return s;
}

std::string Measurement::shownDetail() const {
  constexpr size_t most = 2000;
  if (detail.size() <= most)
    return printable(detail);
  // Half a character at the end is no UTF-8.
  return printable(llvm::StringRef(detail).take_front(most)) + " ...";
}

std::string Measurement::print() const {
  json root{{"version", 1},
            {"verdict", verdictName(verdict).str()},
            {"detail", shownDetail()},
            {"device", device},
            {"precision", precision},
            {"time_us", timeUs},
            {"samples", samples}};
  if (prepareUs > 0) {
    root["counted"] = "prepared";
    root["prepare_us"] = prepareUs;
    root["fresh_us"] = freshUs();
  }
  if (graphUs > 0)
    root["graph_us"] = graphUs;
  root["baselines"] = json::object();
  for (const auto &[name, us] : baselines)
    root["baselines"][name] = us;
  root["floor_us"] = floorUs;
  root["errors"] = json::array();
  for (const InputError &e : errors)
    root["errors"].push_back({{"input", e.input}, {"max", e.norms.max}, {"l2", e.norms.l2}});
  root["tolerance"] = normsJson(tolerance);
  json compile{{"seconds", compileSeconds}, {"kernels", json::array()}};
  for (const KernelResources &k : kernels) {
    compile["kernels"].push_back({{"kernel", k.kernel},
                                  {"registers", k.registers},
                                  {"shared", k.sharedBytes},
                                  {"stack", k.stackBytes},
                                  {"spills", k.spillBytes},
                                  {"occupancy", k.occupancy},
                                  {"tensor_core", k.tensorCore}});
    if (k.code.total > 0)
      compile["kernels"].back()["code"] = countsJson(k.code);
    if (k.loop.total > 0)
      compile["kernels"].back()["loop"] = countsJson(k.loop);
  }
  root["compile"] = std::move(compile);
  root["diagnosis"] = diagnosis;
  root["rules"] = rules;
  if (!warnings.empty())
    root["warnings"] = warnings;
  if (!inputs.empty())
    root["inputs"] = inputs;
  if (!samples.empty() && std::isfinite(spread))
    root["spread"] = spread;
  if (before.clockMHz > 0)
    root["conditions"] = {{"before", conditionsJson(before)}, {"after", conditionsJson(after)}};
  if (!phases.empty())
    root["phases"] = phases;
  if (!sanitizer.empty())
    root["sanitizer"] = sanitizer;
  if (speed)
    root["speed"] = speedJson(*speed);
  for (const KernelProfile &p : profile)
    root["profile"].push_back({{"kernel", p.kernel},
                               {"time_us", p.timeUs},
                               {"dram", p.dram},
                               {"tensor", p.tensor},
                               {"issue", p.issue},
                               {"warps", p.warps},
                               {"l2_hits", p.l2Hits},
                               {"stall", p.stall},
                               {"stall_cycles", p.stallCycles}});
  // Kernel output may end up in detail: replace what is not UTF-8 instead of throwing.
  return root.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

static Measurement parseMeasurement(llvm::StringRef text) {
  json root = json::parse(text.begin(), text.end());
  Measurement m;
  std::string name = root.at("verdict").get<std::string>();
  auto verdict = parseVerdict(name);
  if (!verdict)
    throw std::runtime_error("unknown verdict '" + name + "'");
  m.verdict = *verdict;
  m.detail = root.value("detail", "");
  m.device = root.value("device", "");
  m.precision = root.value("precision", "");
  m.timeUs = number(root.at("time_us"));
  for (const json &s : root.at("samples"))
    m.samples.push_back(number(s));
  m.prepareUs = number(root.value("prepare_us", json(0.0)));
  m.graphUs = number(root.value("graph_us", json(0.0)));
  for (const auto &[key, us] : root.at("baselines").items())
    m.baselines[key] = number(us);
  m.floorUs = number(root.at("floor_us"));
  for (const json &e : root.at("errors"))
    m.errors.push_back({e.at("input").get<std::string>(), {number(e.at("max")), number(e.at("l2"))}});
  m.tolerance = {number(root.at("tolerance").at("max")), number(root.at("tolerance").at("l2"))};
  const json &compile = root.at("compile");
  m.compileSeconds = number(compile.at("seconds"));
  for (const json &k : compile.at("kernels")) {
    m.kernels.push_back({k.at("kernel").get<std::string>(), k.at("registers").get<int>(), k.at("shared").get<int>(),
                         k.at("stack").get<int>(), k.at("spills").get<int>(), number(k.at("occupancy")),
                         k.at("tensor_core").get<bool>(), parseCounts(k.value("code", json::object())),
                         parseCounts(k.value("loop", json::object()))});
  }
  m.diagnosis = root.value("diagnosis", "");
  m.rules = root.value("rules", "kgen");
  m.warnings = root.value("warnings", std::vector<std::string>());
  m.inputs = root.value("inputs", "");
  m.spread = root.value("spread", 0.0);
  if (root.contains("conditions")) {
    m.before = parseConditions(root.at("conditions").at("before"));
    m.after = parseConditions(root.at("conditions").at("after"));
  }
  if (root.contains("phases"))
    for (const auto &[key, seconds] : root.at("phases").items())
      m.phases[key] = number(seconds);
  m.sanitizer = root.value("sanitizer", "");
  if (root.contains("speed"))
    m.speed = parseSpeedComparison(root.at("speed"));
  for (const json &p : root.value("profile", json::array()))
    m.profile.push_back({p.at("kernel").get<std::string>(), number(p.at("time_us")), number(p.at("dram")),
                         number(p.at("tensor")), number(p.at("issue")), number(p.at("warps")), number(p.at("l2_hits")),
                         p.at("stall").get<std::string>(), number(p.at("stall_cycles"))});
  return m;
}

llvm::Expected<Measurement> Measurement::parse(llvm::StringRef text) {
  try {
    return parseMeasurement(text);
  } catch (const std::exception &e) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "measurement.json: %s", e.what());
  }
}
