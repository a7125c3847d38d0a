//===- PlanLifetimes.cpp - What shares memory in a network's plan ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two workspaces may lie in the same bytes of the arena only where their lives are apart. Who uses one outside of its
// life would read or spoil what is another's by then.
//
//===----------------------------------------------------------------------===//
#include "kgen/Candidate/LaunchPlan.h"

#include <algorithm>
#include <numeric>

using namespace kgen;
using namespace kgen::candidate;

static const BufferRef *bufferOf(const LaunchArgument &argument) {
  if (auto *map = std::get_if<TensorMapSpec>(&argument))
    return &map->buffer;
  return std::get_if<BufferRef>(&argument);
}

int64_t LaunchPlan::arenaBytes() const {
  int64_t bytes = 0;
  for (const WorkspaceSpec &one : workspace)
    bytes = std::max(bytes, one.offset + one.bytes);
  return isNetwork() ? bytes : 0;
}

int64_t LaunchPlan::workspaceBytes() const {
  if (isNetwork())
    return arenaBytes();
  int64_t bytes = 0;
  for (const WorkspaceSpec &one : workspace)
    bytes += one.bytes;
  return bytes;
}

std::string kgen::candidate::findLifetimeFault(const LaunchPlan &plan) {
  auto name = [](size_t index) { return "ws" + std::to_string(index); };
  for (size_t l = 0; l < plan.launches.size(); ++l)
    for (const LaunchArgument &argument : plan.launches[l].arguments) {
      const BufferRef *ref = bufferOf(argument);
      if (!ref || ref->kind != BufferKind::Workspace)
        continue;
      const WorkspaceSpec &one = plan.workspace[ref->index];
      if (l < one.first || l > one.last)
        return "launches[" + std::to_string(l) + "] uses " + name(ref->index) + ", which is in use from launch " +
               std::to_string(one.first) + " to " + std::to_string(one.last) + " only";
    }
  // By the first launch: what begins later than one ends cannot meet it.
  std::vector<size_t> order(plan.workspace.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(plan.workspace[a].first, a) < std::pair(plan.workspace[b].first, b);
  });
  for (size_t i = 0; i < order.size(); ++i)
    for (size_t j = i + 1; j < order.size(); ++j) {
      const WorkspaceSpec &a = plan.workspace[order[i]], &b = plan.workspace[order[j]];
      if (b.first > a.last)
        break;
      if (a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes)
        return name(order[i]) + " and " + name(order[j]) + " are in use at the same time and share bytes of the arena";
    }
  return "";
}
