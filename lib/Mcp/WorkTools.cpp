//===- WorkTools.cpp - What changes runs ----------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "kgen/Toolchain/Jail.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kgen::mcp {

using search::SearchCommand;

double toldProgress(int done, int steps) {
  double least = done ? done - 0.5 : 0; // before the first branch there is only its own part
  return least + 0.5 - 0.5 / (1 + steps);
}

/// Waits for SITTING, SECONDS at most, and tells CALL how it goes.
static void follow(const Sitting &sitting, double seconds, Workspace &workspace, Call &call) {
  double end = workspace.getWorld().clock.seconds() + seconds;
  int done = -1, steps = 0;
  std::string activity;
  for (SittingNews seen = sitting.news(); !seen.ended && !call.cancelled(); seen = sitting.news()) {
    double left = end - workspace.getWorld().clock.seconds();
    if (left <= 0)
      return;
    steps = seen.done != done ? 0 : steps + (seen.activity != activity);
    done = seen.done;
    activity = seen.activity;
    call.progress(toldProgress(done, steps), done + seen.left, activity);
    constexpr double cancelledWithin = 0.1;
    sitting.wait(std::min(left, cancelledWithin), &seen);
  }
}

/// Waits for the end of SITTING, or ends it when CALL is cancelled. An Error where it ended badly.
static Error finish(Sitting &sitting, Workspace &workspace, Call &call) {
  constexpr double ever = 1e9;
  follow(sitting, ever, workspace, call);
  if (call.cancelled())
    sitting.stop = true;
  while (!sitting.news().ended)
    sitting.wait(1);
  SittingNews news = sitting.news();
  if (!news.error.empty())
    return createStringError(news.error);
  call.progress(news.done, news.done, "done");
  return Error::success();
}

static Expected<Json> stateOf(Workspace &workspace, const std::string &name) {
  auto run = workspace.readRun(name);
  if (!run)
    return run.takeError();
  return printState(workspace, **run, name);
}

/// A name that is nobody else's until its folder is there, or there will be none.
class TakenName {
public:
  TakenName(Workspace &workspace, std::string name) : workspace(workspace), name(std::move(name)) {}
  ~TakenName() { workspace.releaseName(name); }

private:
  Workspace &workspace;
  std::string name;
};

/// What open_run and start_search have in common: COMMAND on a new run, whose name comes back.
static Expected<std::string> prepareRun(Workspace &workspace, const Json &arguments, SearchCommand &command) {
  const WorkspaceOptions &options = workspace.getOptions();
  auto problem = workspace.resolveProblem(arguments["problem"].get<std::string>());
  if (!problem)
    return problem.takeError();
  command.kind = SearchCommand::Search;
  command.problem = *problem;
  command.llm = options.llm;
  command.device = arguments.value("device", options.device);
  command.size = arguments.value("size", "");
  command.precision = arguments.value("precision", "");
  command.seed = arguments.value("seed", uint64_t(0));
  auto name = workspace.takeName(arguments.value("name", ""), *problem);
  if (!name)
    return name.takeError();
  command.out = workspace.pathOf(*name);
  return name;
}

/// The time that a run may take: what was asked for, up to what the server grants.
static double minutesOf(const Workspace &workspace, const Json &arguments, double otherwise) {
  return std::min(arguments.value("max_minutes", otherwise), workspace.getOptions().maxMinutes);
}

/// Returns when SITTING has made its run folder, or has ended.
static Error awaitFolder(Sitting &sitting, Workspace &workspace, Call &call) {
  while (!sitting.news().ended) {
    auto run = workspace.readRun(sitting.run);
    if (run)
      break;
    consumeError(run.takeError()); // it has not all of its files yet
    if (call.cancelled())
      sitting.stop = true;
    sitting.wait(0.05);
  }
  SittingNews news = sitting.news();
  if (news.ended && !news.error.empty())
    return createStringError(news.error);
  return Error::success();
}

Expected<Json> openRun(Workspace &workspace, const Json &arguments, Call &call) {
  SearchCommand command;
  auto name = prepareRun(workspace, arguments, command);
  if (!name)
    return name.takeError();
  TakenName taken(workspace, *name);
  command.network = "never"; // an agent's kernels are for the whole graph
  command.rounds = 0;
  command.tune = 0;
  // An agent thinks in between; only work counts.
  constexpr double otherwise = 60;
  command.maxMinutes = minutesOf(workspace, arguments, otherwise);
  auto sitting = workspace.start(std::move(command), *name);
  if (!sitting)
    return sitting.takeError();
  Error error = arguments.value("background", false) ? awaitFolder(**sitting, workspace, call)
                                                     : finish(**sitting, workspace, call);
  if (error)
    return std::move(error);
  return stateOf(workspace, *name);
}

/// The proposal that ARGUMENTS make to RUN; none where they make none.
static Expected<std::optional<trajectory::HandWritten>> readProposal(Workspace &workspace, const Json &arguments,
                                                                     const trajectory::RunFolder &run) {
  std::string idea = arguments.value("idea", ""), directives = arguments.value("directives", ""),
              cuda = arguments.value("cuda", ""), plan = arguments.value("plan", "");
  if (!directives.empty() && !cuda.empty())
    return createStringError("a proposal is directives or cuda, not both");
  if (cuda.empty() && !plan.empty())
    return createStringError("plan says how cuda is launched, and there is no cuda");
  if (idea.empty() && directives.empty() && cuda.empty()) {
    if (arguments.contains("parent"))
      return createStringError("parent says what a proposal is about, and there is neither idea, directives nor cuda");
    return std::nullopt;
  }
  std::optional<trajectory::HandWritten> entry;
  if (!cuda.empty() || !directives.empty()) {
    const toolchain::Isolation &isolation = toolchain::supportedIsolation();
    if (!isolation.confinesFiles() && !workspace.getOptions().allowUnconfinedCompile)
      return createStringError(toolchain::explainUnconfinedCompile("an agent brings text that kgen did not write"));
    auto taken = cuda.empty() ? trajectory::takeHandWrittenDirectives(directives)
                              : trajectory::takeHandWrittenKernel(cuda, plan, "cuda", "plan");
    if (!taken)
      return taken.takeError();
    entry = std::move(*taken);
  }
  if (!idea.empty()) {
    auto words = trajectory::readHandWrittenIdea(idea);
    if (!words)
      return words.takeError();
    if (entry) {
      entry->idea.text = words->idea.text;
      entry->idea.category = words->idea.category;
    } else {
      if (run.getConfig().value("llm", "") == "builtin")
        if (auto known = propose::matchBuiltinIdea(words->idea.text); !known)
          return known.takeError();
      entry = std::move(*words);
    }
  }
  if (std::string parent = arguments.value("parent", ""); !parent.empty()) {
    if (parent == "best")
      parent = run.getBest().str();
    const trajectory::BranchRecord *branch = run.findBranch(parent);
    if (!branch || branch->measurement.empty() || !branch->files.count("kernel.cu"))
      return createStringError("the run has no measured branch '" + arguments["parent"].get<std::string>() +
                               "' with a kernel to start from");
    entry->parent = parent;
  }
  return entry;
}

static size_t countWaiting(Workspace &workspace, StringRef name) {
  return count_if(workspace.getWorld().fs.list(workspace.pathOf(name) + "/inbox"),
                  [](StringRef file) { return file.ends_with(".json"); });
}

/// Puts ENTRY into the inbox of run NAME and returns what it is called there.
static Expected<std::string> drop(Workspace &workspace, StringRef name, const trajectory::HandWritten &entry) {
  constexpr size_t mostWaiting = 1000;
  size_t waiting = countWaiting(workspace, name); // of two in one moment the second comes second
  if (waiting >= mostWaiting)
    return createStringError(Twine(mostWaiting) + " proposals wait in the run's inbox already; evaluate them first");
  const WorkspaceWorld &world = workspace.getWorld();
  std::vector<std::string> before = world.fs.list(workspace.pathOf(name) + "/inbox");
  if (Error error = trajectory::dropIntoInbox(world.fs, world.clock, workspace.pathOf(name), waiting, entry))
    return std::move(error);
  for (const std::string &file : world.fs.list(workspace.pathOf(name) + "/inbox"))
    if (StringRef(file).ends_with(".json") && !is_contained(before, file))
      return file;
  return std::string(); // a search took it already
}

/// A network is put together from its tasks: nobody proposes to the whole.
static Error refuseNetwork(Workspace &workspace, StringRef name) {
  if (!workspace.isNetwork(name) && !name.ends_with("/network"))
    return Error::success();
  return createStringError("'" + name +
                           "' is a network: propose to one of its tasks, which list_runs names, and "
                           "start_search goes on with the whole");
}

Expected<Json> propose(Workspace &workspace, const Json &arguments, Call &call) {
  std::string name = arguments["run"];
  if (Error error = refuseNetwork(workspace, name))
    return std::move(error);
  auto run = workspace.readRun(name);
  if (!run)
    return run.takeError();
  auto entry = readProposal(workspace, arguments, **run);
  if (!entry)
    return entry.takeError();
  if (!*entry)
    return createStringError("there is nothing to propose: neither idea, directives nor cuda");
  auto file = drop(workspace, name, **entry);
  if (!file)
    return file.takeError();
  return Json{{"run", name}, {"entry", *file}, {"waiting", countWaiting(workspace, name)}};
}

Expected<Json> evaluate(Workspace &workspace, const Json &arguments, Call &call) {
  std::string name = arguments["run"];
  if (Error error = refuseNetwork(workspace, name))
    return std::move(error);
  if (StringRef(name).contains('/'))
    return createStringError(
        "'" + name + "' is a task of a network: propose to it, and start_search with the network " + "takes it");
  auto run = workspace.readRun(name);
  if (!run)
    return run.takeError();
  if (auto sitting = workspace.findSitting(name); sitting && !sitting->news().ended)
    return createStringError("run '" + name +
                             "' is at work: propose puts a proposal into its next round, search_state " +
                             "tells how it goes");
  // One that was opened has no rounds of its own; of a search they come first.
  auto reason = (*run)->getStopReason();
  const Json &config = (*run)->getConfig();
  bool opened = config.value("rounds", -1) == 0;
  if (!opened && !(reason && trajectory::isComplete(*reason)))
    return createStringError(
        "the search of run '" + name +
        "' is not done: start_search goes on with it, and takes what is proposed in its next round");
  auto entry = readProposal(workspace, arguments, **run);
  if (!entry)
    return entry.takeError();
  if (*entry)
    if (auto file = drop(workspace, name, **entry); !file)
      return file.takeError();
  size_t before = (*run)->getBranches().size();
  bool unfinished = !reason || !trajectory::isComplete(*reason);
  if (!*entry && !unfinished && countWaiting(workspace, name) == 0)
    return createStringError(
        "there is nothing to evaluate: no idea, directives or cuda, and nothing in the run's inbox");
  SearchCommand command;
  command.kind = SearchCommand::Resume;
  command.run = workspace.pathOf(name);
  if (arguments.contains("max_minutes"))
    command.maxMinutes = minutesOf(workspace, arguments, 0);
  auto sitting = workspace.start(std::move(command), name);
  if (!sitting)
    return sitting.takeError();
  Json branches = Json::array();
  if (arguments.value("background", false))
    return Json{{"run", name}, {"branches", std::move(branches)}, {"state", "running"}};
  if (Error error = finish(**sitting, workspace, call))
    return std::move(error);
  run = workspace.readRun(name);
  if (!run)
    return run.takeError();
  Json state = printState(workspace, **run, name);
  double generic = state["generic_us"];
  for (size_t i = before; i < (*run)->getBranches().size(); ++i)
    branches.push_back(printBranch((*run)->getBranches()[i], generic));
  Json answer = {{"run", name}, {"branches", std::move(branches)}};
  if (state.contains("best"))
    answer["best"] = state["best"];
  answer["state"] = state["state"];
  return answer;
}

/// Why nothing would come of going on with RUN, called NAME, with MINUTES, if they are given anew.
static Error findNothingLeft(Workspace &workspace, const trajectory::RunFolder &run, StringRef name,
                             std::optional<double> minutes) {
  if (auto sitting = workspace.findSitting(name); sitting && !sitting->news().ended)
    return Error::success(); // start() says that it is at work
  const double most = minutes.value_or(run.getConfig().value("max_minutes", 0.0)), spent = run.getSecondsSpent();
  if (most > 0 && spent >= 60 * most)
    return createStringError("run '%s' has taken %.2g of its %.3g minutes; give it more by max_minutes",
                             name.str().c_str(), spent / 60, most);
  size_t waiting = countWaiting(workspace, name);
  for (const std::string &task : workspace.listTasks(name))
    waiting += countWaiting(workspace, task);
  auto reason = run.getStopReason();
  if (reason && trajectory::isComplete(*reason) && waiting == 0)
    return createStringError("the search of run '" + name + "' is over (" + trajectory::stopReasonWords(*reason) +
                             ") and nothing waits in its inbox: propose to it, or begin another run");
  return Error::success();
}

Expected<Json> startSearch(Workspace &workspace, const Json &arguments, Call &call) {
  SearchCommand command;
  std::string name;
  std::optional<TakenName> isNew;
  if (arguments.contains("run") == arguments.contains("problem"))
    return createStringError("start_search takes a problem for a new run or a run to go on with, one of them");
  if (arguments.contains("run")) {
    name = arguments["run"];
    auto run = workspace.readRun(name);
    if (!run)
      return run.takeError();
    if (StringRef(name).contains('/'))
      return createStringError("'" + name + "' is a part of a network: start_search with '" +
                               StringRef(name).split('/').first.str() + "' goes on with it");
    for (const char *key : {"size", "precision", "device", "name", "rounds", "ideas", "variants", "seeds", "branches",
                            "tune", "policy", "stop_at_floor", "seed", "network"})
      if (arguments.contains(key))
        return createStringError(Twine(key) + " was settled when the run began; only max_minutes can be raised");
    command.kind = SearchCommand::Resume;
    command.run = workspace.pathOf(name);
    if (arguments.contains("max_minutes"))
      command.maxMinutes = minutesOf(workspace, arguments, 0);
    if (Error error = findNothingLeft(workspace, **run, name, command.maxMinutes))
      return std::move(error);
  } else {
    auto taken = prepareRun(workspace, arguments, command);
    if (!taken)
      return taken.takeError();
    name = *taken;
    isNew.emplace(workspace, name);
    auto whole = [&](const char *key) {
      return arguments.contains(key) ? std::optional<int>(arguments[key].get<int>()) : std::nullopt;
    };
    command.rounds = whole("rounds");
    command.ideas = whole("ideas");
    command.variants = whole("variants");
    command.seeds = whole("seeds");
    command.branches = whole("branches");
    command.tune = whole("tune");
    command.policy = arguments.value("policy", "branch");
    command.network = arguments.value("network", "auto");
    command.stopAtFloor = arguments.value("stop_at_floor", 0.0);
    constexpr double searchesOwn = 30; // the most that a search takes where nobody says
    if (arguments.contains("max_minutes") || workspace.getOptions().maxMinutes < searchesOwn)
      command.maxMinutes = minutesOf(workspace, arguments, searchesOwn);
  }
  auto sitting = workspace.start(std::move(command), name);
  if (!sitting)
    return sitting.takeError();
  if (Error error = awaitFolder(**sitting, workspace, call))
    return std::move(error);
  return stateOf(workspace, name);
}

Expected<Json> searchState(Workspace &workspace, const Json &arguments, Call &call) {
  std::string name = arguments["run"];
  if (auto run = workspace.readRun(name); !run)
    return run.takeError();
  if (auto sitting = workspace.findSitting(name))
    follow(*sitting, arguments.value("wait_seconds", 0.0), workspace, call);
  return stateOf(workspace, name);
}

Expected<Json> cancelSearch(Workspace &workspace, const Json &arguments, Call &call) {
  std::string name = arguments["run"];
  if (auto run = workspace.readRun(name); !run)
    return run.takeError();
  if (auto sitting = workspace.findSitting(name)) {
    sitting->stop = true;
    constexpr double patience = 30;
    follow(*sitting, patience, workspace, call);
  }
  return stateOf(workspace, name);
}

} // namespace kgen::mcp
