//===- NetworkTest.cpp - Tasks put together --------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Network/Network.h"

#include "gtest/gtest.h"

using namespace kgen;
using namespace kgen::network;

namespace {

/// One task, y = f(x) on 100 floats, by two launches with a workspace between them.
candidate::LaunchPlan taskPlan() {
  candidate::LaunchPlan plan;
  plan.problem = "t00_relu";
  plan.arch = "sm_90a";
  plan.precision = "strict-fp32";
  plan.inputs = {{"in0", candidate::DType::F32, {100}}};
  plan.outputs = {{"out0", candidate::DType::F32, {100}}};
  plan.workspace.push_back({"ws0", 1000});
  auto ref = [](candidate::BufferKind kind, int64_t offset = 0) { return candidate::BufferRef{kind, 0, offset}; };
  candidate::Launch first, second;
  first.kernel = "first";
  first.arguments = {ref(candidate::BufferKind::Input), ref(candidate::BufferKind::Workspace, 400)};
  second.kernel = "second";
  second.arguments = {ref(candidate::BufferKind::Workspace, 400), ref(candidate::BufferKind::Output)};
  plan.launches = {first, second};
  return plan;
}

/// That task COUNT times in a row.
graph::NetworkPartition chain(int count) {
  graph::NetworkPartition partition;
  graph::NetworkTask task;
  task.name = "00-relu";
  task.count = count;
  task.inputs = task.outputs = {{"f32", {100}}};
  partition.tasks.push_back(task);
  for (int i = 0; i < count; ++i)
    partition.steps.push_back({0, {i}, {i + 1}});
  partition.results = {count};
  return partition;
}

candidate::LaunchPlan whole() {
  candidate::LaunchPlan plan = taskPlan();
  plan.problem = "net";
  return plan;
}

TEST(ArenaTest, SharesWhereLivesAreApart) {
  std::vector<int64_t> offsets = placeInArena({{1000, 0, 1}, {1000, 2, 3}, {500, 1, 2}});
  EXPECT_EQ(offsets, (std::vector<int64_t>{0, 0, 1024}));
  // What is in use at the same time lies apart, in the gap where one is large enough.
  offsets = placeInArena({{512, 0, 9}, {256, 0, 1}, {256, 4, 5}, {256, 2, 3}});
  EXPECT_EQ(offsets, (std::vector<int64_t>{0, 512, 512, 512}));
}

TEST(AssembleTest, BindsValuesAndSharesMemory) {
  graph::NetworkPartition partition = chain(6);
  auto plan = assemble(partition, whole(), {taskPlan()}, {"00-relu.cu"});
  ASSERT_TRUE(bool(plan)) << toString(plan.takeError());
  EXPECT_EQ(plan->launches.size(), 12u);
  EXPECT_EQ(plan->steps.size(), 6u);
  EXPECT_EQ(plan->modules, std::vector<std::string>{"00-relu.cu"});
  // Five values and six workspaces of their own, of which at most two values and one workspace live at a time.
  EXPECT_EQ(plan->workspace.size(), 11u);
  EXPECT_LE(plan->arenaBytes(), 1024 + 2 * 512);
  auto argument = [&](size_t launch, size_t i) {
    return std::get<candidate::BufferRef>(plan->launches[launch].arguments[i]);
  };
  EXPECT_EQ(argument(0, 0).kind, candidate::BufferKind::Input);
  EXPECT_EQ(argument(0, 1).offset, 400);
  EXPECT_EQ(argument(1, 1).index, argument(2, 0).index); // what the first writes the second reads
  EXPECT_EQ(argument(11, 1).kind, candidate::BufferKind::Output);
  // The text says it all.
  auto again = candidate::LaunchPlan::parse(plan->print());
  ASSERT_TRUE(bool(again)) << toString(again.takeError());
  EXPECT_EQ(again->print(), plan->print());
}

TEST(AssembleTest, RefusesAPlanOfAnotherShape) {
  graph::NetworkPartition partition = chain(2);
  partition.tasks[0].inputs[0].shape = {99};
  auto plan = assemble(partition, whole(), {taskPlan()}, {"00-relu.cu"});
  ASSERT_FALSE(bool(plan));
  EXPECT_EQ(toString(plan.takeError()), "the plan of task 00-relu is of another graph");
}

/// What LaunchPlan::parse says of the assembled plan after SPOIL.
std::string faultAfter(llvm::function_ref<void(candidate::LaunchPlan &)> spoil) {
  auto plan = assemble(chain(4), whole(), {taskPlan()}, {"00-relu.cu"});
  if (!plan)
    return toString(plan.takeError());
  spoil(*plan);
  auto parsed = candidate::LaunchPlan::parse(plan->print());
  return parsed ? "" : toString(parsed.takeError());
}

TEST(PlanTest, ChecksLifetimes) {
  EXPECT_EQ(faultAfter([](candidate::LaunchPlan &) {}), "");
  EXPECT_EQ(faultAfter([](candidate::LaunchPlan &plan) {
              for (candidate::WorkspaceSpec &space : plan.workspace)
                space.offset = 0;
            }),
            "plan.json: ws0 and ws3 are in use at the same time and share bytes of the arena");
  EXPECT_EQ(faultAfter([](candidate::LaunchPlan &plan) { plan.workspace[0].last = plan.workspace[0].first; }),
            "plan.json: launches[1] uses ws0, which is in use from launch 0 to 0 only");
  EXPECT_EQ(faultAfter([](candidate::LaunchPlan &plan) { plan.workspace[0].offset = 100; }),
            "plan.json: workspace[0].offset is 100, expected a multiple of 256");
}

TEST(PlanTest, ChecksModulesAndSteps) {
  EXPECT_EQ(faultAfter([](candidate::LaunchPlan &plan) { plan.modules[0] = "../x.cu"; }),
            "plan.json: modules[0] is '../x.cu', expected a file's name that ends in .cu");
  EXPECT_EQ(faultAfter([](candidate::LaunchPlan &plan) { plan.modules.push_back("b.cu"); }),
            "plan.json: modules[1] has no launch");
  EXPECT_EQ(faultAfter([](candidate::LaunchPlan &plan) { plan.launches[3].module = 7; }),
            "plan.json: launches[3].module is 7, expected 0 to 0");
  EXPECT_EQ(faultAfter([](candidate::LaunchPlan &plan) { plan.steps.pop_back(); }),
            "plan.json: steps have 6 launches, the plan has 8");
}

TEST(BudgetTest, GivesRoundsWhereTheyGain) {
  TaskState dear{1, 0, {1000}}, often{20, 0, {100}}, cheap{1, 0, {5}};
  EXPECT_EQ(chooseTask({dear, often, cheap}), 1u); // 20 x 100 us
  often.bestUs = {100, 99};                        // its round gained 1 %
  EXPECT_EQ(chooseTask({dear, often, cheap}), 0u);
  dear.bestUs = {1000, 100, 100};
  dear.floorUs = 99; // nothing is left there
  EXPECT_EQ(chooseTask({dear, often, cheap}), 1u);
  often.exhausted = true;
  EXPECT_EQ(chooseTask({dear, often, cheap}), 2u);
  dear.exhausted = cheap.exhausted = true;
  EXPECT_EQ(chooseTask({dear, often, cheap}), std::nullopt);
}

} // namespace
