//===- Fakes.h - A graph compiler and a device that only hash -------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "../Trajectory/MemoryFileSystem.h"
#include "kgen/Graph/GraphCompiler.h"
#include "kgen/Graph/Refusal.h"
#include "kgen/Search/CandidateEvaluator.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <atomic>
#include <mutex>
#include <set>

namespace kgen::test {

/// Every op that has a family is a kernel by itself.
inline std::vector<graph::GroupFact> groupApart(const graph::GraphFacts &facts) {
  std::vector<graph::GroupFact> groups;
  for (int op = 0; op < int(facts.ops.size()); ++op)
    if (!facts.ops[op].family.empty())
      groups.push_back({facts.ops[op].family, op, {op}});
  return groups;
}

/// conv2d -> relu -> max_pool2d, at the published size.
inline graph::GraphFacts convReluPoolFacts() {
  graph::GraphFacts facts;
  facts.name = "conv_relu_maxpool";
  facts.precision = "tf32";
  graph::TensorFact x{"f32", {100, 3, 224, 224}}, w{"f32", {96, 3, 11, 11}}, b{"f32", {96}};
  graph::TensorFact y{"f32", {100, 96, 55, 55}}, p{"f32", {100, 96, 27, 27}};
  facts.inputs = {x, w, b};
  facts.outputs = {p};
  facts.ops = {{"aten.conv2d", {x, w, b}, {y}, {{"stride", "[4, 4]"}}, {1}, 2.1e10, false, "conv"},
               {"aten.relu", {y}, {y}, {}, {2}, 2.9e7, false, "pointwise"},
               {"aten.max_pool2d", {y}, {p}, {{"kernel_size", "[3, 3]"}}, {}, 6e7, true, "pool"}};
  graph::WorkFact &conv = facts.ops[0].work;
  conv.m = 100 * 55 * 55;
  conv.n = 96;
  conv.k = 3 * 11 * 11;
  conv.channels = 3;
  conv.plainConvolution = true;
  facts.ops[2].work.runningMaximum = true;
  facts.groups = {groupApart(facts), {{"conv", 0, {0, 1}}, {"pool", 2, {2}}}, {{"conv", 0, {0, 1, 2}}}};
  facts.flops = 2.1e10;
  facts.compulsoryBytes = 8.8e7;
  return facts;
}

inline graph::GraphFacts softmaxFacts() {
  graph::GraphFacts facts;
  facts.name = "softmax";
  facts.precision = "strict-fp32";
  graph::TensorFact x{"f32", {4096, 65536}};
  facts.inputs = facts.outputs = {x};
  facts.ops = {{"aten.softmax.int", {x}, {x}, {{"dim", "-1"}}, {}, 1e9, false, "row"}};
  facts.ops[0].work.rows = 4096;
  facts.ops[0].work.columns = 65536;
  facts.groups.fill(groupApart(facts));
  return facts;
}

inline graph::GraphFacts matmulFacts(const char *precision, const char *dtype = "f32") {
  graph::GraphFacts facts;
  facts.name = "matmul";
  facts.precision = precision;
  graph::TensorFact x{dtype, {4096, 4096}};
  facts.inputs = {x, x};
  facts.outputs = {x};
  facts.ops = {{"aten.matmul", {x, x}, {x}, {}, {}, 1.4e11, false, "gemm"}};
  facts.ops[0].work.m = facts.ops[0].work.n = facts.ops[0].work.k = 4096;
  facts.groups.fill(groupApart(facts));
  return facts;
}

/// Lowers by hashing: the same texts in give the same bytes out. Scripts with a refused word are
/// rejected.
class FakeCompiler : public graph::GraphCompiler {
public:
  graph::GraphFacts graphFacts = convReluPoolFacts();
  std::string refused = "raw_smem";
  bool merges = false;       ///< half of all scripts give one text
  std::string version = "1"; ///< changes what is emitted
  std::string genericPlan;   ///< round 0's plan.json; empty: one by hash

  llvm::Expected<std::string> canonicalize(llvm::StringRef graph, bool small) override {
    if (graph.contains("garbage"))
      return llvm::createStringError("<graph>:1:1: error: expected operation name");
    return (graph + (small ? " // small" : "")).str();
  }
  llvm::Expected<graph::GraphFacts> facts(llvm::StringRef) override { return graphFacts; }
  llvm::Expected<graph::LoweredGraph> lowerGeneric(llvm::StringRef graph, const Chip &chip) override {
    auto lowered = lower(graph, "generic");
    if (lowered && !genericPlan.empty())
      lowered->plan = genericPlan;
    return lowered;
  }
  llvm::Expected<graph::LoweredGraph> lowerWithDirectives(llvm::StringRef graph, llvm::StringRef directives,
                                                          llvm::StringRef, llvm::StringRef, const Chip &chip) override {
    if (directives.contains(refused))
      return llvm::make_error<graph::DirectiveRefused>(
          graph::Refusal{graph::RefusalKind::OutOfRange, "key", refused, "other words"},
          "directive refused: found " + refused);
    if (merges && llvm::xxh3_64bits(directives) % 2)
      directives = "another spelling";
    return lower(graph, directives);
  }
  llvm::Expected<graph::LoweredGraph> wrapSource(llvm::StringRef graph, llvm::StringRef cuda, llvm::StringRef plan,
                                                 const Chip &) override {
    return graph::LoweredGraph{"", "wrapped", plan.str(), inlineHeaders(cuda)};
  }
  std::string inlineHeaders(llvm::StringRef cuda) override {
    constexpr llvm::StringLiteral include = "#include \"kgen_device.cuh\"";
    std::string text = cuda.str();
    if (size_t at = text.find(include.str()); at != std::string::npos)
      text.replace(at, include.size(), "// header " + version);
    return text;
  }
  std::string getGenerator() override { return version.empty() ? "" : "generator-" + version; }

private:
  llvm::Expected<graph::LoweredGraph> lower(llvm::StringRef graph, llvm::StringRef how) {
    std::string key = llvm::utohexstr(llvm::xxh3_64bits((graph + how + version).str()));
    return graph::LoweredGraph{"annotated " + key, "lowered " + key, "{\"plan\":\"" + key + "\"}",
                               "// kernel " + key + "\n"};
  }
};

/// Times a candidate by the hash of its kernel: the generic one 1000 us, others 100 to 1100.
class FakeEvaluator : public search::CandidateEvaluator {
public:
  explicit FakeEvaluator(trajectory::FileSystem &fs) : fs(fs) {}

  trajectory::FileSystem &fs;
  int evaluated = 0;
  std::multiset<std::string> prepared;
  std::mutex mutex;
  candidate::Verdict genericVerdict = candidate::Verdict::Pass;
  std::function<void(int)> beforeEvaluate; ///< called with the number of evaluations so far

  std::vector<std::string> looks;               ///< folders that the sanitizer looked at
  std::set<std::string> racing;                 ///< those in which it finds a race
  std::atomic<bool> *stopsDuringLook = nullptr; ///< set when the sanitizer looks at something
  double lookSeconds = 0; ///< that it takes, or what the job leaves it; 0: it says nothing of what it looks at

  search::DeviceFacts facts;
  int lostAfter = -1; ///< the device answers this many evaluations; negative: all
  bool deviceIsLost() const override { return lostAfter >= 0 && evaluated > lostAfter; }
  search::DeviceFacts getDevice() const override { return facts; }
  void prepare(llvm::StringRef folder) override {
    std::lock_guard<std::mutex> guard(mutex);
    prepared.insert(folder.str());
  }
  std::map<std::string, double> timeBaselines(llvm::StringRef, std::string &) override { return {{"eager", 500}}; }
  llvm::Expected<candidate::Measurement> evaluate(const search::EvaluationJob &job) override {
    llvm::StringRef folder = job.folder;
    if (beforeEvaluate)
      beforeEvaluate(evaluated);
    ++evaluated;
    if (deviceIsLost())
      return llvm::createStringError("cuda:0 does not answer its known-answer kernel; left alone");
    auto text = fs.read((folder + "/kernel.cu").str());
    if (!text)
      return text.takeError();
    if (job.what == search::EvaluationJob::Sanitize) {
      looks.push_back(folder.str());
      if (stopsDuringLook) {
        *stopsDuringLook = true;
        return llvm::createStringError("the evaluator was stopped");
      }
      candidate::Measurement look;
      look.verdict = racing.count(folder.str()) ? candidate::Verdict::Race : candidate::Verdict::Pass;
      look.detail = look.passed() ? "" : "compute-sanitizer's racecheck: Race reported";
      if (lookSeconds == 0)
        return look;
      look.sanitizer = look.passed() ? "nothing found" : "racecheck: Race reported";
      look.phases["sanitizer"] = job.checkSeconds > 0 ? std::min(job.checkSeconds, lookSeconds) : lookSeconds;
      return look;
    }
    const double us = timeOf(folder, *text);
    uint64_t hash = llvm::xxh3_64bits(*text);
    bool generic = folder.ends_with("round-00/b00");
    candidate::Measurement measurement;
    if (job.what == search::EvaluationJob::Compare) {
      auto other = fs.read(job.incumbentFolder + "/kernel.cu");
      if (!other)
        return other.takeError();
      measurement.speed.emplace();
      measurement.speed->ratio = measurement.speed->low = measurement.speed->high =
          timeOf(job.incumbentFolder, *other) / us;
      measurement.speed->baseline = job.incumbent;
    }
    measurement.device = "host";
    measurement.verdict = generic         ? genericVerdict
                          : hash % 7 == 0 ? candidate::Verdict::Wrong
                                          : candidate::Verdict::Pass;
    measurement.timeUs = us;
    measurement.samples = {measurement.timeUs};
    measurement.diagnosis = hash % 2 ? "bound by memory bandwidth" : "bound by barriers";
    measurement.floorUs = 50;
    measurement.baselines["eager"] = 500;
    if (!measurement.passed())
      measurement.detail = "out0[3] is 1, expected 2";
    return measurement;
  }

private:
  static double timeOf(llvm::StringRef folder, llvm::StringRef text) {
    return folder.ends_with("round-00/b00") ? 1000 : 100 + double(llvm::xxh3_64bits(text) % 1000);
  }
};

} // namespace kgen::test
