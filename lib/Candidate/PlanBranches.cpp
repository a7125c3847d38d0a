//===- PlanBranches.cpp - Which launches of a plan may run side by side ---===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Candidate/PlanBranches.h"

using namespace kgen;
using namespace kgen::candidate;
using runtime::Access;
using runtime::Extent;

namespace {

/// The memories of a plan: inputs, outputs, then the arena, or each workspace; last what is no memory.
class Memories {
public:
  Memories(const LaunchPlan &plan, bool inArena) : plan(plan), inArena(inArena) {}

  Extent extentOf(const BufferRef &buffer) const {
    if (buffer.kind == BufferKind::Input)
      return {buffer.index, 0, plan.bytesOf(buffer)};
    if (buffer.kind == BufferKind::Output)
      return {inputs() + buffer.index, 0, plan.bytesOf(buffer)};
    const WorkspaceSpec &space = plan.workspace[buffer.index];
    if (!inArena || space.prepared)
      return {inputs() + outputs() + 1 + buffer.index, 0, space.bytes};
    return {inputs() + outputs(), space.offset, space.offset + space.bytes};
  }
  Extent rangeOf(const BufferRange &range) const {
    Extent extent = extentOf(range);
    extent.begin += range.offset;
    if (range.bytes >= 0)
      extent.end = extent.begin + range.bytes;
    return extent;
  }
  /// What one cooperative launch at a time has.
  unsigned cooperation() const { return inputs() + outputs() + 1 + unsigned(plan.workspace.size()); }
  /// The variables of a module.
  unsigned variables(unsigned module) const { return cooperation() + 1 + module; }

private:
  unsigned inputs() const { return unsigned(plan.inputs.size()); }
  unsigned outputs() const { return unsigned(plan.outputs.size()); }

  const LaunchPlan &plan;
  const bool inArena;
};

} // namespace

std::vector<std::vector<Access>> kgen::candidate::findAccesses(const LaunchPlan &plan,
                                                               const std::vector<bool> &keepsState, bool inArena) {
  const Memories memories(plan, inArena);
  std::vector<std::vector<Access>> out;
  size_t launch = 0;
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    std::vector<Extent> reads, writes;
    for (const BufferRange &range : plan.steps[s].inputs)
      reads.push_back(memories.rangeOf(range));
    for (const BufferRange &range : plan.steps[s].outputs)
      writes.push_back(memories.rangeOf(range));
    for (size_t end = launch + plan.steps[s].launches; launch < end; ++launch) {
      if (s < plan.prepareSteps)
        continue;
      const Launch &one = plan.launches[launch];
      std::vector<Access> &accesses = out.emplace_back();
      for (const LaunchArgument &argument : one.arguments) {
        auto *map = std::get_if<TensorMapSpec>(&argument);
        const BufferRef *ref = map ? &map->buffer : std::get_if<BufferRef>(&argument);
        if (!ref)
          continue;
        const Extent whole = memories.extentOf(*ref);
        addAccess(whole, whole.begin + ref->offset, ref->kind == BufferKind::Input, reads, writes, accesses);
      }
      if (one.cooperative)
        accesses.push_back({memories.cooperation(), 0, 1, true});
      if (one.module < keepsState.size() && keepsState[one.module])
        accesses.push_back({memories.variables(one.module), 0, 1, true});
    }
  }
  return out;
}
