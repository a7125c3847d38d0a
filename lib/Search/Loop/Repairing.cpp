//===- Repairing.cpp - The second try of a branch that failed -------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A proposer that can repair gets each branch of the round that failed back,
// once, with the exact reason: the verifier's message, the compiler's log or
// the first wrong element. What it answers is a branch of the same round.
//
//===----------------------------------------------------------------------===//

#include "SearchLoop.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kgen::search {

/// CHEAT is not mended, UNSUPPORTED is the device's, and BADREPLY had its second turn.
static bool isMendable(candidate::Verdict verdict) {
  return verdict == candidate::Verdict::Reject || verdict == candidate::Verdict::Wrong ||
         verdict == candidate::Verdict::Fault || verdict == candidate::Verdict::Race ||
         verdict == candidate::Verdict::Timeout;
}

/// Asks how to mend FAILED, branch INDEX of its round; false: there is no answer.
Expected<bool> Search::askRepair(const Candidate &failed, size_t index, Candidate &mended) {
  const trajectory::BranchRecord *parent = run.findBranch(failed.record.parent);
  if (!parent)
    return false;
  propose::ProposalContext context = makeContext(StringRef(failed.record.id).split('/').first.str() + "/repair-" +
                                                     StringRef(failed.record.id).split("/b").second.str(),
                                                 *parent, {});
  propose::FailedBranch branch;
  branch.id = failed.record.id;
  branch.materialization = failed.materialization;
  branch.verdict = candidate::verdictName(measured[failed.record.id].verdict).str();
  branch.detail = measured[failed.record.id].detail;
  if (run.findBranch(branch.id)->files.count("compile.log")) {
    if (auto log = run.readFile(branch.id, "compile.log"))
      branch.log = std::move(*log);
    else
      consumeError(log.takeError());
  }
  if (!run.findReply(context.slot) && findSpentLimit())
    return false;
  auto list = askOnce(context, "repair", failed.record.idea, 1, &branch, [&] {
    env.progress.activity("asking how to mend " + branch.id);
    return env.proposer.repair(context, failed.record.idea, branch);
  });
  if (!list)
    return list.takeError();
  if (list->empty())
    return false;
  mended.record.id = trajectory::branchId(failed.record.round, index);
  mended.record.parent = failed.record.parent;
  mended.record.round = failed.record.round;
  mended.record.idea = failed.record.idea;
  mended.record.label = list->front().label;
  mended.record.reply = propose::hashText(run.findReply(context.slot)->request);
  mended.record.expansion = failed.record.expansion;
  mended.record.repairs = failed.record.id;
  mended.materialization = std::move(list->front());
  return true;
}

Error Search::repairRound(int round, const std::vector<Candidate> &candidates) {
  if (round == 0 || !env.proposer.canRepair())
    return Error::success();
  std::vector<Candidate> mended;
  run.beginBatch();
  for (const Candidate &candidate : candidates) {
    const trajectory::BranchRecord *branch = run.findBranch(candidate.record.id);
    auto it = measured.find(candidate.record.id);
    if (!branch || it == measured.end() || !branch->duplicateOf.empty() || !isMendable(it->second.verdict))
      continue;
    if (shouldStop() || budgetLeft(countSpending(candidates) + mended.size()) == 0)
      break;
    Candidate next;
    auto asked = askRepair(candidate, candidates.size() + mended.size(), next);
    if (!asked) {
      if (Error error = pauseOr(asked.takeError()))
        return error;
      break;
    }
    if (*asked)
      mended.push_back(std::move(next));
  }
  branchesLeft += mended.size();
  if (!mended.empty())
    env.progress.moreBranches(mended.size());
  branchesBefore += mended.size();
  if (stopReason == trajectory::StopReason::Done)
    if (Error error = lowerFrom(0, mended))
      return error;
  if (Error error = run.commit())
    return error;
  if (stopReason != trajectory::StopReason::Done || mended.empty())
    return Error::success();
  return measureRound(mended);
}

} // namespace kgen::search
