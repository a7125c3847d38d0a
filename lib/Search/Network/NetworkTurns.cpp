//===- NetworkTurns.cpp - Which tasks the next rounds are for --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several rounds are given away at once and run side by side: ideas and compiles of one while another one is measured.
// An evaluator measures one candidate at a time, so nothing of ours runs on a card beside what is timed there, and a
// task stays with one card as long as that is there.
//
//===----------------------------------------------------------------------===//

#include "NetworkLoop.h"
#include "SharedEvaluator.h"

#include "kgen/Report/RunReport.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/ThreadPool.h"

using namespace llvm;

namespace kgen::search {

/// As many rounds of tasks as there are tasks, each for one of those that gain most by it. Whether there was any.
Expected<bool> NetworkSearch::takeTurns(int round) {
  // A tuned network is to be there early, whatever becomes of the search.
  constexpr size_t fewestBeforeNetwork = 4;
  const size_t most = membersOf(current).size();
  bool isEarly = round == 1 && !hasOpened;
  size_t given = 0;
  while (given < most && !shouldStop()) {
    auto taken = takeBatch(round, /*partition=*/false, 0, most - given);
    if (!taken)
      return taken.takeError();
    if (*taken == 0)
      break;
    given += *taken;
    if (isEarly && given >= fewestBeforeNetwork && given < most && !shouldStop()) {
      isEarly = false;
      if (Error error = assemble(round, /*closing=*/false))
        return std::move(error);
    }
  }
  return given > 0;
}

/// Gives at most MOST rounds to tasks from FIRST on, and searches those tasks. How many; 0 when nobody gains by one.
Expected<size_t> NetworkSearch::takeBatch(int round, bool partition, size_t first, size_t most) {
  auto chosen = giveTurns(round, partition, first, most);
  if (!chosen)
    return chosen.takeError();
  if (!chosen->empty())
    if (Error error = advance(*chosen))
      return std::move(error);
  return chosen->size();
}

/// The tasks from FIRST on that have the next rounds, at most MOST; none when nobody gains by one. They are recorded.
Expected<std::vector<size_t>> NetworkSearch::giveTurns(int round, bool partition, size_t first, size_t most) {
  if (turnsGiven < run.getTurns().size())
    return takeRecordedTurns(round, partition);
  absorb(recorded);
  std::vector<network::TaskState> states;
  for (const TaskSearch &task : ArrayRef(tasks).drop_front(first))
    states.push_back(task.state);
  // Twice as many as run at a time, so that the next begins when one is done; half of them where the others buy little.
  const size_t fewest = atOnce == 1 ? 1 : std::max<size_t>(2, atOnce / 2), batch = atOnce == 1 ? 1 : 2 * atOnce;
  std::vector<size_t> chosen = network::chooseBatch(states, fewest, std::min(most, batch));
  std::vector<trajectory::Turn> turns;
  for (size_t &task : chosen) {
    task += first;
    turns.push_back({round, tasks[task].name, partition});
  }
  if (!turns.empty())
    if (Error error = run.recordTurns(std::move(turns)))
      return std::move(error);
  turnsGiven = run.getTurns().size();
  return chosen;
}

/// The next batch of turns that an earlier process gave away.
Expected<std::vector<size_t>> NetworkSearch::takeRecordedTurns(int round, bool partition) {
  const std::vector<trajectory::Turn> &turns = run.getTurns();
  const trajectory::Turn &begin = turns[turnsGiven];
  absorb(begin.begun);
  std::vector<size_t> chosen;
  do {
    const trajectory::Turn &turn = turns[turnsGiven];
    auto task = find_if(tasks, [&](const TaskSearch &one) { return one.name == turn.task; });
    if (turn.round != round || turn.partition != partition || task == tasks.end())
      return createStringError(run.getPath() + "/journal.jsonl: turn " + Twine(turnsGiven) + ", of round " +
                               Twine(turn.round) + " for " + turn.task + ", is not one that the search comes to");
    chosen.push_back(size_t(task - tasks.begin()));
    ++turnsGiven;
  } while (begin.batch >= 0 && turnsGiven < turns.size() && turns[turnsGiven].batch == begin.batch);
  return chosen;
}

/// Those of MEMBERS, all without a round, that have round 1 with round 0, while their right answers are at hand: all
/// that a run of the network has, on a card. They are recorded.
Expected<std::vector<size_t>> NetworkSearch::giveOpening(ArrayRef<size_t> members) {
  std::vector<size_t> opened;
  if (turnsGiven < run.getTurns().size())
    return run.getTurns()[turnsGiven].round == 0 ? takeRecordedTurns(0, /*partition=*/true) : std::move(opened);
  // A run that an earlier version began goes on as it began.
  if (config.device == "host" || config.options.rounds == 0 || recorded > 0)
    return std::move(opened);
  std::vector<trajectory::Turn> turns;
  for (size_t member : members)
    if (tasks[member].state.count > 0) {
      opened.push_back(member);
      turns.push_back({0, tasks[member].name, /*partition=*/true});
    }
  if (!turns.empty())
    if (Error error = run.recordTurns(std::move(turns)))
      return std::move(error);
  turnsGiven = run.getTurns().size();
  return std::move(opened);
}

/// The next round of each of CHOSEN, of those that are OPENED the next two.
Error NetworkSearch::advance(ArrayRef<size_t> chosen, ArrayRef<size_t> opened) {
  std::vector<TaskRound> turns(chosen.size());
  for (auto [turn, task] : zip(turns, chosen)) {
    turn.task = task;
    turn.round = int(tasks[task].state.bestUs.size());
    turn.last = turn.round + is_contained(opened, task);
    turn.canGiveWay = turn.round == 0 && !opened.empty();
    turn.compileJobs = std::max(1, config.compileJobs / int(std::min(atOnce, chosen.size())));
    if (turn.round > 0)
      turn.network = profile(tasks[task].name);
  }
  const trajectory::StopReason before = stopReason; // what is measured after all has its time
  if (atOnce == 1) {
    for (TaskRound &turn : turns) {
      runRound(turn);
      if (Error error = settle(turn))
        return error;
      const bool givesWay = turn.canGiveWay && stopReason == trajectory::StopReason::TimeIsUp;
      if (stopReason != before && !givesWay)
        break;
    }
    return Error::success();
  }
  DefaultThreadPool workers(hardware_concurrency(unsigned(std::min(atOnce, chosen.size()))));
  for (TaskRound &turn : turns)
    workers.async([this, &turn] {
      if (!world.stop)
        runRound(turn);
    });
  workers.wait();
  for (const std::string &line : evaluator.takeNotes())
    say(line);
  if (world.stop)
    stopReason = trajectory::StopReason::Interrupted;
  Error first = Error::success();
  for (TaskRound &turn : turns) {
    Error error = settle(turn);
    if (first)
      consumeError(std::move(error)); // of several the first says what happened
    else
      first = std::move(error);
  }
  return first;
}

/// A task's round, as a resumed run of its own; other tasks' may be on their way.
void NetworkSearch::runRound(TaskRound &turn) {
  TaskSearch &task = tasks[turn.task];
  trajectory::RunFolder &own = *task.run;
  if (turn.canGiveWay && closingTime.isOver(secondsSpent()) && own.getBranches().empty()) {
    turn.gaveWay = true;
    beginFirst(turn.task);
    return;
  }
  auto setup = RunSetup::open(world, own, task.config, config.llmOptions, confines);
  if (!setup) {
    turn.failure = toString(setup.takeError());
    return;
  }
  auto silent = report::createSilentProgress();
  SharedEvaluator shared(evaluator, measuring, int(turn.task), /*brief=*/task.state.count == 0);
  SearchConfig slice = task.config;
  slice.lastRound = turn.last;
  slice.compileJobs = turn.compileJobs;
  slice.triesFirst = false; // a turn keeps to the network's time
  if (config.maxMinutes > 0 && turn.last > 0)
    slice.maxMinutes =
        (own.getSecondsSpent() + std::max(1.0, closingTime.limit - closingTime.reserve() - secondsSpent())) / 60;
  SearchEnvironment environment{world.fs, world.clock, *(*setup)->compilers.own, *(*setup)->proposer, shared,
                                *silent,  world.stop,  (*setup)->examples};
  environment.foreign = (*setup)->compilers.foreign.get();
  environment.network = turn.network;
  if (Error error = runSearch(environment, own, slice)) {
    turn.failure = "task " + task.name + ": " + toString(std::move(error));
    return;
  }
  turn.ran = true;
  if (turn.last > turn.round)
    beginFirstWhereLate(turn.task);
  if (own.getStopReason() != trajectory::StopReason::Done && own.getStopReason() != trajectory::StopReason::NoIdeasLeft)
    return;
  std::lock_guard<std::mutex> guard(storing);
  if (Error error = (*setup)->library.storeBest(own))
    turn.note = toString(std::move(error));
}

/// Takes what came of TURN.
Error NetworkSearch::settle(TaskRound &turn) {
  if (!turn.failure.empty())
    return createStringError(turn.failure);
  if (turn.gaveWay && stopReason == trajectory::StopReason::Done)
    stopReason = trajectory::StopReason::TimeIsUp;
  if (!turn.ran) // or the search was stopped before it began
    return Error::success();
  TaskSearch &task = tasks[turn.task];
  const trajectory::RunFolder &own = *task.run;
  if (!turn.note.empty())
    say(turn.note);
  auto ended = own.getStopReason();
  const bool wasCut = !ended || ended == trajectory::StopReason::Interrupted ||
                      ended == trajectory::StopReason::TimeIsUp || ended == trajectory::StopReason::TokensSpent ||
                      ended == trajectory::StopReason::MoneySpent;
  if (wasCut && stopReason == trajectory::StopReason::Done)
    stopReason = ended.value_or(trajectory::StopReason::Interrupted);
  // What a round that was cut short found counts all the same, but it is not done; round 0 is one kernel.
  const trajectory::BranchRecord *generic = own.findBranch(trajectory::branchId(0, 0));
  const bool hasGeneric = turn.round == 0 && generic && !generic->measurement.empty();
  const int last = !wasCut ? turn.last : hasGeneric && turn.last > 0 ? 0 : turn.round - 1;
  for (int round = turn.round; round <= last; ++round) {
    task.state.exhausted = (round == turn.last && ended == trajectory::StopReason::NoIdeasLeft) ||
                           none_of(own.getBranches(), [&](const auto &branch) { return branch.round == round; });
    const double before = task.state.bestUs.empty() ? 0 : task.state.bestUs.back();
    task.state.bestUs.push_back(bestOf(task, round).second);
    std::string line = task.name + " x " + std::to_string(task.state.count) + ", round " + std::to_string(round) + ": ";
    line += (before > 0 ? report::printTime(before) + " -> " : "") + report::printTime(task.state.bestUs.back());
    say(line);
  }
  return Error::success();
}

} // namespace kgen::search
