//===- PlanBranchesTest.cpp -----------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Candidate/PlanBranches.h"

#include "gtest/gtest.h"

using namespace kgen;
using namespace kgen::candidate;

namespace {

BufferRef ref(BufferKind kind, unsigned index, int64_t offset = 0) { return {kind, index, offset}; }
BufferRange range(BufferKind kind, unsigned index, int64_t offset = 0, int64_t bytes = -1) {
  BufferRange one;
  static_cast<BufferRef &>(one) = ref(kind, index, offset);
  one.bytes = bytes;
  return one;
}

/// What prepares, then a step of two launches with a workspace of its own, which reads a part of an input and writes a
/// part of ws2.
LaunchPlan network() {
  LaunchPlan plan;
  plan.modules = {"a.cu", "b.cu"};
  plan.inputs = {{"w", DType::F32, {64}}, {"x", DType::F32, {256}}};
  plan.inputs[0].parameter = true;
  plan.outputs = {{"y", DType::F32, {64}}};
  plan.workspace = {{"p", 256, 0, 0, 0, true}, {"own", 300, 512, 1, 2}, {"v", 1024, 1024, 1, 2}};
  TensorMapSpec map;
  map.buffer = ref(BufferKind::Input, 1, 256);
  map.dtype = DType::F32;
  map.dims = map.box = {64};
  Launch prepares, first, second;
  prepares.arguments = {ref(BufferKind::Input, 0), ref(BufferKind::Workspace, 0)};
  first.arguments = {map, int32_t(5), ref(BufferKind::Workspace, 0), ref(BufferKind::Workspace, 1, 16)};
  first.module = 1;
  second.arguments = {ref(BufferKind::Workspace, 1), ref(BufferKind::Workspace, 2, 512 + 64), 0.5f,
                      ref(BufferKind::Output, 0)};
  plan.launches = {prepares, first, second};
  plan.steps = {{"00-fold", 1, {range(BufferKind::Input, 0)}, {range(BufferKind::Workspace, 0)}},
                {"01-use",
                 2,
                 {range(BufferKind::Input, 1, 256, 256), range(BufferKind::Workspace, 0)},
                 {range(BufferKind::Workspace, 2, 512, 256), range(BufferKind::Output, 0)}}};
  plan.prepareSteps = 1;
  return plan;
}

std::string print(const std::vector<std::vector<runtime::Access>> &launches) {
  std::string text;
  for (const auto &accesses : launches) {
    for (const runtime::Access &one : accesses)
      text += (one.writes ? "w" : "r") + std::to_string(one.memory) + ":" + std::to_string(one.begin) + "-" +
              std::to_string(one.end) + " ";
    text += "| ";
  }
  return text;
}

TEST(PlanBranches, LaunchesUseWhatTheirStepHas) {
  // Memories: 0 and 1 are the inputs, 2 the output, 3 the arena, 4 what is prepared.
  EXPECT_EQ(print(findAccesses(network(), {}, /*inArena=*/true)),
            "r1:256-512 r4:0-256 w3:512-812 | w3:512-812 w3:1536-1792 w2:0-256 | ");
  // Each workspace by itself: 4, 5 and 6.
  EXPECT_EQ(print(findAccesses(network(), {}, /*inArena=*/false)),
            "r1:256-512 r4:0-256 w5:0-300 | w5:0-300 w6:512-768 w2:0-256 | ");
}

TEST(PlanBranches, OneAtATimeCooperatesOrKeepsVariables) {
  LaunchPlan plan = network();
  plan.launches[2].cooperative = true;
  // 7 is cooperation, 8 and 9 are the variables of the modules.
  EXPECT_EQ(print(findAccesses(plan, {false, true}, /*inArena=*/true)),
            "r1:256-512 r4:0-256 w3:512-812 w9:0-1 | w3:512-812 w3:1536-1792 w2:0-256 w7:0-1 | ");
  EXPECT_EQ(print(findAccesses(plan, {true, false}, /*inArena=*/true)),
            "r1:256-512 r4:0-256 w3:512-812 | w3:512-812 w3:1536-1792 w2:0-256 w7:0-1 w8:0-1 | ");
}

} // namespace
