//===- World.h - A search among fakes --------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Fakes.h"
#include "kgen/Search/Search.h"

#include "gtest/gtest.h"

namespace kgen::test {

struct World {
  MemoryFileSystem fs;
  FakeClock clock;
  FakeCompiler compiler;
  std::unique_ptr<propose::Proposer> proposer = propose::createBuiltinProposer();
  FakeEvaluator evaluator{fs};
  std::unique_ptr<report::Progress> progress = report::createSilentProgress();
  std::atomic<bool> stop{false};
  search::SearchConfig config;

  World() {
    config.problem = "conv_relu_maxpool";
    config.precision = "tf32";
    config.options = {2, 2, 3, 2};
    config.seed = 7;
  }
  search::SearchEnvironment environment() { return {fs, clock, compiler, *proposer, evaluator, *progress, stop}; }

  /// Starts the run, or goes on with it.
  llvm::Error search() { return searchWith(evaluator); }
  llvm::Error searchWith(search::CandidateEvaluator &evaluator) {
    auto run = fs.exists("run/run.json") ? trajectory::RunFolder::open(fs, clock, "run")
                                         : trajectory::RunFolder::create(fs, clock, "run", config.toJson(), "graph");
    if (!run)
      return run.takeError();
    return search::runSearch({fs, clock, compiler, *proposer, evaluator, *progress, stop}, **run, config);
  }
  std::unique_ptr<trajectory::RunFolder> read() {
    auto run = trajectory::RunFolder::openForReading(fs, clock, "run");
    EXPECT_TRUE(bool(run)) << llvm::toString(run.takeError());
    return run ? std::move(*run) : nullptr;
  }
};

/// What a trajectory is: every branch, what it was made of and what became of it.
inline std::string describeTrajectory(const trajectory::RunFolder &run) {
  std::string text;
  for (const trajectory::BranchRecord &branch : run.getBranches()) {
    text += branch.id + " <- " + branch.parent + " " + branch.idea.key + " [" + branch.label + "] ";
    for (const auto &[name, hash] : branch.files)
      text += name + "=" + hash.substr(0, 6) + " ";
    text += branch.measurement;
  }
  return text + " best " + run.getBest().str();
}

} // namespace kgen::test
