//===- Search.cpp - The rounds of a search --------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchLoop.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace kgen::search {

static constexpr StringLiteral genericText = "Every op by the generic path: correct, coalesced, no directives.";

std::string codeHash(const trajectory::BranchRecord &branch) {
  auto cuda = branch.files.find("kernel.cu"), plan = branch.files.find("plan.json");
  if (cuda == branch.files.end() || plan == branch.files.end())
    return "";
  return cuda->second + plan->second;
}

candidate::Measurement rejected(candidate::Verdict verdict, std::string detail, const SearchConfig &config) {
  candidate::Measurement measurement;
  measurement.verdict = verdict;
  measurement.detail = std::move(detail);
  measurement.device = config.device;
  measurement.precision = config.precision;
  return measurement;
}

Error Search::execute() {
  startSeconds = env.clock.seconds();
  secondsBefore = run.getSecondsSpent();
  for (const trajectory::BranchRecord &branch : run.getBranches())
    triedAfterGeneric += branch.round > 0 && !branch.measurement.empty() && branch.duplicateOf.empty();
  prices = config.prices;
  if (Error error = run.recordStart(env.compiler.getGenerator()))
    return error;
  Error error = executeRounds();
  if (!error && !env.stop)
    error = lookAtLast();
  if (Error unsaved = run.commit()) {
    if (error)
      consumeError(std::move(unsaved));
    else
      error = std::move(unsaved);
  }
  // A process that died between a measurement and the link left the link behind.
  if (!error && !bestId.empty())
    error = run.recordBest(bestId);
  trajectory::StopReason reason = error ? trajectory::StopReason::Error : stopReason;
  std::vector<std::string> seeds = error ? std::vector<std::string>() : env.evaluator.revealInputs();
  passOnNotes();
  // Of two errors the first one says what happened.
  Error recorded = run.recordStop(reason, env.clock.seconds() - startSeconds, seeds);
  env.progress.finished();
  if (error) {
    consumeError(std::move(recorded));
    return error;
  }
  return recorded;
}

bool Search::shouldStop() {
  if (env.stop)
    stopReason = trajectory::StopReason::Interrupted;
  else if (timeIsUp())
    stopReason = trajectory::StopReason::TimeIsUp;
  else if (config.stopAtFloor > 0 && bestUs > 0 && floorUs / bestUs >= config.stopAtFloor)
    stopReason = trajectory::StopReason::NearFloor;
  else
    return false;
  return true;
}

std::vector<Outcome> Search::collectOutcomes() const {
  std::vector<Outcome> outcomes;
  for (const trajectory::BranchRecord &branch : run.getBranches()) {
    auto it = measured.find(branch.id);
    if (it != measured.end())
      outcomes.push_back({branch.id, branch.parent, branch.round, it->second.passed(), it->second.timeUs,
                          codeHash(branch), branch.expansion});
  }
  return outcomes;
}

Error Search::executeRounds() {
  auto expectedFacts = env.compiler.facts(run.getGraph());
  if (!expectedFacts)
    return expectedFacts.takeError();
  facts = std::move(*expectedFacts);
  PolicyOptions options = config.options;
  options.seed = config.seed;
  auto policy = createPolicy(config.policy, options);
  if (!policy)
    return policy.takeError();

  int rounds = std::min((*policy)->getRounds(), config.lastRound);
  for (int round = 0;; ++round) {
    std::vector<Candidate> candidates;
    std::vector<Expansion> expansions;
    bool planned = round <= rounds && (round == 0 || budgetLeft(0) > 0);
    int expected = round == 0 || !planned ? 0 : (*policy)->getBranchesInRound(round), lastRound = round;
    branchesLeft = 0;
    for (int later = round + 1; later <= rounds && branchesLeft < budgetLeft(expected); lastRound = later++)
      branchesLeft += (*policy)->getBranchesInRound(later);
    branchesLeft = std::min(branchesLeft, budgetLeft(expected));
    if (round == 0) {
      Candidate generic;
      generic.record.id = trajectory::branchId(0, 0);
      generic.record.idea = {"generic", genericText.str(), ideas::IdeaCategory::Control};
      candidates.push_back(std::move(generic));
    } else {
      if (shouldStop())
        return Error::success();
      run.beginBatch();
      if (Error error = takeHandWritten(round, planned, candidates))
        return error;
      if (planned) {
        expansions = (*policy)->expand(round, collectOutcomes());
        if (Error error = expandRound(round, expansions, candidates))
          return error;
      }
      if (candidates.empty()) {
        if (Error error = run.commit())
          return error;
        if (planned && !shouldStop())
          stopReason = findSpentLimit().value_or(trajectory::StopReason::NoIdeasLeft);
        return Error::success();
      }
    }
    branchesLeft += candidates.size();
    env.progress.beginRound(round, lastRound, candidates.size());
    if (round == 0)
      if (Error error = timeBaselines())
        return error;
    if (Error error = lowerRound(round, expansions, candidates))
      return error;
    if (Error error = run.commit())
      return error;
    if (round == 0)
      env.evaluator.setAdmission(makeJob(trajectory::branchId(0, 0), /*promote=*/false));
    const double begin = env.clock.seconds();
    if (Error error = measureRound(candidates))
      return error;
    if (round == 0 && measured.count(trajectory::branchId(0, 0))) {
      genericSeconds = env.clock.seconds();
      genericIsWaited = false;
    }
    if (round == 0 && !measured[trajectory::branchId(0, 0)].passed() && stopReason == trajectory::StopReason::Done) {
      const candidate::Measurement &generic = measured[trajectory::branchId(0, 0)];
      return createStringError("round 0 is not right: " + candidate::verdictName(generic.verdict) + ": " +
                               generic.detail);
    }
    if (stopReason != trajectory::StopReason::Done)
      return Error::success();
    if (round > 0) // the next rounds grow out of the best one
      if (Error error = pauseOr(lookBetweenRounds(env.clock.seconds() - begin)))
        return error;
    if (Error error = repairRound(round, candidates))
      return error;
    if (stopReason == trajectory::StopReason::Done)
      if (Error error = tuneRound(round))
        return error;
    if (auto limit = findSpentLimit(); limit && stopReason == trajectory::StopReason::Done)
      stopReason = *limit;
    if (stopReason != trajectory::StopReason::Done)
      return Error::success();
    branchesBefore = count_if(run.getBranches(), [&](const trajectory::BranchRecord &branch) {
      return branch.round > 0 && branch.round <= round && branch.duplicateOf.empty(); // mended ones too
    });
  }
}

Error runSearch(const SearchEnvironment &environment, trajectory::RunFolder &run, const SearchConfig &config) {
  return Search(environment, run, config).execute();
}

} // namespace kgen::search
