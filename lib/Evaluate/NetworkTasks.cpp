//===- NetworkTasks.cpp - The tasks of a network's folder -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "NetworkTasks.h"

#include "llvm/Support/JSON.h"

using namespace kgen;
using namespace kgen::evaluate;
namespace json = llvm::json;

llvm::Error kgen::evaluate::wrongTasks(const llvm::Twine &why) {
  return llvm::createStringError("partition.json: " + why);
}

static llvm::Expected<std::vector<candidate::BufferSpec>> readBuffers(const json::Object &task, llvm::StringRef key) {
  std::vector<candidate::BufferSpec> out;
  const json::Array *list = task.getArray(key);
  if (!list)
    return wrongTasks("a task has no " + key);
  for (const json::Value &value : *list) {
    const json::Object *one = value.getAsObject();
    auto type = one ? candidate::parseDType(one->getString("dtype").value_or("")) : std::nullopt;
    const json::Array *shape = one ? one->getArray("shape") : nullptr;
    if (!type || !shape)
      return wrongTasks("one of the " + key + " has no dtype or no shape");
    candidate::BufferSpec spec;
    spec.name = (key + llvm::Twine(out.size())).str();
    spec.dtype = *type;
    for (const json::Value &extent : *shape)
      spec.shape.push_back(extent.getAsInteger().value_or(0));
    out.push_back(std::move(spec));
  }
  return out;
}

llvm::Expected<std::map<std::string, NetworkTask>> kgen::evaluate::readNetworkTasks(llvm::StringRef text) {
  auto root = json::parse(text);
  if (!root)
    return root.takeError();
  const json::Array *list = root->getAsObject() ? root->getAsObject()->getArray("tasks") : nullptr;
  if (!list)
    return wrongTasks("there are no tasks");
  std::map<std::string, NetworkTask> tasks;
  for (const json::Value &value : *list) {
    const json::Object *one = value.getAsObject();
    if (!one)
      return wrongTasks("a task is no object");
    NetworkTask task;
    task.name = one->getString("name").value_or("").str();
    task.graph = one->getString("graph").value_or("").str();
    task.shape.problem = task.name;
    task.shape.precision = one->getString("precision").value_or("").str();
    auto inputs = readBuffers(*one, "inputs");
    if (!inputs)
      return inputs.takeError();
    auto outputs = readBuffers(*one, "outputs");
    if (!outputs)
      return outputs.takeError();
    task.shape.inputs = std::move(*inputs);
    task.shape.outputs = std::move(*outputs);
    tasks[task.name] = std::move(task);
  }
  return tasks;
}

/// Which input of STEP the plan's output that RANGE is all of is written in place of; -1: none.
static int findUpdatedInput(const candidate::LaunchPlan &plan, const candidate::PlanStep &step,
                            const candidate::BufferRange &range) {
  const int updates = range.kind == candidate::BufferKind::Output ? plan.outputs[range.index].updates : -1;
  for (size_t i = 0; i < step.inputs.size() && updates >= 0; ++i)
    if (step.inputs[i].kind == candidate::BufferKind::Input && int(step.inputs[i].index) == updates)
      return int(i);
  return -1;
}

llvm::Expected<candidate::LaunchPlan> kgen::evaluate::cutOutStep(const candidate::LaunchPlan &plan, size_t step,
                                                                 const candidate::LaunchPlan &shape) {
  const candidate::PlanStep &wanted = plan.steps[step];
  if (wanted.inputs.size() != shape.inputs.size() || wanted.outputs.size() != shape.outputs.size())
    return wrongTasks("task " + wanted.task + " has not as many inputs and outputs as its step");
  candidate::LaunchPlan out;
  out.problem = shape.problem;
  out.arch = plan.arch;
  out.precision = shape.precision;
  out.inputs = shape.inputs;
  out.outputs = shape.outputs;
  for (size_t i = 0; i < wanted.outputs.size(); ++i)
    out.outputs[i].updates = findUpdatedInput(plan, wanted, wanted.outputs[i]);
  std::map<unsigned, unsigned> own; // workspaces
  auto map = [&](candidate::BufferRef &ref) -> llvm::Error {
    for (auto [kind, list] : {std::pair(candidate::BufferKind::Input, &wanted.inputs),
                              std::pair(candidate::BufferKind::Output, &wanted.outputs)})
      if (const candidate::BufferRange *range = candidate::findRange(*list, ref, plan.bytesOf(ref))) {
        ref = {kind, unsigned(range - list->data()), ref.offset - range->offset};
        return llvm::Error::success();
      }
    if (ref.kind != candidate::BufferKind::Workspace)
      return wrongTasks("a launch of task " + wanted.task + " uses what is none of its step's");
    auto [it, isNew] = own.try_emplace(ref.index, unsigned(out.workspace.size()));
    if (isNew) {
      candidate::WorkspaceSpec space;
      space.name = "ws" + std::to_string(it->second);
      space.bytes = plan.workspace[ref.index].bytes;
      out.workspace.push_back(std::move(space));
    }
    ref.index = it->second;
    return llvm::Error::success();
  };
  size_t first = 0;
  for (size_t i = 0; i < step; ++i)
    first += plan.steps[i].launches;
  for (size_t i = first; i < first + wanted.launches; ++i) {
    candidate::Launch launch = plan.launches[i];
    launch.module = 0;
    for (candidate::LaunchArgument &argument : launch.arguments) {
      auto *tensorMap = std::get_if<candidate::TensorMapSpec>(&argument);
      auto *ref = tensorMap ? &tensorMap->buffer : std::get_if<candidate::BufferRef>(&argument);
      if (ref)
        if (llvm::Error error = map(*ref))
          return std::move(error);
    }
    out.launches.push_back(std::move(launch));
  }
  // The same checks as for a plan from anywhere else.
  return candidate::LaunchPlan::parse(out.print());
}
