//===- SearchOverhead.cpp - What the search itself costs ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A whole search on the real disk and the real graph compiler, with a device
// that answers at once: all time that passes is the search's own. Compared
// with the time that a search waits for compiles and measurements, it must
// stay under 5 %.
//
//===----------------------------------------------------------------------===//

#include "kgen/Search/Search.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

#include <benchmark/benchmark.h>

using namespace kgen;

namespace {

/// Passes everything, at a time that depends on the code.
class InstantEvaluator : public search::CandidateEvaluator {
public:
  search::DeviceFacts getDevice() const override { return {}; }
  void prepare(llvm::StringRef) override {}
  std::map<std::string, double> timeBaselines(llvm::StringRef, std::string &) override { return {}; }
  llvm::Expected<candidate::Measurement> evaluate(const search::EvaluationJob &job) override {
    ++jobs;
    auto code = llvm::MemoryBuffer::getFile(job.folder + "/kernel.cu");
    candidate::Measurement measurement;
    measurement.verdict = candidate::Verdict::Pass;
    measurement.timeUs = code ? 100 + llvm::xxh3_64bits((*code)->getBuffer()) % 1000 : 1000;
    measurement.samples.assign(30, measurement.timeUs);
    return measurement;
  }
  int jobs = 0;
};

/// Seconds that one branch makes a search wait: compile, verification and 30 timed runs. Measured on
/// device host with conv_relu_maxpool at its small size; a card takes about as long.
constexpr double waitPerBranch = 1.0;

void searchOwnTime(benchmark::State &state, const std::string &problem) {
  auto text = llvm::MemoryBuffer::getFile(KGEN_SOURCE_DIR "/problems/" + problem + ".mlir");
  if (!text) {
    state.SkipWithError("the problem file cannot be read");
    return;
  }
  auto compiler = graph::createMlirGraphCompiler();
  auto graph = compiler->canonicalize((*text)->getBuffer(), /*small=*/true);
  if (!graph) {
    state.SkipWithError(llvm::toString(graph.takeError()).c_str());
    return;
  }
  auto fs = trajectory::createRealFileSystem();
  auto clock = trajectory::createRealClock();
  auto progress = report::createSilentProgress();
  std::atomic<bool> stop{false};
  double seconds = 0;
  int branches = 0, measured = 0;
  for (auto _ : state) {
    llvm::SmallString<128> folder;
    if (llvm::sys::fs::createUniqueDirectory("kgen-bench", folder)) {
      state.SkipWithError("no temporary folder");
      return;
    }
    auto proposer = propose::createBuiltinProposer();
    InstantEvaluator evaluator;
    search::SearchConfig config;
    config.problem = problem;
    config.precision = "tf32";
    double start = clock->seconds();
    auto run = trajectory::RunFolder::create(*fs, *clock, (folder + "/run").str(), config.toJson(), *graph);
    llvm::Error error =
        run ? search::runSearch({*fs, *clock, *compiler, *proposer, evaluator, *progress, stop}, **run, config)
            : run.takeError();
    if (error) {
      state.SkipWithError(llvm::toString(std::move(error)).c_str());
      return;
    }
    seconds += clock->seconds() - start;
    branches += (*run)->getBranches().size();
    measured += evaluator.jobs;
    llvm::sys::fs::remove_directories(folder);
  }
  state.counters["branches"] = double(branches) / state.iterations();
  state.counters["own_ms_per_branch"] = 1e3 * seconds / branches;
  state.counters["percent_of_wait"] = 100 * seconds / (measured * waitPerBranch);
}

BENCHMARK_CAPTURE(searchOwnTime, conv_relu_maxpool, "conv_relu_maxpool")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searchOwnTime, softmax, "softmax")->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
