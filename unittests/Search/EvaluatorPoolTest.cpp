//===- EvaluatorPoolTest.cpp - A search on several evaluators -------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"
#include "kgen/Search/OpenEvaluators.h"
#include "kgen/Trajectory/Replay.h"

#include "llvm/ADT/STLExtras.h"

#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

using namespace kgen;
using namespace kgen::search;
using namespace kgen::test;
using llvm::toString;

namespace {

/// What the evaluators of a test are to do; each counts what it did.
struct Site {
  struct Member {
    double speed = 1;              ///< its times are divided by it
    std::string model = "card";    ///< what the driver says it is
    int endsAfter = -1;            ///< each process ends in the middle of this evaluation; negative: never
    int lostAfter = -1;            ///< the device does not answer from this evaluation on
    bool startsNever = false;      ///< every start fails
    bool wrong = false;            ///< nothing is right on it
    std::atomic<int> evaluated{0}; ///< of all its processes
    std::atomic<int> starts{0};
  };
  MemoryFileSystem &fs;
  std::vector<std::unique_ptr<Member>> members;
  int meeting = 0; ///< evaluations that wait for each other, once
  int there = 0;   ///< of them
  bool over = false;
  std::mutex mutex;
  std::condition_variable change;

  Site(MemoryFileSystem &fs, int count) : fs(fs) {
    for (int i = 0; i < count; ++i)
      members.push_back(std::make_unique<Member>());
  }
  Member &operator[](int i) { return *members[i]; }
  /// Until all of the meeting are there, which stays so.
  void meet() {
    std::unique_lock<std::mutex> guard(mutex);
    if (over)
      return;
    ++there;
    over = there == meeting;
    change.notify_all();
    if (!change.wait_for(guard, std::chrono::minutes(1), [&] { return over; }))
      over = true;
  }
};

class SiteEvaluator : public FakeEvaluator {
public:
  SiteEvaluator(Site &site, Site::Member &member) : FakeEvaluator(site.fs), site(site), member(member) {
    facts.name = "cuda:0";
    facts.model = member.model;
  }
  llvm::Expected<candidate::Measurement> evaluate(const EvaluationJob &job) override {
    // Who is free is chance.
    static thread_local std::mt19937 random(std::random_device{}());
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 500));
    if (site.meeting && !llvm::StringRef(job.folder).contains("round-00"))
      site.meet();
    ++member.evaluated;
    if (member.lostAfter >= 0 && member.evaluated > member.lostAfter) {
      lost = true;
      return llvm::make_error<EvaluatorLost>("cuda:0 does not answer its known-answer kernel", /*forGood=*/true);
    }
    if (member.endsAfter >= 0 && evaluated == member.endsAfter)
      return llvm::make_error<EvaluatorLost>("kgen-eval ended unexpectedly");
    auto measurement = FakeEvaluator::evaluate(job);
    if (measurement && member.wrong)
      measurement->verdict = candidate::Verdict::Wrong;
    if (measurement)
      measurement->timeUs /= member.speed;
    return measurement;
  }
  bool deviceIsLost() const override { return lost; }
  std::vector<std::string> revealInputs() override { return {"seed of " + member.model}; }

private:
  Site &site;
  Site::Member &member;
  bool lost = false;
};

/// A search with a pool in place of the one evaluator.
struct PoolWorld : World {
  Site site;
  std::vector<std::string> said;

  explicit PoolWorld(int count) : site(fs, count) {
    config.device = "cuda:0";
    config.compileJobs = 3;
  }
  llvm::Expected<std::unique_ptr<CandidateEvaluator>> open() {
    std::vector<PoolMember> members;
    for (auto [i, member] : llvm::enumerate(site.members))
      members.push_back({"card " + std::to_string(i),
                         [this, member = member.get()](const Listener &, std::function<bool()>)
                             -> llvm::Expected<std::unique_ptr<CandidateEvaluator>> {
                           ++member->starts;
                           if (member->startsNever)
                             return llvm::createStringError("no such host");
                           return std::make_unique<SiteEvaluator>(site, *member);
                         },
                         ""});
    return createEvaluatorPool(std::move(members), stop, [this](llvm::StringRef line) { said.push_back(line.str()); });
  }
  llvm::Error search() {
    auto pool = open();
    if (!pool)
      return pool.takeError();
    auto run = fs.exists("run/run.json") ? trajectory::RunFolder::open(fs, clock, "run")
                                         : trajectory::RunFolder::create(fs, clock, "run", config.toJson(), "graph");
    if (!run)
      return run.takeError();
    SearchEnvironment environment{fs, clock, compiler, *proposer, **pool, *progress, stop};
    llvm::Error error = runSearch(environment, **run, config);
    for (std::string &line : (*pool)->takeNotes())
      said.push_back(std::move(line));
    return error;
  }
};

/// The names of WORLD's branches and what each is, without times.
std::string describeWay(const trajectory::RunFolder &run) {
  std::string text;
  for (const trajectory::BranchRecord &branch : run.getBranches()) {
    text += branch.id + " <- " + branch.parent + " " + branch.idea.key + " [" + branch.label + "]";
    for (const auto &[name, hash] : branch.files)
      text += " " + name + "=" + hash.substr(0, 6);
    text += branch.measurement.empty() ? " PENDING\n" : "\n";
  }
  return text;
}

TEST(EvaluatorPool, SeveralGoTheWayOfOne) {
  PoolWorld one(1), three(3), again(3);
  for (PoolWorld *world : {&one, &three, &again}) {
    llvm::Error error = world->search();
    ASSERT_FALSE(bool(error)) << toString(std::move(error));
  }
  // The same verdicts and times lead to the same branches, whoever measured them and in which order.
  EXPECT_EQ(describeTrajectory(*three.read()), describeTrajectory(*again.read()));
  EXPECT_EQ(describeTrajectory(*three.read()), describeTrajectory(*one.read()));
  for (int i = 0; i < 3; ++i)
    EXPECT_GT(three.site[i].evaluated, 0) << i;
  // And what they recorded derives again.
  auto run = three.read();
  auto summary = trajectory::replayRun(three.fs, *run, three.compiler, {2, false});
  ASSERT_TRUE(bool(summary)) << toString(summary.takeError());
  EXPECT_EQ(summary->branches, int(run->getBranches().size()));
  // Each told what its inputs were drawn from.
  EXPECT_EQ(run->getSeeds().size(), 3u);
}

TEST(EvaluatorPool, AFasterCardDoesNotWin) {
  PoolWorld world(2);
  world.site[1].speed = 1.05;
  ASSERT_FALSE(bool(world.search()));
  auto run = world.read();
  const trajectory::BranchRecord *best = run->findBranch(run->getBest());
  ASSERT_TRUE(best);
  EXPECT_EQ(best->standing, trajectory::Standing::TimedAgain);
  // Its time is the reference's.
  PoolWorld slow(1);
  ASSERT_FALSE(bool(slow.search()));
  auto measurement = candidate::Measurement::parse(best->measurement);
  ASSERT_TRUE(bool(measurement));
  for (const trajectory::BranchRecord &branch : slow.read()->getBranches())
    if (auto cuda = branch.files.find("kernel.cu");
        cuda != branch.files.end() && cuda->second == best->files.at("kernel.cu")) {
      EXPECT_EQ(candidate::Measurement::parse(branch.measurement)->timeUs, measurement->timeUs);
    }
  int provisional = 0, passedOver = 0;
  for (const trajectory::BranchRecord &branch : run->getBranches()) {
    provisional += branch.standing == trajectory::Standing::Provisional;
    passedOver += branch.standing == trajectory::Standing::PassedOver;
  }
  EXPECT_EQ(provisional, 0) << "every round was settled";
  EXPECT_GT(passedOver, 0);
}

TEST(EvaluatorPool, WhoEndsAgainAndAgainLosesNothing) {
  PoolWorld world(3), whole(3);
  world.site[1].endsAfter = 2; // two measurements, then its process is gone
  world.site[2].endsAfter = 1;
  llvm::Error error = world.search();
  ASSERT_FALSE(bool(error)) << toString(std::move(error));
  ASSERT_FALSE(bool(whole.search()));
  EXPECT_EQ(describeTrajectory(*world.read()), describeTrajectory(*whole.read()));
  EXPECT_GT(world.site[1].starts, 2);
}

TEST(EvaluatorPool, WhoNeverComesToAnEndLeaves) {
  PoolWorld world(2), whole(1);
  world.site[1].endsAfter = 0;
  ASSERT_FALSE(bool(world.search()));
  ASSERT_FALSE(bool(whole.search()));
  EXPECT_EQ(describeTrajectory(*world.read()), describeTrajectory(*whole.read()));
  EXPECT_LE(world.site[1].starts, 5);
}

TEST(EvaluatorPool, ALostCardLeavesAndALostReferenceIsReplaced) {
  for (int which : {0, 1}) {
    PoolWorld world(3), whole(1);
    world.site[which].lostAfter = 3;
    llvm::Error error = world.search();
    ASSERT_FALSE(bool(error)) << toString(std::move(error));
    ASSERT_FALSE(bool(whole.search()));
    EXPECT_EQ(describeTrajectory(*world.read()), describeTrajectory(*whole.read()));
    EXPECT_EQ(world.site[which].evaluated, 4) << which;
  }
}

TEST(EvaluatorPool, WhenAllAreLostTheRunGoesOnLater) {
  PoolWorld world(2), whole(1);
  world.site[0].lostAfter = world.site[1].lostAfter = 4;
  llvm::Error error = world.search();
  ASSERT_TRUE(bool(error));
  EXPECT_NE(toString(std::move(error)).find("does not answer its known-answer kernel"), std::string::npos);
  world.site[0].lostAfter = world.site[1].lostAfter = -1;
  ASSERT_FALSE(bool(world.search()));
  ASSERT_FALSE(bool(whole.search()));
  EXPECT_EQ(describeTrajectory(*world.read()), describeTrajectory(*whole.read()));
}

TEST(EvaluatorPool, OtherCardsAndOtherAnswersAreNotUsed) {
  PoolWorld world(3), whole(1);
  world.site[1].model = "another card";
  world.site[2].wrong = true;
  ASSERT_FALSE(bool(world.search()));
  ASSERT_FALSE(bool(whole.search()));
  EXPECT_EQ(describeTrajectory(*world.read()), describeTrajectory(*whole.read()));
  EXPECT_EQ(world.site[1].evaluated, 0);
  EXPECT_EQ(world.site[2].evaluated, 1) << "the first kernel, which it did not find right";
}

TEST(EvaluatorPool, WhoCannotBeStartedIsDoneWithout) {
  PoolWorld world(2);
  world.site[0].startsNever = true;
  ASSERT_FALSE(bool(world.search()));
  EXPECT_EQ(world.site[0].starts, 3);
  EXPECT_EQ(llvm::count_if(world.said,
                           [](const std::string &line) {
                             return line.find("card 0 cannot be started, once more soon: no such host") == 0;
                           }),
            2);
  PoolWorld none(2);
  none.site[0].startsNever = none.site[1].startsNever = true;
  llvm::Error error = none.search();
  ASSERT_TRUE(bool(error));
  EXPECT_NE(toString(std::move(error)).find("no evaluator can be started; card"), std::string::npos);
  EXPECT_TRUE(none.fs.files.empty());
}

TEST(EvaluatorPool, PowerLossAtAnyWrite) {
  PoolWorld whole(3);
  whole.config.options = {2, 2, 2, 2};
  ASSERT_FALSE(bool(whole.search()));
  std::string expected = describeTrajectory(*whole.read());
  for (int at = 1; at <= whole.fs.writes; at += 3) {
    PoolWorld world(3);
    world.config.options = whole.config.options;
    world.fs.powerAfter = at;
    llvm::consumeError(world.search());
    world.fs.powerAfter = -1;
    llvm::Error error = world.search();
    ASSERT_FALSE(bool(error)) << at << ": " << toString(std::move(error));
    ASSERT_EQ(describeTrajectory(*world.read()), expected) << at;
  }
}

TEST(EvaluatorPool, ARunGoesOnWithAnyNumber) {
  PoolWorld whole(1);
  ASSERT_FALSE(bool(whole.search()));
  for (int later : {1, 4}) {
    PoolWorld world(2);
    world.site[1].lostAfter = world.site[0].lostAfter = 6;
    llvm::consumeError(world.search());
    world.site.members.clear();
    for (int i = 0; i < later; ++i)
      world.site.members.push_back(std::make_unique<Site::Member>());
    llvm::Error error = world.search();
    ASSERT_FALSE(bool(error)) << toString(std::move(error));
    EXPECT_EQ(describeWay(*world.read()), describeWay(*whole.read()));
    EXPECT_EQ(world.read()->getBest(), whole.read()->getBest());
  }
}

TEST(EvaluatorPool, StopsAtOnce) {
  PoolWorld world(3);
  std::thread hand([&] {
    while (world.site[0].evaluated + world.site[1].evaluated + world.site[2].evaluated < 10)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    world.stop = true;
  });
  ASSERT_FALSE(bool(world.search()));
  hand.join();
  EXPECT_EQ(world.read()->getStopReason(), trajectory::StopReason::Interrupted);
  EXPECT_FALSE(world.read()->getSeeds().empty()) << "who was ready when it was stopped tells its inputs";
  world.stop = false;
  PoolWorld whole(3);
  ASSERT_FALSE(bool(world.search()));
  ASSERT_FALSE(bool(whole.search()));
  EXPECT_EQ(describeTrajectory(*world.read()), describeTrajectory(*whole.read()));
}

TEST(EvaluatorPool, AJobStaysWithItsEvaluatorWhileThatIsThere) {
  PoolWorld world(3);
  ASSERT_FALSE(bool(world.fs.createFolders("c")));
  ASSERT_FALSE(bool(world.fs.writeAtomic("c/kernel.cu", "text")));
  auto pool = world.open();
  ASSERT_TRUE(bool(pool)) << toString(pool.takeError());
  EvaluationJob job;
  job.folder = "c";
  auto evaluate = [&] {
    auto measurement = (*pool)->evaluate(job);
    EXPECT_TRUE(bool(measurement)) << toString(measurement.takeError());
  };
  for (int lane = 0; lane < 3; ++lane) {
    job.lane = lane + 3; // more tasks than evaluators
    while (world.site[lane].evaluated == 0)
      evaluate(); // by others, until it is there
    const int before = world.site[lane].evaluated;
    for (int i = 0; i < 20; ++i)
      evaluate();
    EXPECT_EQ(world.site[lane].evaluated - before, 20) << lane;
  }
  // The last one's card does not answer any more.
  const int before = world.site[0].evaluated + world.site[1].evaluated;
  world.site[2].lostAfter = 0;
  evaluate();
  EXPECT_EQ(world.site[0].evaluated + world.site[1].evaluated, before + 1);
}

TEST(EvaluatorPool, FourMeasureAtTheSameTime) {
  PoolWorld world(4);
  world.config.options = {2, 4, 12, 3};
  world.site.meeting = 4;
  ASSERT_FALSE(bool(world.search()));
  EXPECT_EQ(world.site.there, 4) << "each waits until all four have an evaluation at once, a minute at most";
}

TEST(OpenEvaluators, ACardHasAsManyAsItHasRoomAndCoresFor) {
  constexpr int64_t card = int64_t(140) << 30;
  EXPECT_EQ(countSharers(64, card, 1e9), 3);
  EXPECT_EQ(countSharers(8, card, 1e9), 2);
  EXPECT_EQ(countSharers(3, card, 1e9), 0);
  EXPECT_EQ(countSharers(64, card, 6e9), 3);
  EXPECT_EQ(countSharers(64, card, 13e9), 1); // two layers of Mixtral in fp32
  EXPECT_EQ(countSharers(64, 0, 13e9), 3);    // what the card has is not known
}

std::string devicesOf(llvm::StringRef text, bool launched = false) {
  auto devices = parseDevices(text, launched);
  return devices ? llvm::join(*devices, " ") : toString(devices.takeError());
}

TEST(EvaluatorPool, ReadsListsOfDevices) {
  EXPECT_EQ(devicesOf("host"), "host");
  EXPECT_EQ(devicesOf("all"), "all");
  EXPECT_EQ(devicesOf("cuda"), "cuda:0");
  EXPECT_EQ(devicesOf("cuda:0,cuda:2"), "cuda:0 cuda:2");
  EXPECT_EQ(devicesOf("host*3,host"), "host host host host");
  EXPECT_EQ(devicesOf("cuda:0*2", true), "cuda:0 cuda:0");
  EXPECT_EQ(devicesOf("cuda:0,cuda:0"), "cuda:0 is named twice, but a card of this machine has one evaluator; cuda:0*2 "
                                        "gives it two, which load and verify side by side");
  EXPECT_EQ(devicesOf("cuda:1*2,cuda:0"), "cuda:1 cuda:1 cuda:0");
  EXPECT_EQ(devicesOf("cuda:0*5"), "'cuda:0*5' asks for 5 evaluators of one card, at most 4 are possible");
  for (const char *wrong :
       {"", "cuda:", "cuda:x", "gpu", "host*0", "host*x", "host,", "all,host", "auto,host", "all*2"})
    EXPECT_NE(devicesOf(wrong).find("is no device, expected host, cuda:N, auto or all"), std::string::npos) << wrong;
  EXPECT_NE(devicesOf("host*1000,host*1000").find("more than 1024"), std::string::npos);
}

std::string wordsOf(llvm::StringRef text) {
  auto words = parseLauncher(text);
  return words ? llvm::join(*words, "|") : toString(words.takeError());
}

TEST(EvaluatorPool, ReadsLaunchers) {
  EXPECT_EQ(wordsOf("ssh -o 'A B' host"), "ssh|-o|A B|host");
  EXPECT_EQ(wordsOf("slurm"), "srun|--ntasks=1|--unbuffered|--job-name=kgen-eval");
  EXPECT_EQ(wordsOf("slurm:--partition=gpu --gres=gpu:1"),
            "srun|--ntasks=1|--unbuffered|--job-name=kgen-eval|--partition=gpu|--gres=gpu:1");
  EXPECT_EQ(wordsOf("'a"), "''a' has a quote that does not close");
  EXPECT_NE(wordsOf(" ").find("names no command"), std::string::npos);
}

} // namespace
