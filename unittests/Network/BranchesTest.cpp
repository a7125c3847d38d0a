//===- BranchesTest.cpp - Memory of what runs side by side ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Candidate/PlanBranches.h"
#include "kgen/Network/Network.h"

#include "gtest/gtest.h"

#include <random>

using namespace kgen;
using namespace kgen::network;
using candidate::BufferKind;
using candidate::BufferRef;

namespace {

constexpr int64_t small = 100;

/// A task of INPUTS tensors of SIZE floats and one such result: two launches, with a workspace between them.
candidate::LaunchPlan taskPlan(unsigned inputs, int64_t size) {
  candidate::LaunchPlan plan;
  plan.arch = "sm_90a";
  plan.precision = "strict-fp32";
  plan.problem = "task";
  candidate::Launch first, second;
  first.kernel = "first";
  second.kernel = "second";
  for (unsigned i = 0; i < inputs; ++i) {
    plan.inputs.push_back({"in" + std::to_string(i), candidate::DType::F32, {size}});
    first.arguments.push_back(BufferRef{BufferKind::Input, i, 0});
  }
  plan.outputs = {{"out0", candidate::DType::F32, {size}}};
  plan.workspace.push_back({"ws0", 1000});
  first.arguments.push_back(BufferRef{BufferKind::Workspace, 0, 0});
  second.arguments = {BufferRef{BufferKind::Workspace, 0, 0}, BufferRef{BufferKind::Output, 0, 0}};
  plan.launches = {first, second};
  return plan;
}

/// A network of STEPS, each of which reads one value or two, and writes one; RESULTS leave it.
candidate::LaunchPlan put(const std::vector<std::vector<int>> &steps, std::vector<int> results, unsigned inputs = 1,
                          int64_t size = small) {
  graph::NetworkPartition partition;
  candidate::LaunchPlan whole = taskPlan(inputs, size);
  whole.outputs.resize(results.size(), whole.outputs[0]);
  std::vector<candidate::LaunchPlan> plans;
  for (unsigned reads : {1, 2}) {
    graph::NetworkTask task;
    task.name = "0" + std::to_string(reads - 1) + "-task";
    task.inputs.resize(reads, {"f32", {size}});
    task.outputs = {{"f32", {size}}};
    partition.tasks.push_back(task);
    plans.push_back(taskPlan(reads, size));
  }
  int value = int(inputs);
  for (const std::vector<int> &reads : steps)
    partition.steps.push_back({int(reads.size()) - 1, reads, {value++}});
  // A module needs a launch.
  partition.steps.push_back({1, {0, 0}, {value}});
  partition.results = std::move(results);
  auto plan = assemble(partition, whole, plans, {"00-task.cu", "01-task.cu"});
  if (!plan) {
    ADD_FAILURE() << toString(plan.takeError());
    return {};
  }
  return std::move(*plan);
}

std::vector<int64_t> offsetsOf(const candidate::LaunchPlan &plan) {
  std::vector<int64_t> offsets;
  for (const candidate::WorkspaceSpec &space : plan.workspace)
    offsets.push_back(space.offset);
  return offsets;
}

/// Where the workspaces of PLAN lie when nothing runs side by side.
std::vector<int64_t> offsetsInOrder(const candidate::LaunchPlan &plan) {
  std::vector<Lifetime> lives;
  for (const candidate::WorkspaceSpec &space : plan.workspace)
    lives.push_back({space.bytes, space.first, space.last});
  return placeInArena(lives);
}

/// COUNT steps behind value FIRST, whose own values begin with NEXT.
void addChain(std::vector<std::vector<int>> &steps, int first, int next, int count) {
  for (int i = 0; i < count; ++i)
    steps.push_back({i ? next + i - 1 : first});
}

TEST(Branches, AChainLiesAsBefore) {
  std::vector<std::vector<int>> steps;
  addChain(steps, 0, 1, 20);
  const candidate::LaunchPlan plan = put(steps, {20});
  EXPECT_EQ(offsetsOf(plan), offsetsInOrder(plan));
}

TEST(Branches, TwoChainsHaveMemoryOfTheirOwn) {
  std::vector<std::vector<int>> steps;
  addChain(steps, 0, 1, 20);
  addChain(steps, 0, 21, 20);
  const candidate::LaunchPlan plan = put(steps, {20, 40});
  const runtime::LaunchBranches branches = runtime::findBranches(findAccesses(plan, {}, /*inArena=*/true));
  EXPECT_GE(branches.streams, 2u);
  EXPECT_EQ(branches.depth, 40u);
  // As much as two chains need, and the step beside them.
  const int64_t chain = 1024 + 2 * 512;
  EXPECT_LE(plan.arenaBytes(), 3 * chain);
  EXPECT_NE(offsetsOf(plan), offsetsInOrder(plan));
}

TEST(Branches, MemoryIsNoObjectUpToAPoint) {
  constexpr int64_t size = int64_t(1) << 25; // 128 MB
  std::vector<std::vector<int>> steps;
  addChain(steps, 0, 1, 4);
  addChain(steps, 0, 5, 4);
  candidate::LaunchPlan plan = put(steps, {4, 8}, 1, size);
  EXPECT_EQ(offsetsOf(plan), offsetsInOrder(plan));
  EXPECT_EQ(plan.arenaBytes(), 2 * 4 * size + 1000);
  // The same beside 40 such inputs.
  steps.clear();
  addChain(steps, 0, 40, 4);
  addChain(steps, 0, 44, 4);
  plan = put(steps, {43, 47}, 40, size);
  EXPECT_NE(offsetsOf(plan), offsetsInOrder(plan));
  EXPECT_GT(plan.arenaBytes(), 4 * 4 * size);
}

TEST(Branches, WhatMayBeInUseAtOnceSharesNoByte) {
  unsigned shared = 0, branched = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::vector<int>> steps;
    const int count = 30;
    for (int value = 1; value <= count; ++value) {
      // Mostly values of late, so that there are chains.
      auto any = [&] { return std::max(0, value - 1 - int(random() % (random() % 4 ? 5 : 30))); };
      steps.push_back({any()});
      if (random() % 3 == 0)
        steps.back().push_back(any());
    }
    const candidate::LaunchPlan plan = put(steps, {count});
    const runtime::LaunchBranches branches = runtime::findBranches(findAccesses(plan, {}, /*inArena=*/false));
    if (branches.streams == 1)
      continue;
    ++branched;
    std::vector<size_t> placeOf(plan.launches.size());
    for (size_t i = 0; i < placeOf.size(); ++i)
      placeOf[branches.order[i]] = i;
    auto isBefore = [&](size_t one, size_t other) {
      const size_t i = placeOf[one], j = placeOf[other];
      return branches.past[j][branches.stream[i]] >= int32_t(i);
    };
    std::vector<std::vector<size_t>> users(plan.workspace.size());
    for (size_t l = 0; l < plan.launches.size(); ++l)
      for (const candidate::LaunchArgument &argument : plan.launches[l].arguments)
        if (auto *ref = std::get_if<BufferRef>(&argument); ref && ref->kind == BufferKind::Workspace)
          users[ref->index].push_back(l);
    auto areApart = [&](size_t a, size_t b) {
      for (size_t i : users[a])
        for (size_t j : users[b])
          if (!isBefore(i, j))
            return false;
      return true;
    };
    for (size_t a = 0; a < users.size(); ++a)
      for (size_t b = 0; b < a; ++b) {
        const candidate::WorkspaceSpec &one = plan.workspace[a], &other = plan.workspace[b];
        if (one.offset >= other.offset + other.bytes || other.offset >= one.offset + one.bytes)
          continue;
        ++shared;
        EXPECT_TRUE(areApart(a, b) || areApart(b, a)) << one.name << " and " << other.name << " with seed " << seed;
      }
    // So the arena costs no time.
    EXPECT_LE(double(runtime::findBranches(findAccesses(plan, {}, true)).depth), 1.1 * double(branches.depth)) << seed;
  }
  EXPECT_GT(branched, 30u);
  EXPECT_GT(shared, 1000u);
}

} // namespace
