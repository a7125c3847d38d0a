//===- NetworkFirstsTest.cpp - Kernels for tasks that had no round ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Fakes.h"
#include "NetworkSearch.h"
#include "NetworkStandings.h"

#include "kgen/Candidate/LaunchPlan.h"
#include "kgen/Report/NetworkReport.h"

#include "gtest/gtest.h"

#include <set>

using namespace llvm;
using namespace kgen;
using namespace kgen::search;
using namespace kgen::test;

namespace {

constexpr const char *names[] = {"00-conv2d", "01-conv2d", "02-conv2d"};

/// Three tasks one after another, each on 100 floats.
class ChainCompiler : public FakeCompiler {
public:
  std::string directed; ///< in front of each text that directives lead to

  Expected<graph::NetworkPartition> partition(StringRef) override {
    graph::NetworkPartition chain;
    for (int i = 0; i < 3; ++i) {
      graph::NetworkTask task;
      task.name = names[i];
      task.graph = std::string("graph of ") + names[i];
      task.count = 1;
      task.flops = 1e9;
      task.inputs = task.outputs = {{"f32", {100}}};
      chain.tasks.push_back(std::move(task));
      chain.steps.push_back({i, {i}, {i + 1}});
    }
    chain.results = {3};
    return chain;
  }
  Expected<graph::LoweredGraph> lowerGeneric(StringRef graph, const Chip &chip) override {
    auto lowered = FakeCompiler::lowerGeneric(graph, chip);
    lowered->cuda = "// generic\n" + lowered->cuda;
    lowered->plan = plan();
    return lowered;
  }
  Expected<graph::LoweredGraph> lowerWithDirectives(StringRef graph, StringRef directives, StringRef idea,
                                                    StringRef category, const Chip &chip) override {
    auto lowered = FakeCompiler::lowerWithDirectives(graph, directives, idea, category, chip);
    if (lowered) {
      lowered->cuda = directed + lowered->cuda;
      lowered->plan = plan();
    }
    return lowered;
  }

private:
  static std::string plan() {
    candidate::LaunchPlan plan;
    plan.problem = "net";
    plan.arch = "sm_90a";
    plan.precision = "tf32";
    plan.inputs = {{"in0", candidate::DType::F32, {100}}};
    plan.outputs = {{"out0", candidate::DType::F32, {100}}};
    candidate::Launch launch;
    launch.kernel = "main";
    launch.arguments = {candidate::BufferRef{candidate::BufferKind::Input, 0, 0},
                        candidate::BufferRef{candidate::BufferKind::Output, 0, 0}};
    plan.launches = {launch};
    return plan.print();
  }
};

/// Stands still until somebody sets it; several threads ask it.
class SetClock : public trajectory::Clock {
public:
  std::atomic<double> now = 1000;
  double seconds() override { return now; }
  double wallSeconds() override { return 1e9 + now; }
};

/// Networks take 1000 us for each generic task and firstUs for each other one.
class ChainEvaluator : public FakeEvaluator {
public:
  using FakeEvaluator::FakeEvaluator;
  double firstUs = 100;
  std::string wrongTask;                                        ///< its kernels are wrong in a network unless generic
  std::string detail;                                           ///< of such a network
  std::function<bool(StringRef)> compile;                       ///< what compiles() says; none: everything does
  std::function<void()> afterNetwork;                           ///< called when one was measured
  std::function<void(const std::string &folder)> beforeTask;    ///< called before a candidate of a task is measured
  std::vector<std::string> networks;                            ///< folders, as they were measured
  std::function<Error(const std::string &folder)> faultOf = {}; ///< an error of the machinery

  bool compiles(StringRef cuda, double) override {
    std::lock_guard<std::mutex> guard(mutex);
    return !compile || compile(cuda);
  }
  Expected<candidate::Measurement> evaluate(const EvaluationJob &job) override {
    if (!fs.exists(job.folder + "/tasks.json")) {
      if (beforeTask)
        beforeTask(job.folder);
      return FakeEvaluator::evaluate(job);
    }
    networks.push_back(job.folder);
    if (faultOf)
      if (Error error = faultOf(job.folder))
        return std::move(error);
    candidate::Measurement measurement;
    measurement.device = "host";
    measurement.verdict = candidate::Verdict::Pass;
    measurement.phases["inputs"] = 1;
    if (job.promote)
      measurement.sanitizer = "nothing found";
    for (const char *name : names) {
      auto cuda = fs.read(job.folder + "/" + name + ".cu");
      if (!cuda)
        return cuda.takeError();
      const bool isGeneric = StringRef(*cuda).starts_with("// generic");
      measurement.timeUs += isGeneric ? 1000 : firstUs;
      if (!isGeneric && wrongTask == name) {
        measurement.verdict = candidate::Verdict::Wrong;
        measurement.detail = detail;
      }
    }
    measurement.samples = {measurement.timeUs};
    if (afterNetwork)
      afterNetwork();
    return measurement;
  }
};

struct NetworkWorld {
  MemoryFileSystem fs;
  SetClock clock;
  ChainCompiler compiler;
  ChainEvaluator evaluator{fs};
  std::atomic<bool> stop{false};
  SearchConfig config;
  std::string text;
  raw_string_ostream out{text};
  /// Of 300 s so many are over once the first network was measured.
  double over = 297;

  NetworkWorld() {
    config.problem = "net";
    config.precision = "tf32";
    config.device = "host";
    config.options = {2, 2, 3, 2};
    config.seed = 7;
    config.maxMinutes = 5;
    evaluator.afterNetwork = [this] { setSeconds(over); };
  }
  /// SECONDS of the search are over, if no more are.
  void setSeconds(double seconds) { clock.now = std::max<double>(clock.now, 1000 + seconds); }
  /// On a card, where tasks are opened; when the last one has its round 0 so many SECONDS are over.
  void openFor(double seconds) {
    config.device = "cuda:0";
    evaluator.beforeTask = [this, seconds](const std::string &folder) {
      if (StringRef(folder).contains(names[2]))
        setSeconds(seconds);
    };
  }
  SearchToolWorld world() { return {fs, clock, compiler, nullptr, out, out, stop}; }
  Error search() {
    auto partition = compiler.partition("");
    auto code = searchNetwork(SearchCommand(), world(), config, "graph of the network", *partition, evaluator, "run");
    return code.takeError();
  }
  Error resume() {
    auto run = trajectory::RunFolder::open(fs, clock, "run/network");
    if (!run)
      return run.takeError();
    SearchCommand command;
    command.run = "run";
    return resumeNetwork(command, world(), config, evaluator, **run).takeError();
  }
  /// The error of a replay; "": it derives every byte again.
  std::string replay(bool recorded = false) {
    SearchCommand command;
    command.recorded = recorded;
    command.run = "run";
    auto code = replayNetwork(command, world());
    return code ? "" : toString(code.takeError());
  }
  std::unique_ptr<trajectory::RunFolder> read(const std::string &folder = "run/network") {
    auto run = trajectory::RunFolder::openForReading(fs, clock, folder);
    EXPECT_TRUE(bool(run)) << toString(run.takeError());
    return std::move(*run);
  }
  TaskChoices choices(const std::string &id) {
    auto list = read()->readFile(id, "tasks.json");
    if (!list) {
      ADD_FAILURE() << toString(list.takeError());
      return {};
    }
    auto parsed = parseChoices(*list);
    EXPECT_TRUE(bool(parsed)) << toString(parsed.takeError());
    return *parsed;
  }
  std::string reportText() {
    auto report = report::summarizeNetwork(fs, clock, "run");
    EXPECT_TRUE(bool(report)) << toString(report.takeError());
    return report::printNetworkText(*report);
  }
};

#define EXPECT_NO_ERROR(call)                                                                                          \
  do {                                                                                                                 \
    Error unexpected = call;                                                                                           \
    EXPECT_FALSE(bool(unexpected)) << toString(std::move(unexpected));                                                 \
  } while (false)

const TaskChoices allGeneric = {{names[0], "round-00/b00"}, {names[1], "round-00/b00"}, {names[2], "round-00/b00"}};
const TaskChoices allFirst = {{names[0], "first"}, {names[1], "first"}, {names[2], "first"}};

TEST(NetworkFirstsTest, StandInWhenTimeIsUp) {
  NetworkWorld world;
  EXPECT_NO_ERROR(world.search());
  auto run = world.read();
  ASSERT_EQ(run->getBranches().size(), 2u);
  EXPECT_EQ(world.choices("round-00/b00"), allGeneric);
  EXPECT_EQ(run->getBest(), "round-01/b00");
  EXPECT_EQ(world.choices("round-01/b00"), allFirst);
  EXPECT_EQ(run->getStopReason(), trajectory::StopReason::TimeIsUp);
  EXPECT_EQ(run->getBranches()[1].files.count("first.json"), 1u);
  // The task's own run knows nothing of it.
  auto task = world.read("run/tasks/00-conv2d");
  EXPECT_EQ(task->getBranches().size(), 1u);
  EXPECT_EQ(task->getBest(), "round-00/b00");
  EXPECT_EQ(world.replay(), "");
  EXPECT_NE(world.reportText().find("first (not measured alone), "), std::string::npos) << world.reportText();
  EXPECT_NE(world.reportText().find("3 of its kernels not measured alone"), std::string::npos);
}

TEST(NetworkFirstsTest, ReplayDerivesThemFromTheRecordedWay) {
  NetworkWorld world;
  EXPECT_NO_ERROR(world.search());
  world.compiler.directed = "// another generator\n";
  EXPECT_NE(world.replay().find("round-01/b00/00-conv2d.cu differs from what the tasks give"), std::string::npos);
  EXPECT_EQ(world.replay(/*recorded=*/true), "");
  world.compiler.directed.clear();
  // Who replays has no compiler, and another catalogue may be in its place.
  world.evaluator.compile = [](StringRef) { return false; };
  world.compiler.graphFacts = softmaxFacts();
  EXPECT_EQ(world.replay(), "");
}

TEST(NetworkFirstsTest, NoneWithoutTimeForAnotherNetwork) {
  NetworkWorld world;
  world.over = 299.5;
  EXPECT_NO_ERROR(world.search());
  EXPECT_EQ(world.evaluator.networks.size(), 1u);
  EXPECT_EQ(world.read()->getBest(), "round-00/b00");
}

TEST(NetworkFirstsTest, NoneWhereTimeIsNotUp) {
  NetworkWorld world;
  world.config.maxMinutes = 0;
  EXPECT_NO_ERROR(world.search());
  for (const trajectory::BranchRecord &branch : world.read()->getBranches())
    EXPECT_EQ(branch.files.count("first.json"), 0u) << branch.id;
}

TEST(NetworkFirstsTest, TheWrongOneIsLeftOut) {
  NetworkWorld world;
  world.evaluator.wrongTask = names[1];
  world.evaluator.detail = "task 01-conv2d is wrong on what it gets at step 1: out0[3] is 1, expected 2";
  EXPECT_NO_ERROR(world.search());
  EXPECT_EQ(world.evaluator.networks.size(), 3u);
  EXPECT_EQ(world.read()->getBest(), "round-01/b01");
  TaskChoices expected = allFirst;
  expected[names[1]] = "round-00/b00";
  EXPECT_EQ(world.choices("round-01/b01"), expected);
  EXPECT_EQ(world.replay(), "");
}

TEST(NetworkFirstsTest, AllAreLeftOutWhereNobodyIsNamed) {
  NetworkWorld world;
  world.evaluator.wrongTask = names[1];
  world.evaluator.detail = "a launch did not end within 10 s";
  EXPECT_NO_ERROR(world.search());
  EXPECT_EQ(world.evaluator.networks.size(), 2u);
  EXPECT_EQ(world.read()->getBest(), "round-00/b00");
  EXPECT_EQ(world.replay(), "");
}

TEST(NetworkFirstsTest, ASlowerNetworkIsNotBest) {
  NetworkWorld world;
  world.evaluator.firstUs = 2000;
  EXPECT_NO_ERROR(world.search());
  EXPECT_EQ(world.evaluator.networks.size(), 2u);
  EXPECT_EQ(world.read()->getBest(), "round-00/b00");
  EXPECT_EQ(world.reportText().find("first (not"), std::string::npos);
}

TEST(NetworkFirstsTest, WhatDoesNotCompileGivesWay) {
  NetworkWorld plain, world;
  EXPECT_NO_ERROR(plain.search());
  const std::string favourite = *plain.read()->readFile("round-01/b00", "00-conv2d.cu");
  world.evaluator.compile = [&](StringRef cuda) { return cuda != favourite; };
  EXPECT_NO_ERROR(world.search());
  EXPECT_EQ(world.choices("round-01/b00"), allFirst);
  EXPECT_NE(*world.read()->readFile("round-01/b00", "00-conv2d.cu"), favourite);
  EXPECT_EQ(*world.read()->readFile("round-01/b00", "01-conv2d.cu"),
            *plain.read()->readFile("round-01/b00", "01-conv2d.cu"));
  EXPECT_EQ(world.replay(), "");
  // Where nothing compiles there is nothing to put together.
  NetworkWorld none;
  none.evaluator.compile = [](StringRef) { return false; };
  EXPECT_NO_ERROR(none.search());
  EXPECT_EQ(none.evaluator.networks.size(), 1u);
}

TEST(NetworkFirstsTest, AFaultOfTheMachineryEndsNoSearch) {
  NetworkWorld world;
  world.evaluator.faultOf = [](const std::string &folder) {
    return StringRef(folder).ends_with("round-01/b00") ? createStringError("the evaluator ended") : Error::success();
  };
  EXPECT_NO_ERROR(world.search());
  EXPECT_EQ(world.read()->getBest(), "round-00/b00");
  EXPECT_NE(world.text.find("could not be measured: the evaluator ended"), std::string::npos) << world.text;
}

TEST(NetworkFirstsTest, AResumedSearchMeasuresNothingTwice) {
  NetworkWorld world;
  world.evaluator.wrongTask = names[1];
  world.evaluator.detail = "task 01-conv2d is wrong on what it gets at step 1: out0[3] is 1, expected 2";
  EXPECT_NO_ERROR(world.search());
  const size_t measured = world.evaluator.networks.size();
  EXPECT_NO_ERROR(world.resume());
  EXPECT_EQ(world.evaluator.networks.size(), measured);
  EXPECT_EQ(world.read()->getBest(), "round-01/b01");
}

TEST(NetworkFirstsTest, OneThatWasNotMeasuredIsTakenAgain) {
  NetworkWorld world;
  world.evaluator.faultOf = [](const std::string &folder) {
    return StringRef(folder).ends_with("round-01/b00") ? createStringError("the evaluator ended") : Error::success();
  };
  EXPECT_NO_ERROR(world.search());
  const std::string before = *world.read()->readFile("round-01/b00", "00-conv2d.cu");
  world.evaluator.faultOf = {};
  // What compiles now is no matter: the way is recorded.
  world.evaluator.compile = [](StringRef) { return false; };
  EXPECT_NO_ERROR(world.resume());
  EXPECT_EQ(world.read()->getBest(), "round-01/b01"); // the branch in flight was lost
  EXPECT_EQ(*world.read()->readFile("round-01/b01", "00-conv2d.cu"), before);
  EXPECT_EQ(world.replay(), "");
}

TEST(NetworkFirstsTest, WithMoreTimeTheTasksHaveTheirRounds) {
  NetworkWorld world;
  EXPECT_NO_ERROR(world.search());
  world.config.maxMinutes = 0;
  world.evaluator.firstUs = 90;
  EXPECT_NO_ERROR(world.resume());
  for (const char *name : names) {
    auto task = world.read(std::string("run/tasks/") + name);
    EXPECT_GT(task->getBranches().size(), 1u) << name;
    EXPECT_EQ(task->getBranches()[1].id, "round-01/b00") << name;
  }
  const std::string best = world.read()->getBest().str();
  EXPECT_NE(best, "round-01/b00");
  for (const auto &[task, branch] : world.choices(best))
    EXPECT_NE(branch, "first") << task;
  EXPECT_EQ(world.replay(), "");
}

TEST(NetworkFirstsTest, AnOpeningThatIsCutShort) {
  NetworkWorld world;
  world.over = 0;
  world.openFor(270);
  EXPECT_NO_ERROR(world.search());
  // The first network has them, is the last, and compute-sanitizer looks at it.
  ASSERT_EQ(world.evaluator.networks.size(), 1u);
  EXPECT_EQ(world.read()->getBest(), "round-00/b00");
  const TaskChoices choices = world.choices("round-00/b00");
  EXPECT_EQ(choices.at(names[2]), "first");
  EXPECT_NE(choices.at(names[0]), "round-00/b00");
  EXPECT_NE(choices.at(names[0]), "first");
  EXPECT_EQ(world.reportText().find("warning"), std::string::npos) << world.reportText();
  EXPECT_NE(world.reportText().find("1 of its kernels not measured alone"), std::string::npos) << world.reportText();
  EXPECT_EQ(world.replay(), "");
  // The task has its round when the search goes on, and that counts once it is faster.
  world.evaluator.firstUs = 90;
  EXPECT_NO_ERROR(world.resume());
  EXPECT_EQ(world.choices("round-00/b00"), choices);
  EXPECT_NE(world.read()->getBest(), "round-00/b00");
  EXPECT_NE(world.choices(world.read()->getBest().str()).at(names[2]), "first");
  EXPECT_EQ(world.replay(), "");
}

TEST(NetworkFirstsTest, AreInTheFirstNetworkHoweverLateItIs) {
  NetworkWorld world;
  world.openFor(299);
  EXPECT_NO_ERROR(world.search());
  ASSERT_EQ(world.evaluator.networks.size(), 1u);
  EXPECT_EQ(world.choices("round-00/b00")[names[2]], "first");
}

TEST(NetworkFirstsTest, AFirstNetworkThatIsWrongGivesWay) {
  for (const char *detail : {"task 02-conv2d is at fault", "a launch did not end within 10 s"}) {
    NetworkWorld world;
    world.openFor(270);
    world.evaluator.wrongTask = names[2];
    world.evaluator.detail = detail;
    EXPECT_NO_ERROR(world.search());
    ASSERT_EQ(world.evaluator.networks.size(), 2u) << detail;
    EXPECT_EQ(world.read()->getBest(), "round-00/b01");
    EXPECT_EQ(world.choices("round-00/b01")[names[2]], "round-00/b00");
    EXPECT_NE(world.choices("round-00/b01")[names[0]], "round-00/b00");
    EXPECT_EQ(world.reportText().find("warning"), std::string::npos) << world.reportText();
    EXPECT_EQ(world.replay(), "");
  }
}

/// A world in which the time for rounds is over once the first task has its own.
struct ShortOpening : NetworkWorld {
  std::set<std::string> measured; ///< names of tasks

  ShortOpening() {
    over = 0;
    config.device = "cuda:0";
    config.compileJobs = 1; // one task after another
    evaluator.beforeTask = [this](const std::string &folder) {
      for (const char *name : names)
        if (StringRef(folder).contains(name))
          measured.insert(name);
      if (StringRef(folder).contains("round-01"))
        setSeconds(270);
    };
  }
};

TEST(NetworkFirstsTest, StandInForTasksThatTheOpeningDidNotComeTo) {
  ShortOpening world;
  EXPECT_NO_ERROR(world.search());
  EXPECT_EQ(world.measured.size(), 1u);
  ASSERT_EQ(world.evaluator.networks.size(), 1u);
  EXPECT_EQ(world.read()->getBest(), "round-00/b00");
  EXPECT_EQ(world.read()->getStopReason(), trajectory::StopReason::TimeIsUp);
  const TaskChoices choices = world.choices("round-00/b00");
  EXPECT_EQ(count_if(choices, [](const auto &choice) { return choice.second == "first"; }), 2);
  for (const auto &[task, choice] : choices)
    EXPECT_NE(world.measured.count(task) != 0, choice == "first") << task;
  EXPECT_NE(world.reportText().find("2 of its kernels not measured alone"), std::string::npos) << world.reportText();
  EXPECT_EQ(world.reportText().find("faster than round 0"), std::string::npos) << "nobody knows";
  EXPECT_EQ(world.replay(), "");
  // Nothing is done twice, and with more time all tasks have their rounds.
  EXPECT_NO_ERROR(world.resume());
  EXPECT_EQ(world.measured.size(), 1u);
  EXPECT_EQ(world.evaluator.networks.size(), 1u);
  world.config.maxMinutes = 0;
  world.evaluator.firstUs = 90;
  EXPECT_NO_ERROR(world.resume());
  EXPECT_EQ(world.measured.size(), 3u);
  for (const auto &[task, choice] : world.choices(world.read()->getBest().str()))
    EXPECT_NE(choice, "first") << task;
  EXPECT_EQ(world.replay(), "");
}

TEST(NetworkFirstsTest, WhatIsWrongAndUnmeasuredIsMeasured) {
  for (const char *detail : {"task 01-conv2d is at fault", "a launch did not end within 10 s"}) {
    ShortOpening world;
    world.evaluator.wrongTask = names[1];
    world.evaluator.detail = detail;
    EXPECT_NO_ERROR(world.search());
    ASSERT_EQ(world.evaluator.networks.size(), 2u) << detail;
    EXPECT_EQ(world.read()->getBest(), "round-00/b01");
    EXPECT_EQ(world.choices("round-00/b01")[names[1]], "round-00/b00");
    EXPECT_EQ(world.measured.size(), StringRef(detail).starts_with("task") ? 2u : 3u);
    EXPECT_EQ(world.replay(), "");
  }
}

TEST(NetworkFirstsTest, GenericKernelsStandInWhereNothingElseCompiles) {
  ShortOpening world;
  world.evaluator.compile = [](StringRef) { return false; };
  EXPECT_NO_ERROR(world.search());
  EXPECT_EQ(world.measured.size(), 1u);
  ASSERT_EQ(world.evaluator.networks.size(), 1u);
  EXPECT_EQ(world.choices("round-00/b00")[names[2]], "first");
  EXPECT_TRUE(StringRef(*world.read()->readFile("round-00/b00", "02-conv2d.cu")).starts_with("// generic"));
  EXPECT_EQ(world.replay(), "");
}

TEST(NetworkFirstsTest, AFirstNetworkThatCannotBeMeasuredGivesWay) {
  NetworkWorld world;
  world.openFor(270);
  world.evaluator.faultOf = [&](const std::string &) -> Error {
    return world.evaluator.networks.size() == 1 ? createStringError("the evaluator ended") : Error::success();
  };
  EXPECT_NO_ERROR(world.search());
  EXPECT_EQ(world.evaluator.networks.size(), 2u);
  EXPECT_EQ(world.choices(world.read()->getBest().str())[names[2]], "round-00/b00");
}

/// STANDINGS with a network of CHOICES, which takes US, or is wrong as DETAIL says.
void add(NetworkStandings &standings, const char *id, const TaskChoices &choices, double us, StringRef detail = "") {
  trajectory::BranchRecord branch;
  branch.id = id;
  branch.round = 1;
  branch.idea.key = "assemble";
  candidate::Measurement measurement;
  measurement.verdict = detail.empty() ? candidate::Verdict::Pass : candidate::Verdict::Race;
  measurement.detail = detail.str();
  measurement.timeUs = us;
  standings.add(branch, measurement, choices, "");
}

TEST(NetworkStandingsTest, OneThatIsFoundOutLaterIsLeftOut) {
  NetworkStandings standings;
  add(standings, "a", allGeneric, 300);
  add(standings, "b", allFirst, 100);
  EXPECT_EQ(standings.bestId(), "b");
  EXPECT_TRUE(standings.hadFirst(names[0]));
  add(standings, "c", allFirst, 0, "task 02-conv2d is at fault: compute-sanitizer's racecheck");
  EXPECT_EQ(standings.bestId(), "a");
  EXPECT_EQ(standings.banned(), (Banned{{names[2], "first"}}));
}

TEST(NetworkStandingsTest, ASlowNetworkWithFirstKernelsIsNothingToCompareWith) {
  NetworkStandings standings;
  add(standings, "a", allGeneric, 300);
  add(standings, "b", allFirst, 400);
  TaskChoices tuned = allGeneric;
  tuned[names[1]] = "round-01/b00";
  add(standings, "c", tuned, 0, "hangs");
  EXPECT_EQ(standings.bestId(), "a");
  EXPECT_EQ(standings.banned(), (Banned{{names[1], "round-01/b00"}}));
}

TEST(FindBlamedTest, BlamesNewFirstKernelsAlone) {
  const TaskChoices taken = {{"00-mm", "round-01/b00"}, {"01-mm", "round-00/b00"}, {"02-mm", "first"}};
  TaskChoices choices = taken;
  choices["00-mm"] = "round-02/b00";
  EXPECT_EQ(findBlamed(choices, taken, "hangs"), std::vector<std::string>{"00-mm"});
  EXPECT_EQ(findBlamed(choices, taken, "task 02-mm is wrong"), std::vector<std::string>{"02-mm"});
  choices["01-mm"] = "first";
  EXPECT_EQ(findBlamed(choices, taken, "hangs"), std::vector<std::string>{"01-mm"});
  EXPECT_EQ(findBlamed(choices, taken, "task 00-mm is wrong"), std::vector<std::string>{"01-mm"});
  EXPECT_EQ(findBlamed(choices, taken, "task 01-mm is wrong"), std::vector<std::string>{"01-mm"});
}

} // namespace
