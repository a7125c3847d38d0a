//===- PlanRanges.cpp - Which bytes of a buffer a step has ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step may read a part of a value, and write one: a time step of a recurrent layer. Such a part is to its task what a
// whole buffer is, so a launch points into it and nowhere beside it, and no byte has two writers. An input that is
// written in place is its output's memory alone.
//
//===----------------------------------------------------------------------===//
#include "kgen/Candidate/LaunchPlan.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace kgen;
using namespace kgen::candidate;

namespace {

/// Ranges of one buffer by where they begin: their ends, and whose they are.
using Ranges = std::map<int64_t, std::pair<int64_t, size_t>>;

std::string nameOf(const BufferRef &ref) {
  const char *kind = ref.kind == BufferKind::Input ? "in" : ref.kind == BufferKind::Output ? "out" : "ws";
  return kind + std::to_string(ref.index);
}

bool areOfOneBuffer(const BufferRef &a, const BufferRef &b) { return a.kind == b.kind && a.index == b.index; }

int64_t endOf(const BufferRange &range, int64_t bufferBytes) {
  return range.bytes < 0 ? bufferBytes : range.offset + range.bytes;
}

/// What MAP reaches, counted from its buffer's begin.
int64_t endOf(const TensorMapSpec &map) {
  int64_t end = map.buffer.offset + map.dims[0] * int64_t(byteSize(map.dtype));
  for (size_t i = 0; i < map.strides.size(); ++i)
    end += (map.dims[i + 1] - 1) * map.strides[i];
  return end;
}

/// Adds [BEGIN, END) of step STEP to RANGES. The step that has a byte of it already, or -1.
int64_t add(Ranges &ranges, int64_t begin, int64_t end, size_t step) {
  auto next = ranges.upper_bound(begin);
  if (next != ranges.end() && next->first < end)
    return int64_t(next->second.second);
  if (next != ranges.begin())
    if (auto before = std::prev(next); before->second.first > begin)
      return int64_t(before->second.second);
  ranges[begin] = {end, step};
  return -1;
}

std::string findLaunchFault(const LaunchPlan &plan, const PlanStep &step, size_t launch) {
  for (const LaunchArgument &argument : plan.launches[launch].arguments) {
    auto *map = std::get_if<TensorMapSpec>(&argument);
    const BufferRef *ref = map ? &map->buffer : std::get_if<BufferRef>(&argument);
    if (!ref)
      continue;
    bool hasParts = false, isInside = false;
    const int64_t size = plan.bytesOf(*ref);
    for (const auto *list : {&step.inputs, &step.outputs}) {
      hasParts |= llvm::any_of(
          *list, [&](const BufferRange &range) { return areOfOneBuffer(range, *ref) && range.bytes >= 0; });
      const BufferRange *range = findRange(*list, *ref, size);
      isInside |= range && (!map || endOf(*map) <= endOf(*range, size));
    }
    if (hasParts && !isInside)
      return "launches[" + std::to_string(launch) + "] uses " + nameOf(*ref) + " from byte " +
             std::to_string(ref->offset) + " on, which is no part of what its step reads and writes of it";
  }
  return "";
}

} // namespace

const BufferRange *kgen::candidate::findRange(llvm::ArrayRef<BufferRange> ranges, const BufferRef &ref,
                                              int64_t bufferBytes) {
  const BufferRange *found = nullptr;
  for (const BufferRange &range : ranges)
    if (areOfOneBuffer(range, ref) && range.offset <= ref.offset && ref.offset < endOf(range, bufferBytes) &&
        (!found || endOf(range, bufferBytes) > endOf(*found, bufferBytes)))
      found = &range;
  return found;
}

std::string kgen::candidate::findRangeFault(const LaunchPlan &plan) {
  std::map<std::pair<BufferKind, unsigned>, Ranges> writers;
  size_t launch = 0;
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const PlanStep &step = plan.steps[s];
    const std::string place = "steps[" + std::to_string(s) + "] writes ";
    for (const BufferRange &range : step.outputs) {
      const int64_t end = endOf(range, plan.bytesOf(range));
      const int64_t other = add(writers[{range.kind, range.index}], range.offset, end, s);
      if (other >= 0)
        return place + nameOf(range) + " from byte " + std::to_string(range.offset) + " to " + std::to_string(end) +
               ", of which steps[" + std::to_string(other) + "] writes some";
      for (const BufferRange &read : step.inputs)
        if (areOfOneBuffer(read, range) && read.offset < end && range.offset < endOf(read, plan.bytesOf(read)))
          return place + "what it reads of " + nameOf(range);
    }
    for (size_t l = launch; l < launch + step.launches; ++l)
      if (std::string fault = findLaunchFault(plan, step, l); !fault.empty())
        return fault;
    launch += step.launches;
  }
  return "";
}

std::string kgen::candidate::findUpdateFault(const LaunchPlan &plan) {
  std::map<int, size_t> outputOf;
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    const BufferSpec &output = plan.outputs[i];
    if (output.updates < 0)
      continue;
    const std::string place = "outputs[" + std::to_string(i) + "].updates is " + std::to_string(output.updates);
    if (size_t(output.updates) >= plan.inputs.size())
      return place + ", but the plan has " + std::to_string(plan.inputs.size()) + " inputs";
    const BufferSpec &input = plan.inputs[size_t(output.updates)];
    if (input.dtype != output.dtype || input.shape != output.shape)
      return place + ", an input of another type or shape";
    if (!outputOf.try_emplace(output.updates, i).second)
      return place + ", and so is outputs[" + std::to_string(outputOf[output.updates]) + "].updates";
  }
  for (size_t l = 0; l < plan.launches.size() && !outputOf.empty(); ++l)
    for (const LaunchArgument &argument : plan.launches[l].arguments) {
      auto *map = std::get_if<TensorMapSpec>(&argument);
      const BufferRef *ref = map ? &map->buffer : std::get_if<BufferRef>(&argument);
      if (!ref || ref->kind != BufferKind::Input)
        continue;
      if (auto found = outputOf.find(int(ref->index)); found != outputOf.end())
        return "launches[" + std::to_string(l) + "] uses " + nameOf(*ref) + ", which is written in place: out" +
               std::to_string(found->second) + " holds it";
    }
  return "";
}
