//===- Checking.cpp - The sanitizer looks at the best kernel --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// compute-sanitizer takes a few hundred times as long as the kernel that it
// watches, and nothing can be timed beside it. So it does not look at every new
// best kernel of a round, but at the one with which the round ends, for a tenth
// of the time that the round took, and at the one with which the search ends.
//
//===----------------------------------------------------------------------===//

#include "SearchLoop.h"

#include <algorithm>

using namespace llvm;

namespace kgen::search {

void addLook(candidate::Measurement &known, const candidate::Measurement &saw) {
  known.sanitizer = saw.sanitizer;
  for (const auto &[name, took] : saw.phases)
    known.phases[name] += took;
  append_range(known.warnings, saw.warnings);
  if (known.passed() && !saw.passed()) {
    known.verdict = saw.verdict;
    known.detail = saw.detail;
  }
}

Error Search::recordLook(const candidate::Measurement &saw, double seconds) {
  const std::string id = bestId;
  candidate::Measurement &known = measured[id];
  addLook(known, saw);
  const trajectory::BranchRecord *branch = run.findBranch(id);
  if (Error error =
          run.recordMeasurement(id, known.print(), "", {}, seconds, branch->refusal, trajectory::Standing::Checked))
    return error;
  if (saw.passed())
    return Error::success();
  env.progress.note(id + " is not the best one after all: " + candidate::verdictName(known.verdict).str() + ": " +
                    known.detail);
  bestId.clear();
  bestUs = 0;
  for (const trajectory::BranchRecord &other : run.getBranches()) {
    auto it = measured.find(other.id);
    if (it != measured.end())
      considerAsBest(other, it->second);
  }
  if (bestId.empty())
    return createStringError("no kernel is right: " + id + ": " + candidate::verdictName(known.verdict) + ": " +
                             known.detail);
  return run.recordBest(bestId);
}

Error Search::lookAtBest(double limit, bool isLast) {
  while (isToBeChecked() && !env.stop) {
    const std::string id = bestId;
    // Round 0's kernel of a large problem that nothing has taken the place of.
    constexpr double tooSlow = 10e3; // microseconds
    candidate::Measurement saw;
    double seconds = 0;
    if (id == trajectory::branchId(0, 0) && bestUs > tooSlow) {
      saw.verdict = candidate::Verdict::Pass;
      saw.sanitizer = "not run: the search's first kernel takes more than 10 ms, with which the tools take long";
    } else {
      env.progress.activity("compute-sanitizer looks at " + id);
      EvaluationJob job = makeJob(id, /*promote=*/false);
      job.what = EvaluationJob::Sanitize;
      job.profile = job.writesResults = false;
      job.checkSeconds = limit;
      job.knownUs = bestUs;
      job.seconds = &seconds;
      const double begin = env.clock.seconds();
      auto measurement = env.evaluator.evaluate(job);
      passOnNotes();
      if (!measurement) {
        if (env.evaluator.deviceIsLost())
          return measurement.takeError();
        if (env.stop) { // the user does not wait for it; going on with the run does it again
          consumeError(measurement.takeError());
          stopReason = trajectory::StopReason::Interrupted;
          return Error::success();
        }
        checked.insert(id);
        env.progress.note(id + " could not be looked at by the sanitizer: " + toString(measurement.takeError()));
        return Error::success();
      }
      if (seconds <= 0)
        seconds = env.clock.seconds() - begin;
      saw = std::move(*measurement);
      auto took = saw.phases.find("sanitizer");
      const bool isCut = (took != saw.phases.end() && took->second >= limit) ||
                         StringRef(saw.sanitizer).contains(candidate::sanitizerLeftOut);
      if (!isLast && saw.passed() && limit > 0 && isCut) {
        checkedInPart.insert(id);
        return Error::success();
      }
    }
    checked.insert(id);
    if (Error error = recordLook(saw, seconds))
      return error;
  }
  return Error::success();
}

Error Search::lookBetweenRounds(double seconds) {
  if (checkedInPart.count(bestId))
    return Error::success();
  constexpr double share = 0.1, least = 3; // four tools need as much for a kernel of microseconds
  return lookAtBest(config.maxMinutes > 0 ? std::max(share * seconds, least) : 0, /*isLast=*/false);
}

Error Search::lookAtLast() {
  constexpr double share = 0.25, least = 10, most = 30;
  return lookAtBest(config.maxMinutes > 0 ? std::clamp(share * 60 * config.maxMinutes, least, most) : 0,
                    /*isLast=*/true);
}

} // namespace kgen::search
