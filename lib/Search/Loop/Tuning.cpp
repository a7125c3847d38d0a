//===- Tuning.cpp - The constants that an idea left open -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After a round, a short local search around its best branch: neighbours of the
// settings, the prior's favourites first, are measured as further variants of
// that branch's idea, in two steps, the second from the better one. They are
// branches of the same round, so that ideas buy structure and not constants.
//
//===----------------------------------------------------------------------===//

#include "SearchLoop.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace kgen::search {

Error Search::tuneRound(int round) {
  constexpr int steps = 2;
  if (round == 0 || config.tune == 0 || !env.proposer.canTune() || (round == 1 && config.options.opening > 0))
    return Error::success();
  std::string prefix = StringRef(trajectory::branchId(round, 0)).split('/').first.str() + "/tune-";
  auto isTuned = [&](const trajectory::BranchRecord &branch) {
    const trajectory::ReplyRecord *reply = run.findReplyByHash(branch.reply);
    return reply && StringRef(reply->slot).starts_with(prefix);
  };
  // An earlier process may have recorded tuned ones already: their numbers follow those of the others.
  std::vector<Candidate> all(count_if(run.getBranches(), [&](const trajectory::BranchRecord &branch) {
    return branch.round == round && !isTuned(branch);
  }));
  size_t spending = count_if(run.getBranches(), [&](const trajectory::BranchRecord &branch) {
    return branch.round == round && !isTuned(branch) && branch.duplicateOf.empty();
  });
  for (int step = 0; step < steps; ++step) {
    const trajectory::BranchRecord *best = nullptr;
    for (const trajectory::BranchRecord &branch : run.getBranches()) {
      auto it = measured.find(branch.id);
      if (branch.round == round && it != measured.end() && it->second.passed() &&
          (!best || it->second.timeUs < measured[best->id].timeUs))
        best = &branch;
    }
    if (!best || shouldStop())
      return Error::success();
    trajectory::BranchRecord parent = *best;
    std::string slot = prefix + std::to_string(step);
    int n = std::min((config.tune + step) / steps, budgetLeft(spending));
    if (n == 0)
      return Error::success();
    run.beginBatch();
    propose::ProposalContext context = makeContext(slot, parent, {});
    auto list = askOnce(context, "tune", parent.idea, n, nullptr, [&] { return env.proposer.tune(context, n); });
    if (!list)
      return list.takeError();
    size_t first = all.size();
    addCandidates(round, parent.expansion, parent, parent.idea, slot, *list, all);
    std::vector<Candidate> fresh(std::make_move_iterator(all.begin() + first), std::make_move_iterator(all.end()));
    branchesLeft += fresh.size();
    env.progress.moreBranches(fresh.size());
    if (Error error = lowerFrom(0, fresh))
      return error;
    spending += countSpending(fresh);
    if (Error error = run.commit())
      return error;
    if (stopReason == trajectory::StopReason::Done)
      if (Error error = measureRound(fresh))
        return error;
    if (fresh.empty() || stopReason != trajectory::StopReason::Done)
      return Error::success();
  }
  return Error::success();
}

} // namespace kgen::search
