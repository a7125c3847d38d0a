//===- Measuring.cpp - Compile, measure, record ---------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchLoop.h"

#include "kgen/Propose/FirstWays.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Scratch.h"

#include <cmath>

using namespace llvm;

namespace kgen::search {

/// Records MEASUREMENT and tells the world.
Error Search::finish(const Candidate &candidate, candidate::Measurement measurement, StringRef duplicateOf,
                     double deviceSeconds, trajectory::Standing standing) {
  const trajectory::BranchRecord &record = candidate.record;
  if (run.getBaselines())
    measurement.baselines.insert(run.getBaselines()->begin(), run.getBaselines()->end());
  if (Error error = run.recordMeasurement(record.id, measurement.print(), duplicateOf, {"compile.log", "kernel.ptx"},
                                          deviceSeconds, record.refusal, standing))
    return error;
  measured[record.id] = measurement;
  if (measurement.floorUs > 0)
    floorUs = measurement.floorUs;
  bool isBest = duplicateOf.empty() && standing != trajectory::Standing::Provisional && measurement.beats(bestUs);
  if (isBest) {
    bestUs = measurement.timeUs;
    bestId = record.id;
  }
  if (record.round == 0)
    genericUs = measurement.timeUs;
  else if (deviceSeconds > 0)
    ++triedAfterGeneric;
  if (isBest)
    if (Error error = run.recordBest(record.id))
      return error;
  if (standing != trajectory::Standing::TimedAgain)
    --branchesLeft;
  announce(record, measurement, duplicateOf, isBest, standing == trajectory::Standing::TimedAgain);
  return Error::success();
}

void Search::announce(const trajectory::BranchRecord &branch, const candidate::Measurement &measurement,
                      StringRef sameAs, bool isBest, bool again) {
  report::BranchNews news;
  news.id = branch.id;
  news.idea = branch.idea.text;
  news.settings = (again ? "timed again; " : "") + branch.label;
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
  // On a card a new best has to win beside the old one. The host's clock would not be worth the time.
  EvaluationJob job = makeJob(record.id, /*promote=*/true);
  double seconds = -1; // who shares an evaluator says it without what it waited
  job.seconds = &seconds;
  auto measurement = env.evaluator.evaluate(job);
  if (seconds < 0)
    seconds = env.clock.seconds() - begin;
  return take(candidate, std::move(measurement), seconds, trajectory::Standing::Final);
}

EvaluationJob Search::makeJob(const std::string &id, bool promote) const {
  EvaluationJob job{folderOf(id), (run.getPath() + "/graph.mlir").str(), facts.flops, config.precision, config.rules};
  job.promote = promote && config.device != "host";
  job.onReference = promote;
  job.sanitize = false; // lookAtBest() has it do so, when the round is over
  job.profile = config.profile;
  // What gains are counted from, and waited for by everything else: a few dozen samples do.
  constexpr double startSeconds = 0.25;
  if (id == trajectory::branchId(0, 0))
    job.timingSeconds = startSeconds;
  if (promote && !bestId.empty()) {
    job.incumbent = bestId;
    job.incumbentFolder = folderOf(bestId);
    job.incumbentUs = bestUs;
  }
  return job;
}

Error Search::take(const Candidate &candidate, Expected<candidate::Measurement> measurement, double seconds,
                   trajectory::Standing standing) {
  passOnNotes();
  const trajectory::BranchRecord &record = candidate.record;
  if (!measurement || !measurement->passed())
    standing = trajectory::Standing::Final; // whatever its time is, it does not win
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
  return finish(candidate, std::move(*measurement), "", seconds, standing);
}

void Search::passOnNotes() {
  for (const std::string &line : env.evaluator.takeNotes())
    env.progress.note(line);
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

/// Orders the ways of a round's ideas, each the OPTION-th of its idea, by what the prior expects of them. Of what it
/// expects the same of (memory bounds both, as a rule) each idea's first way comes before any one's second: variants
/// differ less than ideas do.
static std::pair<double, int> measuringOrder(double priorUs, int option) {
  constexpr double alike = 1.05;
  return {priorUs > 0 ? std::floor(std::log(priorUs) / std::log(alike)) : -HUGE_VAL, option};
}

Error Search::measureRound(std::vector<Candidate> &candidates) {
  const bool several = env.evaluator.getWidth() > 1;
  std::vector<Candidate *> ready, same;
  for (Candidate &candidate : candidates)
    if (candidate.ready)
      (several && isCopy(candidate) ? same : ready).push_back(&candidate);
  // The time may be up before all of them are through: first those that nothing is known of, such as a person's, then
  // those that the prior thinks fastest. Who has another's code waits for that one's measurement.
  stable_sort(ready, [this](const Candidate *a, const Candidate *b) {
    return std::make_pair(isCopy(*a), measuringOrder(a->record.priorUs, a->record.option)) <
           std::make_pair(isCopy(*b), measuringOrder(b->record.priorUs, b->record.option));
  });
  const bool atOnce = several && ready.size() > 1;
  if (!ready.empty())
    env.progress.activity("compiling " + std::to_string(ready.size()) + " candidates");
  if (!ready.empty() && !atOnce)
    if (Error error = measureInTurn(ready))
      return error;
  // An earlier process may have had several evaluators, and ended before it knew who of them is the best.
  const bool isOpen = any_of(candidates, [&](const Candidate &candidate) {
    const trajectory::BranchRecord *branch = run.findBranch(candidate.record.id);
    return branch && branch->standing == trajectory::Standing::Provisional;
  });
  if (atOnce || isOpen)
    if (Error error = measureAtOnce(atOnce ? ArrayRef<Candidate *>(ready) : ArrayRef<Candidate *>(), candidates))
      return error;
  // They share a measurement that stays.
  for (Candidate *candidate : same)
    if (const std::string &first = firstWithCode[codeHash(candidate->record)]; !env.stop && measured.count(first))
      if (Error error = finish(*candidate, measured[first], first))
        return error;
  return Error::success();
}

/// Has what round 1 probably tries compiled while a card is busy with round 0: it lowers the same texts and finds their
/// machine code in the cache. What goes wrong is met there.
void Search::compileFirstWays(const std::atomic<bool> &abandoned) {
  constexpr size_t mostWays = 4;
  propose::ProposalContext context;
  context.slot = "first";
  context.facts = facts;
  context.graph = run.getGraph().str();
  context.chip = config.chip;
  context.device = "cuda";
  context.precision = config.precision;
  auto catalogue = propose::createBuiltinProposer();
  auto ideas = catalogue->proposeIdeas(context, std::max(config.options.ideas, config.options.opening));
  if (!ideas)
    return consumeError(ideas.takeError());
  std::vector<std::pair<propose::FirstWay, int>> ways; // with the option that each is
  for (const propose::Idea &idea : *ideas) {
    auto list = catalogue->materialize(context, idea, config.options.variants);
    if (!list)
      return consumeError(list.takeError());
    for (auto [option, way] : enumerate(*list))
      ways.push_back({{idea, std::move(way)}, int(option)});
  }
  stable_sort(ways, [](const auto &a, const auto &b) {
    return measuringOrder(a.first.way.priorUs, a.second) < measuringOrder(b.first.way.priorUs, b.second);
  });
  for (const auto &[one, option] : ArrayRef(ways).take_front(mostWays))
    workers.async([this, &abandoned, one = one] {
      if (env.stop || abandoned || timeIsUp())
        return;
      auto lowered = env.compiler.lowerWithDirectives(run.getGraph(), one.way.directives, one.idea.text,
                                                      ideas::categoryName(one.idea.category), config.chip);
      if (!lowered)
        return consumeError(lowered.takeError());
      auto scratch = toolchain::ScratchFolder::create("first");
      if (!scratch)
        return consumeError(scratch.takeError());
      if (Error error = toolchain::writeFileAtomically(scratch->path() + "/kernel.cu", lowered->cuda))
        return consumeError(std::move(error));
      if (!env.stop && !abandoned && !timeIsUp())
        env.evaluator.prepare(scratch->path());
    });
}

Error Search::measureInTurn(ArrayRef<Candidate *> ready) {
  std::atomic<bool> abandoned = false; // nobody waits for what is not compiled yet
  for (Candidate *candidate : ready)
    if (!isCopy(*candidate))
      candidate->compiled = workers.async([this, &abandoned, folder = folderOf(candidate->record.id)] {
        if (!env.stop && !abandoned && !timeIsUp())
          env.evaluator.prepare(folder);
      });
  // On the host a compile beside a measurement would be in its time.
  if (config.device == "host")
    workers.wait();
  else if (ready.front()->record.round == 0 && config.lastRound > 0 && config.llm == "builtin" && env.network.empty())
    compileFirstWays(abandoned);
  Error result = Error::success();
  for (Candidate *candidate : ready) {
    if (shouldStop())
      break;
    if (candidate->compiled.valid())
      candidate->compiled.wait();
    if (shouldStop())
      break;
    if (Error error = measure(*candidate)) {
      // The evaluator was cut short: this branch is the one that is lost. Without round 0's there is nothing.
      if (shouldStop() && (env.stop || candidate->record.round > 0))
        consumeError(std::move(error));
      else
        result = std::move(error);
      break;
    }
  }
  abandoned = true;
  workers.wait();
  return result;
}

} // namespace kgen::search
