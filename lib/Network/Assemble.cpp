//===- Assemble.cpp - From plans of tasks to the network's ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Network/Network.h"

#include "kgen/Candidate/PlanBranches.h"
#include "kgen/Support/PlanLimits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>

using namespace llvm;
using namespace kgen;
using namespace kgen::network;
using candidate::BufferKind;
using candidate::BufferRange;
using candidate::BufferRef;

namespace {

class Assembler {
public:
  Assembler(const graph::NetworkPartition &partition, const candidate::LaunchPlan &whole,
            ArrayRef<candidate::LaunchPlan> plans)
      : partition(partition), plans(plans) {
    out.problem = whole.problem;
    out.arch = whole.arch;
    out.precision = whole.precision;
    out.inputs = whole.inputs;
    out.outputs = whole.outputs;
  }

  Expected<candidate::LaunchPlan> assemble(ArrayRef<std::string> modules) {
    for (size_t task = 0; task < plans.size(); ++task)
      if (Error error = check(task))
        return std::move(error);
    out.modules.assign(modules.begin(), modules.end());
    if (Error error = addValues())
      return std::move(error);
    // A run begins where everything that it needs of the weights is there.
    for (bool prepares : {true, false})
      for (const graph::NetworkStep &step : partition.steps)
        if (step.prepare == prepares)
          if (Error error = addStep(step))
            return std::move(error);
    if (out.launches.size() > mostLaunches)
      return createStringError("the network has " + Twine(out.launches.size()) + " launches, a plan has at most " +
                               Twine(mostLaunches));
    place();
    return std::move(out);
  }

private:
  /// A task's plan must take and give what its graph does, in elements.
  Error check(size_t task) const {
    const graph::NetworkTask &known = partition.tasks[task];
    auto agree = [](const std::vector<graph::TensorFact> &facts, const std::vector<candidate::BufferSpec> &buffers) {
      return std::equal(facts.begin(), facts.end(), buffers.begin(), buffers.end(), [](auto &fact, auto &buffer) {
        return fact.dtype == candidate::dtypeName(buffer.dtype) && fact.shape == buffer.shape;
      });
    };
    if (!agree(known.inputs, plans[task].inputs) || !agree(known.outputs, plans[task].outputs))
      return createStringError("the plan of task " + known.name + " is of another graph");
    return Error::success();
  }

  /// Where each value lies: the network's arguments and results have places of their own, and so have stacks.
  Error addValues() {
    for (size_t i = 0; i < out.inputs.size(); ++i)
      values.push_back({{{BufferKind::Input, unsigned(i), 0}}, int64_t(out.inputs[i].bytes())});
    std::vector<int64_t> bytes; // of what steps write
    for (const graph::NetworkStep &step : partition.steps)
      for (size_t i = 0; i < step.writes.size(); ++i) {
        if (step.writes[i] != int(values.size() + bytes.size()))
          return createStringError("the partition's values are not in order");
        bytes.push_back(int64_t(plans[step.task].outputs[i].bytes()));
      }
    const int written = int(values.size()), stacks = written + int(bytes.size());
    values.resize(stacks + partition.stacks.size());
    std::vector<bool> isPart(values.size());
    for (const graph::NetworkStack &stack : partition.stacks)
      for (int part : stack.parts) {
        if (part < written || part >= stacks || isPart[part])
          return createStringError("a part of the partition's stacks is no result of a step, or of two stacks");
        isPart[part] = true;
      }
    for (const graph::NetworkStep &step : partition.steps)
      for (int value : step.writes)
        if (!isPart[value])
          values[value] = addValue(value, bytes[value - written], step.prepare && isReadInRun(value));
    for (size_t i = 0; i < partition.stacks.size(); ++i) {
      int64_t total = 0;
      for (int part : partition.stacks[i].parts)
        total += bytes[part - written];
      values[stacks + i] = addValue(stacks + int(i), total, /*prepared=*/false);
      Place place{values[stacks + i].range, total};
      place.range.offset = 0;
      for (int part : partition.stacks[i].parts) {
        place.range.bytes = bytes[part - written];
        values[part] = place;
        place.range.offset += place.range.bytes;
      }
    }
    return Error::success();
  }

  /// Memory, and how much there is in its buffer.
  struct Place {
    BufferRange range;
    int64_t whole = 0;
  };

  Place addValue(int value, int64_t bytes, bool prepared) {
    auto result = std::find(partition.results.begin(), partition.results.end(), value);
    if (result != partition.results.end())
      return {{{BufferKind::Output, unsigned(result - partition.results.begin()), 0}}, bytes};
    return {{addSpace("v" + std::to_string(value), bytes, prepared)}, bytes};
  }

  /// BYTES of VALUE from OFFSET on.
  Expected<BufferRange> findRange(int value, int64_t offset, int64_t bytes) const {
    BufferRange range = values[value].range;
    const int64_t limit = range.bytes < 0 ? values[value].whole : range.bytes;
    if (offset < 0 || offset > limit || bytes > limit - offset)
      return createStringError("a step of the partition reads beyond the end of its value");
    range.offset += offset;
    range.bytes = bytes == values[value].whole ? -1 : bytes;
    return range;
  }

  bool isReadInRun(int value) const {
    return any_of(partition.steps,
                  [&](const graph::NetworkStep &step) { return !step.prepare && is_contained(step.reads, value); });
  }

  BufferRef addSpace(std::string name, int64_t bytes, bool prepared = false) {
    candidate::WorkspaceSpec space;
    space.prepared = prepared;
    space.name = std::move(name);
    space.bytes = std::max<int64_t>(bytes, 1);
    space.first = SIZE_MAX;
    out.workspace.push_back(std::move(space));
    return {BufferKind::Workspace, unsigned(out.workspace.size() - 1), 0};
  }

  Error addStep(const graph::NetworkStep &step) {
    const candidate::LaunchPlan &plan = plans[step.task];
    out.prepareSteps += step.prepare;
    candidate::PlanStep described;
    described.task = partition.tasks[step.task].name;
    described.launches = plan.launches.size();
    for (size_t i = 0; i < step.reads.size(); ++i) {
      auto range =
          findRange(step.reads[i], step.offsets.empty() ? 0 : step.offsets[i], int64_t(plan.inputs[i].bytes()));
      if (!range)
        return range.takeError();
      described.inputs.push_back(*range);
    }
    for (int value : step.writes)
      described.outputs.push_back(values[value].range);
    for (size_t i = 0; i < plan.outputs.size(); ++i)
      if (Error error = checkUpdate(described, plan.outputs[i].updates, described.outputs[i]))
        return error;
    std::vector<BufferRange> own;
    for (const candidate::WorkspaceSpec &space : plan.workspace)
      own.push_back(
          {addSpace(described.task + "." + std::to_string(out.steps.size()) + "." + space.name, space.bytes)});
    const size_t begin = out.launches.size();
    auto map = [&](BufferRef &ref) {
      const auto &list = ref.kind == BufferKind::Input    ? described.inputs
                         : ref.kind == BufferKind::Output ? described.outputs
                                                          : own;
      const int64_t offset = ref.offset;
      ref = list[ref.index];
      ref.offset += offset;
      use(ref, out.launches.size());
    };
    for (candidate::Launch launch : plan.launches) {
      launch.module = unsigned(step.task);
      for (candidate::LaunchArgument &argument : launch.arguments) {
        if (auto *tensorMap = std::get_if<candidate::TensorMapSpec>(&argument))
          map(tensorMap->buffer);
        else if (auto *ref = std::get_if<BufferRef>(&argument))
          map(*ref);
      }
      out.launches.push_back(std::move(launch));
    }
    // A task's results and inputs are there for all of it: its launches may come back to them.
    for (const auto *list : {&described.inputs, &described.outputs, &own})
      for (const BufferRef &ref : *list)
        for (size_t launch : {begin, out.launches.size() - 1})
          use(ref, launch);
    out.steps.push_back(std::move(described));
    return Error::success();
  }

  /// What a task writes in place of its input INPUT (-1: nothing) must be the network's output in place of the same
  /// memory, and such an output must be written so.
  Error checkUpdate(const candidate::PlanStep &step, int input, const BufferRange &output) const {
    const int wanted = output.kind == BufferKind::Output ? out.outputs[output.index].updates : -1;
    const BufferRange *read = input < 0 ? nullptr : &step.inputs[size_t(input)];
    const bool agrees =
        read ? read->kind == BufferKind::Input && int(read->index) == wanted && read->bytes < 0 : wanted < 0;
    if (agrees)
      return Error::success();
    return createStringError(
        "task " + step.task +
        (read ? " writes in place what the network has elsewhere" : " writes anew what the network has in place"));
  }

  void use(const BufferRef &ref, size_t launch) {
    if (ref.kind != BufferKind::Workspace)
      return;
    candidate::WorkspaceSpec &space = out.workspace[ref.index];
    space.first = std::min(space.first, launch);
    space.last = std::max(space.last, launch);
    uses.push_back({launch, ref.index});
  }

  void place() {
    std::vector<Lifetime> lives;
    std::vector<unsigned> spaces;
    for (unsigned i = 0; i < out.workspace.size(); ++i)
      if (const candidate::WorkspaceSpec &space = out.workspace[i]; !space.prepared) {
        lives.push_back({space.bytes, space.first, space.last});
        spaces.push_back(i);
      }
    auto setOffsets = [&](ArrayRef<int64_t> offsets) {
      for (size_t i = 0; i < offsets.size(); ++i)
        out.workspace[spaces[i]].offset = offsets[i];
    };
    std::vector<int64_t> inOrder = placeInArena(lives);
    setOffsets(inOrder);
    std::vector<BranchLife> all = findBranchLives();
    if (all.empty())
      return;
    std::vector<BranchLife> branches;
    for (unsigned space : spaces)
      branches.push_back(all[space]);
    // What runs side by side has memory of its own; that is worth an eighth of what the network takes, or what no card
    // misses.
    constexpr int64_t freely = int64_t(64) << 20;
    const int64_t most =
        out.arenaBytes() + std::max(int64_t(out.bufferBytes() + double(out.workspaceBytes())) / 8, freely);
    setOffsets(placeInArena(lives, branches));
    if (out.arenaBytes() > most)
      setOffsets(inOrder);
  }

  /// For each workspace who uses it, where launches run side by side with memory of their own for all values; empty:
  /// they do not.
  std::vector<BranchLife> findBranchLives() {
    const runtime::LaunchBranches branches = runtime::findBranches(findAccesses(out, {}, /*inArena=*/false));
    if (branches.streams == 1)
      return {};
    std::vector<BranchLife> lives(out.workspace.size());
    const size_t prepares = out.prepareLaunches();
    std::vector<size_t> placeOf(branches.order.size());
    for (size_t i = 0; i < placeOf.size(); ++i)
      placeOf[branches.order[i]] = i;
    for (auto [launch, space] : uses) {
      if (launch < prepares)
        continue; // before the run, and so before all of it
      const size_t place = placeOf[launch - prepares];
      BranchLife &life = lives[space];
      for (size_t s = 0; s < life.over.size(); ++s)
        life.over[s] = std::min(life.over[s], branches.past[place][s]);
      int32_t &last = life.last[branches.stream[place]];
      last = std::max(last, int32_t(place));
    }
    return lives;
  }

  const graph::NetworkPartition &partition;
  ArrayRef<candidate::LaunchPlan> plans;
  candidate::LaunchPlan out;
  std::vector<Place> values;
  std::vector<std::pair<size_t, unsigned>> uses; ///< a launch and a workspace that it uses, or its step
};

} // namespace

Expected<candidate::LaunchPlan> kgen::network::assemble(const graph::NetworkPartition &partition,
                                                        const candidate::LaunchPlan &whole,
                                                        ArrayRef<candidate::LaunchPlan> plans,
                                                        ArrayRef<std::string> modules) {
  auto plan = Assembler(partition, whole, plans).assemble(modules);
  if (!plan)
    return plan.takeError();
  // The same checks as for a plan from anywhere else.
  return candidate::LaunchPlan::parse(plan->print());
}
