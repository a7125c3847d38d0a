//===- SearchTest.cpp - The loop against fakes ----------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"
#include "kgen/Report/RunReport.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Trajectory/Replay.h"

#include "gtest/gtest.h"

#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <thread>

using namespace kgen;
using namespace kgen::search;
using namespace kgen::test;
using llvm::toString;

namespace {

TEST(Search, FindsABetterKernelAndRecordsEverything) {
  World world;
  llvm::Error error = world.search();
  ASSERT_FALSE(bool(error)) << toString(std::move(error));
  auto run = world.read();
  EXPECT_EQ(run->getStopReason(), trajectory::StopReason::Done);
  report::RunReport report = report::summarizeRun(*run);
  EXPECT_EQ(report.rows.size(), 3u);
  EXPECT_GT(report.getSpeedup(), 1.0);
  EXPECT_EQ(report.branches, int(run->getBranches().size()));
  EXPECT_EQ(report.best.ofEager, 100 * 500 / report.best.timeUs);
  EXPECT_EQ(world.fs.links["run/best"], report.best.id);
  // Level 1 to 3, the idea in words and the verdict of each branch are on disk.
  for (const trajectory::BranchRecord &branch : run->getBranches()) {
    EXPECT_TRUE(world.fs.exists("run/" + branch.id + "/idea.md"));
    EXPECT_TRUE(world.fs.exists("run/" + branch.id + "/measurement.json"));
    EXPECT_FALSE(branch.measurement.empty());
    auto measurement = candidate::Measurement::parse(branch.measurement);
    ASSERT_TRUE(bool(measurement));
    if (measurement->verdict != candidate::Verdict::Reject) {
      EXPECT_TRUE(branch.files.count("lowered.mlir") && branch.files.count("plan.json"));
    } else {
      EXPECT_FALSE(branch.files.count("kernel.cu"));
    }
  }
  // Nothing is compiled twice, and each candidate is compiled before it is measured.
  std::set<std::string> once(world.evaluator.prepared.begin(), world.evaluator.prepared.end());
  EXPECT_EQ(once.size(), world.evaluator.prepared.size());
  EXPECT_EQ(int(once.size()), world.evaluator.evaluated);
}

/// Knows the texts that were compiled before the first evaluation came to its end.
class EarlyEvaluator : public FakeEvaluator {
public:
  using FakeEvaluator::FakeEvaluator;
  std::set<std::string> early;
  bool isOver = false;

  void prepare(llvm::StringRef folder) override {
    auto text = toolchain::readWholeFile((folder + "/kernel.cu").str());
    if (!text)
      return llvm::consumeError(text.takeError()); // of the run, whose files are a fake's
    std::lock_guard<std::mutex> guard(mutex);
    if (!isOver)
      early.insert(*text);
  }
  llvm::Expected<candidate::Measurement> evaluate(const search::EvaluationJob &job) override {
    for (int i = 0; evaluated == 0 && i < 1000; ++i) { // the others have 10 s
      {
        std::lock_guard<std::mutex> guard(mutex);
        isOver = early.size() == 4 || i == 999;
      }
      if (isOver)
        break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return FakeEvaluator::evaluate(job);
  }
};

TEST(Search, CompilesWhatRoundOneTriesDuringRoundZero) {
  World world;
  world.config.device = "cuda:0";
  EarlyEvaluator evaluator(world.fs);
  llvm::Error error = world.searchWith(evaluator);
  ASSERT_FALSE(bool(error)) << toString(std::move(error));
  EXPECT_EQ(evaluator.early.size(), 4u);
  auto run = world.read();
  int found = 0;
  for (const trajectory::BranchRecord &branch : run->getBranches())
    if (branch.round == 1 && branch.files.count("kernel.cu"))
      found += int(evaluator.early.count(llvm::cantFail(run->readFile(branch.id, "kernel.cu"))));
  EXPECT_GE(found, 3); // the diagnosis of round 0 may have it prefer others
}

TEST(Search, MeasuresEachIdeasFirstWayFirst) {
  World world;
  world.compiler.graphFacts = softmaxFacts(); // memory bounds whatever is tried
  world.config.device = "cuda:0";
  world.config.precision = "strict-fp32";
  world.config.options = {1, 1, 5, 3};
  ASSERT_FALSE(bool(world.search()));
  auto run = world.read();
  std::vector<std::pair<double, int>> order; // what is expected, to 5 %, and which way of its idea
  std::map<double, int> alike;
  std::set<std::string> seen;
  const std::string journal = world.fs.files["run/journal.jsonl"];
  for (llvm::StringRef line : llvm::split(journal, '\n')) {
    if (!line.contains("\"event\":\"measurement\""))
      continue;
    const auto *branch = run->findBranch(trajectory::Json::parse(line)["id"].get<std::string>());
    if (branch->round != 1 || !branch->duplicateOf.empty() || !seen.insert(branch->id).second)
      continue;
    order.emplace_back(std::floor(std::log(branch->priorUs) / std::log(1.05)), branch->option);
    ++alike[order.back().first];
  }
  EXPECT_TRUE(llvm::is_sorted(order));
  // What is compared is there: ways of several ideas, second ones among them, that are expected to take as long.
  auto most = *llvm::max_element(alike, [](const auto &a, const auto &b) { return a.second < b.second; });
  EXPECT_GT(most.second, 4);
  EXPECT_TRUE(llvm::is_contained(order, std::pair(most.first, 0)) &&
              llvm::is_contained(order, std::pair(most.first, 1)));
}

TEST(Search, IsDeterministic) {
  World a, b, c;
  c.config.seed = 8;
  for (World *world : {&a, &b, &c})
    ASSERT_FALSE(bool(world->search()));
  EXPECT_EQ(describeTrajectory(*a.read()), describeTrajectory(*b.read()));
  EXPECT_NE(describeTrajectory(*a.read()), describeTrajectory(*c.read()));
}

/// Searches on a card, for MINUTES (0: until the rounds are through).
static void searchOnCard(World &world, double minutes = 0) {
  world.config.device = "cuda:0";
  world.config.maxMinutes = minutes;
  if (world.evaluator.lookSeconds == 0)
    world.evaluator.lookSeconds = 1;
  llvm::Error error = world.search();
  ASSERT_FALSE(bool(error)) << toString(std::move(error));
}

TEST(Search, TheSanitizerLooksAtTheBestOfARoundAndOfTheSearch) {
  World world;
  searchOnCard(world);
  auto run = world.read();
  const trajectory::BranchRecord *best = run->findBranch(run->getBest());
  EXPECT_EQ(best->standing, trajectory::Standing::Checked);
  EXPECT_NE(best->measurement.find("nothing found"), std::string::npos);
  ASSERT_FALSE(world.evaluator.looks.empty());
  EXPECT_EQ(world.evaluator.looks.back(), "run/" + best->id);
  EXPECT_LE(world.evaluator.looks.size(), 2u) << "at most one for each of two rounds";
  // On the host nothing is looked at, and of a network's task the network's sanitizer does.
  World host, task;
  ASSERT_FALSE(bool(host.search()));
  task.config.checksBest = false;
  searchOnCard(task);
  EXPECT_TRUE(host.evaluator.looks.empty() && task.evaluator.looks.empty());
  EXPECT_EQ(task.read()->getBest(), run->getBest());
}

TEST(Search, WhatTheSanitizerObjectsToIsNotTheBest) {
  World clean, world;
  searchOnCard(clean);
  const std::string first = clean.read()->getBest().str();
  world.evaluator.racing = {"run/" + first};
  searchOnCard(world);
  auto run = world.read();
  EXPECT_NE(run->getBest(), first);
  EXPECT_EQ(world.fs.links["run/best"], run->getBest());
  EXPECT_NE(run->findBranch(first)->measurement.find("RACE"), std::string::npos);
  report::RunReport report = report::summarizeRun(*run);
  EXPECT_EQ(report.best.id, run->getBest());
  EXPECT_EQ(report.bestSanitizer, "nothing found");
  for (const report::CurvePoint &point : report.curve)
    EXPECT_NE(point.id, first);
  // A process that goes on knows it, and asks nothing again.
  const size_t looks = world.evaluator.looks.size();
  searchOnCard(world);
  EXPECT_EQ(world.read()->getBest(), run->getBest());
  EXPECT_EQ(world.evaluator.looks.size(), looks);
  // Of all kernels, kgen's own is left; when that is wrong, too, there is none.
  World none;
  for (const trajectory::BranchRecord &branch : run->getBranches())
    none.evaluator.racing.insert("run/" + branch.id);
  none.config.device = "cuda:0";
  llvm::Error error = none.search();
  ASSERT_TRUE(bool(error));
  EXPECT_EQ(toString(std::move(error)),
            "no kernel is right: round-00/b00: RACE: compute-sanitizer's racecheck: Race reported");
}

TEST(Search, AnInterruptedLookIsNoError) {
  World world, whole;
  world.evaluator.stopsDuringLook = &world.stop;
  searchOnCard(world);
  EXPECT_EQ(world.read()->getStopReason(), trajectory::StopReason::Interrupted);
  EXPECT_EQ(report::summarizeRun(*world.read()).bestSanitizer, "");
  world.stop = false;
  world.evaluator.stopsDuringLook = nullptr;
  searchOnCard(world);
  searchOnCard(whole);
  EXPECT_EQ(world.read()->getStopReason(), trajectory::StopReason::Done);
  EXPECT_EQ(describeTrajectory(*world.read()), describeTrajectory(*whole.read()));
}

TEST(Search, ALookThatTheTimeCutsShortIsTakenAgainAtTheEnd) {
  World world;
  world.evaluator.lookSeconds = 20;
  searchOnCard(world, 100);
  auto run = world.read();
  const std::string best = "run/" + run->getBest().str();
  EXPECT_GE(llvm::count(world.evaluator.looks, best), 2) << "three seconds were too few, thirty were not";
  EXPECT_EQ(world.evaluator.looks.back(), best);
  EXPECT_EQ(run->findBranch(run->getBest())->standing, trajectory::Standing::Checked);
}

TEST(Search, SurvivesPowerLossAtEveryWrite) {
  World whole;
  whole.config.options = {2, 2, 2, 2};
  ASSERT_FALSE(bool(whole.search()));
  std::string expected = describeTrajectory(*whole.read());
  int writes = whole.fs.writes;
  ASSERT_GT(writes, 50);
  for (int at = 1; at <= writes; ++at) {
    World world;
    world.config.options = whole.config.options;
    world.fs.powerAfter = at;
    llvm::Error lost = world.search();
    ASSERT_TRUE(bool(lost)) << at;
    llvm::consumeError(std::move(lost));
    int before = world.evaluator.evaluated;
    world.fs.powerAfter = -1;
    llvm::Error error = world.search();
    ASSERT_FALSE(bool(error)) << at << ": " << toString(std::move(error));
    ASSERT_EQ(describeTrajectory(*world.read()), expected) << at;
    // At most the branch in flight was measured twice.
    ASSERT_LE(world.evaluator.evaluated, whole.evaluator.evaluated + 1) << at << " " << before;
  }
}

TEST(Search, AFullDiskIsOneSentenceAndTheRunGoesOnLater) {
  World world;
  world.fs.capacity = 20000;
  llvm::Error full = world.search();
  ASSERT_TRUE(bool(full));
  std::string message = toString(std::move(full));
  EXPECT_NE(message.find("No space left on device"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
  world.fs.capacity = SIZE_MAX;
  World whole;
  ASSERT_FALSE(bool(world.search()));
  ASSERT_FALSE(bool(whole.search()));
  EXPECT_EQ(describeTrajectory(*world.read()), describeTrajectory(*whole.read()));
}

TEST(Search, TheProposerLearnsARefusalAsData) {
  /// Keeps what it was told.
  struct Listening : propose::Proposer {
    std::unique_ptr<propose::Proposer> inner = propose::createBuiltinProposer();
    std::vector<propose::TriedBranch> &heard;
    explicit Listening(std::vector<propose::TriedBranch> &heard) : heard(heard) {}
    llvm::Expected<std::vector<propose::Idea>> proposeIdeas(const propose::ProposalContext &context, int n) override {
      heard = context.history;
      return inner->proposeIdeas(context, n);
    }
    llvm::Expected<std::vector<propose::Materialization>> materialize(const propose::ProposalContext &context,
                                                                      const propose::Idea &idea, int n) override {
      return inner->materialize(context, idea, n);
    }
  };
  World world;
  world.compiler.refused = "tile";
  std::vector<propose::TriedBranch> heard;
  world.proposer = std::make_unique<Listening>(heard);
  ASSERT_FALSE(bool(world.search()));
  int refused = 0, told = 0;
  auto run = world.read();
  for (const trajectory::BranchRecord &branch : run->getBranches())
    if (branch.refusal) {
      ++refused;
      EXPECT_EQ(branch.refusal->found, "tile");
    }
  for (const propose::TriedBranch &tried : heard)
    if (tried.refusal) {
      ++told;
      EXPECT_EQ(tried.verdict, "REJECT");
      EXPECT_EQ(tried.refusal->kind, graph::RefusalKind::OutOfRange);
    }
  EXPECT_GT(refused, 0) << "out of the journal";
  EXPECT_GT(told, 0);
  // And a question with it reads back.
  propose::ProposalContext context;
  context.history = heard;
  auto request = propose::parseRequest(propose::printRequest(context, "ideas", nullptr, 1));
  ASSERT_TRUE(bool(request)) << toString(request.takeError());
  for (size_t i = 0; i < heard.size(); ++i)
    EXPECT_EQ(request->context.history[i].refusal.has_value(), heard[i].refusal.has_value());
}

TEST(Search, ATextThatWasTriedSpendsNothingOfTheBudget) {
  World world;
  world.config.maxBranches = 8;
  world.config.options = {8, 2, 3, 2};
  // Every second script comes out as one text.
  world.compiler.merges = true;
  ASSERT_FALSE(bool(world.search()));
  int distinct = 0, duplicates = 0;
  auto run = world.read();
  for (const trajectory::BranchRecord &branch : run->getBranches())
    if (branch.round > 0)
      ++(branch.duplicateOf.empty() ? distinct : duplicates);
  EXPECT_EQ(distinct, 8);
  EXPECT_GT(duplicates, 0);
}

TEST(Search, NoPermissionLeavesNothingBehind) {
  World world;
  world.fs.denied = "run";
  llvm::Error error = world.search();
  ASSERT_TRUE(bool(error));
  EXPECT_EQ(toString(std::move(error)), "cannot create folder run: Permission denied");
  EXPECT_TRUE(world.fs.files.empty());
}

TEST(Search, StopsAtOnceAndGoesOnTheSameWay) {
  World world, whole;
  world.evaluator.beforeEvaluate = [&](int n) {
    if (n == 4)
      world.stop = true;
  };
  ASSERT_FALSE(bool(world.search()));
  EXPECT_EQ(world.read()->getStopReason(), trajectory::StopReason::Interrupted);
  EXPECT_EQ(world.evaluator.evaluated, 5);
  world.stop = false;
  world.evaluator.beforeEvaluate = nullptr;
  ASSERT_FALSE(bool(world.search()));
  ASSERT_FALSE(bool(whole.search()));
  EXPECT_EQ(describeTrajectory(*world.read()), describeTrajectory(*whole.read()));
  EXPECT_EQ(world.evaluator.evaluated, whole.evaluator.evaluated);
}

TEST(Search, ALostDeviceEndsItAtOnceAndItGoesOnLater) {
  World world, whole;
  world.evaluator.lostAfter = 4;
  llvm::Error error = world.search();
  ASSERT_TRUE(bool(error));
  EXPECT_EQ(toString(std::move(error)), "cuda:0 does not answer its known-answer kernel; left alone");
  EXPECT_EQ(world.evaluator.evaluated, 5); // nobody else was tried, and nobody got a verdict for it
  world.evaluator.lostAfter = -1;
  ASSERT_FALSE(bool(world.search()));
  ASSERT_FALSE(bool(whole.search()));
  EXPECT_EQ(describeTrajectory(*world.read()), describeTrajectory(*whole.read()));
}

TEST(Search, KeepsItsTimeLimit) {
  World world;
  world.config.maxMinutes = 1;
  world.evaluator.beforeEvaluate = [&](int) { world.clock.now += 25; };
  ASSERT_FALSE(bool(world.search()));
  EXPECT_EQ(world.read()->getStopReason(), trajectory::StopReason::TimeIsUp);
  EXPECT_EQ(world.evaluator.evaluated, 3);
}

/// ROUNDZERO and LATER: seconds of an evaluation.
static void searchSlowly(World &world, double roundZero, double later) {
  world.config.maxMinutes = 1;
  world.evaluator.beforeEvaluate = [&world, roundZero, later](int n) { world.clock.now += n == 0 ? roundZero : later; };
  llvm::Error error = world.search();
  ASSERT_FALSE(bool(error)) << toString(std::move(error));
  EXPECT_EQ(world.read()->getStopReason(), trajectory::StopReason::TimeIsUp);
}

TEST(Search, TriesTwoBranchesWhereRoundZeroTookAllTheTime) {
  World world;
  searchSlowly(world, 90, 5);
  EXPECT_EQ(world.evaluator.evaluated, 3);
  EXPECT_NE(world.read()->getBest(), "round-00/b00");
}

TEST(Search, WhatIsOwedAfterRoundZeroBeginsWithinItsTime) {
  World world;
  searchSlowly(world, 90, 31);
  EXPECT_EQ(world.evaluator.evaluated, 2);
}

TEST(Search, SaysWhyRoundZeroIsNotMeasuredWhenItsTimeIsOver) {
  World world;
  world.config.maxMinutes = 1;
  world.evaluator.lostAfter = 0;
  world.evaluator.beforeEvaluate = [&](int) { world.clock.now += 90; };
  llvm::Error error = world.search();
  ASSERT_TRUE(bool(error));
  EXPECT_EQ(toString(std::move(error)), "cuda:0 does not answer its known-answer kernel; left alone");
}

TEST(Search, ATurnOfANetworkIsOwedNothing) {
  World world;
  world.config.triesFirst = false;
  searchSlowly(world, 90, 5);
  EXPECT_EQ(world.evaluator.evaluated, 1);
}

TEST(Search, AWrongRoundZeroEndsIt) {
  World world;
  world.evaluator.genericVerdict = candidate::Verdict::Wrong;
  llvm::Error error = world.search();
  ASSERT_TRUE(bool(error));
  EXPECT_EQ(toString(std::move(error)), "round 0 is not right: WRONG: out0[3] is 1, expected 2");
}

TEST(Search, AWrongRoundZeroIsAskedAgain) {
  World world, whole;
  world.evaluator.genericVerdict = candidate::Verdict::Reject;
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(toString(world.search()), "round 0 is not right: REJECT: out0[3] is 1, expected 2");
  world.evaluator.genericVerdict = candidate::Verdict::Pass;
  ASSERT_FALSE(bool(world.search()));
  ASSERT_FALSE(bool(whole.search()));
  EXPECT_EQ(describeTrajectory(*world.read()), describeTrajectory(*whole.read()));
}

TEST(Search, ASecondProcessIsRefused) {
  World world;
  ASSERT_FALSE(bool(world.search()));
  auto first = trajectory::RunFolder::open(world.fs, world.clock, "run");
  ASSERT_TRUE(bool(first));
  auto second = trajectory::RunFolder::open(world.fs, world.clock, "run");
  ASSERT_FALSE(bool(second));
  EXPECT_EQ(toString(second.takeError()), "BUSY: run in use by pid 42: run/lock");
}

/// Somebody else may have written a run folder, its journal with all the checksums too.
TEST(Search, ARunNamesNothingOutsideOfItself) {
  World world;
  ASSERT_FALSE(bool(world.search()));
  const std::string journal = world.fs.files["run/journal.jsonl"];
  const uint32_t last = llvm::cantFail(trajectory::parseJournal(journal, "journal")).link;
  auto refused = [&](const trajectory::Json &record) {
    uint32_t link = last;
    world.fs.files["run/journal.jsonl"] = journal + trajectory::frameRecord(record, link);
    auto run = trajectory::RunFolder::openForReading(world.fs, world.clock, "run");
    return run ? "accepted" : toString(run.takeError());
  };
  EXPECT_EQ(refused({{"event", "measurement"}, {"id", "../../home"}, {"text", "{}"}}),
            "run/journal.jsonl names a branch '../../home', expected round-NN/bNN");
  EXPECT_EQ(refused({{"event", "files"}, {"id", "round-00/b00"}, {"files", {{"../../../key", "00"}}}}),
            "run/journal.jsonl names a file that is not in the run");
  EXPECT_EQ(refused({{"event", "reply"}, {"request", "../../key"}, {"sha", "00"}}),
            "run/journal.jsonl names a file that is not in the run");
  EXPECT_EQ(refused({{"event", "measurement"}, {"id", "round-09/b00"}, {"text", "{}"}}),
            "CORRUPT: run/journal.jsonl tells of round-09/b00, a branch that it does not begin");
  EXPECT_EQ(refused({{"event", "measurement"}, {"id", "round-00/b00"}, {"text", "nonsense"}}),
            "CORRUPT: run/journal.jsonl holds a measurement of round-00/b00 that is none");
  world.fs.files["run/journal.jsonl"] = journal;
  // A link that nobody recorded, for instance.
  world.fs.files["run/round-00/b00/notes.txt"] = "not the run's";
  auto run = world.read();
  EXPECT_EQ(toString(run->readFile("round-00/b00", "notes.txt").takeError()),
            "run/round-00/b00/notes.txt is not in the journal");
}

TEST(Search, SequentialTriesAsManyBranches) {
  World world;
  world.config.policy = "sequential";
  world.config.options = {2, 2, 2, 2};
  ASSERT_FALSE(bool(world.search()));
  auto run = world.read();
  EXPECT_EQ(run->getBranches().size(), 1u + 4 + 8);
  EXPECT_GT(report::summarizeRun(*run).getSpeedup(), 1.0);
}

TEST(Search, EveryPolicySpendsTheBudgetAndResumesTheSameWay) {
  for (const char *policy : policyNames()) {
    World whole;
    whole.config.policy = policy;
    whole.config.options = {50, 3, 4, 2};
    whole.config.maxBranches = 21;
    ASSERT_FALSE(bool(whole.search())) << policy;
    auto run = whole.read();
    EXPECT_EQ(run->getBranches().size(), 1u + 21) << policy;
    EXPECT_EQ(run->getStopReason(), trajectory::StopReason::Done);
    report::RunReport report = report::summarizeRun(*run);
    ASSERT_FALSE(report.curve.empty());
    EXPECT_EQ(report.curve.back().id, report.best.id) << policy;
    EXPECT_EQ(report.curve.front().timeUs, report.genericUs);
    for (size_t i = 1; i < report.curve.size(); ++i) {
      EXPECT_LT(report.curve[i].timeUs, report.curve[i - 1].timeUs);
      EXPECT_GT(report.curve[i].branches, report.curve[i - 1].branches);
    }
    World world;
    world.config = whole.config;
    world.evaluator.beforeEvaluate = [&](int n) { world.stop = n == 9; };
    ASSERT_FALSE(bool(world.search()));
    world.evaluator.beforeEvaluate = nullptr;
    world.stop = false;
    ASSERT_FALSE(bool(world.search()));
    EXPECT_EQ(describeTrajectory(*world.read()), describeTrajectory(*run)) << policy;
  }
}

TEST(Search, TheTimeLimitIsOfAllSittings) {
  World world;
  world.config.maxMinutes = 1;
  world.evaluator.beforeEvaluate = [&](int n) {
    world.clock.now += 25;
    world.stop = n == 1;
  };
  ASSERT_FALSE(bool(world.search()));
  world.stop = false;
  world.clock.now += 10000; // nobody was at it
  ASSERT_FALSE(bool(world.search()));
  EXPECT_EQ(world.read()->getStopReason(), trajectory::StopReason::TimeIsUp);
  EXPECT_EQ(world.evaluator.evaluated, 3);
  EXPECT_EQ(world.read()->getSecondsSpent(), 75);
}

TEST(Search, TheTimeOfAKilledProcessCountsToo) {
  World world;
  world.config.maxMinutes = 10;
  world.config.options = {4, 3, 4, 2};
  world.fs.powerAfter = 120;
  world.evaluator.beforeEvaluate = [&](int) { world.clock.now += 25; };
  llvm::consumeError(world.search());
  world.fs.powerAfter = -1;
  double spent = world.read()->getSecondsSpent();
  EXPECT_GE(spent, 25);
  world.clock.now += 10000;
  ASSERT_FALSE(bool(world.search()));
  EXPECT_EQ(world.read()->getStopReason(), trajectory::StopReason::TimeIsUp);
  EXPECT_GT(world.read()->getSecondsSpent(), 600);
  EXPECT_LT(world.read()->getSecondsSpent(), 660);
}

//===----------------------------------------------------------------------===//
// Replay
//===----------------------------------------------------------------------===//

TEST(Replay, DerivesEveryByteAgain) {
  World world;
  ASSERT_FALSE(bool(world.search()));
  auto run = world.read();
  auto summary = trajectory::replayRun(world.fs, *run, world.compiler);
  ASSERT_TRUE(bool(summary)) << toString(summary.takeError());
  EXPECT_EQ(summary->branches, int(run->getBranches().size()));
  EXPECT_GT(summary->files, 4 * summary->branches);
  for (int jobs : {2, 7}) {
    auto again = trajectory::replayRun(world.fs, *run, world.compiler, {jobs});
    ASSERT_TRUE(bool(again)) << toString(again.takeError());
    EXPECT_EQ(again->branches, summary->branches);
    EXPECT_EQ(again->files, summary->files);
  }
  // With several workers too the first fault of all is the one that is named.
  world.fs.files["run/round-01/b02/kernel.cu"][3] ^= 1;
  world.fs.files["run/round-02/b01/kernel.cu"][3] ^= 1;
  auto bad = trajectory::replayRun(world.fs, *run, world.compiler, {3});
  ASSERT_FALSE(bool(bad));
  EXPECT_EQ(toString(bad.takeError()),
            "CORRUPT: run/round-01/b02/kernel.cu differs from what was recorded, first at byte 3");
}

TEST(Replay, NamesEveryFlippedByte) {
  World world;
  world.config.options = {1, 1, 2, 2};
  ASSERT_FALSE(bool(world.search()));
  std::map<std::string, std::string> intact = world.fs.files;
  int flips = 0;
  for (const auto &[path, text] : intact) {
    llvm::StringRef name = path;
    if (!name.contains("/round-") || text.empty())
      continue;
    for (size_t at : {size_t(0), text.size() / 2, text.size() - 1}) {
      world.fs.files = intact;
      world.fs.files[path][at] ^= 1;
      auto run = world.read();
      auto summary = trajectory::replayRun(world.fs, *run, world.compiler, {1, /*recorded=*/flips % 2 == 0});
      ASSERT_FALSE(bool(summary)) << path << " " << at;
      EXPECT_EQ(toString(summary.takeError()),
                "CORRUPT: " + path + " differs from what was recorded, first at byte " + std::to_string(at));
      // Where the text cannot be derived any more, the digest still tells.
      world.compiler.version = "2";
      auto other = trajectory::replayRun(world.fs, *run, world.compiler, {1, /*recorded=*/true});
      world.compiler.version = "1";
      ASSERT_FALSE(bool(other)) << path << " " << at;
      EXPECT_EQ(toString(other.takeError()).find("CORRUPT: " + path + " differs from what was recorded"), 0u);
      ++flips;
    }
  }
  EXPECT_GT(flips, 30);
}

TEST(Replay, NamesAFlippedReplyAndGraph) {
  World world;
  world.config.options = {1, 1, 1, 1};
  ASSERT_FALSE(bool(world.search()));
  std::map<std::string, std::string> intact = world.fs.files;
  for (const auto &[path, text] : intact) {
    llvm::StringRef name = path;
    if (!name.contains("/replies/") && name != "run/graph.mlir" && name != "run/run.json")
      continue;
    world.fs.files = intact;
    world.fs.files[path][text.size() / 2] ^= 1;
    auto run = trajectory::RunFolder::openForReading(world.fs, world.clock, "run");
    ASSERT_FALSE(bool(run)) << path;
    EXPECT_EQ(toString(run.takeError()), "CORRUPT: " + path + " is corrupt: its hash differs from the journal's");
  }
}

TEST(Replay, NoticesAnotherCompiler) {
  World world;
  ASSERT_FALSE(bool(world.search()));
  world.compiler.version = "2";
  auto run = world.read();
  auto summary = trajectory::replayRun(world.fs, *run, world.compiler);
  ASSERT_FALSE(bool(summary));
  EXPECT_NE(toString(summary.takeError()).find("run/round-00/b00/annotated.mlir differs"), std::string::npos);
  auto recorded = trajectory::replayRun(world.fs, *run, world.compiler, {1, /*recorded=*/true});
  ASSERT_TRUE(bool(recorded)) << toString(recorded.takeError());
  EXPECT_EQ(recorded->branches, 0);
  EXPECT_EQ(recorded->recordedOnly.size(), run->getBranches().size());
}

/// A generator that says it is the same one must write the same, with `recorded` too.
TEST(Replay, HoldsTheSameGeneratorToItsBytes) {
  struct Changed : FakeCompiler {
    std::string getGenerator() override { return "generator-1"; }
  } changed;
  changed.version = "2";
  World world;
  ASSERT_FALSE(bool(world.search()));
  auto run = world.read();
  auto summary = trajectory::replayRun(world.fs, *run, changed, {1, /*recorded=*/true});
  ASSERT_FALSE(bool(summary));
  std::string message = toString(summary.takeError());
  EXPECT_EQ(message.find("run/round-00/b00/annotated.mlir differs from what the replies give, first at byte 1"), 0u);
  EXPECT_EQ(message.find("code generator"), std::string::npos) << message;
}

TEST(Replay, NamesABestThatDidNotPass) {
  World world;
  ASSERT_FALSE(bool(world.search()));
  auto run = trajectory::RunFolder::open(world.fs, world.clock, "run");
  ASSERT_TRUE(bool(run));
  std::string failed;
  for (const trajectory::BranchRecord &branch : (*run)->getBranches())
    if (branch.measurement.find("\"PASS\"") == std::string::npos)
      failed = branch.id;
  ASSERT_NE(failed, "");
  ASSERT_FALSE(bool((*run)->recordBest(failed)));
  auto summary = trajectory::replayRun(world.fs, **run, world.compiler);
  ASSERT_FALSE(bool(summary));
  EXPECT_EQ(toString(summary.takeError()),
            "CORRUPT: run calls " + failed + " its best, which is no branch that passed");
}

} // namespace
