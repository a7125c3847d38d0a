//===- PlanLifetimes.cpp - What shares memory in a network's plan ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two workspaces may lie in the same bytes of the arena only where their lives are apart. Who uses one outside of its
// life would read or spoil what is another's by then. What is prepared lies apart and depends on weights alone.
//
//===----------------------------------------------------------------------===//
#include "kgen/Candidate/LaunchPlan.h"
#include "kgen/Support/PlanLimits.h"

#include <algorithm>

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
    if (!one.prepared)
      bytes = std::max(bytes, one.offset + one.bytes);
  return isNetwork() ? bytes : 0;
}

double LaunchPlan::spareInputBytes() const {
  if (prepareSteps == 0)
    return 0;
  std::vector<bool> isRead(inputs.size());
  for (size_t l = prepareLaunches(); l < launches.size(); ++l)
    for (const LaunchArgument &argument : launches[l].arguments)
      if (const BufferRef *ref = bufferOf(argument); ref && ref->kind == BufferKind::Input)
        isRead[ref->index] = true;
  for (const BufferSpec &output : outputs)
    if (output.updates >= 0)
      isRead[size_t(output.updates)] = true; // as its output
  double bytes = 0;
  for (size_t i = 0; i < inputs.size(); ++i)
    bytes += isRead[i] || !inputs[i].parameter ? 0 : inputs[i].compulsoryBytes();
  return bytes;
}

size_t LaunchPlan::prepareLaunches() const {
  size_t launches = 0;
  for (size_t i = 0; i < prepareSteps; ++i)
    launches += steps[i].launches;
  return launches;
}

int64_t LaunchPlan::preparedBytes() const {
  int64_t bytes = 0;
  for (const WorkspaceSpec &one : workspace)
    bytes += one.prepared ? (one.bytes + bufferAlignment - 1) / bufferAlignment * bufferAlignment : 0;
  return bytes;
}

int64_t LaunchPlan::workspaceBytes() const {
  if (isNetwork())
    return arenaBytes() + preparedBytes();
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
      if (one.prepared)
        continue;
      if (l < one.first || l > one.last)
        return "launches[" + std::to_string(l) + "] uses " + name(ref->index) + ", which is in use from launch " +
               std::to_string(one.first) + " to " + std::to_string(one.last) + " only";
    }
  // By the first launch: what begins later than one ends cannot meet it.
  std::vector<size_t> order;
  for (size_t i = 0; i < plan.workspace.size(); ++i)
    if (!plan.workspace[i].prepared)
      order.push_back(i);
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

std::string kgen::candidate::findPrepareFault(const LaunchPlan &plan) {
  auto name = [](size_t index) { return "ws" + std::to_string(index); };
  const size_t prepares = plan.prepareLaunches();
  for (size_t l = 0; l < prepares; ++l)
    for (const LaunchArgument &argument : plan.launches[l].arguments) {
      const BufferRef *ref = bufferOf(argument);
      const std::string place = "launches[" + std::to_string(l) + "] prepares and uses ";
      if (ref && ref->kind == BufferKind::Output)
        return place + "out" + std::to_string(ref->index) + ", expected weights and workspaces";
      if (ref && ref->kind == BufferKind::Input && !plan.inputs[ref->index].parameter)
        return place + "in" + std::to_string(ref->index) + ", which is no weight";
    }
  std::vector<bool> written(plan.workspace.size());
  for (size_t s = 0; s < plan.steps.size(); ++s)
    for (const BufferRef &ref : plan.steps[s].outputs)
      if (ref.kind == BufferKind::Workspace && plan.workspace[ref.index].prepared) {
        if (s >= plan.prepareSteps)
          return "steps[" + std::to_string(s) + "] writes " + name(ref.index) + ", which is prepared";
        written[ref.index] = true;
      }
  for (size_t i = 0; i < plan.workspace.size(); ++i) {
    const WorkspaceSpec &one = plan.workspace[i];
    if (one.prepared && !written[i])
      return name(i) + " is prepared, and no step that prepares writes it";
    if (!one.prepared && one.first < prepares && one.last >= prepares)
      return name(i) + " lies in the arena and is in use from what prepares into the run";
  }
  return "";
}
