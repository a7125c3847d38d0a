//===- NetworkTest.cpp - Tasks put together --------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Network/Network.h"
#include "kgen/Support/PlanLimits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include "gtest/gtest.h"

using namespace llvm;
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

TEST(AssembleTest, WritesInPlaceWhatTheNetworkHasInPlace) {
  graph::NetworkPartition partition = chain(1);
  candidate::LaunchPlan task = taskPlan(), network = whole();
  auto explain = [&] {
    auto plan = assemble(partition, network, {task}, {"00-relu.cu"});
    return plan ? "" : toString(plan.takeError());
  };
  network.outputs[0].updates = 0;
  EXPECT_EQ(explain(), "task 00-relu writes anew what the network has in place");
  task.outputs[0].updates = 0;
  task.launches[0].arguments[0] = int32_t(0);
  auto plan = assemble(partition, network, {task}, {"00-relu.cu"});
  ASSERT_TRUE(bool(plan)) << toString(plan.takeError());
  EXPECT_EQ(plan->outputs[0].updates, 0);
  network.outputs[0].updates = -1;
  EXPECT_EQ(explain(), "task 00-relu writes in place what the network has elsewhere");
  // Of two in a row the second one reads what is no input.
  partition = chain(2);
  network.outputs[0].updates = 0;
  EXPECT_EQ(explain(), "task 00-relu writes in place what the network has elsewhere");
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

/// Two tasks: w' = g(w), which weights alone decide, and y = f(x, w'), which comes first in the graph's order here.
graph::NetworkPartition preparing() {
  graph::NetworkPartition partition;
  graph::NetworkTask fold, use;
  fold.name = "00-mul";
  fold.inputs = fold.outputs = {{"f32", {100}}};
  fold.count = fold.prepares = 1;
  use.name = "01-relu";
  use.inputs = {{"f32", {100}}, {"f32", {100}}};
  use.outputs = {{"f32", {100}}};
  use.count = 2;
  partition.tasks = {fold, use};
  // Values: x, w; then x', w', y.
  partition.steps = {{1, {0, 1}, {2}}, {0, {1}, {3}, /*prepare=*/true}, {1, {2, 3}, {4}}};
  partition.results = {4};
  return partition;
}

Expected<candidate::LaunchPlan> preparingPlan() {
  candidate::LaunchPlan whole = taskPlan(), use = taskPlan();
  whole.inputs.push_back({"w", candidate::DType::F32, {100}, "normal(0, 1)", /*parameter=*/true});
  use.inputs.push_back({"in1", candidate::DType::F32, {100}});
  use.launches[1].arguments.push_back(candidate::BufferRef{candidate::BufferKind::Input, 1, 0});
  return assemble(preparing(), whole, {taskPlan(), use}, {"00-mul.cu", "01-relu.cu"});
}

TEST(AssembleTest, PreparesFirstAndApart) {
  auto plan = preparingPlan();
  ASSERT_TRUE(bool(plan)) << toString(plan.takeError());
  EXPECT_EQ(plan->prepareSteps, 1u);
  EXPECT_EQ(plan->prepareLaunches(), 2u);
  EXPECT_EQ(plan->steps[0].task, "00-mul");
  const candidate::BufferRef kept = plan->steps[0].outputs[0];
  EXPECT_TRUE(plan->workspace[kept.index].prepared);
  EXPECT_EQ(plan->steps[2].inputs[1].index, kept.index);
  EXPECT_EQ(count_if(plan->workspace, [](auto &space) { return space.prepared; }), 1);
  EXPECT_EQ(plan->preparedBytes(), 512);
  EXPECT_EQ(plan->workspaceBytes(), plan->arenaBytes() + 512);
  // The run reads both.
  EXPECT_EQ(plan->spareInputBytes(), 0);
  auto again = candidate::LaunchPlan::parse(plan->print());
  ASSERT_TRUE(bool(again)) << toString(again.takeError());
  EXPECT_EQ(again->print(), plan->print());
}

std::string prepareFaultAfter(llvm::function_ref<void(candidate::LaunchPlan &)> spoil) {
  auto plan = preparingPlan();
  if (!plan)
    return toString(plan.takeError());
  spoil(*plan);
  auto parsed = candidate::LaunchPlan::parse(plan->print());
  return parsed ? "" : toString(parsed.takeError());
}

TEST(PlanTest, ChecksWhatIsPrepared) {
  EXPECT_EQ(prepareFaultAfter([](candidate::LaunchPlan &) {}), "");
  EXPECT_EQ(prepareFaultAfter([](candidate::LaunchPlan &plan) { plan.inputs[1].parameter = false; }),
            "plan.json: launches[0] prepares and uses in1, which is no weight");
  EXPECT_EQ(prepareFaultAfter([](candidate::LaunchPlan &plan) {
              std::get<candidate::BufferRef>(plan.launches[1].arguments[1]) = {candidate::BufferKind::Output, 0, 0};
            }),
            "plan.json: launches[1] prepares and uses out0, expected weights and workspaces");
  EXPECT_EQ(prepareFaultAfter([](candidate::LaunchPlan &plan) { plan.prepareSteps = 0; }),
            "plan.json: steps[0] writes ws1, which is prepared");
  EXPECT_EQ(prepareFaultAfter([](candidate::LaunchPlan &plan) { plan.prepareSteps = 3; }),
            "plan.json: prepare is 3, expected 0 to 2");
  EXPECT_EQ(prepareFaultAfter([](candidate::LaunchPlan &plan) { plan.steps[0].outputs[0].index = 2; }),
            "plan.json: ws1 is prepared, and no step that prepares writes it");
  // The workspace of the step that prepares lives on into the run.
  EXPECT_EQ(prepareFaultAfter([](candidate::LaunchPlan &plan) {
              plan.workspace[2].last = 2;
              plan.workspace[2].offset = 1 << 20;
            }),
            "plan.json: ws2 lies in the arena and is in use from what prepares into the run");
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

/// A recurrent layer of three steps: h' = f(x[t], h), each of 64 floats, with the steps' results in one value, which
/// another task sums up. Values: x, h; then h0, h1, h2, y; then h0, h1 and h2 as one.
Expected<candidate::LaunchPlan> recurrentPlan(llvm::function_ref<void(graph::NetworkPartition &)> spoil = nullptr) {
  graph::NetworkPartition partition;
  graph::NetworkTask cell, sum;
  cell.name = "00-linear";
  cell.inputs = {{"f32", {64}}, {"f32", {64}}};
  cell.outputs = {{"f32", {64}}};
  sum.name = "01-sum";
  sum.inputs = {{"f32", {3, 64}}};
  sum.outputs = {{"f32", {64}}};
  partition.tasks = {cell, sum};
  partition.steps = {{0, {0, 1}, {2}, false, {0, 0}},
                     {0, {0, 2}, {3}, false, {256, 0}},
                     {0, {0, 3}, {4}, false, {512, 0}},
                     {1, {6}, {5}}};
  partition.results = {5};
  partition.stacks = {{{2, 3, 4}}};
  if (spoil)
    spoil(partition);
  auto planOf = [](std::vector<std::vector<int64_t>> inputs, std::vector<int64_t> output) {
    candidate::LaunchPlan plan;
    plan.arch = "sm_90a";
    plan.precision = "strict-fp32";
    candidate::Launch launch;
    launch.kernel = "kernel";
    for (std::vector<int64_t> &shape : inputs) {
      const unsigned number = unsigned(plan.inputs.size());
      plan.inputs.push_back({"in" + std::to_string(number), candidate::DType::F32, shape});
      launch.arguments.push_back(candidate::BufferRef{candidate::BufferKind::Input, number, 0});
    }
    plan.outputs = {{"out0", candidate::DType::F32, output}};
    launch.arguments.push_back(candidate::BufferRef{candidate::BufferKind::Output, 0, 0});
    plan.launches = {launch};
    return plan;
  };
  candidate::LaunchPlan cellPlan = planOf({{64}, {64}}, {64}), sumPlan = planOf({{3, 64}}, {64});
  // The second half of x[t], by a pointer and by a map.
  std::get<candidate::BufferRef>(cellPlan.launches[0].arguments[0]).offset = 128;
  candidate::TensorMapSpec map;
  map.buffer = {candidate::BufferKind::Input, 0, 128};
  map.dtype = candidate::DType::F32;
  map.dims = map.box = {32};
  cellPlan.launches[0].arguments.push_back(map);
  candidate::LaunchPlan whole = planOf({{3, 64}, {64}}, {64});
  whole.problem = "net";
  return assemble(partition, whole, {cellPlan, sumPlan}, {"00-linear.cu", "01-sum.cu"});
}

TEST(AssembleTest, ReadsAndWritesPartsInPlace) {
  auto plan = recurrentPlan();
  ASSERT_TRUE(bool(plan)) << toString(plan.takeError());
  // The three results are one workspace, from the first of them to its reader.
  ASSERT_EQ(plan->workspace.size(), 1u);
  EXPECT_EQ(plan->workspace[0].name, "v6");
  EXPECT_EQ(plan->workspace[0].bytes, 768);
  EXPECT_EQ(plan->workspace[0].first, 0u);
  EXPECT_EQ(plan->workspace[0].last, 3u);
  auto argument = [&](size_t launch, size_t i) {
    return std::get<candidate::BufferRef>(plan->launches[launch].arguments[i]);
  };
  EXPECT_EQ(argument(1, 0).offset, 256 + 128);
  EXPECT_EQ(std::get<candidate::TensorMapSpec>(plan->launches[1].arguments[3]).buffer.offset, 256 + 128);
  EXPECT_EQ(argument(1, 1).offset, 0);
  EXPECT_EQ(argument(1, 1).kind, candidate::BufferKind::Workspace);
  EXPECT_EQ(argument(1, 2).offset, 256);
  EXPECT_EQ(argument(2, 2).offset, 512);
  const candidate::PlanStep &step = plan->steps[1];
  EXPECT_EQ(step.inputs[0].offset, 256);
  EXPECT_EQ(step.inputs[0].bytes, 256);
  EXPECT_EQ(step.outputs[0].offset, 256);
  EXPECT_EQ(step.outputs[0].bytes, 256);
  EXPECT_EQ(plan->steps[3].inputs[0].bytes, -1); // all of it
  auto again = candidate::LaunchPlan::parse(plan->print());
  ASSERT_TRUE(bool(again)) << toString(again.takeError());
  EXPECT_EQ(again->print(), plan->print());
}

TEST(AssembleTest, TakesThousandsOfSteps) {
  // COUNT tasks in a row whose results are one stack, of one launch each.
  auto assembleSteps = [](int count) {
    graph::NetworkPartition partition = chain(count);
    partition.results = {count};
    partition.stacks.emplace_back();
    for (int i = 1; i < count; ++i)
      partition.stacks[0].parts.push_back(i);
    partition.tasks[0].inputs = partition.tasks[0].outputs = {{"f32", {64}}};
    candidate::LaunchPlan plan = taskPlan(), net = whole();
    plan.inputs[0].shape = plan.outputs[0].shape = net.inputs[0].shape = net.outputs[0].shape = {64};
    plan.launches.pop_back();
    plan.launches[0].arguments[1] = candidate::BufferRef{candidate::BufferKind::Output, 0, 0};
    plan.workspace.clear();
    return assemble(partition, net, {plan}, {"00-relu.cu"});
  };
  auto plan = assembleSteps(20000);
  ASSERT_TRUE(bool(plan)) << toString(plan.takeError());
  EXPECT_EQ(plan->workspace.size(), 1u);
  EXPECT_EQ(plan->steps[19998].outputs[0].offset, 19998 * 256);
  plan = assembleSteps(int(mostLaunches) + 1);
  ASSERT_FALSE(bool(plan));
  EXPECT_EQ(toString(plan.takeError()), "the network has 65537 launches, a plan has at most 65536");
}

TEST(AssembleTest, RefusesPartsThatAreNone) {
  auto fault = [](llvm::function_ref<void(graph::NetworkPartition &)> spoil) {
    auto plan = recurrentPlan(spoil);
    return plan ? std::string() : toString(plan.takeError());
  };
  EXPECT_EQ(fault([](graph::NetworkPartition &partition) { partition.steps[2].offsets[0] = 768; }),
            "a step of the partition reads beyond the end of its value");
  EXPECT_EQ(fault([](graph::NetworkPartition &partition) { partition.steps[1].offsets[1] = 256; }),
            "a step of the partition reads beyond the end of its value"); // of its part, though the stack has more
  EXPECT_EQ(fault([](graph::NetworkPartition &partition) { partition.stacks[0].parts[1] = 2; }),
            "a part of the partition's stacks is no result of a step, or of two stacks");
  EXPECT_EQ(fault([](graph::NetworkPartition &partition) { partition.stacks[0].parts[1] = 0; }),
            "a part of the partition's stacks is no result of a step, or of two stacks");
}

std::string partFaultAfter(llvm::function_ref<void(candidate::LaunchPlan &)> spoil) {
  auto plan = recurrentPlan();
  if (!plan)
    return toString(plan.takeError());
  spoil(*plan);
  auto parsed = candidate::LaunchPlan::parse(plan->print());
  return parsed ? "" : toString(parsed.takeError());
}

TEST(PlanTest, ChecksParts) {
  EXPECT_EQ(partFaultAfter([](candidate::LaunchPlan &) {}), "");
  EXPECT_EQ(partFaultAfter([](candidate::LaunchPlan &plan) { plan.steps[1].inputs[0].offset = 768; }),
            "plan.json: steps[1].inputs[0].offset is 768, expected 0 to 767");
  EXPECT_EQ(partFaultAfter([](candidate::LaunchPlan &plan) { plan.steps[1].inputs[0].offset = 128; }),
            "plan.json: steps[1].inputs[0].offset is 128, expected a multiple of 256");
  EXPECT_EQ(partFaultAfter([](candidate::LaunchPlan &plan) { plan.steps[2].inputs[0].bytes = 257; }),
            "plan.json: steps[2].inputs[0].bytes is 257, expected 1 to 256");
  EXPECT_EQ(partFaultAfter([](candidate::LaunchPlan &plan) { plan.steps[1].outputs[0].bytes = -1; }),
            "plan.json: steps[1].outputs[0].bytes is missing");
  // Two steps write a byte.
  EXPECT_EQ(partFaultAfter([](candidate::LaunchPlan &plan) { plan.steps[2].outputs[0].offset = 256; }),
            "plan.json: steps[2] writes ws0 from byte 256 to 512, of which steps[1] writes some");
  EXPECT_EQ(partFaultAfter([](candidate::LaunchPlan &plan) { plan.steps[0].outputs[0].bytes = 257; }),
            "plan.json: steps[1] writes ws0 from byte 256 to 512, of which steps[0] writes some");
  // One writes what it reads.
  EXPECT_EQ(partFaultAfter([](candidate::LaunchPlan &plan) { plan.steps[1].inputs[1].bytes = 512; }),
            "plan.json: steps[1] writes what it reads of ws0");
  // A launch points beside its step's part, by a pointer, by a map, or with a map's end.
  EXPECT_EQ(
      partFaultAfter([](candidate::LaunchPlan &plan) {
        std::get<candidate::BufferRef>(plan.launches[1].arguments[0]).offset = 512;
      }),
      "plan.json: launches[1] uses in0 from byte 512 on, which is no part of what its step reads and writes of it");
  EXPECT_EQ(partFaultAfter([](candidate::LaunchPlan &plan) {
              std::get<candidate::BufferRef>(plan.launches[2].arguments[2]).offset = 0;
            }),
            "plan.json: launches[2] uses ws0 from byte 0 on, which is no part of what its step reads and writes of it");
  EXPECT_EQ(
      partFaultAfter([](candidate::LaunchPlan &plan) {
        std::get<candidate::TensorMapSpec>(plan.launches[1].arguments[3]).dims[0] = 33;
      }),
      "plan.json: launches[1] uses in0 from byte 384 on, which is no part of what its step reads and writes of it");
  EXPECT_EQ(partFaultAfter([](candidate::LaunchPlan &plan) { plan.workspace[0].last = 2; }),
            "plan.json: launches[3] uses ws0, which is in use from launch 0 to 2 only");
}

TEST(PartitionTest, TasksOfEqualTextAreOne) {
  auto task = [](const char *name, const char *symbol, const char *op) {
    graph::NetworkTask one;
    one.name = name;
    one.graph = ("func.func @" + Twine(symbol) + "(%a) { " + op + " }").str();
    return one;
  };
  std::vector<graph::NetworkTask> known = {task("00-conv2d", "t00_conv2d", "conv, norm"),
                                           task("01-linear", "t01_linear", "linear")};
  graph::NetworkPartition other;
  other.tasks = {task("00-add", "t00_add", "add"), task("01-conv2d", "t01_conv2d", "conv"),
                 task("02-linear", "t02_linear", "linear")};
  shareTasks(other, known);
  EXPECT_EQ(other.tasks[0].name, "02-add");
  EXPECT_EQ(other.tasks[0].graph, "func.func @t02_add(%a) { add }");
  EXPECT_EQ(other.tasks[1].name, "03-conv2d");
  EXPECT_EQ(other.tasks[2].name, "01-linear");
  EXPECT_EQ(other.tasks[2].graph, known[1].graph);
  EXPECT_EQ(known.size(), 4u);
  // Once more changes nothing.
  graph::NetworkPartition again = other;
  shareTasks(again, known);
  EXPECT_EQ(again.tasks[1].graph, other.tasks[1].graph);
  EXPECT_EQ(known.size(), 4u);
}

TEST(ProfileTest, TellsSharesFirst) {
  std::string text = printProfile(
      "net", 120, {{"00-norm", 2, 10, 10, 0}, {"01-linear", 4, 40, 20, 5}, {"02-fold", 0, 7, 7, 0}}, "00-norm");
  EXPECT_EQ(text,
            "This graph is a task of the network net: 6 tasks, 2 of them different, which take 120 us together. By "
            "their share of the time, with what was gained since their first kernel and the device's floor for "
            "one:\n\n"
            "| task | count | share | us | gain | floor us |\n|---|---:|---:|---:|---:|---:|\n"
            "| 01-linear | 4 | 80.0 % | 20 | 2.00 x | 5 |\n"
            "| 00-norm (this one) | 2 | 20.0 % | 10 | 1.00 x | unknown |");
}

TEST(BudgetTest, GivesRoundsWhereTheyGain) {
  TaskState dear{1, 0, {1000}}, often{20, 0, {100}}, cheap{1, 0, {5}};
  EXPECT_EQ(chooseTasks({dear, often, cheap}, 1), std::vector<size_t>{1}); // 20 x 100 us
  often.bestUs = {100, 99};                                                // its round gained 1 %
  EXPECT_EQ(chooseTasks({dear, often, cheap}, 1), std::vector<size_t>{0});
  dear.bestUs = {1000, 100, 100};
  dear.floorUs = 99; // nothing is left there
  EXPECT_EQ(chooseTasks({dear, often, cheap}, 1), std::vector<size_t>{1});
  often.exhausted = true;
  EXPECT_EQ(chooseTasks({dear, often, cheap}, 1), std::vector<size_t>{2});
  TaskState prepares{0, 0, {5000}}; // no run has it
  EXPECT_EQ(chooseTasks({prepares, cheap}, 1), std::vector<size_t>{1});
  EXPECT_EQ(chooseTasks({prepares}, 1), std::vector<size_t>());
  dear.exhausted = cheap.exhausted = true;
  EXPECT_EQ(chooseTasks({dear, often, cheap}, 1), std::vector<size_t>());
}

TEST(BudgetTest, GivesSeveralRoundsAtOnceToTheDearest) {
  TaskState dear{1, 0, {1000}}, often{20, 0, {100}}, cheap{1, 0, {5}}, prepares{0, 0, {5000}}, same{1, 0, {1000}};
  EXPECT_EQ(chooseTasks({cheap, dear, prepares, often, same}, 3), (std::vector<size_t>{3, 1, 4}));
  // One more only adds to the end: so a batch that another process began is the beginning of any.
  EXPECT_EQ(chooseTasks({cheap, dear, prepares, often, same}, 9), (std::vector<size_t>{3, 1, 4, 0}));
  EXPECT_TRUE(chooseTasks({cheap, dear}, 0).empty());
}

TEST(BudgetTest, KeepsRoundsForTheDearestWhenTheOthersAreCheap) {
  TaskState dear{1, 0, {1000}}, half{1, 0, {500}}, cheap{1, 0, {100}}, cheaper{1, 0, {50}};
  EXPECT_EQ(chooseBatch({cheap, dear, half, cheaper}, 1, 4), (std::vector<size_t>{1, 2}));
  EXPECT_EQ(chooseBatch({cheap, dear, half, cheaper}, 3, 4), (std::vector<size_t>{1, 2, 0}));
  EXPECT_EQ(chooseBatch({dear, dear, half, half}, 1, 3), (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(chooseBatch({cheap}, 2, 4), std::vector<size_t>{0});
  EXPECT_TRUE(chooseBatch({}, 2, 4).empty());
}

TEST(ClosingTimeTest, TrialsOfPartitionsLeaveTimeForTuning) {
  ClosingTime closing;
  EXPECT_TRUE(closing.leavesTuning(1e6, 1e6)) << "without a limit";
  closing.limit = 300;
  EXPECT_TRUE(closing.leavesTuning(79, 79));
  EXPECT_FALSE(closing.leavesTuning(158, 79)); // the second of two
  closing.limit = 148;
  EXPECT_FALSE(closing.leavesTuning(79, 79));
}

TEST(ClosingTimeTest, KeepsTimeForTheEnd) {
  ClosingTime closing;
  EXPECT_FALSE(closing.isOver(1e9)); // there is no limit
  closing.limit = 300;
  closing.assembly = 8;
  closing.checks = 30;
  EXPECT_DOUBLE_EQ(closing.reserve(), 42);
  // A task without a round may get its first kernel: compiles, and a network more.
  closing.firsts = 4;
  EXPECT_DOUBLE_EQ(closing.reserve(), 56);
  closing.firsts = 0;
  EXPECT_FALSE(closing.isOver(257));
  EXPECT_TRUE(closing.isOver(258));
  // Another network before the last has to fit as well.
  EXPECT_TRUE(closing.isOver(257, /*extra=*/1));
  EXPECT_FALSE(closing.isOver(249, /*extra=*/1));
  // A search so short that the end alone takes more is a search in its first half.
  closing.limit = 20;
  EXPECT_FALSE(closing.isOver(9));
  EXPECT_TRUE(closing.isOver(10));
}

} // namespace
