//===- Asking.cpp - Ideas and how to carry them out -----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchLoop.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kgen::search {

Error Search::record(const trajectory::ReplyRecord &reply, double seconds) {
  std::vector<propose::TokenUsage> usage = env.proposer.takeUsage();
  if (Error error = run.recordReply(reply, usage, seconds))
    return error;
  // A model's answer cost time and money: it does not wait for the round's batch.
  if (usage.empty())
    return Error::success();
  if (Error error = run.commit())
    return error;
  run.beginBatch();
  return Error::success();
}

Error Search::unanswered(StringRef slot, double seconds, Error error) {
  Error unsaved = run.recordCosts(slot, env.proposer.takeUsage(), seconds);
  if (!unsaved)
    return error;
  consumeError(std::move(unsaved)); // of two errors the first one says what happened
  return error;
}

std::optional<trajectory::StopReason> Search::findSpentLimit() const {
  int64_t tokens = 0;
  double dollars = 0;
  for (const trajectory::Question &question : run.getQuestions()) {
    tokens += question.usage.total();
    if (auto price = prices.find(question.usage.model))
      dollars += price->of(question.usage);
  }
  if (config.maxTokens > 0 && tokens >= config.maxTokens)
    return trajectory::StopReason::TokensSpent;
  if (config.maxDollars > 0 && dollars >= config.maxDollars)
    return trajectory::StopReason::MoneySpent;
  return std::nullopt;
}

/// What ASK answers at CONTEXT's slot, at most N ways. A recorded answer is not asked for again. Device code is
/// recorded with kgen's headers inlined: it has to mean the same to later versions.
Expected<std::vector<propose::Materialization>>
Search::askOnce(const propose::ProposalContext &context, StringRef stage, const propose::Idea &idea, int n,
                const propose::FailedBranch *failed,
                function_ref<Expected<std::vector<propose::Materialization>>()> ask) {
  if (const trajectory::ReplyRecord *known = run.findReply(context.slot))
    return propose::parseMaterializations(known->reply);
  double begin = env.clock.seconds();
  auto list = ask();
  double seconds = env.clock.seconds() - begin;
  if (!list)
    return unanswered(context.slot, seconds, list.takeError());
  if (int(list->size()) > n)
    list->resize(n);
  for (propose::Materialization &way : *list)
    way.cuda = env.compiler.inlineHeaders(way.cuda);
  std::string request = propose::printRequest(context, stage, &idea, n, failed);
  if (Error error = record({context.slot, std::move(request), propose::printMaterializations(*list)}, seconds))
    return std::move(error);
  return list;
}

Expected<std::vector<propose::Idea>> Search::askIdeas(const propose::ProposalContext &context, int n) {
  std::string slot = context.slot + "/ideas";
  if (const trajectory::ReplyRecord *known = run.findReply(slot))
    return propose::parseIdeas(known->reply);
  if (findSpentLimit())
    return std::vector<propose::Idea>();
  env.progress.activity("asking for ideas: " + context.slot);
  double begin = env.clock.seconds();
  auto ideas = env.proposer.proposeIdeas(context, n);
  double seconds = env.clock.seconds() - begin;
  if (!ideas)
    return unanswered(slot, seconds, ideas.takeError());
  if (int(ideas->size()) > n)
    ideas->resize(n);
  if (Error error =
          record({slot, propose::printRequest(context, "ideas", nullptr, n), propose::printIdeas(*ideas)}, seconds))
    return std::move(error);
  return ideas;
}

Expected<std::vector<propose::Materialization>> Search::askMaterializations(const propose::ProposalContext &context,
                                                                            const propose::Idea &idea, int n) {
  // A recorded answer is paid for.
  if (!run.findReply(context.slot) && findSpentLimit())
    return std::vector<propose::Materialization>();
  return askOnce(context, "materialize", idea, n, nullptr, [&] {
    env.progress.activity("asking how: " + idea.key);
    return env.proposer.materialize(context, idea, n);
  });
}

propose::ProposalContext Search::makeContext(const std::string &slot, const trajectory::BranchRecord &parent,
                                             const std::vector<Candidate> &planned) {
  propose::ProposalContext context;
  context.slot = slot;
  context.network = env.network;
  context.facts = facts;
  context.graph = run.getGraph().str();
  context.chip = config.chip;
  context.device = config.device == "host" ? "host" : "cuda";
  context.precision = config.precision;
  context.knownKernels = env.examples;
  context.genericUs = genericUs;
  if (run.getBaselines())
    context.baselines = *run.getBaselines();
  if (auto plan = run.readFile(trajectory::branchId(0, 0), "plan.json"))
    context.plan = std::move(*plan);
  else
    consumeError(plan.takeError());
  context.seed = config.seed;
  const candidate::Measurement &measurement = measured[parent.id];
  context.floorUs = measurement.floorUs;
  context.parent.id = parent.id;
  context.parent.label = parent.label;
  context.parent.notes = parent.notes;
  context.parent.measurement = parent.measurement;
  context.parent.diagnosis = measurement.diagnosis;
  context.parent.timeUs = measurement.timeUs;
  auto readIfThere = [&](const char *name) -> std::string {
    if (!parent.files.count(name))
      return "";
    auto text = run.readFile(parent.id, name);
    if (text)
      return *text;
    consumeError(text.takeError());
    return "";
  };
  context.parent.directives = readIfThere("directives.mlir");
  context.parent.cuda = readIfThere("kernel.cu");
  auto add = [&](const trajectory::BranchRecord &branch, const candidate::Measurement *result) {
    propose::TriedBranch tried;
    tried.id = branch.id;
    tried.parent = branch.parent;
    tried.idea = branch.idea;
    tried.label = branch.label;
    tried.notes = branch.notes;
    tried.refusal = branch.refusal;
    tried.verdict = result ? candidate::verdictName(result->verdict).str() : "PENDING";
    if (result) {
      tried.detail = result->detail;
      tried.timeUs = result->passed() ? result->timeUs : 0;
      tried.diagnosis = result->diagnosis;
    }
    context.history.push_back(std::move(tried));
  };
  // Of this round only what the compiler refused: a sibling's time must not depend on who finished
  // first, or on how far an earlier process came.
  for (const trajectory::BranchRecord &branch : run.getBranches()) {
    bool isPlanned = any_of(planned, [&](const Candidate &c) { return c.record.id == branch.id; });
    auto it = measured.find(branch.id);
    if (!isPlanned && it != measured.end())
      add(branch, &it->second);
  }
  for (const Candidate &candidate : planned) {
    auto it = measured.find(candidate.record.id);
    add(candidate.record, candidate.refused && it != measured.end() ? &it->second : nullptr);
  }
  return context;
}

void Search::addCandidates(int round, int expansion, const trajectory::BranchRecord &parent, const propose::Idea &idea,
                           StringRef slot, const std::vector<propose::Materialization> &list,
                           std::vector<Candidate> &candidates) {
  std::string hash = propose::hashText(run.findReply(slot)->request);
  for (auto [option, materialization] : enumerate(list)) {
    Candidate candidate;
    candidate.record.id = trajectory::branchId(round, candidates.size());
    candidate.record.parent = parent.id;
    candidate.record.round = round;
    candidate.record.idea = idea;
    candidate.record.label = materialization.label;
    candidate.record.notes = materialization.notes;
    candidate.record.reply = hash;
    candidate.record.option = option;
    candidate.record.expansion = expansion;
    candidate.record.priorUs = materialization.priorUs;
    candidate.materialization = materialization;
    candidates.push_back(std::move(candidate));
  }
}

Error Search::expandRound(int round, const std::vector<Expansion> &expansions, std::vector<Candidate> &candidates) {
  for (size_t seed = 0; seed < expansions.size(); ++seed)
    if (Error error = expandSeed(round, seed, "", expansions[seed], candidates))
      return error;
  return Error::success();
}

/// Adds the candidates of one parent. SLOT tells several questions about the same parent apart.
Error Search::expandSeed(int round, size_t seed, const std::string &slot, const Expansion &expansion,
                         std::vector<Candidate> &candidates) {
  const trajectory::BranchRecord *found = run.findBranch(expansion.parent);
  if (!found)
    return createStringError("policy names branch " + expansion.parent + ", which the run does not have");
  trajectory::BranchRecord parent = *found;
  std::string seedSlot =
      StringRef(trajectory::branchId(round, 0)).split('/').first.str() + "/seed-" + std::to_string(seed) + slot;
  if (shouldStop())
    return Error::success();
  int ideasLeft = (int64_t(budgetLeft(countSpending(candidates))) + expansion.variants - 1) / expansion.variants;
  if (ideasLeft == 0)
    return Error::success();
  auto ideas = askIdeas(makeContext(seedSlot, parent, candidates), std::min(expansion.ideas, ideasLeft));
  if (!ideas)
    return pauseOr(ideas.takeError());
  for (auto [ideaIndex, idea] : enumerate(*ideas)) {
    propose::ProposalContext context = makeContext(seedSlot + "/idea-" + std::to_string(ideaIndex), parent, candidates);
    int left = std::min(expansion.variants, budgetLeft(countSpending(candidates)));
    if (left == 0)
      break;
    auto list = askMaterializations(context, idea, left);
    if (!list)
      return pauseOr(list.takeError());
    if (list->empty())
      continue; // nothing to say, or nothing left to pay for it
    addCandidates(round, int(seed), parent, idea, context.slot, *list, candidates);
  }
  return Error::success();
}

} // namespace kgen::search
