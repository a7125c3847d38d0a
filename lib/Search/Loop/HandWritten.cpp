//===- HandWritten.cpp - What a person gives to a running search ----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchLoop.h"
#include "kgen/Propose/BuiltinIdeas.h"
#include "kgen/Search/SeedPlan.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace kgen::search {

/// How to carry ENTRY out; its idea may become the catalogue's. What cannot be carried out is a dead
/// branch whose problem says why.
Expected<std::vector<propose::Materialization>> Search::carryOut(const propose::ProposalContext &context,
                                                                 trajectory::HandWritten &entry) {
  auto dead = [](std::string problem) {
    propose::Materialization materialization;
    materialization.problem = std::move(problem);
    return std::vector<propose::Materialization>{std::move(materialization)};
  };
  if (!entry.parent.empty() && context.parent.id != entry.parent)
    return dead("the run has no measured branch " + entry.parent + " to start from");
  if (!entry.directives.empty()) {
    propose::Materialization materialization;
    materialization.label = "by hand";
    materialization.directives = entry.directives;
    return std::vector<propose::Materialization>{std::move(materialization)};
  }
  if (entry.cuda.empty()) {
    // Recorded, so that the branches that follow keep their numbers when the limit is raised.
    if (auto limit = findSpentLimit())
      return dead(("nobody was asked how to carry it out: " + trajectory::stopReasonWords(*limit)).str());
    if (!env.proposer.readsWords()) {
      auto known = propose::matchBuiltinIdea(entry.idea.text);
      if (!known)
        return dead(toString(known.takeError()));
      entry.idea = std::move(*known);
    }
    env.progress.activity("asking how: " + entry.idea.key);
    auto list = env.proposer.materialize(context, entry.idea, config.options.variants);
    if (list && list->empty())
      return dead("no way to carry it out here: it does not apply, or it was tried");
    if (list && int(list->size()) > config.options.variants)
      list->resize(config.options.variants);
    return list;
  }
  auto text = run.readFile(trajectory::branchId(0, 0), "plan.json");
  if (!text)
    return text.takeError();
  auto generic = candidate::LaunchPlan::parse(*text);
  if (!generic)
    return dead(toString(generic.takeError()));
  auto plan = completeSeedPlan(*generic, entry.cuda, entry.plan);
  if (!plan)
    return dead(toString(plan.takeError()));
  propose::Materialization materialization;
  materialization.label = "by hand";
  materialization.cuda = entry.cuda;
  materialization.plan = std::move(*plan);
  return std::vector<propose::Materialization>{std::move(materialization)};
}

/// Adds the candidates that a person gave to ROUND. What lies in the inbox is taken once, when the
/// round begins; one that the policy did not plan begins only for it.
Error Search::takeHandWritten(int round, bool planned, std::vector<Candidate> &candidates) {
  if (!run.findRound(round)) {
    std::vector<std::string> problems;
    std::vector<trajectory::HandWritten> given = trajectory::readInbox(env.files, run.getPath(), problems);
    // A process that died after the record left the file behind.
    llvm::erase_if(given, [&](const trajectory::HandWritten &entry) {
      for (int earlier = 1; earlier < round; ++earlier)
        if (const std::vector<trajectory::HandWritten> *taken = run.findRound(earlier))
          for (const trajectory::HandWritten &old : *taken)
            if (old.file == entry.file) {
              consumeError(trajectory::removeFromInbox(env.files, run.getPath(), entry.file));
              return true;
            }
      return false;
    });
    for (const std::string &problem : problems)
      env.progress.note(problem);
    if (!planned && given.empty())
      return Error::success();
    if (Error error = run.recordRound(round, given))
      return error;
    if (!given.empty()) {
      // The inbox lets go of it only when the journal has it on disk.
      if (Error error = run.commit())
        return error;
      run.beginBatch();
      for (const trajectory::HandWritten &entry : given)
        if (Error error = trajectory::removeFromInbox(env.files, run.getPath(), entry.file))
          return error;
    }
  }
  std::vector<trajectory::HandWritten> given = *run.findRound(round);
  for (auto [index, entry] : enumerate(given)) {
    if (shouldStop())
      return Error::success();
    // A kernel or a script stands alone; an idea is about the best so far.
    bool isIdea = entry.cuda.empty() && entry.directives.empty();
    std::string parentId = isIdea && !bestId.empty() ? bestId : trajectory::branchId(0, 0);
    if (run.findBranch(entry.parent) && measured.count(entry.parent))
      parentId = entry.parent;
    trajectory::BranchRecord parent = *run.findBranch(parentId);
    std::string slot =
        StringRef(trajectory::branchId(round, 0)).split('/').first.str() + "/hand-" + std::to_string(index);
    propose::ProposalContext context = makeContext(slot, parent, candidates);
    if (isIdea && !env.proposer.readsWords()) {
      // The catalogue's idea that the words mean; carryOut() says what is wrong with others.
      if (auto idea = propose::matchBuiltinIdea(entry.idea.text))
        entry.idea = std::move(*idea);
      else
        consumeError(idea.takeError());
    }
    auto list = askOnce(context, "hand", entry.idea, config.options.variants, nullptr,
                        [&, &entry = entry] { return carryOut(context, entry); });
    if (!list)
      return pauseOr(list.takeError());
    addCandidates(round, -1, parent, entry.idea, slot, *list, candidates);
  }
  return Error::success();
}

} // namespace kgen::search
