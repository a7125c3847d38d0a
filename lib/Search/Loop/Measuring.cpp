//===- Measuring.cpp - Compile, measure, record ---------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchLoop.h"

using namespace llvm;

namespace kgen::search {

/// Records MEASUREMENT and tells the world.
Error Search::finish(const Candidate &candidate, candidate::Measurement measurement, StringRef duplicateOf,
                     double deviceSeconds) {
  const trajectory::BranchRecord &record = candidate.record;
  if (run.getBaselines())
    measurement.baselines.insert(run.getBaselines()->begin(), run.getBaselines()->end());
  if (Error error = run.recordMeasurement(record.id, measurement.print(), duplicateOf, {"compile.log", "kernel.ptx"},
                                          deviceSeconds, record.refusal))
    return error;
  measured[record.id] = measurement;
  if (measurement.floorUs > 0)
    floorUs = measurement.floorUs;
  bool isBest = duplicateOf.empty() && measurement.beats(bestUs);
  if (isBest) {
    bestUs = measurement.timeUs;
    bestId = record.id;
  }
  if (record.round == 0)
    genericUs = measurement.timeUs;
  if (isBest)
    if (Error error = run.recordBest(record.id))
      return error;
  --branchesLeft;
  announce(record, measurement, duplicateOf, isBest);
  return Error::success();
}

void Search::announce(const trajectory::BranchRecord &branch, const candidate::Measurement &measurement,
                      StringRef sameAs, bool isBest) {
  report::BranchNews news;
  news.id = branch.id;
  news.idea = branch.idea.text;
  news.settings = branch.label;
  news.verdict = candidate::verdictName(measurement.verdict).str();
  news.detail = measurement.detail;
  news.sameAs = sameAs.str();
  news.timeUs = measurement.passed() ? measurement.timeUs : 0;
  news.genericUs = genericUs;
  auto eager = measurement.baselines.find("eager");
  news.eagerUs = eager == measurement.baselines.end() ? 0 : eager->second;
  news.floorUs = measurement.floorUs;
  news.isBest = isBest;
  env.progress.branchDone(news, branchesLeft);
}

Error Search::measure(Candidate &candidate) {
  const trajectory::BranchRecord &record = candidate.record;
  // A sibling may have had the same code.
  auto first = firstWithCode.find(codeHash(record));
  if (first != firstWithCode.end() && first->second != record.id && measured.count(first->second))
    return finish(candidate, measured[first->second], first->second);
  env.progress.activity("measuring " + record.id);
  double begin = env.clock.seconds();
  EvaluationJob job{folderOf(record.id), (run.getPath() + "/graph.mlir").str(), facts.flops, config.precision,
                    config.rules};
  // On a card a new best has to win beside the old one and to get through the sanitizer. The host's clock would
  // not be worth the time.
  job.promote = config.device != "host";
  job.profile = config.profile;
  if (!bestId.empty()) {
    job.incumbent = bestId;
    job.incumbentFolder = folderOf(bestId);
    job.incumbentUs = bestUs;
  }
  auto measurement = env.evaluator.evaluate(job);
  if (!measurement) {
    // One candidate that cannot be measured is its own fault as long as others can.
    if (record.round == 0 || env.stop || env.evaluator.deviceIsLost() || ++machineryErrors == 3)
      return measurement.takeError();
    return finish(candidate, rejected(candidate::Verdict::Reject,
                                      "could not be measured: " + toString(measurement.takeError()), config));
  }
  machineryErrors = 0;
  if (record.round == 0)
    for (const std::string &warning : measurement->warnings)
      env.progress.note("warning: " + warning);
  return finish(candidate, std::move(*measurement), "", env.clock.seconds() - begin);
}

/// PyTorch's times, once per run and before round 0 is recorded, so that every measurement has them.
Error Search::timeBaselines() {
  if (run.getBaselines() || config.pytorch.empty() || config.device == "host")
    return Error::success();
  if (env.sibling && env.sibling->getBaselines())
    return run.recordBaselines(*env.sibling->getBaselines(), "as timed for " + env.sibling->getPath().str());
  env.progress.activity("timing PyTorch on the same problem");
  std::string note;
  std::map<std::string, double> times = env.evaluator.timeBaselines(config.pytorch, note);
  if (!note.empty())
    env.progress.note("baselines: " + note);
  return run.recordBaselines(times, note);
}

Error Search::measureRound(std::vector<Candidate> &candidates) {
  std::vector<Candidate *> ready;
  for (Candidate &candidate : candidates)
    if (candidate.ready)
      ready.push_back(&candidate);
  if (ready.empty())
    return Error::success();
  env.progress.activity("compiling " + std::to_string(ready.size()) + " candidates");
  for (Candidate *candidate : ready)
    if (firstWithCode[codeHash(candidate->record)] == candidate->record.id)
      candidate->compiled = workers.async([this, folder = folderOf(candidate->record.id)] {
        if (!env.stop)
          env.evaluator.prepare(folder);
      });
  // On the host a compile beside a measurement would be in its time.
  if (config.device == "host")
    workers.wait();
  Error result = Error::success();
  for (Candidate *candidate : ready) {
    if (shouldStop())
      break;
    if (candidate->compiled.valid())
      candidate->compiled.wait();
    if (shouldStop())
      break;
    if (Error error = measure(*candidate)) {
      if (shouldStop()) // the evaluator was cut short: this branch is the one that is lost
        consumeError(std::move(error));
      else
        result = std::move(error);
      break;
    }
  }
  workers.wait();
  return result;
}

} // namespace kgen::search
