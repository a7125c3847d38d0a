//===- MeasuringAtOnce.cpp - A round on several evaluators ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who measures a candidate, and in which order, is chance, so nothing may depend
// on it. Each candidate is measured once, by whoever is free, and recorded as it
// comes: provisionally, for cards of one model differ by some percent. When all
// of them are there, those that could be the best are timed again, beside the
// best one so far, on the run's reference. Only that makes a best one. Both
// steps go by what the journal holds, so that a run that was cut short goes on
// with as many evaluators as there are then.
//
//===----------------------------------------------------------------------===//

#include "SearchLoop.h"

#include "llvm/ADT/StringExtras.h"

#include <condition_variable>
#include <deque>
#include <mutex>

using namespace llvm;

namespace kgen::search {
namespace {

/// A time that was not taken on the reference may be so much too long.
constexpr double margin = 1.01;
/// So many of one round are timed again at most.
constexpr int mostContenders = 6;

/// What threads tell the loop.
struct Event {
  Candidate *candidate;
  std::optional<Expected<candidate::Measurement>> measurement; ///< none: it has been compiled
  double seconds = 0;
  bool again = false; ///< it was timed again
};

class Events {
public:
  void post(Event event) {
    std::lock_guard<std::mutex> guard(mutex);
    events.push_back(std::move(event));
    change.notify_one();
  }
  std::optional<Event> wait() {
    std::unique_lock<std::mutex> guard(mutex);
    constexpr std::chrono::milliseconds tick(100); // how long Ctrl-C may take
    change.wait_for(guard, tick, [&] { return !events.empty(); });
    if (events.empty())
      return std::nullopt;
    Event event = std::move(events.front());
    events.pop_front();
    return event;
  }

private:
  std::mutex mutex;
  std::condition_variable change;
  std::deque<Event> events;
};

} // namespace

Error Search::measureAtOnce(ArrayRef<Candidate *> fresh) {
  // One more than evaluators each: nobody waits while a result is written down.
  const size_t most = 2 * size_t(env.evaluator.getWidth());
  Events events;
  std::deque<Candidate *> compiled;
  size_t compiling = fresh.size(), inFlight = 0, done = 0;
  DefaultThreadPool measurers(hardware_concurrency(unsigned(most) + 1));
  for (Candidate *candidate : fresh)
    workers.async([this, candidate, &events, folder = folderOf(candidate->record.id)] {
      if (!env.stop)
        env.evaluator.prepare(folder);
      events.post({candidate, std::nullopt, 0, /*again=*/false});
    });
  // On the host a compile beside a measurement would be in its time.
  if (config.device == "host")
    workers.wait();
  Error result = Error::success();
  bool ending = false, timingAgain = false, timesAgain = true;
  // The last quarter of a round probably does not hold its fastest: the reference need not wait for it.
  auto timeFastestAgain = [&] {
    constexpr size_t fewest = 8;
    if (ending || timingAgain || !timesAgain || fresh.size() < fewest || 4 * (fresh.size() - done) > fresh.size())
      return;
    Candidate *fastest = nullptr;
    for (Candidate *candidate : fresh)
      if (run.findBranch(candidate->record.id)->standing == trajectory::Standing::Provisional &&
          (!fastest || measured[candidate->record.id].timeUs < measured[fastest->record.id].timeUs))
        fastest = candidate;
    if (!fastest || (bestUs > 0 && measured[fastest->record.id].timeUs >= bestUs))
      return;
    timingAgain = true;
    measurers.async([this, fastest, &events, job = makeJob(fastest->record.id, /*promote=*/true)]() mutable {
      double seconds = 0;
      job.seconds = &seconds;
      auto measurement = env.evaluator.evaluate(job);
      events.post({fastest, std::move(measurement), seconds, /*again=*/true});
    });
  };
  while (compiling || inFlight || timingAgain || (!ending && !compiled.empty())) {
    ending = ending || shouldStop();
    timeFastestAgain();
    for (; !ending && inFlight < most && !compiled.empty(); ++inFlight, compiled.pop_front())
      measurers.async([this, candidate = compiled.front(), &events,
                       job = makeJob(compiled.front()->record.id, /*promote=*/false)]() mutable {
        double seconds = 0;
        job.seconds = &seconds;
        auto measurement = env.evaluator.evaluate(job);
        events.post({candidate, std::move(measurement), seconds, /*again=*/false});
      });
    env.progress.activity("measuring on " + std::to_string(env.evaluator.getWidth()) + " evaluators: " +
                          std::to_string(done) + " of " + std::to_string(fresh.size()) + " candidates");
    std::optional<Event> event = events.wait();
    passOnNotes();
    if (!event)
      continue;
    if (!event->measurement) {
      --compiling;
      compiled.push_back(event->candidate);
      continue;
    }
    Expected<candidate::Measurement> &measurement = *event->measurement;
    if (event->again) {
      timingAgain = false;
      if (!measurement) { // settle() tries once more, and says what is wrong
        consumeError(measurement.takeError());
        timesAgain = false;
      } else if (Error error = finish(*event->candidate, std::move(*measurement), "", event->seconds,
                                      trajectory::Standing::TimedAgain)) {
        if (result)
          consumeError(std::move(error));
        else
          result = std::move(error);
        ending = true;
      }
      continue;
    }
    --inFlight;
    ++done;
    if (!measurement && (ending || env.stop)) { // the first error says what happened
      consumeError(measurement.takeError());
      continue;
    }
    if (Error error =
            take(*event->candidate, std::move(measurement), event->seconds, trajectory::Standing::Provisional)) {
      if (result)
        consumeError(std::move(error));
      else
        result = std::move(error);
      ending = true;
    }
  }
  measurers.wait();
  workers.wait();
  if (!result || !env.stop)
    return result;
  consumeError(std::move(result)); // evaluators were cut short: these branches are those that are lost
  return Error::success();
}

Error Search::settle(ArrayRef<Candidate> candidates) {
  std::vector<const Candidate *> waiting;
  int again = 0;
  for (const Candidate &candidate : candidates)
    if (const trajectory::BranchRecord *branch = run.findBranch(candidate.record.id)) {
      again += branch->standing == trajectory::Standing::TimedAgain;
      if (branch->standing == trajectory::Standing::Provisional)
        waiting.push_back(&candidate);
    }
  sort(waiting, [&](const Candidate *a, const Candidate *b) {
    return std::pair(measured[a->record.id].timeUs, a->record.id) <
           std::pair(measured[b->record.id].timeUs, b->record.id);
  });
  std::vector<std::string> passedOver;
  for (const Candidate *candidate : waiting) {
    if (env.stop)
      return Error::success(); // whoever goes on sees what is left
    const std::string &id = candidate->record.id;
    if (again == mostContenders || (bestUs > 0 && measured[id].timeUs >= bestUs * margin)) {
      passedOver.push_back(id);
      continue;
    }
    ++again;
    env.progress.activity("timing " + id + " again, beside the best so far");
    double seconds = 0;
    EvaluationJob job = makeJob(id, /*promote=*/true);
    job.seconds = &seconds;
    auto measurement = env.evaluator.evaluate(job);
    passOnNotes();
    if (!measurement && env.stop) {
      consumeError(measurement.takeError());
      return Error::success();
    }
    if (!measurement && env.evaluator.deviceIsLost())
      return measurement.takeError();
    if (!measurement) {
      env.progress.note(id + " could not be timed again: " + toString(measurement.takeError()));
      passedOver.push_back(id);
      continue;
    }
    if (Error error = finish(*candidate, std::move(*measurement), "", seconds, trajectory::Standing::TimedAgain))
      return error;
  }
  return passedOver.empty() ? Error::success() : run.recordPassedOver(passedOver);
}

} // namespace kgen::search
