//===- TaskCheck.cpp - Each task of a network on what it really gets ------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The network runs once with every value between its tasks as an output. Then each step's kernels are held against the
// oracle of the step's own graph, on the very inputs that they had: so errors do not add up, and the first step that is
// wrong is the one to blame. What the folder says of tasks decides which one is named, never whether the whole is
// right.
//
//===----------------------------------------------------------------------===//
#include "NetworkTasks.h"
#include "kgen/Device/Parallel.h"
#include "kgen/Evaluate/Evaluator.h"

#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Process.h"
#include "kgen/Toolchain/Scratch.h"

#include "llvm/ADT/STLExtras.h"

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>

using namespace kgen;
using namespace kgen::evaluate;

namespace {

/// What the oracle may take for all tasks together.
constexpr double mostSeconds = 60;
/// What the inputs of one task's steps may take, in bytes, and how many steps are looked at whatever they take.
constexpr size_t mostInputBytes = 256 << 20, fewestSteps = 8;
/// The first bytes of packed outputs.
constexpr size_t header = 4096;

/// PLAN with every value that a step writes as an output.
llvm::Expected<candidate::LaunchPlan> expose(const candidate::LaunchPlan &plan,
                                             const std::map<std::string, NetworkTask> &tasks) {
  candidate::LaunchPlan out = plan;
  std::map<unsigned, unsigned> outputOf; // by workspace
  for (const candidate::PlanStep &step : plan.steps) {
    auto task = tasks.find(step.task);
    if (task == tasks.end() || task->second.shape.inputs.size() != step.inputs.size() ||
        task->second.shape.outputs.size() != step.outputs.size())
      return wrongTasks("there is no task " + step.task + " with as many inputs and outputs as its step has");
    for (size_t i = 0; i < step.outputs.size(); ++i) {
      const candidate::BufferRange &ref = step.outputs[i];
      if (ref.kind != candidate::BufferKind::Workspace || outputOf.count(ref.index))
        continue;
      candidate::BufferSpec spec = task->second.shape.outputs[i];
      const int64_t whole = plan.workspace[ref.index].bytes;
      if (int64_t(spec.bytes()) > (ref.bytes < 0 ? whole : ref.bytes))
        return wrongTasks("task " + step.task + " has larger outputs than its step");
      if (ref.bytes >= 0) // others write the rest of it
        spec.shape = {whole / int64_t(candidate::byteSize(spec.dtype))};
      outputOf[ref.index] = unsigned(out.outputs.size());
      spec.name = "value" + std::to_string(ref.index);
      out.outputs.push_back(std::move(spec));
    }
  }
  // Outputs are a run's, so all of it is one; what was prepared is nobody's memory now.
  out.prepareSteps = 0;
  for (candidate::WorkspaceSpec &space : out.workspace)
    if (space.prepared) {
      const int64_t end = (out.arenaBytes() + 255) / 256 * 256;
      space = {space.name, /*bytes=*/1, end};
    }
  auto remap = [&](candidate::BufferRef &ref) {
    auto it = outputOf.find(ref.index);
    if (ref.kind == candidate::BufferKind::Workspace && it != outputOf.end()) {
      ref.kind = candidate::BufferKind::Output;
      ref.index = it->second;
    }
  };
  for (candidate::Launch &launch : out.launches)
    for (candidate::LaunchArgument &argument : launch.arguments) {
      if (auto *map = std::get_if<candidate::TensorMapSpec>(&argument))
        remap(map->buffer);
      else if (auto *ref = std::get_if<candidate::BufferRef>(&argument))
        remap(*ref);
    }
  for (candidate::PlanStep &step : out.steps)
    for (auto *list : {&step.inputs, &step.outputs})
      for (candidate::BufferRange &range : *list)
        remap(range);
  return out;
}

/// The bytes of one run of the exposed plan.
class Values {
public:
  Values(const candidate::LaunchPlan &plan, const judge::ReferenceSet &set, const device::CandidateProcess &process)
      : plan(plan), set(set), process(process) {
    size_t total;
    offsets = device::packBuffers(plan.inputs, 0, total);
  }

  const char *at(const candidate::BufferRange &range) const {
    return (range.kind == candidate::BufferKind::Input ? set.inputs.data() + offsets[range.index]
                                                       : process.output(range.index)) +
           range.offset;
  }
  size_t bytes(const candidate::BufferRange &range) const {
    return size_t(range.bytes < 0 ? plan.bytesOf(range) : range.bytes);
  }
  /// What REFS hold, packed as SPECS after SKIP bytes. An error where a buffer is too small.
  llvm::Expected<device::SharedMemory> pack(const std::vector<candidate::BufferRange> &refs,
                                            const std::vector<candidate::BufferSpec> &specs, size_t skip) const {
    size_t total;
    std::vector<size_t> places = device::packBuffers(specs, skip, total);
    auto memory = device::SharedMemory::create(total);
    if (!memory)
      return memory.takeError();
    for (size_t i = 0; i < refs.size(); ++i) {
      if (refs[i].kind == candidate::BufferKind::Workspace || specs[i].bytes() > bytes(refs[i]))
        return wrongTasks("a task reads what no step wrote");
      memcpy(memory->data() + places[i], at(refs[i]), specs[i].bytes());
    }
    return memory;
  }

private:
  const candidate::LaunchPlan &plan;
  const judge::ReferenceSet &set;
  const device::CandidateProcess &process;
  std::vector<size_t> offsets;
};

/// As many of STEPS, a task's with these inputs, as there is memory for: the first, the last, and those between them at
/// equal distances.
std::vector<size_t> chooseSteps(const std::vector<size_t> &steps, const std::vector<candidate::BufferSpec> &inputs) {
  size_t bytes = 1;
  for (const candidate::BufferSpec &input : inputs)
    bytes += input.bytes();
  const size_t most = std::max(fewestSteps, mostInputBytes / bytes);
  if (steps.size() <= most)
    return steps;
  std::vector<size_t> chosen;
  for (size_t i = 0; i < most; ++i)
    chosen.push_back(steps[i * (steps.size() - 1) / (most - 1)]);
  return chosen;
}

} // namespace

llvm::Expected<std::string> Evaluator::findWrongTask(const CandidateFiles &files, const PreparedCandidate &candidate,
                                                     const EvaluateOptions &options, bool all,
                                                     candidate::Measurement &out) {
  auto leaveOut = [&](const std::string &why) {
    out.warnings.push_back("its tasks were not looked at one by one: " + why);
    return std::string();
  };
  if (files.tasks.empty())
    return leaveOut("there is no partition.json");
  auto tasks = readNetworkTasks(files.tasks);
  if (!tasks)
    return tasks.takeError();
  // What was right once, in another network perhaps, need not be looked at again.
  std::map<std::string, std::string> keys;
  size_t launch = 0;
  for (const candidate::PlanStep &step : candidate.plan.steps) {
    if (auto task = tasks->find(step.task); task != tasks->end())
      keys[step.task] = toolchain::contentKey(
          {task->second.graph, files.modules[candidate.plan.launches[launch].module], candidate.plan.problem});
    launch += step.launches;
  }
  auto isKnown = [&](const std::string &task) { return !all && rightTasks.count(keys[task]) > 0; };
  if (llvm::all_of(candidate.plan.steps, [&](const candidate::PlanStep &step) { return isKnown(step.task); }))
    return std::string();
  auto exposed = expose(candidate.plan, *tasks);
  if (!exposed)
    return exposed.takeError();
  double bytes = 0;
  for (const candidate::BufferSpec &output : exposed->outputs)
    bytes += double(output.bytes());
  if (bytes > device::availableMemory() / 4)
    return leaveOut("the values between them do not fit into memory");

  auto scratch = toolchain::ScratchFolder::create("tasks");
  if (!scratch)
    return scratch.takeError();
  device::CandidateJob job;
  job.device = parts.device;
  job.planFile = scratch->path() + "/plan.json";
  job.artifact = candidate.artifact;
  job.trusted = parts.trusted;
  job.plan = &*exposed;
  job.runSeconds = options.runSeconds;
  job.bufferSets = 1;
  const judge::ReferenceSet &set = candidate.reference->sets[0];
  auto drawn = judge::hostInputs(set, candidate.plan, parts.threads);
  if (!drawn)
    return drawn.takeError();
  job.inputSets.push_back(*drawn);
  if (llvm::Error error = toolchain::writeFileAtomically(job.planFile, exposed->print()))
    return std::move(error);
  std::unique_ptr<device::CandidateProcess> process;
  auto outcome = parts.runner->start(job, process);
  if (!outcome)
    return outcome.takeError();
  if (*outcome)
    return leaveOut((*outcome)->detail);
  device::RunRequest request;
  request.poison = device::poisonSeed(0, uint32_t(parts.seed));
  request.cold = false;
  request.copy = true;
  device::RunReport report;
  outcome = process->run(0, request, report);
  if (!outcome)
    return outcome.takeError();
  if (*outcome)
    return leaveOut((*outcome)->detail);

  Values values(*exposed, set, *process);
  std::map<std::string, std::vector<size_t>> stepsOf;
  size_t wanted = 0;
  for (size_t i = 0; i < exposed->steps.size(); ++i)
    if (!isKnown(exposed->steps[i].task)) {
      stepsOf[exposed->steps[i].task].push_back(i);
      ++wanted;
    }
  for (auto &[name, steps] : stepsOf)
    steps = chooseSteps(steps, tasks->at(name).shape.inputs);
  const double start = toolchain::monotonicSeconds();
  size_t first = SIZE_MAX, checked = 0;
  std::string detail;
  std::mutex lock; // of these
  auto look = [&](const std::string &name, const std::vector<size_t> &steps, unsigned threads) -> llvm::Error {
    const NetworkTask &task = tasks->at(name);
    std::vector<device::SharedMemory> inputs;
    for (size_t step : steps) {
      auto packed = values.pack(exposed->steps[step].inputs, task.shape.inputs, 0);
      if (!packed)
        return packed.takeError();
      inputs.push_back(std::move(*packed));
    }
    judge::ReferenceOptions how;
    how.threads = threads;
    how.rules = options.rules;
    // Whoever answered the task's own search answers this as well; else somebody new.
    std::unique_ptr<judge::Reference> reference;
    std::vector<judge::ReferenceSet> sets;
    judge::Judge *judge = findJudge(task.graph, task.shape);
    constexpr size_t beyondItsOwn = 1000;
    if (judge) {
      auto asked = judge::buildSetsOn(*judge, beyondItsOwn, task.shape, std::move(inputs), how);
      if (!asked)
        return asked.takeError();
      sets = std::move(*asked);
    } else {
      auto built = judge::buildReferenceOn(*parts.oracle, task.graph, task.shape, std::move(inputs), how);
      if (!built)
        return built.takeError();
      reference = std::move(*built);
      judge = reference->judge.get();
      sets = std::move(reference->sets);
    }
    bool right = true;
    for (const judge::ReferenceSet &given : sets) {
      const size_t step = steps[given.set.ordinal];
      auto outputs = values.pack(exposed->steps[step].outputs, task.shape.outputs, header);
      if (!outputs)
        return outputs.takeError();
      size_t total;
      std::vector<size_t> places = device::packBuffers(task.shape.outputs, header, total);
      for (unsigned i = 0; i < task.shape.outputs.size(); ++i) {
        judge::Exhibit exhibit;
        exhibit.kind = judge::Exhibit::Outputs;
        exhibit.bytes = outputs->data() + places[i];
        exhibit.memory = &*outputs;
        auto judged = judge::judgeExhibit(task.shape, *judge, given, i, exhibit);
        if (!judged)
          return judged.takeError();
        if (judged->accepted)
          continue;
        right = false;
        std::lock_guard<std::mutex> guard(lock);
        if (step >= first)
          break; // one before it is to blame
        first = step;
        const judge::Comparison &c = judged->comparison;
        char numbers[120];
        snprintf(numbers, sizeof numbers, "; relative error %.3g (max %.3g), allowed %.3g (max %.3g)", c.norms.l2,
                 c.norms.max, judged->tolerance.l2, judged->tolerance.max);
        detail = "task " + name + " is wrong on what it gets at step " + std::to_string(step) + ": " +
                 judge::describeElement(task.shape.outputs[i], c.worst, c.found, c.expected) + numbers;
      }
    }
    for (const judge::ReferenceSet &given : sets)
      judge->drop(given.number);
    std::lock_guard<std::mutex> guard(lock);
    checked += sets.size();
    if (right)
      rightTasks.insert(keys[name]);
    return llvm::Error::success();
  };
  // Each has processes of its own to start, which takes longer than what they compute.
  constexpr size_t mostAtOnce = 8;
  const size_t atOnce = std::min({stepsOf.size(), mostAtOnce, size_t(std::max(1u, parts.threads / 2))});
  const unsigned share = std::max(1u, parts.threads / unsigned(std::max<size_t>(atOnce, 1)));
  const std::vector<std::pair<std::string, std::vector<size_t>>> each(stepsOf.begin(), stepsOf.end());
  llvm::Error failed = llvm::Error::success();
  std::atomic<bool> ends = false;
  device::parallelEach(each.size(), atOnce, [&](size_t i) {
    if (ends || toolchain::monotonicSeconds() - start > mostSeconds)
      return;
    if (llvm::Error error = look(each[i].first, each[i].second, share)) {
      std::lock_guard<std::mutex> guard(lock);
      failed = llvm::joinErrors(std::move(failed), std::move(error));
      ends = true;
    }
  });
  if (failed)
    return std::move(failed);
  if (checked < wanted)
    out.warnings.push_back(std::to_string(checked) + " of " + std::to_string(wanted) +
                           " steps were looked at one by one");
  return detail;
}
