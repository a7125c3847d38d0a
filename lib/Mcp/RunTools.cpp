//===- RunTools.cpp - Reading runs ----------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "kgen/Candidate/Measurement.h"
#include "kgen/Report/RunReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <cmath>

using namespace llvm;

namespace kgen::mcp {

/// As many digits as a reader has use for: six.
static double shorten(double value) {
  if (value == 0 || !std::isfinite(value))
    return value;
  const double unit = std::pow(10, 5 - std::floor(std::log10(std::fabs(value))));
  return std::round(value * unit) / unit;
}

Json printBranch(const trajectory::BranchRecord &branch, double genericUs) {
  Json json = {{"branch", branch.id}};
  auto give = [&](const char *key, const std::string &text) {
    if (!text.empty())
      json[key] = text;
  };
  give("parent", branch.parent);
  json["idea"] = branch.idea.text;
  give("settings", branch.label);
  json["verdict"] = "PENDING";
  auto parsed = candidate::Measurement::parse(branch.measurement);
  if (!parsed) {
    consumeError(parsed.takeError());
    return json;
  }
  const candidate::Measurement &measurement = *parsed;
  json["verdict"] = candidate::verdictName(measurement.verdict).str();
  give("detail", measurement.shownDetail());
  if (branch.refusal) {
    json["refusal"] = {{"kind", graph::refusalName(branch.refusal->kind).str()}};
    for (auto [key, text] : {std::pair<const char *, const std::string &>("key", branch.refusal->key),
                             {"found", branch.refusal->found},
                             {"bound", branch.refusal->bound}})
      if (!text.empty())
        json["refusal"][key] = text;
  }
  if (measurement.passed() && measurement.timeUs > 0) {
    json["time_us"] = shorten(measurement.timeUs);
    if (measurement.floorUs > 0)
      json["floor_us"] = shorten(measurement.floorUs);
    if (genericUs > 0)
      json["speedup"] = shorten(genericUs / measurement.timeUs);
    if (measurement.floorUs > 0)
      json["floor_percent"] = shorten(100 * measurement.floorUs / measurement.timeUs);
    if (measurement.speed)
      json["comparison"] = candidate::speedName(measurement.speed->verdict).str();
  }
  give("diagnosis", measurement.diagnosis);
  give("same_as", branch.duplicateOf);
  if (!measurement.warnings.empty())
    json["warnings"] = measurement.warnings;
  return json;
}

Json printState(Workspace &workspace, const trajectory::RunFolder &run, StringRef name) {
  report::RunReport report = report::summarizeRun(run);
  // A task is at work while its network is.
  auto sitting = workspace.findSitting(name.split('/').first);
  SittingNews news = sitting ? sitting->news() : SittingNews();
  bool running = sitting && !news.ended;
  bool complete = report.stopReason && trajectory::isComplete(*report.stopReason);
  Json state = {{"run", name.str()},
                {"problem", report.problem},
                {"size", report.size},
                {"device", report.device},
                {"precision", report.precision},
                {"state", running    ? "running"
                          : complete ? "ended"
                                     : "stopped"}};
  if (!running && report.stopReason)
    state["reason"] = trajectory::stopReasonWords(*report.stopReason).str();
  if (!running && !news.error.empty())
    state["error"] = news.error;
  if (running && !news.activity.empty())
    state["activity"] = news.activity;
  size_t done = count_if(run.getBranches(), [](const auto &branch) { return !branch.measurement.empty(); });
  state["done"] = done;
  if (running)
    state["expected"] = done + news.left;
  Json verdicts = Json::object();
  for (const auto &[verdict, count] : report.verdicts)
    verdicts[verdict] = count;
  state["verdicts"] = std::move(verdicts);
  if (const trajectory::BranchRecord *best = run.findBranch(report.best.id))
    state["best"] = printBranch(*best, report.genericUs);
  state["generic_us"] = shorten(report.genericUs);
  state["floor_us"] = shorten(report.floorUs);
  state["seconds"] = shorten(report.seconds);
  state["waiting"] = count_if(workspace.getWorld().fs.list((run.getPath() + "/inbox").str()),
                              [](StringRef file) { return file.ends_with(".json"); });
  state["folder"] = run.getPath().str();
  return state;
}

Expected<Json> listRuns(Workspace &workspace, const Json &arguments, Call &call) {
  Json list = Json::array();
  for (const std::string &name : workspace.listRuns()) {
    std::string folder = workspace.pathOf(name) + (workspace.isNetwork(name) ? "/network" : "");
    auto text = workspace.getWorld().fs.read(folder + "/run.json");
    Json config = text ? trajectory::parseStoredJson(*text) : Json();
    if (!text)
      consumeError(text.takeError());
    Json entry = {{"run", name}, {"problem", ""}, {"device", ""}};
    for (const char *key : {"problem", "device"})
      if (config.is_object() && config.contains(key) && config[key].is_string())
        entry[key] = config[key];
    if (!config.is_object())
      entry["error"] = "its run.json cannot be read";
    if (std::vector<std::string> tasks = workspace.listTasks(name); !tasks.empty())
      entry["tasks"] = std::move(tasks);
    list.push_back(std::move(entry));
  }
  return Json{{"runs", std::move(list)}};
}

Expected<Json> listBranches(Workspace &workspace, const Json &arguments, Call &call) {
  std::string name = arguments["run"];
  auto run = workspace.readRun(name);
  if (!run)
    return run.takeError();
  double generic = report::summarizeRun(**run).genericUs;
  const auto &branches = (*run)->getBranches();
  size_t from = arguments.value("from", 0), count = arguments.value("count", 50);
  Json list = Json::array();
  for (size_t i = from; i < branches.size() && i < from + count; ++i)
    list.push_back(printBranch(branches[i], generic));
  return Json{{"run", name}, {"total", branches.size()}, {"branches", std::move(list)}};
}

Expected<Json> readBranch(Workspace &workspace, const Json &arguments, Call &call) {
  std::string name = arguments["run"], id = arguments.value("branch", "best");
  auto run = workspace.readRun(name);
  if (!run)
    return run.takeError();
  if (id == "best" && (*run)->getBest().empty())
    return createStringError("run '" + name + "' has no best branch: nothing has passed yet");
  const trajectory::BranchRecord *branch = (*run)->findBranch(id == "best" ? (*run)->getBest() : StringRef(id));
  if (!branch)
    return createStringError("run '" + name + "' has no branch " + id + "; list_branches names those that are there");
  Json files = Json::object();
  const Json usual = workspace.isNetwork(name) ? Json{"plan.json", "tasks.json"} : Json{"kernel.cu", "plan.json"};
  for (const Json &file : arguments.value("files", usual)) {
    std::string fileName = file;
    if (fileName == "measurement.json") {
      if (!branch->measurement.empty())
        files[fileName] = branch->measurement;
      continue;
    }
    if (!branch->files.count(fileName))
      continue;
    auto text = (*run)->readFile(branch->id, fileName);
    if (!text)
      return text.takeError();
    constexpr size_t longest = 2 << 20;
    if (text->size() > longest)
      return createStringError(Twine(fileName) + " has " + Twine(text->size()) +
                               " bytes, which is too much to send; it is " + (*run)->getPath() + "/" + branch->id +
                               "/" + fileName);
    files[fileName] = std::move(*text);
  }
  double generic = report::summarizeRun(**run).genericUs;
  return Json{{"run", name}, {"branch", printBranch(*branch, generic)}, {"files", std::move(files)}};
}

/// What kgen-search prints for COMMAND.
static Expected<std::string> runCommand(Workspace &workspace, const search::SearchCommand &command, Call &call) {
  const WorkspaceWorld &world = workspace.getWorld();
  std::string text;
  raw_string_ostream out(text);
  search::SearchToolWorld toolWorld{world.fs, world.clock, world.compiler, {}, out, out, call.cancelled()};
  toolWorld.programFolder = world.programFolder;
  if (auto code = search::executeSearchCommand(command, toolWorld); !code)
    return code.takeError();
  return text;
}

/// `kgen-search report` and `replay`: KIND of the run that ARGUMENTS name.
static Expected<Json> tellOfRun(Workspace &workspace, search::SearchCommand::Kind kind, const Json &arguments,
                                Call &call) {
  std::string name = arguments["run"], format = arguments.value("format", "text");
  if (auto run = workspace.readRun(name); !run)
    return run.takeError();
  search::SearchCommand command;
  command.kind = kind;
  command.run = workspace.pathOf(name);
  command.format = format == "markdown" ? "md" : format == "json" ? "json" : "";
  command.jobs = 1;
  auto text = runCommand(workspace, command, call);
  if (!text)
    return text.takeError();
  return Json{{"run", name}, {"text", *text}};
}

Expected<Json> readReport(Workspace &workspace, const Json &arguments, Call &call) {
  return tellOfRun(workspace, search::SearchCommand::Report, arguments, call);
}

Expected<Json> replayRun(Workspace &workspace, const Json &arguments, Call &call) {
  return tellOfRun(workspace, search::SearchCommand::Replay, arguments, call);
}

} // namespace kgen::mcp
