//===- NetworkReport.cpp - What a network's search found ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Report/NetworkReport.h"

#include "kgen/Candidate/LaunchPlan.h"
#include "kgen/Candidate/Measurement.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace kgen::report {

/// What stands in the file of JSON that is NAME in BRANCH; an empty object where there is none.
static trajectory::Json readList(const trajectory::RunFolder &run, const trajectory::BranchRecord &branch,
                                 StringRef name) {
  auto text = branch.files.count(name.str()) ? run.readFile(branch.id, name) : Expected<std::string>("");
  if (text && !text->empty())
    if (trajectory::Json list = trajectory::parseStoredJson(*text); list.is_object())
      return list;
  consumeError(text.takeError());
  return trajectory::Json::object();
}

/// How many tasks of the network that is BRANCH are taken from ID.
static size_t countTaken(const trajectory::Json &tasks, StringRef id) {
  return count_if(tasks.items(), [&](const auto &item) { return item.value() == id.str(); });
}

static Error readRounds(const trajectory::RunFolder &run, NetworkReport &report) {
  for (const trajectory::BranchRecord &branch : run.getBranches()) {
    if (branch.measurement.empty())
      continue;
    auto measurement = candidate::Measurement::parse(branch.measurement);
    if (!measurement)
      return measurement.takeError();
    NetworkRound round;
    round.id = branch.id;
    round.round = branch.round;
    round.partition = branch.idea.key == "assemble" ? "" : branch.idea.text;
    round.verdict = candidate::verdictName(measurement->verdict).str();
    round.detail = measurement->passed() ? "" : measurement->shownDetail();
    round.timeUs = measurement->passed() ? measurement->timeUs : 0;
    round.prepareUs = measurement->passed() ? measurement->prepareUs : 0;
    round.graphUs = measurement->passed() ? measurement->graphUs : 0;
    round.seconds = branch.doneAt;
    const trajectory::Json tasks = readList(run, branch, "tasks.json");
    round.firsts = int(countTaken(tasks, firstKernelChoice));
    // Of every task's round 0.
    const bool isGeneric = branch.round == 0 && countTaken(tasks, trajectory::branchId(0, 0)) == tasks.size();
    if (isGeneric)
      report.genericUs = round.timeUs;
    // The journal knows which one it is: one of two that are equally right may have been looked at more closely, and
    // one that was right at first may hold a kernel that was found out later.
    const bool isBest = run.getBest().empty() ? measurement->beats(report.bestUs) : run.getBest() == branch.id;
    if (isBest) {
      report.bestUs = measurement->timeUs;
      report.bestId = branch.id;
      report.floorUs = measurement->floorUs;
      report.prepareUs = measurement->prepareUs;
      report.graphUs = measurement->graphUs;
      report.sanitizer = measurement->sanitizer;
      report.warnings = measurement->warnings;
      if (!isGeneric && measurement->sanitizer.empty() && !StringRef(report.device).starts_with("host"))
        report.warnings.push_back("compute-sanitizer has not looked at it: the search did not come to its end");
    }
    report.rounds.push_back(std::move(round));
  }
  if (run.getBaselines())
    report.baselines = *run.getBaselines();
  const trajectory::BranchRecord *shown = run.findBranch(report.bestId);
  if (!shown && !run.getBranches().empty())
    shown = &run.getBranches().front();
  if (!shown || !shown->files.count("plan.json"))
    return Error::success();
  auto text = run.readFile(shown->id, "plan.json");
  if (!text)
    return text.takeError();
  auto plan = candidate::LaunchPlan::parse(*text);
  if (!plan)
    return plan.takeError();
  report.steps = int(plan->steps.size() - plan->prepareSteps);
  report.prepareLaunches = int64_t(plan->prepareLaunches());
  report.launches = int64_t(plan->launches.size()) - report.prepareLaunches;
  report.preparedBytes = plan->preparedBytes();
  report.arenaBytes = plan->arenaBytes();
  for (const candidate::WorkspaceSpec &space : plan->workspace)
    report.valueBytes += space.prepared ? 0 : space.bytes;
  for (NetworkTaskRow &row : report.tasks)
    for (size_t i = 0; i < plan->steps.size(); ++i)
      if (plan->steps[i].task == row.name)
        ++(i < plan->prepareSteps ? row.prepares : row.count);
  // A network that was first put together of tuned kernels had no run of round 0: its tasks' times together.
  const bool areTimed =
      all_of(report.tasks, [](const NetworkTaskRow &row) { return row.count == 0 || row.genericUs > 0; });
  if (report.genericUs == 0 && areTimed)
    for (const NetworkTaskRow &row : report.tasks)
      report.genericUs += row.count * row.genericUs;
  const size_t all = report.tasks.size();
  erase_if(report.tasks, [](const NetworkTaskRow &row) { return row.count + row.prepares == 0; });
  report.otherTasks = int(all - report.tasks.size());
  return Error::success();
}

/// What tasks.json and first.json say of the best network that RUN ended with, tasks by name; empty while it goes on.
/// A task's own best kernel may have been found out in the network.
struct ChosenKernels {
  trajectory::Json tasks = trajectory::Json::object(), firsts = trajectory::Json::object();

  explicit ChosenKernels(const trajectory::RunFolder &run) {
    const trajectory::BranchRecord *best = run.getStopReason() ? run.findBranch(run.getBest()) : nullptr;
    if (!best)
      return;
    tasks = readList(run, *best, "tasks.json");
    firsts = readList(run, *best, "first.json");
  }
  std::string branchOf(const std::string &task) const { return textOf(tasks, task); }
  /// "idea", "text" or "settings" of the first kernel of TASK.
  std::string firstOf(const std::string &task, const char *key) const {
    auto way = firsts.find(task);
    return way != firsts.end() && way->is_object() ? textOf(*way, key) : "";
  }

private:
  static std::string textOf(const trajectory::Json &list, const std::string &key) {
    auto it = list.find(key);
    return it != list.end() && it->is_string() ? it->get<std::string>() : "";
  }
};

/// KERNELS say which branch stands in the network; where they do not, the fastest does.
static Expected<NetworkTaskRow> readTask(trajectory::FileSystem &fs, trajectory::Clock &clock, const std::string &path,
                                         const std::string &name, const ChosenKernels &kernels) {
  const std::string chosen = kernels.branchOf(name);
  auto run = trajectory::RunFolder::openForReading(fs, clock, path);
  if (!run)
    return run.takeError();
  RunReport report = summarizeRun(**run);
  NetworkTaskRow row;
  row.name = name;
  row.precision = report.precision;
  row.genericUs = report.genericUs;
  row.bestUs = report.best.timeUs;
  row.floorUs = report.floorUs;
  row.branches = std::max(0, report.branches - 1);
  row.bestId = report.best.id;
  row.idea = report.best.idea;
  row.settings = report.best.settings;
  for (const trajectory::BranchRecord &branch : (*run)->getBranches())
    row.rounds = std::max(row.rounds, branch.round);
  if (chosen == firstKernelChoice) {
    row.inNetworkOnly = true;
    row.bestId = chosen;
    row.bestUs = 0;
    row.idea = kernels.firstOf(name, "text");
    row.settings = kernels.firstOf(name, "settings");
    return row;
  }
  const trajectory::BranchRecord *stands = (*run)->findBranch(chosen);
  if (!stands || chosen == row.bestId)
    return row;
  auto measurement = candidate::Measurement::parse(stands->measurement);
  if (!measurement)
    return measurement.takeError();
  row.bestId = chosen;
  row.bestUs = measurement->timeUs;
  row.idea = stands->idea.text;
  row.settings = stands->label;
  return row;
}

Expected<NetworkReport> summarizeNetwork(trajectory::FileSystem &fs, trajectory::Clock &clock, StringRef folder) {
  auto run = trajectory::RunFolder::openForReading(fs, clock, (folder + "/network").str());
  if (!run)
    return run.takeError();
  const trajectory::Json &config = (*run)->getConfig();
  NetworkReport report;
  report.run = folder.str();
  report.problem = config.value("problem", "");
  report.size = config.value("size", "");
  report.precision = config.value("precision", "");
  report.isolation = config.value("isolation", "");
  report.device = config.value("device", "");
  if (std::string model = config.value("device_model", ""); !model.empty())
    report.device += " (" + model + ")";
  report.stopReason = (*run)->getStopReason();
  report.seconds = (*run)->getSecondsSpent();
  const ChosenKernels kernels(**run);
  for (const std::string &name : fs.list((folder + "/tasks").str())) {
    std::string path = (folder + "/tasks/" + name).str();
    if (!fs.exists(path + "/run.json"))
      continue;
    auto row = readTask(fs, clock, path, name, kernels);
    if (!row)
      return row.takeError();
    report.tasks.push_back(std::move(*row));
  }
  if (Error error = readRounds(**run, report))
    return std::move(error);
  double total = 0;
  for (const NetworkTaskRow &row : report.tasks)
    total += row.count * row.bestUs;
  for (NetworkTaskRow &row : report.tasks)
    row.share = total > 0 ? 100 * row.count * row.bestUs / total : 0;
  return report;
}

} // namespace kgen::report
