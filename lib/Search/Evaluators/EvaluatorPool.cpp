//===- EvaluatorPool.cpp - Several evaluators as one ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EvaluatorPool.h"

#include "kgen/Toolchain/Process.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/Twine.h"

#include <chrono>

using namespace llvm;

namespace kgen::search {

using toolchain::monotonicSeconds;

/// How long the others wait for an evaluator that could become the reference, or is it and starts again, in seconds.
static constexpr double referencePatience = 20;
/// Ends in a row after which an evaluator is not started again.
static constexpr int mostFruitless = 5, mostFailedStarts = 3;
/// A job in which so many evaluators ended is taken from the search: perhaps it is its fault.
static constexpr int mostEnds = 6;
static constexpr std::chrono::milliseconds tick(100); ///< how long Ctrl-C may take

EvaluatorPool::EvaluatorPool(std::vector<PoolMember> members, const std::atomic<bool> &stop)
    : stop(stop), lanes(members.size()), begun(monotonicSeconds()) {
  for (auto [lane, member] : zip(lanes, members)) {
    lane.member = std::move(member);
    lane.since = begun;
  }
  for (size_t i = 0; i < lanes.size(); ++i)
    lanes[i].thread = std::thread([this, i] { runLane(i); });
}

EvaluatorPool::~EvaluatorPool() {
  {
    Guard guard(mutex);
    closing = true;
    change.notify_all();
  }
  for (Lane &lane : lanes)
    lane.thread.join();
}

//===----------------------------------------------------------------------===//
// One evaluator's life
//===----------------------------------------------------------------------===//

void EvaluatorPool::runLane(size_t index) {
  Lane &lane = lanes[index];
  Guard guard(mutex);
  while (!isOver() && lane.state != Lane::Left) {
    if (lane.state == Lane::Starting) {
      guard.unlock();
      startLane(index);
      guard.lock();
      continue;
    }
    if (revealed) {
      change.wait_for(guard, tick);
      continue;
    }
    if (const Work *first = findCrowded(); first && areNeighbours(index, first->home)) {
      giveRoom(lane, first->room, guard);
      continue;
    }
    if (admission && !lane.admitted) {
      if (index == reference) {
        lane.admitted = true; // it measures that candidate itself
        continue;
      }
      EvaluationJob job = *admission;
      lane.busy = true;
      guard.unlock();
      admitLane(index, job);
      guard.lock();
      lane.busy = false;
      continue;
    }
    Work *work = findWork(index);
    if (!work) {
      change.wait_for(guard, tick);
      settleReference();
      continue;
    }
    std::shared_ptr<CandidateEvaluator> evaluator = lane.evaluator;
    lane.busy = true;
    double start = monotonicSeconds();
    guard.unlock();
    auto result = evaluator->evaluate(*work->job);
    guard.lock();
    if (work->job->seconds)
      *work->job->seconds = monotonicSeconds() - start;
    lane.busy = false;
    if (alone == work)
      alone = nullptr;
    if (!result && result.errorIsA<EvaluatorLost>()) {
      bool forGood = false;
      std::string why;
      handleAllErrors(result.takeError(), [&](const EvaluatorLost &lost) {
        forGood = lost.forGood;
        why = lost.message();
      });
      lane.evaluator.reset();
      lane.state = Lane::Starting;
      lane.since = monotonicSeconds();
      returnWork(*work, index, why);
      if (forGood)
        leave(index, why);
      else if (++lane.fruitless == mostFruitless)
        leave(index, "it ended " + std::to_string(mostFruitless) + " times in a row: " + why);
      else
        note(lane.member.name + ": " + why + "; its candidate goes to whoever is free, and it is started again");
      guard.unlock();
      evaluator.reset(); // waits for its processes
      guard.lock();
      continue;
    }
    lane.fruitless = 0;
    if (result && candidate::lacksRoom(*result) && !work->room && hasNeighbours(index)) {
      note(lane.member.name + ": " + result->detail + "; the others of its card make room, and it is measured again");
      work->room = ++rooms;
      work->home = index;
      crowded.push_back(work);
      change.notify_all();
      continue;
    }
    if (result)
      result->device += lane.mark;
    work->result.emplace(std::move(result));
    change.notify_all();
  }
  settleReference();
  change.notify_all();
  // A search that was stopped still asks the ready ones what they measured on.
  change.wait(guard, [&] { return closing || lane.state != Lane::Ready; });
  lane.state = Lane::Left;
  auto last = std::move(lane.evaluator);
  guard.unlock();
  last.reset(); // waits for its processes
}

/// Has LANE give back what it keeps on its card, for the work with number ROOM, or wait until that is done.
void EvaluatorPool::giveRoom(Lane &lane, uint64_t room, Guard &guard) {
  if (lane.roomGiven >= room) {
    change.wait_for(guard, tick);
    return;
  }
  std::shared_ptr<CandidateEvaluator> evaluator = lane.evaluator;
  lane.busy = true;
  guard.unlock();
  evaluator->makeRoom();
  guard.lock();
  lane.busy = false;
  lane.roomGiven = room;
  change.notify_all();
}

/// Starts the evaluator of lane INDEX once. False: not this time.
bool EvaluatorPool::startLane(size_t index) {
  Lane &lane = lanes[index];
  auto opened = lane.member.open(
      [&](StringRef words) {
        Guard guard(mutex);
        if (words != lane.saying)
          note(lane.member.name + " is waited for: " + words.str());
        lane.saying = words.str();
      },
      [this] { return isOver(); });
  Guard guard(mutex);
  lane.saying.clear();
  if (!opened) {
    bool forGood = opened.errorIsA<EvaluatorLost>();
    std::string why = toString(opened.takeError());
    if (isOver())
      return false;
    if (forGood || ++lane.failedStarts == mostFailedStarts || lanes.size() == 1) {
      leave(index, "it cannot be started: " + why);
      return false;
    }
    note(lane.member.name + " cannot be started, once more soon: " + why);
    change.wait_for(guard, std::chrono::seconds(lane.failedStarts), [&] { return isOver(); });
    return false;
  }
  lane.failedStarts = 0;
  DeviceFacts own = (*opened)->getDevice();
  std::string why;
  if (!isAlike(index, own, why)) {
    leave(index, why);
    return false;
  }
  if (!lane.member.mark.empty())
    lane.mark = " (" + lane.member.mark +
                (lane.member.elsewhere && !own.machine.empty() ? ", " + own.machine : std::string()) + ")";
  lane.evaluator = std::move(*opened);
  lane.state = Lane::Ready;
  lane.admitted = false;
  settleReference();
  change.notify_all();
  return true;
}

bool EvaluatorPool::isAlike(size_t index, const DeviceFacts &own, std::string &why) const {
  if (!facts)
    return true;
  if (own.model != facts->model || own.chip.arch != facts->chip.arch || own.isHost() != facts->isHost())
    why = "it has " + (own.model.empty() ? own.name : own.model) + ", the run is on " +
          (facts->model.empty() ? facts->name : facts->model) + ": their times cannot be compared";
  else if (own.compiler != facts->compiler)
    why = "its compiler is " + own.compiler + ", the run's is " + facts->compiler + ": their kernels are not the same";
  return why.empty();
}

/// Has lane INDEX find the first candidate right. False: it leaves, or has to be started again.
bool EvaluatorPool::admitLane(size_t index, const EvaluationJob &job) {
  Lane &lane = lanes[index];
  std::shared_ptr<CandidateEvaluator> evaluator = lane.evaluator;
  auto result = evaluator->evaluate(job);
  Guard guard(mutex);
  if (result && result->passed()) {
    lane.admitted = true;
    return true;
  }
  bool endedAlone = !result && result.errorIsA<EvaluatorLost>();
  std::string why =
      result ? candidate::verdictName(result->verdict).str() + ": " + result->detail : toString(result.takeError());
  if (isOver())
    return false;
  lane.evaluator.reset();
  lane.state = Lane::Starting;
  lane.since = monotonicSeconds();
  if (!endedAlone || evaluator->deviceIsLost())
    leave(index, "it does not find the run's first kernel right: " + why);
  else if (++lane.fruitless == mostFruitless)
    leave(index, "it ended " + std::to_string(mostFruitless) + " times in a row: " + why);
  else
    note(lane.member.name + ": " + why + "; it is started again");
  return false;
}

void EvaluatorPool::leave(size_t index, const std::string &why) {
  Lane &lane = lanes[index];
  lane.state = Lane::Left; // its thread ends the evaluator
  lastReason = lane.member.name + ": " + why;
  size_t left = count_if(lanes, [](const Lane &other) { return other.state != Lane::Left; });
  note(lane.member.name + " takes no part any more: " + why + "; " + std::to_string(left) + " left");
  settleReference();
  // Who had no room beside others is measured like anybody else.
  for (Work *work : std::exchange(crowded, {}))
    (work->home == index || left == 0 ? queue : crowded).push_back(work);
  if (left == 0)
    for (Work *work : std::exchange(queue, {}))
      work->result.emplace(createStringError("no evaluator is left; " + lastReason));
  change.notify_all();
}

//===----------------------------------------------------------------------===//
// Who does what
//===----------------------------------------------------------------------===//

/// The reference stays who it is while it can; else it is the first one that is ready.
void EvaluatorPool::settleReference() {
  double now = monotonicSeconds();
  auto mayBecome = [&](const Lane &lane) {
    return lane.state == Lane::Starting && now - (facts ? lane.since : begun) < referencePatience;
  };
  if (reference != SIZE_MAX && (lanes[reference].state == Lane::Ready || mayBecome(lanes[reference])))
    return;
  for (size_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i].state == Lane::Ready) {
      if (facts)
        note(lanes[i].member.name + " is the run's reference from here on");
      else
        facts = lanes[i].evaluator->getDevice();
      reference = i;
      // Who started earlier than the reference was not compared with it.
      for (size_t other = 0; other < lanes.size(); ++other)
        if (std::string why;
            lanes[other].state == Lane::Ready && !isAlike(other, lanes[other].evaluator->getDevice(), why))
          leave(other, why);
      change.notify_all();
      return;
    }
    // The first one is preferred, so that a run on the same devices has the same reference.
    if (!facts && mayBecome(lanes[i]))
      return;
  }
}

/// Whether lanes ONE and OTHER are two that share a card.
bool EvaluatorPool::areNeighbours(size_t one, size_t other) const {
  if (one == other || lanes[one].state != Lane::Ready || lanes[other].state != Lane::Ready)
    return false;
  const DeviceFacts ours = lanes[one].evaluator->getDevice(), theirs = lanes[other].evaluator->getDevice();
  return !ours.isHost() && ours.name == theirs.name && ours.machine == theirs.machine;
}

bool EvaluatorPool::hasNeighbours(size_t index) const {
  return any_of(seq(size_t(0), lanes.size()), [&](size_t other) { return areNeighbours(index, other); });
}

EvaluatorPool::Work *EvaluatorPool::findWork(size_t index) {
  if (!alone && !crowded.empty() && crowded.front()->home == index) {
    // It waits until nobody else has anything on the card.
    for (size_t other = 0; other < lanes.size(); ++other)
      if (areNeighbours(index, other) && (lanes[other].busy || lanes[other].roomGiven < crowded.front()->room))
        return nullptr;
    alone = crowded.front();
    crowded.pop_front();
    return alone;
  }
  for (auto it = queue.begin(); it != queue.end(); ++it) {
    Work *work = *it;
    if (work->job->onReference ? index != reference : false)
      continue;
    // So one task's times are all of one card; one that starts is waited for a while.
    const size_t wanted = size_t(std::max(work->job->lane, 0)) % lanes.size();
    const Lane &own = lanes[wanted];
    const bool isComing = own.state == Lane::Starting && monotonicSeconds() - own.since < referencePatience;
    if (work->job->lane >= 0 && wanted != index && (own.state == Lane::Ready || isComing) &&
        !work->endedOn.count(wanted))
      continue;
    // Somebody else may have more luck with it.
    auto couldDo = [&](size_t other) {
      return lanes[other].state == Lane::Ready && !work->endedOn.count(other) &&
             (!work->job->onReference || other == reference);
    };
    if (work->endedOn.count(index) && any_of(seq(size_t(0), lanes.size()), couldDo))
      continue;
    queue.erase(it);
    return work;
  }
  return nullptr;
}

/// Lane INDEX ended in the middle of WORK.
void EvaluatorPool::returnWork(Work &work, size_t index, const std::string &why) {
  work.endedOn.insert(index);
  if (++work.ends == mostEnds)
    work.result.emplace(
        createStringError("its evaluator ended " + std::to_string(work.ends) + " times in the middle of it: " + why));
  else
    queue.push_front(&work);
  change.notify_all();
}

//===----------------------------------------------------------------------===//
// What the search sees
//===----------------------------------------------------------------------===//

Error EvaluatorPool::waitForReference(const Listener &say) {
  Guard guard(mutex);
  // At first soon, then rarely: a queue may take hours.
  double nextWord = begun + 3, pause = 10;
  while (reference == SIZE_MAX) {
    if (stop)
      return createStringError("interrupted");
    if (none_of(lanes, [](const Lane &lane) { return lane.state != Lane::Left; }))
      return createStringError(lanes.size() == 1 ? lastReason : "no evaluator can be started; " + lastReason);
    std::vector<std::string> lines = std::move(notes);
    notes.clear();
    if (monotonicSeconds() > nextWord) {
      for (const Lane &lane : lanes)
        if (lane.state == Lane::Starting)
          lines.push_back("waiting for " + lane.member.name + (lane.saying.empty() ? "" : ": " + lane.saying));
      nextWord = monotonicSeconds() + pause;
      pause = std::min(pause * 2, 600.0);
    }
    if (!lines.empty()) {
      guard.unlock();
      for (const std::string &line : lines)
        say(line);
      guard.lock();
    }
    change.wait_for(guard, tick);
    settleReference();
  }
  return Error::success();
}

DeviceFacts EvaluatorPool::getDevice() const {
  Guard guard(mutex);
  return *facts;
}

/// One of those that are ready; null: there is none.
std::shared_ptr<CandidateEvaluator> EvaluatorPool::anyEvaluator() const {
  Guard guard(mutex);
  for (const Lane &lane : lanes)
    if (lane.evaluator)
      return lane.evaluator;
  return nullptr;
}

void EvaluatorPool::prepare(StringRef folder) {
  if (std::shared_ptr<CandidateEvaluator> evaluator = anyEvaluator())
    evaluator->prepare(folder);
}

bool EvaluatorPool::compiles(StringRef cuda, double seconds) {
  std::shared_ptr<CandidateEvaluator> evaluator = anyEvaluator();
  return !evaluator || evaluator->compiles(cuda, seconds);
}

void EvaluatorPool::learn(ArrayRef<EvaluationJob> jobs) {
  std::vector<std::thread> threads;
  {
    Guard guard(mutex);
    // Those that start at the same time are there soon.
    change.wait_for(guard, std::chrono::duration<double>(referencePatience), [&] {
      return isOver() || none_of(lanes, [](const Lane &lane) { return lane.state == Lane::Starting; });
    });
    for (size_t i = 0; i < lanes.size(); ++i) {
      const Lane &lane = lanes[i];
      std::vector<EvaluationJob> own;
      copy_if(jobs, std::back_inserter(own),
              [&](const EvaluationJob &job) { return job.lane < 0 || size_t(job.lane) % lanes.size() == i; });
      if (lane.state == Lane::Ready && !lane.busy)
        threads.emplace_back([evaluator = lane.evaluator, own = std::move(own)] { evaluator->learn(own); });
    }
  }
  for (std::thread &thread : threads)
    thread.join();
}

Expected<candidate::Measurement> EvaluatorPool::evaluate(const EvaluationJob &job) {
  Work work;
  work.job = &job;
  Guard guard(mutex);
  if (stop)
    return createStringError("interrupted");
  if (none_of(lanes, [](const Lane &lane) { return lane.state != Lane::Left; }))
    return createStringError("no evaluator is left; " + lastReason);
  if (job.isUrgent)
    queue.insert(find_if(queue, [](const Work *other) { return !other->job->isUrgent; }), &work);
  else
    queue.push_back(&work);
  change.notify_all();
  while (!work.result) {
    change.wait_for(guard, tick);
    // All threads may have ended before this was queued.
    if (!work.result && stop && (is_contained(queue, &work) || is_contained(crowded, &work))) {
      erase(queue, &work);
      erase(crowded, &work);
      return createStringError("interrupted");
    }
  }
  return std::move(*work.result);
}

bool EvaluatorPool::deviceIsLost() const {
  Guard guard(mutex);
  return none_of(lanes, [](const Lane &lane) { return lane.state != Lane::Left; });
}

void EvaluatorPool::setAdmission(const EvaluationJob &job) {
  Guard guard(mutex);
  admission = job;
  admission->time = false;
  admission->writesResults = false;
  change.notify_all();
}

std::vector<std::string> EvaluatorPool::takeNotes() {
  Guard guard(mutex);
  std::vector<std::string> lines = std::move(notes);
  notes.clear();
  return lines;
}

std::vector<std::string> EvaluatorPool::revealInputs() {
  std::vector<std::shared_ptr<CandidateEvaluator>> ready;
  {
    Guard guard(mutex);
    revealed = true;
    for (const Lane &lane : lanes)
      if (lane.state == Lane::Ready && !lane.busy)
        ready.push_back(lane.evaluator);
  }
  std::vector<std::string> seeds;
  for (const auto &evaluator : ready)
    append_range(seeds, evaluator->revealInputs());
  return seeds;
}

std::map<std::string, double> EvaluatorPool::timeBaselines(StringRef file, std::string &note) {
  std::shared_ptr<CandidateEvaluator> evaluator;
  {
    Guard guard(mutex);
    if (reference != SIZE_MAX)
      evaluator = lanes[reference].evaluator;
  }
  if (!evaluator) {
    note = "the run's reference is not there";
    return {};
  }
  return evaluator->timeBaselines(file, note);
}

Expected<std::unique_ptr<CandidateEvaluator>> createEvaluatorPool(std::vector<PoolMember> members,
                                                                  const std::atomic<bool> &stop, const Listener &say) {
  auto pool = std::make_unique<EvaluatorPool>(std::move(members), stop);
  if (Error error = pool->waitForReference(say))
    return std::move(error);
  return pool;
}

} // namespace kgen::search
