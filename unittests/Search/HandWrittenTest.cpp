//===- HandWrittenTest.cpp - Ideas and kernels by hand ---------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"
#include "kgen/Propose/BuiltinIdeas.h"
#include "kgen/Report/RunReport.h"
#include "kgen/Search/SeedPlan.h"
#include "kgen/Trajectory/Replay.h"

using namespace kgen;
using namespace kgen::search;
using namespace kgen::test;
using llvm::toString;

namespace {

const char *genericPlan =
    R"json({"version": 1, "problem": "p", "arch": "sm_90a", "precision": "tf32",
  "inputs": [{"name": "x", "dtype": "f32", "shape": [4, 8], "init": "normal(0, 1)"
}],
  "outputs": [{"name": "out0", "dtype": "f32", "shape": [4, 8]}], "workspace": [],
  "launches": [{"kernel": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "shared_bytes": 0, "args": [{"buffer": "in0"}]}]
})json";

candidate::LaunchPlan parsed(llvm::StringRef text) {
  auto plan = candidate::LaunchPlan::parse(text);
  EXPECT_TRUE(bool(plan)) << toString(plan.takeError());
  return plan ? *plan : candidate::LaunchPlan();
}

TEST(SeedPlan, ComesFromTheHeader) {
  auto text = completeSeedPlan(parsed(genericPlan),
                               "// kgen-workspace: 4096\n"
                               "// kgen-launch: kernel=first grid=4,2 block=64 args=in0,ws0+256,i32:-5,f32:0.5\n"
                               "// kgen-launch: kernel=second grid=3 block=32,4 shared=1024 args=ws0,out0\n",
                               "");
  ASSERT_TRUE(bool(text)) << toString(text.takeError());
  candidate::LaunchPlan plan = parsed(*text);
  ASSERT_EQ(plan.launches.size(), 2u);
  EXPECT_EQ(plan.launches[0].grid, (std::array<int64_t, 3>{4, 2, 1}));
  EXPECT_EQ(plan.launches[1].block, (std::array<int64_t, 3>{32, 4, 1}));
  EXPECT_EQ(plan.launches[1].sharedBytes, 1024);
  EXPECT_EQ(std::get<candidate::BufferRef>(plan.launches[0].arguments[1]).offset, 256);
  EXPECT_EQ(std::get<int32_t>(plan.launches[0].arguments[2]), -5);
  EXPECT_EQ(std::get<float>(plan.launches[0].arguments[3]), 0.5f);
  EXPECT_EQ(plan.workspace.at(0).bytes, 4096);
  EXPECT_EQ(plan.inputs.at(0).name, "x");
}

TEST(SeedPlan, MayBeTheLaunchesAlone) {
  auto text = completeSeedPlan(
      parsed(genericPlan), "",
      R"({"launches": [{"kernel": "k", "grid": [7, 1, 1], "block": [32, 1, 1], "args": [{"buffer": "in0"}]}]})");
  ASSERT_TRUE(bool(text)) << toString(text.takeError());
  EXPECT_EQ(parsed(*text).launches.at(0).grid[0], 7);
  EXPECT_EQ(parsed(*text).inputs.size(), 1u);
}

TEST(SeedPlan, SaysWhatIsWrong) {
  auto errorOf = [](llvm::StringRef cuda, llvm::StringRef plan = "") {
    auto text = completeSeedPlan(parsed(genericPlan), cuda, plan);
    return text ? std::string() : toString(text.takeError());
  };
  EXPECT_EQ(errorOf("// kgen-launch: kernel=k grid=x block=1 args=in0"),
            "kgen-launch: grid=x, expected one to three whole numbers");
  EXPECT_EQ(errorOf("// kgen-launch: kernel=k grid=1 args=i32:x"),
            "kgen-launch: argument i32:x, expected inN, outN, wsN+BYTES, i32:N, i64:N or f32:X");
  EXPECT_EQ(errorOf("// kgen-launch: kernel=k threads=5"),
            "kgen-launch: threads=5, expected kernel=, grid=, block=, cluster=, shared= or args=");
  EXPECT_NE(errorOf("// kgen-launch: kernel=k grid=1 block=32 args=in7").find("in7"), std::string::npos);
  EXPECT_EQ(errorOf("", "[1, 2"), "the plan is no JSON object with \"launches\"");
}

TEST(BuiltinIdeas, AreFoundByKeyAndByTheirWords) {
  auto byKey = propose::matchBuiltinIdea("register-tile");
  ASSERT_TRUE(bool(byKey)) << toString(byKey.takeError());
  EXPECT_EQ(byKey->key, "register-tile");
  auto byWords = propose::matchBuiltinIdea("give each thread a tile of the product in registers");
  ASSERT_TRUE(bool(byWords)) << toString(byWords.takeError());
  EXPECT_EQ(byWords->key, "register-tile");
  auto nothing = propose::matchBuiltinIdea("paint it blue");
  ASSERT_FALSE(bool(nothing));
  std::string message = toString(nothing.takeError());
  EXPECT_EQ(message, "the builtin proposer cannot read words, and its catalogue has no idea like 'paint it blue': name "
                     "one by its key, or ask a language model by --llm");
}

/// A world whose round 0 has a plan that kernels by hand can be completed from.
struct HandWorld : World {
  HandWorld() {
    compiler.genericPlan = parsed(genericPlan).print();
    config.options = {3, 2, 2, 2};
  }
  void drop(llvm::Expected<trajectory::HandWritten> entry, int order = 0) {
    ASSERT_TRUE(bool(entry)) << toString(entry.takeError());
    ASSERT_FALSE(bool(trajectory::dropIntoInbox(fs, clock, "run", order, *entry)));
  }
  void dropKernel(const char *name) {
    fs.files["k.cu"] =
        std::string("// kgen-launch: kernel=k grid=1 block=32 args=in0,out0\n// kgen-idea: memory: my ") + name +
        "\nextern \"C\" __global__ void k() {}\n";
    drop(trajectory::readHandWrittenKernel(fs, "k.cu"));
  }
};

TEST(HandWritten, IsTakenAtTheNextRoundOfARunningSearch) {
  HandWorld world;
  world.evaluator.beforeEvaluate = [&](int n) {
    if (n == 2) // round 1 is being measured
      world.dropKernel("kernel");
  };
  ASSERT_FALSE(bool(world.search()));
  auto run = world.read();
  const trajectory::BranchRecord *branch = run->findBranch("round-02/b00");
  ASSERT_TRUE(branch);
  EXPECT_EQ(branch->idea.text, "my kernel");
  EXPECT_EQ(branch->idea.category, ideas::IdeaCategory::Memory);
  EXPECT_EQ(branch->parent, "round-00/b00");
  EXPECT_FALSE(branch->measurement.empty());
  EXPECT_TRUE(world.fs.list("run/inbox").empty());
  auto summary = trajectory::replayRun(world.fs, *run, world.compiler);
  ASSERT_TRUE(bool(summary)) << toString(summary.takeError());
}

TEST(HandWritten, ReplaysByteForByteWhenTheDeviceHeadersChange) {
  HandWorld world;
  world.config.options = {1, 1, 1, 1};
  auto created = trajectory::RunFolder::create(world.fs, world.clock, "run", world.config.toJson(), "graph");
  ASSERT_TRUE(bool(created));
  world.fs.files["k.cu"] = "// kgen-launch: kernel=k grid=1 block=32 args=in0,out0\n#include \"kgen_device.cuh\"\n"
                           "extern \"C\" __global__ void k() {}\n";
  world.drop(trajectory::readHandWrittenKernel(world.fs, "k.cu"));
  created->reset();
  ASSERT_FALSE(bool(world.search()));
  auto run = world.read();
  auto code = run->readFile("round-01/b00", "kernel.cu");
  ASSERT_TRUE(bool(code));
  EXPECT_NE(code->find("// header 1"), std::string::npos);

  world.compiler.version = "2";
  auto strict = trajectory::replayRun(world.fs, *run, world.compiler);
  ASSERT_FALSE(bool(strict));
  std::string message = toString(strict.takeError());
  EXPECT_EQ(message.find("run/round-00/b00/annotated.mlir differs from what the replies give, first at byte 1"), 0u);
  EXPECT_NE(message.find("; the run was written by code generator generator-1, this is code generator generator-2: "
                         "`kgen-search replay --recorded` holds such branches to the journal's digests"),
            std::string::npos)
      << message;
  // Round 0 and the catalogue's branches are the generator's; the kernel by hand is the same text.
  auto recorded = trajectory::replayRun(world.fs, *run, world.compiler, {2, /*recorded=*/true});
  ASSERT_TRUE(bool(recorded)) << toString(recorded.takeError());
  EXPECT_GT(recorded->recordedOnly.size(), 0u);
  EXPECT_FALSE(llvm::is_contained(recorded->recordedOnly, "round-01/b00"));
  EXPECT_EQ(recorded->branches + recorded->recordedOnly.size(), run->getBranches().size());
}

TEST(HandWritten, AnIdeaOfTheCatalogueIsCarriedOutOnTheBestSoFar) {
  HandWorld world;
  auto run = trajectory::RunFolder::create(world.fs, world.clock, "run", world.config.toJson(), "graph");
  ASSERT_TRUE(bool(run));
  world.drop(trajectory::readHandWrittenIdea("pixel-tile"), 0);
  world.drop(trajectory::readHandWrittenIdea("paint it blue"), 1);
  run->reset();
  ASSERT_FALSE(bool(world.search()));
  auto read = world.read();
  EXPECT_EQ(read->findBranch("round-01/b00")->idea.key, "pixel-tile");
  EXPECT_EQ(read->findBranch("round-01/b01")->idea.key, "pixel-tile");
  // Nobody can read this one: a dead branch says so.
  EXPECT_NE(read->findBranch("round-01/b02")->measurement.find("cannot read words"), std::string::npos);
  EXPECT_TRUE(read->findBranch("round-01/b06")); // and the policy's own four
}

TEST(HandWritten, ResumesTheSameWayAfterPowerLossAtEveryWrite) {
  auto prepare = [](HandWorld &world) {
    world.config.options = {2, 1, 2, 1};
    auto run = trajectory::RunFolder::create(world.fs, world.clock, "run", world.config.toJson(), "graph");
    ASSERT_TRUE(bool(run));
    world.dropKernel("first");
  };
  HandWorld whole;
  prepare(whole);
  int before = whole.fs.writes;
  ASSERT_FALSE(bool(whole.search()));
  std::string expected = describeTrajectory(*whole.read());
  EXPECT_NE(expected.find("hand-"), std::string::npos);
  for (int at = 1; at <= whole.fs.writes - before; ++at) {
    HandWorld world;
    prepare(world);
    world.fs.powerAfter = at;
    llvm::consumeError(world.search());
    world.fs.powerAfter = -1;
    ASSERT_FALSE(bool(world.search())) << at;
    ASSERT_EQ(describeTrajectory(*world.read()), expected) << at;
    ASSERT_TRUE(world.fs.list("run/inbox").empty()) << at;
  }
}

TEST(HandWritten, GivesACompleteRunOneMoreRound) {
  HandWorld world;
  ASSERT_FALSE(bool(world.search()));
  size_t before = world.read()->getBranches().size();
  world.dropKernel("late");
  ASSERT_FALSE(bool(world.search()));
  auto run = world.read();
  ASSERT_EQ(run->getBranches().size(), before + 1);
  EXPECT_EQ(run->getBranches().back().id, "round-04/b00");
  EXPECT_EQ(run->getStopReason(), trajectory::StopReason::Done);
}

/// Directives for the branch PARENT.
trajectory::HandWritten script(const char *text, std::string parent = "") {
  auto entry = trajectory::takeHandWrittenDirectives(text);
  EXPECT_TRUE(bool(entry)) << toString(entry.takeError());
  entry->parent = std::move(parent);
  return *entry;
}

TEST(HandWritten, TakesDirectivesForABranch) {
  /// Counts what it lowers.
  struct Wary : FakeCompiler {
    int scripts = 0;
    llvm::Expected<graph::LoweredGraph> lowerWithDirectives(llvm::StringRef graph, llvm::StringRef directives,
                                                            llvm::StringRef idea, llvm::StringRef category,
                                                            const Chip &chip) override {
      ++scripts;
      EXPECT_TRUE(directives.starts_with("transform.by_hand"));
      return FakeCompiler::lowerWithDirectives(graph, directives, idea, category, chip);
    }
  } wary;
  HandWorld world;
  ASSERT_FALSE(bool(world.search()));
  std::string best = world.read()->getBest().str();
  world.drop(script("transform.by_hand one", best), 0);
  world.drop(script("transform.by_hand two"), 1);
  world.drop(script("transform.by_hand three", "round-77/b00"), 2);
  auto run = trajectory::RunFolder::open(world.fs, world.clock, "run");
  ASSERT_TRUE(bool(run));
  SearchEnvironment environment = world.environment();
  environment.foreign = &wary;
  ASSERT_FALSE(bool(runSearch(environment, **run, world.config)));
  run->reset();
  auto read = world.read();
  const trajectory::BranchRecord *first = read->findBranch("round-04/b00");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->parent, best);
  EXPECT_EQ(first->label, "by hand");
  EXPECT_EQ(*read->readFile(first->id, "directives.mlir"), "transform.by_hand one");
  EXPECT_EQ(read->findBranch("round-04/b01")->parent, "round-00/b00");
  EXPECT_NE(read->findBranch("round-04/b02")->measurement.find("no measured branch round-77/b00"), std::string::npos);
  EXPECT_EQ(wary.scripts, 2); // those by hand alone
  trajectory::ReplayOptions options;
  options.foreign = &wary;
  auto summary = trajectory::replayRun(world.fs, *read, world.compiler, options);
  ASSERT_TRUE(bool(summary)) << toString(summary.takeError());
  EXPECT_EQ(wary.scripts, 4);
  // Older versions read what was not changed.
  auto idea = trajectory::readHandWrittenIdea("words");
  EXPECT_FALSE(idea->toJson().contains("directives") || idea->toJson().contains("parent"));
  auto refused = trajectory::takeHandWrittenDirectives("int main() {}");
  EXPECT_EQ(toString(refused.takeError()), "the directives hold no transform op, expected a transform.kgen.* script");
}

TEST(HandWritten, RefusesWhatIsNoKernel) {
  HandWorld world;
  auto errorOf = [&](const char *path, std::string text) {
    world.fs.files[path] = std::move(text);
    auto entry = trajectory::readHandWrittenKernel(world.fs, path);
    return entry ? std::string() : toString(entry.takeError());
  };
  EXPECT_EQ(errorOf("a.txt", "x"), "a.txt is not a .cu file");
  EXPECT_EQ(errorOf("a.cu", "int x;"), "a.cu holds no __global__ function");
  EXPECT_EQ(errorOf("a.cu", "__global__ \xff"), "a.cu is not CUDA-C: expected UTF-8 text of at most 1 MiB");
  EXPECT_EQ(errorOf("a.cu", "__global__ void k();"),
            "a.cu has no launch plan: put it into a.plan.json, or say `// kgen-launch: kernel=NAME grid=X block=X "
            "args=in0,out0` in its header");
  auto absent = trajectory::readHandWrittenKernel(world.fs, "b.cu");
  EXPECT_EQ(toString(absent.takeError()), "cannot read b.cu: No such file or directory");
  // What somebody else put into the inbox stays there and does no harm.
  world.fs.files["run/inbox/zzz.json"] = "{\"idea\": 5}";
  ASSERT_FALSE(bool(world.search()));
  EXPECT_EQ(world.fs.list("run/inbox").size(), 1u);
}

} // namespace
