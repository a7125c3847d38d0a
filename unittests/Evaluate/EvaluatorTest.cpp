//===- EvaluatorTest.cpp - Verdicts, with every outside effect replaced ---===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Evaluate/Evaluator.h"
#include "../../lib/Evaluate/Trial.h"
#include "kgen/Device/Digest.h"
#include "kgen/Evaluate/Baselines.h"
#include "kgen/Evaluate/Comparing.h"
#include "kgen/Support/Floor.h"
#include "kgen/Toolchain/Scratch.h"

#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

using namespace kgen;
using namespace kgen::evaluate;

namespace {

/// out = 2 x on 8 floats.
const char planText[] = R"json({"version": 1, "problem": "twice", "arch": "sm_90a", "precision": "strict-fp32",
  "inputs": [{"name": "x", "dtype": "f32", "shape": [8], "init": "normal(0, 1)"}],
  "outputs": [{"name": "out0", "dtype": "f32", "shape": [8]}],
  "workspace": [],
  "launches": [{"kernel": "twice", "grid": [1,1,1], "block": [8,1,1], "shared_bytes": 0,
    "args": [{"buffer": "in0"}, {"buffer": "out0"}]}]})json";

class FakeCompiler : public toolchain::Compiler {
public:
  toolchain::CompileResult result = [] {
    toolchain::Compiled compiled;
    compiled.artifact = "artifact";
    compiled.seconds = 0.5;
    candidate::KernelResources kernel;
    kernel.kernel = "twice";
    kernel.registers = 40;
    compiled.kernels = {kernel};
    return toolchain::CompileResult(compiled);
  }();
  bool broken = false;
  std::string version() override { return "fake"; }
  llvm::Expected<toolchain::CompileResult> compile(llvm::StringRef, const toolchain::CompileOptions &) override {
    if (broken)
      return llvm::createStringError("NVRTC is gone");
    return result;
  }
};

class FakeAnswers : public judge::AnswerSource {
public:
  int calls = 0;
  std::atomic<int> prepared = 0;
  size_t outputs = 1;
  void prepare(llvm::StringRef, const candidate::LaunchPlan &) override { ++prepared; }
  llvm::Expected<judge::GraphTraits> traits(llvm::StringRef, llvm::ArrayRef<double>, double) override {
    return judge::GraphTraits{std::vector<bool>(outputs, true), {}};
  }
  llvm::Expected<std::vector<judge::Answer>> answer(llvm::StringRef,
                                                    llvm::ArrayRef<llvm::ArrayRef<double>> inputs) override {
    ++calls;
    std::vector<double> out(inputs[0].begin(), inputs[0].end());
    for (double &v : out)
      v *= 2;
    std::vector<judge::Answer> answers;
    for (size_t i = 0; i < outputs; ++i)
      answers.emplace_back(out);
    return std::move(answers);
  }
};

/// What a scripted candidate does.
struct Script {
  std::function<float(float)> compute = [](float x) { return 2 * x; };
  std::function<float(float, int)> computeNth; ///< instead, when set: with the number of runs of this module
  std::optional<device::CandidateFailure> onStart, onRun, onGraph;
  double prepareUs = 0, graphUs = 0;
  bool graphDiffers = false;
  std::vector<double> samples = {3, 1, 2};
  std::vector<device::RunRequest> requests;
  bool machineryFails = false, orderMatters = false, keepsState = false;
  double wallFactor = 1, sharedWall = 60; ///< of a run of nothing
  int faultyStarts = 0;                   ///< so many processes fault
  int crowdedStarts = 0;                  ///< so many have no memory
  int starts = 0, runs = 0, reloads = 0, sinceReload = 0;
  const CardGate *gate = nullptr; ///< asked at each run
  int runsAlone = 0;
};

class FakeProcess : public device::CandidateProcess {
public:
  FakeProcess(const device::CandidateJob &job, Script &script) : job(job), script(script) {}
  Outcome run(unsigned set, const device::RunRequest &request, device::RunReport &report) override {
    ++script.runs;
    script.runsAlone += script.gate && script.gate->isAlone();
    script.requests.push_back(request);
    if (script.machineryFails)
      return llvm::createStringError("no memory");
    if (script.starts <= script.faultyStarts)
      return device::CandidateFailure{candidate::Verdict::Fault, "the card reports: unspecified launch failure"};
    if (script.onRun)
      return script.onRun;
    if (request.graph && script.onGraph)
      return script.onGraph;
    if (request.fresh && script.keepsState)
      script.sinceReload = 0;
    // The Nth run since the module was loaded.
    int n = script.sinceReload++;
    const float *x = reinterpret_cast<const float *>(job.inputSets[set]->data());
    for (int i = 0; i < 8; ++i)
      out[i] = script.computeNth ? script.computeNth(x[i], n) : script.compute(x[i]);
    if (request.descending && script.orderMatters)
      out[3] += 1;
    if (request.graph && script.graphDiffers)
      out[3] += 1;
    report = device::RunReport();
    report.digests = {device::digestBytes(out, sizeof out, request.key)};
    double us = script.samples[size_t(script.runs) % script.samples.size()];
    report.times = {us, us + 50, script.wallFactor * (us + 50)};
    if (request.graph)
      report.times.launches = script.graphUs;
    report.times.prepare = script.prepareUs;
    if (request.empty)
      report.times = {0, 50, script.sharedWall};
    report.keepsState = script.keepsState;
    return std::nullopt;
  }
  Outcome reload() override {
    ++script.reloads;
    script.sinceReload = 0;
    return std::nullopt;
  }
  candidate::Conditions conditions() override { return {1980, 500, 60}; }
  const char *output(unsigned) const override { return reinterpret_cast<const char *>(out); }
  std::string deviceName() const override { return "fake"; }

private:
  device::CandidateJob job;
  Script &script;
  float out[8];
};

class FakeRunner : public device::CandidateRunner {
public:
  Script script;
  device::CandidateProcess::Outcome start(const device::CandidateJob &job,
                                          std::unique_ptr<device::CandidateProcess> &process) override {
    ++script.starts;
    if (script.starts <= script.crowdedStarts)
      return llvm::createStringError("cannot allocate 32 bytes on the card: out of memory");
    if (script.onStart)
      return script.onStart;
    process = std::make_unique<FakeProcess>(job, script);
    return std::nullopt;
  }
};

class EvaluatorTest : public ::testing::Test {
protected:
  std::shared_ptr<FakeCompiler> compiler = std::make_shared<FakeCompiler>();
  std::shared_ptr<FakeAnswers> answers = std::make_shared<FakeAnswers>();
  std::shared_ptr<FakeRunner> runner = std::make_shared<FakeRunner>();
  Script &script = runner->script;
  EvaluateOptions options;
  CandidateFiles files{planText, "extern \"C\" __global__ void twice();", "graph"};

  EvaluatorParts parts(const std::string &device = "cuda:0") {
    EvaluatorParts out;
    out.device = device;
    if (device != "host")
      out.card.name = "NVIDIA H200";
    out.compiler = compiler;
    out.oracle = answers;
    out.runner = runner;
    out.seed = 42;
    return out;
  }

  candidate::Measurement measure(const std::string &device = "cuda:0") {
    Evaluator evaluator(parts(device));
    auto m = evaluator.measure(files, options);
    EXPECT_TRUE(bool(m)) << llvm::toString(m.takeError());
    return m ? *m : candidate::Measurement();
  }
};

} // namespace

TEST_F(EvaluatorTest, WhatOnlyPreparesIsLookedAtBriefly) {
  auto cpu = std::make_shared<FakeAnswers>();
  EvaluatorParts own = parts();
  own.cpuOracle = cpu;
  Evaluator evaluator(std::move(own));
  files.brief = true;
  options.samples = options.mostSamples = options.repeats = 1;
  auto m = evaluator.measure(files, options);
  ASSERT_TRUE(bool(m)) << llvm::toString(m.takeError());
  EXPECT_TRUE(m->passed()) << m->detail;
  EXPECT_EQ(m->errors.size(), 3u); // declared, integer, offset
  EXPECT_EQ(answers->calls, 0);
  EXPECT_GT(cpu->calls, 0);
  EXPECT_LE(script.runs, 20);
  EXPECT_GT(m->timeUs, 0);
  // A step of a run asks on all sets, and has answers of its own.
  files.brief = false;
  auto whole = evaluator.measure(files, EvaluateOptions());
  ASSERT_TRUE(bool(whole)) << llvm::toString(whole.takeError());
  EXPECT_GT(whole->errors.size(), 8u);
  EXPECT_GT(answers->calls, 0);
  // It is no less wrong for that.
  files.brief = true;
  script.compute = [](float x) { return 3 * x; };
  auto wrong = evaluator.measure(files, options);
  ASSERT_TRUE(bool(wrong)) << llvm::toString(wrong.takeError());
  EXPECT_EQ(wrong->verdict, candidate::Verdict::Wrong);
}

TEST_F(EvaluatorTest, WhatComesLaterIsPreparedAndAnsweredWhenItIsThere) {
  options.samples = options.mostSamples = options.repeats = 1;
  CandidateFiles network = files;
  network.graph = "network", network.later = true;
  candidate::LaunchPlan shape = llvm::cantFail(candidate::LaunchPlan::parse(files.plan));
  shape.launches.clear(); // what a graph's launches are nobody asks
  network.plan = shape.print();
  {
    Evaluator evaluator(parts());
    evaluator.learn({files, network}, options.rules);
    const int learnt = answers->calls;
    EXPECT_GT(learnt, 0);
    EXPECT_TRUE(llvm::cantFail(evaluator.measure(files, options)).passed());
    EXPECT_EQ(answers->calls, learnt);
    network.plan = files.plan;
    EXPECT_TRUE(llvm::cantFail(evaluator.measure(network, options)).passed());
    EXPECT_GT(answers->calls, learnt);
  }
  EXPECT_EQ(answers->prepared, 1);
}

TEST_F(EvaluatorTest, WhatHasNoRoomIsMeasuredOnceMore) {
  script.crowdedStarts = 1;
  EXPECT_TRUE(measure().passed());
  EXPECT_EQ(script.starts, 2);
  script.starts = 0;
  script.crowdedStarts = 2;
  candidate::Measurement crowded = measure();
  EXPECT_EQ(crowded.verdict, candidate::Verdict::Reject);
  EXPECT_EQ(crowded.detail, "there is no room for it, twice: cannot allocate 32 bytes on the card: out of memory");
  // Other problems' answers go, its own stay.
  Evaluator evaluator(parts());
  CandidateFiles other = files;
  other.graph = "another";
  script.crowdedStarts = 0;
  llvm::cantFail(evaluator.measure(files, options));
  llvm::cantFail(evaluator.measure(other, options));
  const int calls = answers->calls;
  script.starts = 0;
  script.crowdedStarts = 1;
  EXPECT_TRUE(llvm::cantFail(evaluator.measure(other, options)).passed());
  EXPECT_EQ(answers->calls, calls);
  llvm::cantFail(evaluator.measure(files, options));
  EXPECT_GT(answers->calls, calls);
}

TEST_F(EvaluatorTest, ASlowRunOfAShortBudgetIsTimedTwice) {
  script.samples = {30e3};
  options.timingSeconds = 0;
  EXPECT_EQ(measure().samples.size(), 2u);
  script.samples = {10e3};
  EXPECT_EQ(measure().samples.size(), 5u);
}

TEST_F(EvaluatorTest, WhatIsClearlySlowerIsTimedLess) {
  script.samples = {10, 12}; // never settled: 11, give or take 9 %
  EXPECT_EQ(measure().samples.size(), 200u);
  options.rivalUs = 8;
  candidate::Measurement some = measure();
  EXPECT_EQ(some.samples.size(), 10u);
  EXPECT_TRUE(some.passed());
  EXPECT_EQ(some.timeUs, 11);
  // One that may be as fast is timed like any other.
  options.rivalUs = 9.6;
  EXPECT_EQ(measure().samples.size(), 200u);
}

TEST_F(EvaluatorTest, HonestPasses) {
  candidate::Measurement m = measure();
  EXPECT_EQ(m.verdict, candidate::Verdict::Pass) << m.detail;
  EXPECT_EQ(m.timeUs, 2);
  EXPECT_GE(m.samples.size(), 30u);
  EXPECT_EQ(m.before.clockMHz, 1980);
  EXPECT_EQ(m.rules, "kgen");
  EXPECT_EQ(script.reloads, 2); // a module for the inputs, one for the repeats, one for the clock
  EXPECT_EQ(m.device, "cuda:0 NVIDIA H200");
  EXPECT_EQ(m.compileSeconds, 0.5);
  EXPECT_EQ(m.errors.front().input, "declared#0");
  EXPECT_GT(m.kernels[0].occupancy, 0);
  EXPECT_NEAR(m.floorUs, 64 / 4.3e12 * 1e6, 1e-9);
}

/// The same as a network of two steps, the first of which prepares.
static const char networkText[] =
    R"json({"version": 2, "problem": "twice", "arch": "sm_90a", "precision": "strict-fp32",
  "inputs": [{"name": "x", "dtype": "f32", "shape": [8]}, {"name": "w", "dtype": "f32", "shape": [8], "parameter": true}],
  "outputs": [{"name": "out0", "dtype": "f32", "shape": [8]}],
  "workspace": [{"name": "v0", "bytes": 32, "prepared": true}], "modules": ["a.cu"], "prepare": 1,
  "launches": [
    {"module": 0, "kernel": "twice", "grid": [1,1,1], "block": [8,1,1], "shared_bytes": 0,
     "args": [{"buffer": "in1"}, {"buffer": "ws0"}]},
    {"module": 0, "kernel": "twice", "grid": [1,1,1], "block": [8,1,1], "shared_bytes": 0,
     "args": [{"buffer": "in0"}, {"buffer": "out0"}]}],
  "steps": [{"task": "00-a", "launches": 1, "inputs": [{"buffer": "in1"}], "outputs": [{"buffer": "ws0"}]},
            {"task": "00-a", "launches": 1, "inputs": [{"buffer": "in0"}], "outputs": [{"buffer": "out0"}]}]})json";

TEST_F(EvaluatorTest, NetworksHaveAllTheirTimes) {
  files.plan = networkText;
  files.modules = {files.cuda};
  script.prepareUs = 7;
  script.graphUs = 0.5;
  candidate::Measurement m = measure();
  ASSERT_EQ(m.verdict, candidate::Verdict::Pass) << m.detail;
  EXPECT_EQ(m.timeUs, 2);
  EXPECT_EQ(m.prepareUs, 7);
  EXPECT_EQ(m.freshUs(), 9);
  EXPECT_EQ(m.graphUs, 0.5);
  // What the run does not read of the weights is no part of its floor: eight floats in, eight out.
  EXPECT_NEAR(m.floorUs, 64 / 4.3e12 * 1e6, 1e-9);
  auto again = candidate::Measurement::parse(m.print());
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(again->prepareUs, 7);
  EXPECT_EQ(again->graphUs, 0.5);
  // Where there is no graph it is said; where its result is another one it is no time at all.
  script.onGraph = device::CandidateFailure{candidate::Verdict::Unsupported, "no graphs here"};
  m = measure();
  EXPECT_EQ(m.verdict, candidate::Verdict::Pass);
  EXPECT_EQ(m.graphUs, 0);
  EXPECT_TRUE(llvm::is_contained(m.warnings, "it was not timed as one CUDA graph: no graphs here"));
  script.onGraph.reset();
  script.graphDiffers = true;
  m = measure();
  EXPECT_EQ(m.verdict, candidate::Verdict::Cheat);
  EXPECT_TRUE(llvm::StringRef(m.detail).starts_with("as one CUDA graph: the result of a timed run is another one"));
  // Device host has none, and is not asked.
  m = measure("host");
  EXPECT_EQ(m.verdict, candidate::Verdict::Pass) << m.detail;
  EXPECT_EQ(m.graphUs, 0);
}

TEST_F(EvaluatorTest, SmallErrorsPassLargeOnesDoNot) {
  script.compute = [](float x) { return 2 * x * (1 + 1e-7f); };
  // On integers the answer is exact, so even this is told from the right one.
  EXPECT_EQ(measure().verdict, candidate::Verdict::Wrong);
  script.compute = [](float x) { return x == std::rint(x) ? 2 * x : 2 * x * (1 + 3e-6f); };
  EXPECT_EQ(measure().verdict, candidate::Verdict::Pass);
  script.compute = [](float x) { return x == std::rint(x) ? 2 * x : 2 * x * (1 + 4.9e-4f); }; // one class down: tf32
  candidate::Measurement m = measure();
  EXPECT_EQ(m.verdict, candidate::Verdict::Wrong);
  EXPECT_NE(m.detail.find("out0["), std::string::npos) << m.detail;
  EXPECT_EQ(m.timeUs, 0);
}

TEST_F(EvaluatorTest, ConstantAndNanAreWrong) {
  script.compute = [](float) { return 0.0f; };
  EXPECT_EQ(measure().verdict, candidate::Verdict::Wrong);
  script.compute = [](float) { return NAN; };
  EXPECT_EQ(measure().verdict, candidate::Verdict::Wrong);
  script.compute = [](float x) { return x; };
  EXPECT_EQ(measure().verdict, candidate::Verdict::Wrong);
}

TEST_F(EvaluatorTest, BadPlanIsRejectedBeforeAnythingRuns) {
  files.plan = "{\"version\": 1";
  candidate::Measurement m = measure();
  EXPECT_EQ(m.verdict, candidate::Verdict::Reject);
  EXPECT_EQ(script.starts, 0);
  EXPECT_EQ(answers->calls, 0);
}

TEST_F(EvaluatorTest, CompileFailures) {
  compiler->result = toolchain::CompileFailed{"kernel.cu(3): error: no", "the log", false, false};
  Evaluator evaluator(parts());
  candidate::Measurement m = llvm::cantFail(evaluator.measure(files, options));
  EXPECT_EQ(m.verdict, candidate::Verdict::Reject);
  EXPECT_EQ(m.detail, "kernel.cu(3): error: no");
  EXPECT_EQ(evaluator.lastLog(), "the log");
  compiler->result = toolchain::CompileFailed{"slow", "", true, false};
  EXPECT_EQ(measure().verdict, candidate::Verdict::Timeout);
  compiler->result = toolchain::CompileFailed{"asm", "", false, true};
  EXPECT_EQ(measure("host").verdict, candidate::Verdict::Unsupported);
  EXPECT_EQ(script.starts, 0);
}

TEST_F(EvaluatorTest, PlanNamesAKernelThatIsNotThere) {
  std::get<toolchain::Compiled>(compiler->result).kernels[0].kernel = "thrice";
  EXPECT_EQ(measure().detail, "the plan launches twice, which kernel.cu does not define as extern \"C\"");
}

TEST_F(EvaluatorTest, ResourcesThatDoNotFit) {
  std::get<toolchain::Compiled>(compiler->result).kernels[0].sharedBytes = 1 << 20;
  candidate::Measurement m = measure();
  EXPECT_EQ(m.verdict, candidate::Verdict::Reject);
  EXPECT_NE(m.detail.find("twice cannot run"), std::string::npos) << m.detail;
}

TEST_F(EvaluatorTest, FaultsAreValues) {
  script.onRun = device::CandidateFailure{candidate::Verdict::Fault, "it trapped"};
  candidate::Measurement m = measure();
  EXPECT_EQ(m.verdict, candidate::Verdict::Fault);
  EXPECT_EQ(m.detail, "it trapped");
  script.onRun.reset();
  script.onStart = device::CandidateFailure{candidate::Verdict::Reject, "2 parameters"};
  EXPECT_EQ(measure().detail, "2 parameters");
}

TEST_F(EvaluatorTest, AnotherOrderGivesAnotherResult) {
  script.orderMatters = true;
  candidate::Measurement m = measure("host");
  EXPECT_EQ(m.verdict, candidate::Verdict::Race);
  EXPECT_NE(m.detail.find("descending order"), std::string::npos) << m.detail;
}

TEST_F(EvaluatorTest, AtomicsMayChangeBitsWithinTheTolerance) {
  script.computeNth = [](float x, int n) { return x == std::rint(x) ? 2 * x : 2 * x * (1 + 1e-7f * (n % 3)); };
  EXPECT_EQ(measure("host").verdict, candidate::Verdict::Race);
  files.cuda += " atomicAdd";
  EXPECT_EQ(measure("host").verdict, candidate::Verdict::Pass);
}

TEST_F(EvaluatorTest, WrongIsNotARaceUnlessItChanges) {
  script.compute = [](float) { return 1.0f; };
  EXPECT_EQ(measure().verdict, candidate::Verdict::Wrong);
  script.computeNth = [](float x, int n) { return x + float(n); };
  EXPECT_EQ(measure().verdict, candidate::Verdict::Race);
  // Wrong on integers alone and there always the same; the declared inputs show that it changes.
  script.computeNth = [](float x, int n) { return x == std::rint(x) ? 5 : 2 * x * (1 + 1e-7f * (n % 3)); };
  EXPECT_EQ(measure().verdict, candidate::Verdict::Race);
}

TEST_F(EvaluatorTest, AFaultOfTheCardCounts) {
  script.faultyStarts = 1;
  candidate::Measurement m = measure();
  EXPECT_EQ(m.verdict, candidate::Verdict::Pass) << m.detail;
  EXPECT_NE(llvm::join(m.warnings, "; ").find("a first try ended with FAULT: the card reports"), std::string::npos);
  // It comes again, or kgen saw it itself.
  script.starts = 0;
  script.faultyStarts = 2;
  EXPECT_EQ(measure().verdict, candidate::Verdict::Fault);
  script.starts = script.faultyStarts = 0;
  script.onRun = device::CandidateFailure{candidate::Verdict::Fault, "a kernel wrote 4 bytes after the end of out0"};
  EXPECT_EQ(measure().verdict, candidate::Verdict::Fault);
  EXPECT_EQ(script.starts, 1);
}

TEST_F(EvaluatorTest, TimedRunsMustGiveTheVerifiedResult) {
  // Right as often as verification could ask, then lazy.
  script.computeNth = [](float x, int n) { return n < 25 ? 2 * x : 0.0f; };
  candidate::Measurement m = measure();
  EXPECT_EQ(m.verdict, candidate::Verdict::Cheat);
  EXPECT_NE(m.detail.find("timed run"), std::string::npos) << m.detail;
}

TEST_F(EvaluatorTest, WhatWasVerifiedIsTimedWithoutItsAnswers) {
  Evaluator evaluator(parts());
  candidate::Measurement m;
  PreparedCandidate candidate;
  ASSERT_TRUE(llvm::cantFail(evaluator.start(files, options, m, candidate)));
  auto trial = evaluator.makeTrial(candidate, options);
  ASSERT_TRUE(llvm::cantFail(trial->verify(m)));
  evaluator.endJudges();
  EXPECT_FALSE(candidate.reference->judge->works());
  EXPECT_EQ(llvm::toString(candidate.reference->judge->compare(0, 0, {}, 0).takeError()),
            "the right answers were given back");
  ASSERT_TRUE(llvm::cantFail(trial->beginTiming(m)));
  double us = 0;
  EXPECT_TRUE(llvm::cantFail(trial->sample(m, us)));
  script.compute = [](float x) { return 3 * x; };
  EXPECT_FALSE(llvm::cantFail(trial->sample(m, us)));
  EXPECT_EQ(m.verdict, candidate::Verdict::Cheat);
  // Whoever asks next has answers anew.
  script.compute = [](float x) { return 2 * x; };
  auto again = evaluator.measure(files, options);
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(again->verdict, candidate::Verdict::Pass) << again->detail;
}

TEST_F(EvaluatorTest, TimedAndVerifiedRunsLookTheSame) {
  EXPECT_EQ(measure().verdict, candidate::Verdict::Pass);
  for (const device::RunRequest &request : script.requests) {
    EXPECT_TRUE(request.cold);
    EXPECT_LT(request.waitNanoseconds, 0);
    EXPECT_NE(request.poison, 0u);
    EXPECT_EQ(request.key, script.requests[0].key);
  }
}

TEST_F(EvaluatorTest, StateBetweenLaunchesIsACheat) {
  script.keepsState = true;
  candidate::Measurement m = measure();
  EXPECT_EQ(m.verdict, candidate::Verdict::Cheat);
  EXPECT_NE(m.detail.find("variables of its own"), std::string::npos) << m.detail;
}

TEST_F(EvaluatorTest, AnAnswerThatWasKeptIsWrong) {
  script.keepsState = true;
  script.computeNth = [](float x, int n) { return n == 0 ? 2 * x : 7; };
  EXPECT_EQ(measure().verdict, candidate::Verdict::Wrong);
}

TEST_F(EvaluatorTest, EventsMustAgreeWithTheWallClock) {
  script.samples = {1e4};
  script.wallFactor = 2;
  candidate::Measurement m = measure();
  EXPECT_EQ(m.verdict, candidate::Verdict::Cheat);
  EXPECT_NE(m.detail.find("wall clock"), std::string::npos) << m.detail;
  // Unless others have their turns on the card, as runs of nothing show.
  script.sharedWall = 8000;
  m = measure();
  EXPECT_EQ(m.verdict, candidate::Verdict::Pass) << m.detail;
}

TEST_F(EvaluatorTest, RunsJustBelowTheLimitHaveALimitTogether) {
  script.compute = [](float x) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return 2 * x;
  };
  options.runSeconds = 0.05;
  candidate::Measurement m = measure();
  EXPECT_EQ(m.verdict, candidate::Verdict::Timeout);
  EXPECT_EQ(m.detail, "its long runs took more than 0.5 s together");
}

TEST_F(EvaluatorTest, EveryRunGetsAFreshModule) {
  EXPECT_EQ(measure().verdict, candidate::Verdict::Pass);
  ASSERT_GT(script.requests.size(), 40u);
  for (const device::RunRequest &request : script.requests)
    EXPECT_TRUE(request.fresh);
}

TEST_F(EvaluatorTest, PublishedRulesAreLaxer) {
  script.compute = [](float x) { return 2 * x * 1.005f; };
  EXPECT_EQ(measure().verdict, candidate::Verdict::Wrong);
  options.rules = judge::Rules::KernelBench2025;
  candidate::Measurement m = measure();
  EXPECT_EQ(m.verdict, candidate::Verdict::Pass) << m.detail;
  EXPECT_EQ(m.rules, "kernelbench-2025");
  EXPECT_EQ(m.errors.size(), judge::publishedTrials);
  options.rules = judge::Rules::KernelBench;
  EXPECT_EQ(measure().verdict, candidate::Verdict::Wrong);
}

TEST_F(EvaluatorTest, FasterThanPhysics) {
  script.samples = {1e-6};
  candidate::Measurement m = measure();
  EXPECT_EQ(m.verdict, candidate::Verdict::Cheat);
  EXPECT_EQ(m.diagnosis, "");
}

TEST_F(EvaluatorTest, PrecisionClassIsTheProblems) {
  options.precision = "tf32";
  candidate::Measurement m = measure();
  EXPECT_EQ(m.verdict, candidate::Verdict::Reject);
  EXPECT_EQ(m.detail, "the plan claims precision class strict-fp32, the problem asks for tf32");
}

TEST_F(EvaluatorTest, AnswersAreKept) {
  Evaluator evaluator(parts());
  llvm::cantFail(evaluator.measure(files, options));
  int calls = answers->calls;
  EXPECT_GT(calls, 0);
  llvm::cantFail(evaluator.measure(files, options));
  EXPECT_EQ(answers->calls, calls);
  files.graph = "another";
  llvm::cantFail(evaluator.measure(files, options));
  EXPECT_GT(answers->calls, calls);
}

TEST_F(EvaluatorTest, MachineryFailuresAreErrors) {
  Evaluator evaluator(parts());
  answers->outputs = 2;
  auto m = evaluator.measure(files, options);
  ASSERT_FALSE(bool(m));
  EXPECT_EQ(llvm::toString(m.takeError()), "the graph returns 2 tensors, the plan names 1 outputs");
  answers->outputs = 1;
  script.machineryFails = true;
  m = evaluator.measure(files, options);
  ASSERT_FALSE(bool(m));
  EXPECT_EQ(llvm::toString(m.takeError()), "no memory");
  compiler->broken = true;
  m = evaluator.measure(files, options);
  ASSERT_FALSE(bool(m));
  EXPECT_EQ(llvm::toString(m.takeError()), "NVRTC is gone");
  // And the next candidate is measured as if nothing had been.
  compiler->broken = script.machineryFails = false;
  EXPECT_TRUE(llvm::cantFail(evaluator.measure(files, options)).passed());
}

TEST(Chip, Floors) {
  auto rates = findChipRates("cuda:0 NVIDIA H200");
  ASSERT_TRUE(rates.has_value());
  // softmax, 4096 x 65536: 2 GiB of traffic.
  auto floorOf = [&](double read, double written, double flops, const char *precision) {
    return floorMicroseconds(*rates, copyBytesOf(*rates, read, written), flops, precision);
  };
  double half = 4096.0 * 65536 * 4, flops = 2.0 * 4096 * 4096 * 4096, matrix = 4096.0 * 4096;
  EXPECT_NEAR(floorOf(half, half, 0, "strict-fp32"), 499, 1);
  // What only reads goes at the memory's peak: a copy's rate would be beaten.
  EXPECT_NEAR(floorOf(2 * half, 4, 0, "strict-fp32"), 447, 1);
  // 4096^3: tf32 admits scaled halves, strict fp32 three products of them.
  EXPECT_NEAR(floorOf(8 * matrix, 4 * matrix, flops, "tf32"), 174, 1);
  EXPECT_NEAR(floorOf(4 * matrix, 2 * matrix, flops, "fp16"), 174, 1);
  EXPECT_NEAR(floorOf(8 * matrix, 4 * matrix, flops, "strict-fp32"), 522, 1);
  EXPECT_FALSE(findChipRates("host").has_value());
  // The units of a class are never faster than those of a coarser one, on any card.
  for (const char *name : {"NVIDIA H200", "NVIDIA H100 PCIe", "NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-80GB",
                           "NVIDIA A30", "NVIDIA A40", "NVIDIA A10", "NVIDIA GeForce RTX 3090", "NVIDIA L40S",
                           "NVIDIA L4", "NVIDIA GeForce RTX 4090", "NVIDIA B200", "NVIDIA GeForce RTX 5090"}) {
    auto known = findChipRates(name);
    ASSERT_TRUE(known.has_value()) << name;
    EXPECT_LE(fastestRate(*known, "strict-fp32"), fastestRate(*known, "tf32")) << name;
    EXPECT_GE(fastestRate(*known, "tf32"), known->half) << name;
    EXPECT_LT(known->copyBytes, known->peakBytes) << name;
  }
  EXPECT_EQ(findChipRates("NVIDIA A100-SXM4-80GB")->fp32, 19.5e12);
  EXPECT_EQ(findChipRates("NVIDIA L40S")->fp32, 91e12);
}

TEST(BaselinesText, LastObjectCounts) {
  auto b =
      parseBaselines("a warning\n{not json\n{\"times\": {\"eager\": 863.5, \"compile\": 0}, \"notes\": {\"compile\": "
                     "\"no\"}, \"versions\": \"torch\"}\n");
  ASSERT_TRUE(bool(b)) << llvm::toString(b.takeError());
  EXPECT_EQ(b->times.size(), 1u);
  EXPECT_EQ(b->times["eager"], 863.5);
  EXPECT_EQ(b->notes["compile"], "no");
}

TEST(BaselinesText, FailuresAreSentences) {
  auto b = parseBaselines("{\"error\": \"torch is not installed for this Python\"}\n");
  ASSERT_FALSE(bool(b));
  EXPECT_EQ(llvm::toString(b.takeError()), "torch is not installed for this Python");
  b = parseBaselines("Traceback\nNameError: x\n");
  ASSERT_FALSE(bool(b));
  EXPECT_EQ(llvm::toString(b.takeError()), "the PyTorch script failed: NameError: x");
  b = parseBaselines("");
  ASSERT_FALSE(bool(b));
  llvm::consumeError(b.takeError());
}

TEST_F(EvaluatorTest, IsAloneOnTheCardOnlyWhileItTimes) {
  auto folder = llvm::cantFail(toolchain::ScratchFolder::create("gate"));
  const std::string file = folder.path() + "/card";
  EvaluatorParts mine = parts();
  mine.gate = llvm::cantFail(CardGate::open(file));
  script.gate = mine.gate.get();
  Evaluator evaluator(mine);
  auto measurement = evaluator.measure(files, options);
  ASSERT_TRUE(bool(measurement)) << llvm::toString(measurement.takeError());
  ASSERT_TRUE(measurement->passed()) << measurement->detail;
  EXPECT_EQ(measurement->phases.count("waiting"), 1u);
  // The samples and a few to get warm; inputs and repeats are run beside others.
  EXPECT_GE(script.runsAlone, int(measurement->samples.size()));
  EXPECT_LE(script.runsAlone, int(measurement->samples.size()) + 5);
  EXPECT_GE(script.runs - script.runsAlone, options.repeats);
  // Afterwards the card is anybody's.
  EXPECT_FALSE(mine.gate->isAlone());
  auto other = llvm::cantFail(CardGate::open(file));
  auto place = other->alone();
  EXPECT_TRUE(other->isAlone());
}

TEST_F(EvaluatorTest, ComparesAlone) {
  EvaluatorParts mine = parts();
  script.gate = mine.gate.get();
  Evaluator evaluator(mine);
  auto result = compareCandidates(evaluator, files, files, options, {});
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  ASSERT_EQ(result->comparisons.size(), 1u);
  EXPECT_GE(script.runsAlone, 4 * result->comparisons[0].blocks);
  EXPECT_GT(script.runs, script.runsAlone);
  EXPECT_FALSE(mine.gate->isAlone());
  EXPECT_EQ(result->candidate.phases.count("waiting"), 0u) << "nobody shares this card";
}
