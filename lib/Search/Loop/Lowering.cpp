//===- Lowering.cpp - From materialisations to snapshots ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchLoop.h"
#include "kgen/Candidate/PlanCheck.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kgen::search {

/// A proposer's plan must be about the same problem as round 0's: the same buffers, drawn in the
/// same way, and the same precision class. Returns what differs, or "".
std::string Search::findPlanFault(const std::string &text) {
  auto generic = run.readFile(trajectory::branchId(0, 0), "plan.json");
  if (!generic)
    return toString(generic.takeError());
  auto expected = candidate::LaunchPlan::parse(*generic);
  if (!expected)
    return toString(expected.takeError());
  auto plan = candidate::LaunchPlan::parse(text);
  if (!plan)
    return toString(plan.takeError());
  return kgen::candidate::findPlanFault(*plan, *expected);
}

void Search::claimCode(Candidate &candidate, const std::string &hash) {
  auto [first, isNew] = firstWithCode.try_emplace(hash, candidate.record.id);
  candidate.known = !isNew && first->second != candidate.record.id;
}

/// Writes CANDIDATE's snapshot, or its verdict when it has none.
Error Search::lower(Candidate &candidate) {
  trajectory::BranchRecord &record = candidate.record;
  const propose::Materialization &chosen = candidate.materialization;
  if (Error error = run.beginBranch(record))
    return error;
  if (!chosen.problem.empty()) {
    if (Error error = run.writeFiles(record.id, {{"idea.md", trajectory::printIdeaPage(record)}}))
      return error;
    candidate.refused = true;
    return finish(candidate, rejected(candidate::Verdict::BadReply, chosen.problem, config));
  }
  StringRef category = ideas::categoryName(record.idea.category);
  // What a person gave has no expansion.
  graph::GraphCompiler &compiler = record.expansion < 0 && env.foreign ? *env.foreign : env.compiler;
  Expected<graph::LoweredGraph> lowered =
      record.round == 0 ? compiler.lowerGeneric(run.getGraph(), config.chip)
      : !chosen.cuda.empty()
          ? compiler.wrapSource(run.getGraph(), chosen.cuda, chosen.plan, config.chip)
          : compiler.lowerWithDirectives(run.getGraph(), chosen.directives, record.idea.text, category, config.chip);
  std::map<std::string, std::string> files;
  files["idea.md"] = trajectory::printIdeaPage(record);
  if (!chosen.directives.empty())
    files["directives.mlir"] = chosen.directives;
  std::string refusal;
  if (lowered) {
    if (!lowered->annotated.empty())
      files["annotated.mlir"] = lowered->annotated;
    files["lowered.mlir"] = lowered->lowered;
    files["plan.json"] = lowered->plan;
    files["kernel.cu"] = lowered->cuda;
    if (!chosen.cuda.empty())
      refusal = findPlanFault(lowered->plan);
    if (!refusal.empty())
      files.erase("kernel.cu"); // a branch without it has no code to measure, compare or start from
  } else {
    refusal = graph::takeRefusal(lowered.takeError(), record.refusal);
  }
  if (Error error = run.writeFiles(record.id, files))
    return error;
  record.files = run.findBranch(record.id)->files;
  candidate.refused = !refusal.empty();
  if (!refusal.empty())
    return finish(candidate, rejected(candidate::Verdict::Reject, refusal, config));
  claimCode(candidate, codeHash(record));
  if (const std::string &first = firstWithCode[codeHash(record)];
      candidate.known && measured.count(first) &&
      run.findBranch(first)->standing != trajectory::Standing::Provisional) // else once it is settled
    return finish(candidate, measured[first], first);
  if (record.round == 0 && env.sibling)
    if (const trajectory::BranchRecord *theirs = env.sibling->findBranch(record.id);
        theirs && !theirs->measurement.empty() && codeHash(*theirs) == codeHash(record)) {
      auto known = candidate::Measurement::parse(theirs->measurement);
      if (!known)
        return known.takeError();
      if (known->passed())
        return finish(candidate, std::move(*known));
    }
  candidate.ready = true;
  return Error::success();
}

/// Lowers every candidate of the round. What the compiler refuses, and what has the text of an earlier branch, costs
/// nothing, so its place is given to other ideas, which may know the refusals, twice at most.
Error Search::lowerRound(int round, const std::vector<Expansion> &expansions, std::vector<Candidate> &candidates) {
  constexpr int maxRefills = 2;
  for (int refill = 0;; ++refill) {
    size_t first = 0;
    for (; first < candidates.size() && (candidates[first].ready || measured.count(candidates[first].record.id));
         ++first)
      ;
    size_t lowered = first;
    if (Error error = lowerFrom(first, candidates))
      return error;
    // Who can mend a refused script gets it back instead.
    if (refill == maxRefills || stopReason != trajectory::StopReason::Done || env.proposer.canRepair())
      return Error::success();
    std::vector<int> refused(expansions.size());
    for (size_t i = lowered; i < candidates.size(); ++i)
      if ((candidates[i].refused || candidates[i].known) && size_t(candidates[i].record.expansion) < refused.size())
        ++refused[candidates[i].record.expansion];
    size_t before = candidates.size();
    for (size_t seed = 0; seed < expansions.size(); ++seed) {
      if (refused[seed] == 0)
        continue;
      Expansion again = expansions[seed];
      again.ideas = (refused[seed] + again.variants - 1) / again.variants;
      if (Error error = expandSeed(round, seed, "/again-" + std::to_string(refill + 1), again, candidates))
        return error;
    }
    if (candidates.size() == before)
      return Error::success();
    branchesLeft += candidates.size() - before;
    env.progress.moreBranches(candidates.size() - before);
  }
}

Error Search::lowerFrom(size_t first, std::vector<Candidate> &candidates) {
  for (size_t i = first; i < candidates.size(); ++i) {
    Candidate &candidate = candidates[i];
    const trajectory::BranchRecord *known = run.findBranch(candidate.record.id);
    std::optional<candidate::Measurement> measurement;
    if (known && !known->measurement.empty()) {
      auto parsed = candidate::Measurement::parse(known->measurement);
      if (!parsed)
        return parsed.takeError();
      // kgen's own kernel did not pass: whatever was wrong with the machine then may be mended, so it is asked anew.
      if (known->round > 0 || parsed->passed())
        measurement = std::move(*parsed);
    }
    if (measurement) {
      // Done by an earlier process.
      measured[known->id] = *measurement;
      if (measurement->floorUs > 0)
        floorUs = measurement->floorUs;
      candidate.refused = !known->files.count("kernel.cu");
      candidate.record.refusal = known->refusal;
      if (std::string hash = codeHash(*known); !hash.empty())
        claimCode(candidate, hash);
      considerAsBest(*known, *measurement);
      if (known->round == 0)
        genericUs = measurement->timeUs;
      --branchesLeft;
      continue;
    }
    if (shouldStop())
      return Error::success();
    if (Error error = lower(candidate))
      return error;
  }
  return Error::success();
}

} // namespace kgen::search
