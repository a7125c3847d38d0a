//===- NetworkAssembly.cpp - The best kernels put together ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NetworkLoop.h"

#include "kgen/Report/RunReport.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kgen::search {

/// The best kernel by now of each task of VARIANT; with GENERIC its round 0.
Expected<TaskChoices> NetworkSearch::choose(const NetworkVariant &variant, bool generic) {
  TaskChoices choices;
  for (size_t member : membersOf(variant)) {
    TaskSearch &task = tasks[member];
    // A round that was cut short counts as far as it came.
    std::string best = bestOf(task, std::numeric_limits<int>::max()).first;
    if (generic || stopReason == trajectory::StopReason::Done)
      best = bestOf(task, generic ? 0 : int(task.state.bestUs.size()) - 1).first;
    if (best.empty() ? canStandIn(task) : !generic && keepsFirst(task, best))
      best = firstKernel.str();
    if (best.empty())
      return createStringError("task " + task.name + " has no kernel that is right in the network");
    choices[task.name] = best;
  }
  return choices;
}

Expected<TaskChoices> NetworkSearch::readChoices(const trajectory::BranchRecord &branch) const {
  auto text = run.readFile(branch.id, "tasks.json");
  return text ? parseChoices(*text) : Expected<TaskChoices>(text.takeError());
}

std::string NetworkSearch::nextBranch(int round, function_ref<bool(const trajectory::BranchRecord &)> isThis) {
  const std::vector<trajectory::BranchRecord> &branches = run.getBranches();
  for (size_t i = 0; i < recorded; ++i)
    if (branches[i].round == round && !passed.count(branches[i].id) && isThis(branches[i])) {
      absorb(i);
      passed.insert(branches[i].id);
      return branches[i].id;
    }
  absorb(recorded);
  return trajectory::branchId(round, int(count_if(branches, [&](const auto &one) { return one.round == round; })));
}

/// Takes on those of the first COUNT recorded branches that the search did not come to: networks that an earlier
/// process ended with.
void NetworkSearch::absorb(size_t count) {
  for (size_t i = 0; i < std::min(count, recorded); ++i) {
    const trajectory::BranchRecord &branch = run.getBranches()[i];
    if (!passed.insert(branch.id).second || branch.measurement.empty())
      continue;
    auto measurement = candidate::Measurement::parse(branch.measurement);
    auto choices = readChoices(branch);
    if (measurement && choices) {
      auto script = branch.files.count("directives.mlir") ? run.readFile(branch.id, "directives.mlir")
                                                          : Expected<std::string>("");
      note(branch, *measurement, *choices, script ? *script : "");
      consumeError(script.takeError());
      continue;
    }
    consumeError(measurement.takeError()); // a refused partition has no choices
    consumeError(choices.takeError());
  }
}

/// Puts the best kernels together and measures the whole. Where a task's kernel is wrong there, it is left out, and the
/// next best takes its place. CLOSING: it is the network that the search ends with.
Error NetworkSearch::assemble(int round, bool closing) {
  bool generic = round == 0 && !hasOpened;
  for (;;) {
    auto choices = choose(current, generic);
    if (!choices && round == 0)
      return choices.takeError();
    if (!choices) { // what was right before stays
      say(toString(choices.takeError()));
      return Error::success();
    }
    if (standings.isKnown(*choices, current.script, closing && config.device != "host"))
      return Error::success();
    const char *text = closing             ? "The best kernel of every task at the end."
                       : round || !generic ? "The best kernel of every task by then."
                                           : "Every task's round 0.";
    auto measurement = assembleChoices(round, text, *choices, closing);
    if (!measurement)
      return measurement.takeError();
    if (measurement->passed())
      return Error::success();
    lastFault = (candidate::verdictName(measurement->verdict) + ": " + measurement->detail).str();
    if ((round == 0 && generic) || world.stop)
      return Error::success();
    if (round == 0) { // whoever is wrong is found out by the rounds after
      generic = true;
      continue;
    }
    auto again = choose(current);
    const bool isSame = again && *again == *choices; // nobody is to blame
    consumeError(again.takeError());
    const bool isLate =
        closing ? closingTime.limit > 0 && secondsSpent() + closingTime.assembly > closingTime.limit : shouldStop();
    if (isSame || isLate)
      return Error::success();
  }
}

/// The network of CHOICES, measured as a branch of ROUND whose idea is TEXT; a recorded one is not measured again.
Expected<candidate::Measurement> NetworkSearch::assembleChoices(int round, const char *text, const TaskChoices &choices,
                                                                bool closing) {
  trajectory::BranchRecord record;
  record.round = round;
  const bool hasFirsts = any_of(choices, [](const auto &choice) { return choice.second == firstKernel; });
  record.parent = round || hasFirsts ? standings.bestId().str() : "";
  record.idea = {"assemble", text, ideas::IdeaCategory::Control};
  record.id = nextBranch(round, [&](const trajectory::BranchRecord &branch) {
    if (branch.idea.key != "assemble" || branch.idea.text != record.idea.text)
      return false;
    auto theirs = readChoices(branch);
    if (theirs)
      return *theirs == choices;
    consumeError(theirs.takeError());
    return branch.measurement.empty(); // it has no files yet
  });
  return measureChoices(record, current, choices, closing);
}

Expected<candidate::Measurement> NetworkSearch::measureChoices(const trajectory::BranchRecord &record,
                                                               const NetworkVariant &variant,
                                                               const TaskChoices &choices, bool closing) {
  const std::string &id = record.id;
  const trajectory::BranchRecord *known = run.findBranch(id);
  if (known && !known->measurement.empty()) {
    auto measurement = candidate::Measurement::parse(known->measurement);
    if (measurement)
      note(*known, *measurement, choices, variant.script);
    return measurement;
  }
  std::map<std::string, const trajectory::RunFolder *> runs;
  for (const TaskSearch &task : tasks)
    runs[task.name] = task.run.get();
  std::map<std::string, const FirstKernel *> firsts;
  for (const TaskSearch &task : tasks)
    if (task.first)
      firsts[task.name] = &*task.first;
  auto files =
      putTogether(variant.facts.partition, variant.facts.precisions, variant.facts.whole, runs, choices, firsts);
  if (!files)
    return files.takeError();
  (*files)["idea.md"] = trajectory::printIdeaPage(record);
  if (!variant.script.empty()) {
    (*files)["directives.mlir"] = variant.script;
    (*files)["network.mlir"] = variant.graph;
  }
  if (!known)
    if (Error error = run.beginBranch(record))
      return std::move(error);
  if (Error error = run.writeFiles(id, *files))
    return std::move(error);
  const std::string place = run.getPath().str() + "/";
  EvaluationJob job{place + id, place + "graph.mlir", variant.facts.flops, config.precision, config.rules};
  job.onReference = true;
  job.promote = closing; // with nothing to compare it with: only the sanitizer looks at it
  // All that is left of the time, and a little where rounds in flight took that, too.
  constexpr double fewestCheckSeconds = 5;
  job.checkSeconds = closingTime.checks;
  if (closingTime.limit > 0)
    job.checkSeconds = std::max(fewestCheckSeconds, closingTime.limit - secondsSpent() - 1.1 * closingTime.assembly);
  double begin = world.clock.seconds();
  auto measurement = evaluator.evaluate(job);
  for (const std::string &line : evaluator.takeNotes())
    say(line);
  if (!measurement)
    return measurement.takeError();
  if (run.getBaselines())
    measurement->baselines.insert(run.getBaselines()->begin(), run.getBaselines()->end());
  if (Error error = run.recordMeasurement(id, measurement->print(), "", {"compile.log"}, world.clock.seconds() - begin))
    return std::move(error);
  note(*run.findBranch(id), *measurement, choices, variant.script);
  // On disk before the next round begins: a search that is ended from outside leaves it.
  if (standings.bestId() == id)
    if (Error error = recordBest())
      return std::move(error);
  return measurement;
}

/// MEASUREMENT is that of BRANCH, the network of CHOICES, cut as SCRIPT says.
void NetworkSearch::note(const trajectory::BranchRecord &branch, const candidate::Measurement &measurement,
                         const TaskChoices &choices, StringRef script) {
  std::string line = "network " + branch.id + ": " + candidate::verdictName(measurement.verdict).str();
  line += measurement.passed() ? ", " + report::printTime(measurement.timeUs) : ": " + measurement.shownDetail();
  if (measurement.passed() && measurement.prepareUs > 0)
    line += " on prepared weights, " + report::printTime(measurement.freshUs()) + " with what prepares them";
  if (measurement.passed() && measurement.graphUs > 0)
    line += ", " + report::printTime(measurement.graphUs) + " as one CUDA graph";
  say(line);
  if (standings.bestId().empty())
    for (const std::string &warning : measurement.warnings)
      say("warning: " + warning);
  auto secondsOf = [&](const char *phase) {
    auto it = measurement.phases.find(phase);
    return it == measurement.phases.end() ? 0 : it->second;
  };
  double assembly = 0;
  for (const auto &[phase, seconds] : measurement.phases)
    assembly += seconds;
  if (measurement.passed())
    closingTime.assembly = assembly - secondsOf("reference") - secondsOf("sanitizer");
  for (const auto &[task, kernel] : standings.add(branch, measurement, choices, script))
    for (TaskSearch &one : tasks)
      if (one.name == task)
        one.banned.insert(kernel);
}

} // namespace kgen::search
