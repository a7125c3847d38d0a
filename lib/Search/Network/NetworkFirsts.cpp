//===- NetworkFirsts.cpp - Kernels for tasks that had no round ------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A round of a task costs its right answers, processes and timings. The network's verification is paid for, and looks
// at each step on what it really gets. So a search that runs out of time puts the kernels that the catalogue would try
// first in the place of the generic ones, without measuring them alone.
//
//===----------------------------------------------------------------------===//

#include "NetworkLoop.h"

#include "kgen/Toolchain/Compiler.h"

#include "llvm/ADT/Twine.h"

#include <limits>

using namespace llvm;

namespace kgen::search {

/// What compute-sanitizer is left at the end whatever else takes its time.
constexpr double fewestCheckSeconds = 5;

/// Whether TASK's best kernel is BRANCH, of its round 0.
static bool isGeneric(const TaskSearch &task, StringRef branch) {
  const trajectory::BranchRecord *record = task.run->findBranch(branch);
  return record && record->round == 0;
}

/// Whether not even round 0 of TASK was measured.
static bool isUnmeasured(const TaskSearch &task) {
  return none_of(task.run->getBranches(), [](const auto &branch) { return !branch.measurement.empty(); });
}

/// Whether nothing but round 0 of TASK, which a run of the network has, was measured, or not even that.
static bool lacksRound(const TaskSearch &task) {
  return (task.state.count > 0 || isUnmeasured(task)) &&
         none_of(task.run->getBranches(), [](const trajectory::BranchRecord &branch) {
           return branch.round > 0 && !branch.measurement.empty();
         });
}

/// The tasks of the network as it is cut now of which nothing was measured, or nothing but round 0 where a run has
/// them, those with most to compute first. Left out are those whose first kernel was right in a network, faster or not,
/// or wrong.
std::vector<size_t> NetworkSearch::findWithoutRound() {
  std::vector<size_t> members;
  for (size_t member : membersOf(current)) {
    const TaskSearch &task = tasks[member];
    if (lacksRound(task) && !task.banned.count(firstKernel.str()) && !standings.hadFirst(task.name))
      members.push_back(member);
  }
  sortByWork(members);
  return members;
}

/// Whether TASK, none of whose branches can be in the network, is there by its first kernel.
bool NetworkSearch::canStandIn(TaskSearch &task) {
  return isUnmeasured(task) && !task.banned.count(firstKernel.str()) && recallFirst(task);
}

/// The tasks of the network as it is cut now of which nothing was measured, and that have no first kernel that is
/// right.
std::vector<size_t> NetworkSearch::findWithoutKernel() {
  std::vector<size_t> members;
  for (size_t member : membersOf(current))
    if (isUnmeasured(tasks[member]) && !canStandIn(tasks[member]))
      members.push_back(member);
  return members;
}

/// Whether there is time for so many more NETWORKS, and for compute-sanitizer to look at the last.
bool NetworkSearch::hasTimeFor(int networks) const {
  return closingTime.limit <= 0 ||
         secondsSpent() + networks * closingTime.assembly + std::min(closingTime.checks, fewestCheckSeconds) <=
             closingTime.limit;
}

/// Begins to write and compile the first kernel of task MEMBER, where it has none, beside whatever is measured
/// meanwhile. Thread-safe, each task being one thread's.
void NetworkSearch::beginFirst(size_t member) {
  if (recallFirst(tasks[member]))
    return;
  std::lock_guard<std::mutex> guard(beginningFirsts);
  if (any_of(madeFirsts, [&](const auto &made) { return made.first == member; }))
    return;
  double until = std::numeric_limits<double>::infinity();
  if (closingTime.limit > 0)
    until = closingTime.limit - std::min(closingTime.checks, fewestCheckSeconds) - closingTime.assembly;
  if (standings.bestId().empty()) // then a network is measured however late it is
    until = std::max(until, secondsSpent() + closingTime.firsts);
  const FirstKernels maker(
      *compiler, config.device == "host" ? "host" : "cuda", config.chip,
      [this, until](StringRef cuda) {
        const double most = toolchain::CompileOptions().wallSeconds;
        return evaluator.compiles(cuda, std::min(most, until - secondsSpent()));
      },
      [this, until] { return world.stop || secondsSpent() >= until; });
  if (!makingFirsts)
    makingFirsts = std::make_unique<DefaultThreadPool>(hardware_concurrency(unsigned(std::max(1, config.compileJobs))));
  FirstKernel &made = madeFirsts.emplace_back(member, FirstKernel()).second;
  makingFirsts->async([&made, maker, graph = tasks[member].run->getGraph().str()] {
    auto kernel = maker.choose(graph);
    if (kernel)
      made = std::move(*kernel);
    else
      consumeError(kernel.takeError()); // it stays generic
  });
}

/// The same once TASK's round 0 is there and the time for its first round is over, while others have theirs.
void NetworkSearch::beginFirstWhereLate(size_t member) {
  const TaskSearch &task = tasks[member];
  // A resumed search may have it.
  if (recorded == 0 && config.device != "host" && task.run->getStopReason() == trajectory::StopReason::TimeIsUp &&
      lacksRound(task))
    beginFirst(member);
}

/// The same for all tasks that need one.
void NetworkSearch::beginFirsts() {
  if (stopReason != trajectory::StopReason::TimeIsUp || config.options.rounds == 0)
    return;
  for (size_t member : findWithoutRound())
    beginFirst(member);
}

/// Takes what came of them.
void NetworkSearch::takeFirsts() {
  if (!makingFirsts)
    return;
  makingFirsts->wait();
  for (auto &[member, kernel] : madeFirsts) {
    TaskSearch &task = tasks[member];
    // A generic kernel is the task's round 0 where that was measured.
    if (!kernel.isGeneric() || (isUnmeasured(task) && !kernel.lowered.cuda.empty()))
      task.first = std::move(kernel);
  }
  makingFirsts.reset();
  madeFirsts.clear();
}

/// Puts the network together with first kernels in the tasks that had no round, once the time for rounds is over. What
/// is wrong there is left out, and it is put together again.
Error NetworkSearch::tryFirsts(int round) {
  const bool isFirstNetwork = standings.bestId().empty();
  // Something has to be put together however late it is, but what is wrong only once.
  bool hasTime = isFirstNetwork || hasTimeFor(1);
  if (stopReason != trajectory::StopReason::TimeIsUp || !hasTime)
    return Error::success();
  beginFirsts();
  takeFirsts();
  for (; !world.stop && hasTime; hasTime = hasTimeFor(isFirstNetwork ? 2 : 1)) {
    auto choices = choose(current);
    if (!choices) { // what was right before stays
      consumeError(choices.takeError());
      return Error::success();
    }
    std::string names;
    for (size_t member : findWithoutRound()) {
      const TaskSearch &task = tasks[member];
      std::string &choice = (*choices)[task.name];
      if (!task.first || (choice != firstKernel && !isGeneric(task, choice)))
        continue;
      choice = firstKernel.str();
      names += (names.empty() ? "" : ", ") + task.name + " (" + task.first->idea + ")";
    }
    if (names.empty())
      return Error::success();
    say("no time for a round of them, so by first kernels: " + names);
    triedFirsts = true;
    // Where there is no time for another one it is the last.
    auto measurement = assembleChoices(round, "First kernels of the catalogue for tasks that had no round.", *choices,
                                       /*closing=*/config.device != "host" && (isFirstNetwork || !hasTimeFor(2)));
    if (!measurement) {
      if (evaluator.deviceIsLost())
        return measurement.takeError();
      say("the network with first kernels could not be measured: " + toString(measurement.takeError()));
      return Error::success();
    }
    if (measurement->passed())
      return Error::success();
  }
  return Error::success();
}

/// The first network, for all tasks of which there was no time. Where a first kernel is wrong and its task has nothing
/// else, that is measured after all.
Error NetworkSearch::beginWithFirsts() {
  for (;;) {
    if (Error error = tryFirsts(0))
      return error;
    if (triedFirsts && !standings.bestId().empty())
      return Error::success();
    const std::vector<size_t> missing = findWithoutKernel();
    if (missing.empty())
      return assemble(0, /*closing=*/stopReason == trajectory::StopReason::TimeIsUp);
    if (Error error = advance(missing))
      return error;
    if (world.stop || !findWithoutKernel().empty())
      return Error::success();
  }
}

/// Whether TASK, whose best kernel is BRANCH, goes on with the first kernel that it has in the best network.
bool NetworkSearch::keepsFirst(TaskSearch &task, StringRef branch) {
  const TaskChoices *best = standings.bestChoices();
  auto chosen = best ? best->find(task.name) : TaskChoices::const_iterator();
  return best && chosen != best->end() && chosen->second == firstKernel && isGeneric(task, branch) && recallFirst(task);
}

/// Whether TASK has its first kernel, in this process or in a recorded network.
bool NetworkSearch::recallFirst(TaskSearch &task) {
  if (task.first)
    return true;
  for (const trajectory::BranchRecord &branch : run.getBranches()) {
    if (!branch.files.count("first.json") || !branch.files.count(firstPlanFile(task.name)))
      continue;
    auto kernels = readFirstKernels(run, branch);
    if (!kernels) {
      consumeError(kernels.takeError());
      continue;
    }
    if (auto it = kernels->find(task.name); it != kernels->end()) {
      task.first = std::move(it->second);
      return true;
    }
  }
  return false;
}

Expected<std::map<std::string, FirstKernel>> readFirstKernels(const trajectory::RunFolder &run,
                                                              const trajectory::BranchRecord &branch) {
  if (!branch.files.count("first.json"))
    return std::map<std::string, FirstKernel>();
  auto text = run.readFile(branch.id, "first.json");
  if (!text)
    return text.takeError();
  auto kernels = parseFirstWays(*text);
  if (!kernels)
    return kernels.takeError();
  for (auto &[task, kernel] : *kernels) {
    auto cuda = run.readFile(branch.id, task + ".cu");
    if (!cuda)
      return cuda.takeError();
    auto plan = run.readFile(branch.id, firstPlanFile(task));
    if (!plan)
      return plan.takeError();
    kernel.lowered.cuda = std::move(*cuda);
    kernel.lowered.plan = std::move(*plan);
  }
  return std::move(*kernels);
}

} // namespace kgen::search
