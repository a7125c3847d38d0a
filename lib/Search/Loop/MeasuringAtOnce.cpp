//===- MeasuringAtOnce.cpp - A round on several evaluators ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who measures a candidate, and in which order, is chance, so nothing may depend
// on it. Each candidate is measured once, by whoever is free, and recorded as it
// comes: provisionally, for cards of one model differ by some percent. Who of
// them may be the best is a contest (Contest.h): its sanitizer runs and its
// comparisons go to any card, and only who comes out of it is timed again on
// the run's reference, beside the best one so far. Only that makes a best one.
// All goes by what the journal holds, so that a run that was cut short goes on
// with as many evaluators as there are then.
//
//===----------------------------------------------------------------------===//

#include "Contest.h"
#include "SearchLoop.h"

#include <condition_variable>
#include <deque>
#include <mutex>

using namespace llvm;

namespace kgen::search {
namespace {

/// What threads tell the loop.
struct Event {
  const Candidate *candidate;
  std::optional<Expected<candidate::Measurement>> measurement; ///< none: it has been compiled
  double seconds = 0;
  std::optional<Contest::Step> step; ///< of the contest; none: its first measurement
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

/// One round on its way.
class Search::RoundAtOnce {
public:
  RoundAtOnce(Search &search, ArrayRef<Candidate *> fresh, ArrayRef<Candidate> all)
      : search(search), fresh(fresh), contest(fresh.size(), search.bestId, search.bestUs),
        // One more than evaluators each: nobody waits while a result is written down.
        most(search.env.evaluator.getWidth() > 1 ? 2 * size_t(search.env.evaluator.getWidth()) : 1),
        measurers(hardware_concurrency(unsigned(most + mostSteps))) {
    for (const Candidate &candidate : all)
      byId[candidate.record.id] = &candidate;
  }

  Error execute();

private:
  /// Of a contest at once: the leader's two, and its comparisons.
  static constexpr size_t mostSteps = 14;

  void begin(const Candidate &candidate, EvaluationJob job, std::optional<Contest::Step> step);
  void beginWhatMay();
  EvaluationJob makeStep(const Contest::Step &step) const;
  Error take(Event &event);
  Error takeFirst(Event &event);
  Error takeStep(Event &event);
  Error settleLeader();
  bool isUnderWay() const { return compiling || running; }

  Search &search;
  ArrayRef<Candidate *> fresh;
  Contest contest;
  const size_t most;
  DefaultThreadPool measurers;
  Events events;
  StringMap<const Candidate *> byId;
  std::deque<Candidate *> compiled;
  std::deque<Contest::Step> steps; ///< that may begin
  size_t compiling = 0, running = 0, runningFirst = 0, done = 0;
  bool ending = false; ///< nothing new is measured
  /// Of the leader: what its two looks said, what they took.
  std::optional<candidate::Measurement> retimed, checked;
  double leaderSeconds = 0;
  std::string leader;
  bool leaderUnknown = false;          ///< one of them could not be had
  std::vector<std::string> passedOver; ///< besides those of the contest
};

void Search::RoundAtOnce::begin(const Candidate &candidate, EvaluationJob job, std::optional<Contest::Step> step) {
  ++running;
  runningFirst += !step;
  measurers.async([this, &candidate, job = std::move(job), step = std::move(step)]() mutable {
    double seconds = 0;
    job.seconds = &seconds;
    auto measurement = search.env.evaluator.evaluate(job);
    events.post({&candidate, std::move(measurement), seconds, std::move(step)});
  });
}

EvaluationJob Search::RoundAtOnce::makeStep(const Contest::Step &step) const {
  EvaluationJob job = search.makeJob(step.id, /*promote=*/step.kind == Contest::Kind::Retime);
  job.isUrgent = true;
  if (step.kind == Contest::Kind::Retime)
    return job;
  job.profile = job.writesResults = false;
  job.what = step.kind == Contest::Kind::Check ? EvaluationJob::Sanitize : EvaluationJob::Compare;
  if (step.kind == Contest::Kind::Compare) {
    job.incumbent = step.rival;
    job.incumbentFolder = search.folderOf(step.rival);
    job.incumbentUs = 0;
  }
  return job;
}

void Search::RoundAtOnce::beginWhatMay() {
  if (!search.env.stop)
    for (Contest::Step &step : contest.takeSteps())
      steps.push_back(std::move(step));
  for (; !steps.empty() && (most > 1 || running == 0); steps.pop_front())
    begin(*byId[steps.front().id], makeStep(steps.front()), steps.front());
  for (; !ending && runningFirst < most && (most > 1 || running == 0) && !compiled.empty(); compiled.pop_front()) {
    EvaluationJob job = search.makeJob(compiled.front()->record.id, /*promote=*/false);
    job.incumbentUs = contest.getFastestUs();
    begin(*compiled.front(), std::move(job), std::nullopt);
  }
}

Error Search::RoundAtOnce::takeFirst(Event &event) {
  --runningFirst;
  ++done;
  Expected<candidate::Measurement> &measurement = *event.measurement;
  if (!measurement && (ending || search.env.stop)) { // the first error says what happened
    consumeError(measurement.takeError());
    return Error::success();
  }
  const std::string &id = event.candidate->record.id;
  if (Error error =
          search.take(*event.candidate, std::move(measurement), event.seconds, trajectory::Standing::Provisional))
    return error;
  if (search.run.findBranch(id)->standing == trajectory::Standing::Provisional)
    contest.measured(id, search.measured[id].timeUs);
  else
    contest.failed();
  return Error::success();
}

Error Search::RoundAtOnce::takeStep(Event &event) {
  const Contest::Step &step = *event.step;
  Expected<candidate::Measurement> &measurement = *event.measurement;
  const bool isLeader = step.kind != Contest::Kind::Compare;
  if (isLeader) {
    leader = step.id;
    leaderSeconds += event.seconds;
  }
  if (!measurement) {
    if (search.env.stop || search.env.evaluator.deviceIsLost())
      return measurement.takeError();
    search.env.progress.note(step.id +
                             (step.kind == Contest::Kind::Check     ? " could not be looked at by the sanitizer: "
                              : step.kind == Contest::Kind::Compare ? " could not be compared: "
                                                                    : " could not be timed again: ") +
                             toString(measurement.takeError()));
    leaderUnknown |= isLeader;
  }
  switch (step.kind) {
  case Contest::Kind::Retime: {
    Contest::Outcome outcome = Contest::Outcome::Wrong;
    if (measurement) {
      retimed = std::move(*measurement);
      if (retimed->passed())
        outcome = retimed->beats(search.bestUs) ? Contest::Outcome::Best : Contest::Outcome::Lost;
    }
    contest.retimed(outcome, retimed ? retimed->timeUs : 0);
    break;
  }
  case Contest::Kind::Check:
    contest.checked(measurement && measurement->passed());
    if (measurement)
      checked = std::move(*measurement);
    break;
  case Contest::Kind::Compare:
    if (measurement && measurement->passed() && measurement->speed)
      contest.compared(step.id, measurement->speed->low);
    else
      contest.dropped(step.id); // without a comparison it is no faster, for all that is known
    break;
  }
  return contest.leaderIsKnown() ? settleLeader() : Error::success();
}

/// Records what the leader's two looks said as one measurement.
Error Search::RoundAtOnce::settleLeader() {
  contest.settleLeader();
  auto again = std::exchange(retimed, std::nullopt), seen = std::exchange(checked, std::nullopt);
  const double seconds = std::exchange(leaderSeconds, 0.0);
  if (std::exchange(leaderUnknown, false)) {
    passedOver.push_back(leader);
    return Error::success();
  }
  search.checked.insert(leader);
  addLook(*again, *seen);
  return search.finish(*byId[leader], std::move(*again), "", seconds, trajectory::Standing::TimedAgain);
}

Error Search::RoundAtOnce::take(Event &event) {
  if (!event.measurement) {
    --compiling;
    // Its thread only filled the cache: what is measured is the same either way.
    compiled.push_back(const_cast<Candidate *>(event.candidate));
    return Error::success();
  }
  --running;
  return event.step ? takeStep(event) : takeFirst(event);
}

Error Search::RoundAtOnce::execute() {
  // Those that an earlier process measured, and nobody settled.
  for (const auto &[id, candidate] : byId)
    if (const trajectory::BranchRecord *branch = search.run.findBranch(id);
        branch && branch->standing == trajectory::Standing::Provisional)
      contest.measured(id, search.measured[branch->id].timeUs, /*wasExpected=*/false);
  compiling = fresh.size();
  for (Candidate *candidate : fresh)
    search.workers.async([this, candidate, folder = search.folderOf(candidate->record.id)] {
      if (!search.env.stop)
        search.env.evaluator.prepare(folder);
      events.post({candidate, std::nullopt, 0, std::nullopt});
    });
  // On the host a compile beside a measurement would be in its time.
  if (search.config.device == "host")
    search.workers.wait();
  Error result = Error::success();
  while (isUnderWay() || !contest.isOver()) {
    if (!ending && search.shouldStop()) {
      ending = true;
      contest.endMeasuring();
    }
    if (!result)
      beginWhatMay();
    if (!isUnderWay())
      break; // it was stopped
    if (!fresh.empty())
      search.env.progress.activity("measuring on " + std::to_string(search.env.evaluator.getWidth()) + " evaluators: " +
                                   std::to_string(done) + " of " + std::to_string(fresh.size()) + " candidates");
    std::optional<Event> event = events.wait();
    search.passOnNotes();
    if (!event)
      continue;
    if (Error error = take(*event)) {
      if (result)
        consumeError(std::move(error));
      else
        result = std::move(error);
      ending = true;
    }
  }
  measurers.wait();
  search.workers.wait();
  if (search.env.stop) { // evaluators were cut short: these branches are those that are lost
    consumeError(std::move(result));
    return Error::success();
  }
  if (result)
    return result;
  append_range(passedOver, contest.getPassedOver());
  return passedOver.empty() ? Error::success() : search.run.recordPassedOver(passedOver);
}

Error Search::measureAtOnce(ArrayRef<Candidate *> fresh, ArrayRef<Candidate> all) {
  return RoundAtOnce(*this, fresh, all).execute();
}

} // namespace kgen::search
