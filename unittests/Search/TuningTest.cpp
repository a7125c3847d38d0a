//===- TuningTest.cpp - Constants tuned inside a branch ---------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"
#include "kgen/Report/RunReport.h"
#include "kgen/Trajectory/Replay.h"

#include <cmath>

using namespace kgen;
using namespace kgen::search;
using namespace kgen::test;
using llvm::toString;

namespace {

struct TuningWorld : World {
  TuningWorld() {
    config.options = {2, 2, 3, 2};
    config.tune = 4;
  }
};

std::vector<trajectory::BranchRecord> tunedOf(const trajectory::RunFolder &run) {
  std::vector<trajectory::BranchRecord> tuned;
  for (const trajectory::BranchRecord &branch : run.getBranches())
    if (llvm::StringRef(branch.label).starts_with("tuned "))
      tuned.push_back(branch);
  return tuned;
}

TEST(Tuning, MeasuresNeighboursOfTheRoundsBestAsItsVariants) {
  TuningWorld world;
  ASSERT_FALSE(bool(world.search()));
  auto run = world.read();
  std::vector<trajectory::BranchRecord> tuned = tunedOf(*run);
  ASSERT_FALSE(tuned.empty());
  EXPECT_LE(tuned.size(), 8u);
  for (const trajectory::BranchRecord &branch : tuned) {
    const trajectory::BranchRecord *parent = run->findBranch(branch.parent);
    ASSERT_TRUE(parent);
    EXPECT_EQ(branch.round, parent->round);
    EXPECT_EQ(branch.idea.key, parent->idea.key);
    EXPECT_NE(branch.notes, parent->notes);
    EXPECT_GT(branch.priorUs, 0);
    EXPECT_FALSE(branch.measurement.empty());
  }
  auto summary = trajectory::replayRun(world.fs, *run, world.compiler);
  ASSERT_TRUE(bool(summary)) << toString(summary.takeError());
  report::RunReport report = report::summarizeRun(*run);
  EXPECT_GT(report.priorBranches, 4);
  EXPECT_NE(report::printReportText(report).find("prior:    rank correlation"), std::string::npos);
  TuningWorld opened;
  opened.config.options.opening = 1;
  ASSERT_FALSE(bool(opened.search()));
  auto later = opened.read();
  EXPECT_EQ(llvm::count_if(later->getBranches(), [](const auto &branch) { return branch.round == 1; }), 2);
  for (const trajectory::BranchRecord &branch : tunedOf(*later))
    EXPECT_GT(branch.round, 1);
  auto config = SearchConfig::fromJson(opened.config.toJson());
  ASSERT_TRUE(bool(config)) << toString(config.takeError());
  EXPECT_EQ(config->options.opening, 1);
  TuningWorld without;
  without.config.tune = 0;
  ASSERT_FALSE(bool(without.search()));
  EXPECT_TRUE(tunedOf(*without.read()).empty());
}

TEST(Tuning, ResumesTheSameWayAfterPowerLossAtEveryWrite) {
  TuningWorld whole;
  whole.config.options = {2, 1, 2, 1};
  ASSERT_FALSE(bool(whole.search()));
  std::string expected = describeTrajectory(*whole.read());
  for (int at = 1; at <= whole.fs.writes; at += 2) {
    TuningWorld world;
    world.config.options = whole.config.options;
    world.fs.powerAfter = at;
    llvm::consumeError(world.search());
    world.fs.powerAfter = -1;
    ASSERT_FALSE(bool(world.search())) << at;
    ASSERT_EQ(describeTrajectory(*world.read()), expected) << at;
  }
}

TEST(Tuning, CountsAgainstTheBudget) {
  TuningWorld world;
  world.config.options = {50, 2, 3, 2};
  world.config.maxBranches = 17;
  ASSERT_FALSE(bool(world.search()));
  EXPECT_EQ(world.read()->getBranches().size(), 1u + 17);
}

TEST(RankCorrelation, IsSpearmans) {
  EXPECT_DOUBLE_EQ(report::rankCorrelation({{1, 10}, {2, 20}, {3, 400}}), 1);
  EXPECT_DOUBLE_EQ(report::rankCorrelation({{1, 30}, {2, 20}, {3, 10}}), -1);
  EXPECT_DOUBLE_EQ(report::rankCorrelation({{1, 5}, {2, 5}, {3, 5}}), 0);
  // Ranks 0, 1.5, 1.5, 3 and 0, 1, 2, 3.
  EXPECT_NEAR(report::rankCorrelation({{1, 1}, {2, 2}, {2, 3}, {5, 4}}), 4.5 / std::sqrt(4.5 * 5), 1e-12);
  EXPECT_EQ(report::rankCorrelation({}), 0);
}

} // namespace
