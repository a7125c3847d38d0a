//===- NetworkPartitions.cpp - Other ways to cut a network ----------------- -===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NetworkLoop.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kgen::search {

/// Whether BRANCH cuts the network otherwise before any kernel was tuned: on top of round 0, or of another such branch.
static bool isUntuned(trajectory::RunFolder &run, const trajectory::BranchRecord &branch) {
  if (branch.idea.key == "assemble")
    return branch.round == 0;
  const trajectory::BranchRecord *parent = run.findBranch(branch.parent);
  return parent && isUntuned(run, *parent);
}

/// EARLY ideas come before anything is tuned, as long as that leaves time for tuning. Those that had to wait come after
/// it, before the others; a search that goes on keeps the order that its journal has.
Error NetworkSearch::tryCatalogue(int round, bool early) {
  for (const network::PartitionIdea &idea : network::partitionCatalogue()) {
    if (shouldStop())
      break;
    if (!idea.without.empty() && StringRef(current.script).contains(idea.without))
      continue;
    auto known = find_if(run.getBranches(), [&](const trajectory::BranchRecord &branch) {
      return branch.idea.key == idea.key && branch.idea.text == idea.text;
    });
    const bool wasTried = known != run.getBranches().end(), wasUntuned = wasTried && isUntuned(run, *known);
    if (early &&
        (!idea.early || (wasTried ? !wasUntuned : !closingTime.leavesTuning(secondsSpent(), firstNetworkSeconds))))
      continue;
    if (!early && idea.early && wasUntuned)
      continue;
    if (Error error = tryPartition(round, idea))
      return error;
  }
  return Error::success();
}

/// Cuts the network as it is to begin, where that is a way to cut this one.
Error NetworkSearch::beginCut() {
  std::string script;
  SmallVector<StringRef> keys;
  StringRef(config.cut).split(keys, ',', -1, /*KeepEmpty=*/false);
  for (const network::PartitionIdea &idea : network::partitionCatalogue()) {
    if (!is_contained(keys, idea.key))
      continue;
    auto graph = compilers.own->rewriteNetwork(base.graph, script + idea.directives, config.chip);
    if (graph)
      script += idea.directives;
    else
      consumeError(graph.takeError()); // it is about another network
  }
  if (script.empty())
    return Error::success();
  auto variant = makeVariant(*compilers.own, base, script, config.chip, knownTasks);
  if (!variant)
    return variant.takeError();
  current = std::move(*variant);
  say("cut with " + StringRef(config.cut) + ": " + Twine(current.facts.partition.steps.size()) + " tasks, " +
      Twine(current.facts.partition.tasks.size()) + " of them different");
  return Error::success();
}

/// The network that it is to begin with is not right, WHY: the network as its graph has it takes its place. A branch
/// tells of it, since its tasks have their numbers.
Error NetworkSearch::giveUpCut(const std::string &why) {
  say("cut with " + StringRef(config.cut) + " it is not right at round 0: " + why + "; it begins as its graph has it");
  const NetworkVariant refused = std::move(current);
  current = base;
  if (any_of(run.getBranches(), [](const trajectory::BranchRecord &branch) {
        return branch.idea.key == "assemble" && branch.files.count("directives.mlir");
      }))
    return Error::success();
  trajectory::BranchRecord record;
  record.idea = {"cut", "The network as " + config.cut + " has it.", ideas::IdeaCategory::Control};
  record.id = nextBranch(0, [&](const trajectory::BranchRecord &branch) { return branch.idea.key == record.idea.key; });
  if (Error error = beginVariant(record, refused))
    return error;
  return refuse(record, why);
}

/// Begins the branch of RECORD, in which the network is cut as VARIANT has it, unless an earlier process did.
Error NetworkSearch::beginVariant(const trajectory::BranchRecord &record, const NetworkVariant &variant) {
  if (run.findBranch(record.id))
    return Error::success();
  if (Error error = run.beginBranch(record))
    return error;
  return run.writeFiles(record.id, {{"directives.mlir", variant.script},
                                    {"network.mlir", variant.graph},
                                    {"idea.md", trajectory::printIdeaPage(record)}});
}

/// What a model makes of the network as it is cut now.
Error NetworkSearch::tryAsked(int round) {
  if (!proposer) {
    propose::ProposerOptions options = config.llmOptions;
    options.log = &log;
    options.stop = &world.stop;
    auto made = propose::createProposer(config.llm, options);
    if (!made)
      return made.takeError();
    proposer = std::move(*made);
  }
  auto context = makeContext(round);
  if (!context)
    return context.takeError();
  std::string reply;
  auto idea = askPartition(run, *proposer, world.clock, std::move(*context), reply);
  if (!idea)
    return idea.takeError();
  return *idea ? tryPartition(round, **idea, reply) : Error::success();
}

Expected<propose::ProposalContext> NetworkSearch::makeContext(int round) {
  propose::ProposalContext context;
  context.slot = StringRef(trajectory::branchId(round, 0)).split('/').first.str() + "/partition";
  auto facts = world.compiler.facts(current.graph);
  if (!facts)
    return facts.takeError();
  context.facts = std::move(*facts);
  context.graph = current.graph;
  context.network = profile("") + "\n\n" + networkDirectives().str();
  context.chip = config.chip;
  context.device = config.device == "host" ? "host" : "cuda";
  context.precision = config.precision;
  context.seed = config.seed;
  if (run.getBaselines())
    context.baselines = *run.getBaselines();
  for (const trajectory::BranchRecord &branch : run.getBranches()) {
    if (branch.measurement.empty())
      continue;
    auto measurement = candidate::Measurement::parse(branch.measurement);
    if (!measurement)
      return measurement.takeError();
    if (branch.id == trajectory::branchId(0, 0))
      context.genericUs = measurement->timeUs;
    if (branch.id == standings.bestId()) {
      context.floorUs = measurement->floorUs;
      context.parent.id = branch.id;
      context.parent.timeUs = measurement->timeUs;
      context.parent.directives = current.script;
    }
    if (branch.idea.key == "assemble")
      continue;
    propose::TriedBranch tried;
    tried.id = branch.id;
    tried.parent = branch.parent;
    tried.idea = branch.idea;
    tried.verdict = candidate::verdictName(measurement->verdict).str();
    tried.detail = measurement->detail;
    tried.timeUs = measurement->passed() ? measurement->timeUs : 0;
    context.history.push_back(std::move(tried));
  }
  return context;
}

/// Cuts the network as IDEA says, on top of the best partition so far, searches what is new in it as far as what it
/// takes the place of, and measures it. Where it is the fastest, the rounds after are for it.
/// REPLY is the question that it answers; a model is told what became of it, whatever that is.
Error NetworkSearch::tryPartition(int round, const network::PartitionIdea &idea, const std::string &reply) {
  trajectory::BranchRecord record;
  record.round = round;
  record.parent = standings.bestId().str();
  record.idea = {idea.key, idea.text, ideas::parseIdeaCategory(idea.category).value_or(ideas::IdeaCategory::Compute)};
  record.reply = reply;
  std::vector<graph::NetworkTask> joined = knownTasks;
  auto variant = makeVariant(*compilers.own, base, current.script + idea.directives, config.chip, joined);
  std::string refusal = variant ? "" : toString(variant.takeError());
  if (variant && variant->graph == current.graph)
    refusal = "it leaves the network as it is";
  if (!refusal.empty() && reply.empty()) // the catalogue's may be about another network
    return Error::success();
  record.id = nextBranch(round, [&](const trajectory::BranchRecord &branch) {
    return branch.idea.key == idea.key && branch.idea.text == idea.text && branch.reply == reply;
  });
  if (!refusal.empty())
    return refuse(record, refusal);
  knownTasks = std::move(joined);
  if (Error error = beginVariant(record, *variant))
    return error;
  say("partition " + record.id + ": " + idea.text);
  // What is new gets as many rounds as what it takes the place of had.
  size_t footing = 0;
  for (size_t task : membersOf(current))
    if (!contains(*variant, tasks[task].name) && tasks[task].state.count > 0)
      footing += tasks[task].state.bestUs.size() - 1;
  const size_t before = tasks.size();
  if (Error error = openTasks(*variant))
    return error;
  prepareTasks(world, config, evaluator, ArrayRef(tasks).drop_front(before), before);
  auto why = searchNew(round, before, footing);
  if (!why)
    return why.takeError();
  if (!why->empty()) {
    useCounts(current);
    return refuse(record, *why);
  }
  // It is no use without time for the network that the search ends with.
  const trajectory::BranchRecord *known = run.findBranch(record.id);
  if (!shouldStop() && known->measurement.empty() && closingTime.isOver(secondsSpent(), /*extra=*/1))
    stopReason = trajectory::StopReason::TimeIsUp;
  if (stopReason == trajectory::StopReason::Done) {
    auto choices = choose(*variant);
    if (!choices)
      return choices.takeError();
    auto measurement = measureChoices(record, *variant, *choices, /*closing=*/false);
    if (!measurement)
      return measurement.takeError();
    if (standings.bestId() == record.id)
      current = std::move(*variant);
  }
  useCounts(current);
  return Error::success();
}

/// Round 0 of the tasks from FIRST on, and MOST rounds more among those of them that a run has. Why there is no
/// network of them; "" when there is.
Expected<std::string> NetworkSearch::searchNew(int round, size_t first, size_t most) {
  for (size_t task = first; task < tasks.size();) {
    if (shouldStop())
      return "";
    // Between them somebody may ask whether there is time left.
    std::vector<size_t> some;
    for (; task < tasks.size() && some.size() < 2 * atOnce; ++task)
      some.push_back(task);
    if (Error error = advance(some)) // of a task that only this partition needs
      return toString(std::move(error));
    for (size_t each : some)
      if (stopReason == trajectory::StopReason::Done && tasks[each].state.bestUs.back() == 0)
        return "task " + tasks[each].name + " has no kernel that is right";
  }
  for (size_t given = 0; given < most && !shouldStop();) {
    auto taken = takeBatch(round, /*partition=*/true, first, most - given);
    if (!taken)
      return taken.takeError();
    if (*taken == 0)
      break;
    given += *taken;
  }
  return "";
}

/// RECORD, the next branch, is not measured, since WHY.
Error NetworkSearch::refuse(const trajectory::BranchRecord &record, const std::string &why) {
  const trajectory::BranchRecord *known = run.findBranch(record.id);
  if (known && !known->measurement.empty())
    return Error::success();
  if (!known) {
    if (Error error = run.beginBranch(record))
      return error;
    if (Error error = run.writeFiles(record.id, {{"idea.md", trajectory::printIdeaPage(record)}}))
      return error;
  }
  candidate::Measurement refused;
  refused.verdict = candidate::Verdict::Reject;
  refused.detail = why;
  refused.device = config.device;
  refused.precision = config.precision;
  if (Error error = run.recordMeasurement(record.id, refused.print()))
    return error;
  note(record, refused, {}, "");
  return Error::success();
}

} // namespace kgen::search
