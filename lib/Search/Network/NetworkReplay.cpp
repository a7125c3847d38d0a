//===- NetworkReplay.cpp - A network's run derived again ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks' runs are replayed like any other. Then each network is put together again from the kernels that its
// tasks.json names, which by then are what the replies give, and every byte is compared.
//
//===----------------------------------------------------------------------===//

#include "NetworkStandings.h"
#include "TaskSearch.h"

#include "kgen/Candidate/Measurement.h"
#include "kgen/Propose/Proposer.h"
#include "kgen/Search/GuardedCompiler.h"
#include "kgen/Trajectory/CorruptRun.h"
#include "kgen/Trajectory/Replay.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <set>

using namespace llvm;

namespace kgen::search {

namespace {

/// A task's run, and what the search knew of it when it gave turns away.
struct ReplayedTask {
  std::string name;
  const trajectory::RunFolder *run = nullptr;
  network::TaskState state;
  std::set<std::string> banned;
  int turns = 0; ///< in all
};

/// Gives the turns of a network's run away again, by what the journals hold.
class TurnReplay {
public:
  TurnReplay(const trajectory::RunFolder &run, std::vector<ReplayedTask> tasks) : run(run), tasks(std::move(tasks)) {
    for (const trajectory::Turn &turn : run.getTurns())
      if (ReplayedTask *task = find(turn.task))
        ++task->turns;
  }

  /// VARIANTOF gives each branch's partition. Where a turn went elsewhere than the journals say: the sentence; else "".
  std::string check(function_ref<const NetworkVariant &(const trajectory::BranchRecord &)> variantOf) {
    for (ReplayedTask &task : tasks)
      advance(task);
    const std::vector<trajectory::BranchRecord> &branches = run.getBranches();
    size_t noted = 0;
    for (size_t turn = 0; turn < run.getTurns().size();) {
      // What another partition was given stands before its own measurement.
      const bool inFlight = run.getTurns()[turn].partition;
      for (; noted + inFlight < std::min(run.getTurns()[turn].begun, branches.size()); ++noted)
        note(branches[noted], variantOf(branches[noted]));
      if (std::string fault = take(turn); !fault.empty())
        return fault;
    }
    return "";
  }

private:
  ReplayedTask *find(StringRef name) {
    auto it = find_if(tasks, [&](const ReplayedTask &task) { return task.name == name; });
    return it == tasks.end() ? nullptr : &*it;
  }

  /// Takes the batch of turns that begins at INDEX, and moves that on.
  std::string take(size_t &index) {
    const std::vector<trajectory::Turn> &turns = run.getTurns();
    const size_t first = index;
    std::vector<ReplayedTask *> given;
    do {
      given.push_back(find(turns[index].task));
      if (!given.back())
        return "turn " + std::to_string(index) + " is of a task " + turns[index].task +
               " that the network does not have";
      ++index;
    } while (turns[first].batch >= 0 && index < turns.size() && turns[index].batch == turns[first].batch);
    std::vector<network::TaskState> states;
    for (const ReplayedTask &task : tasks)
      states.push_back(task.state);
    const std::vector<size_t> chosen = network::chooseTasks(states, given.size());
    for (size_t i = 0; i < given.size() && !turns[first].partition; ++i)
      if (i >= chosen.size() || &tasks[chosen[i]] != given[i])
        return "turn " + std::to_string(first + i) + ", in round " + std::to_string(turns[first].round) +
               ", went to task " + given[i]->name + ", the journals give it to " +
               (i < chosen.size() ? tasks[chosen[i]].name : std::string("nobody"));
    for (ReplayedTask *task : given)
      advance(*task);
    return "";
  }

  /// What NetworkSearch::advance() learns of the next round of TASK, from the journal.
  static void advance(ReplayedTask &task) {
    if (!task.run)
      return;
    const int round = int(task.state.bestUs.size());
    const bool any = any_of(task.run->getBranches(), [&](const auto &branch) { return branch.round == round; });
    task.state.bestUs.push_back(findBest(*task.run, round, task.banned, task.state).second);
    // Its journal tells why its last round ended.
    const bool ended = round == task.turns && task.run->getStopReason() == trajectory::StopReason::NoIdeasLeft;
    task.state.exhausted = !any || ended;
  }

  /// The network of BRANCH was measured: it may be the best, whose partition counts then, or show who was wrong.
  void note(const trajectory::BranchRecord &branch, const NetworkVariant &variant) {
    auto measurement = branch.measurement.empty() ? Expected<candidate::Measurement>(candidate::Measurement())
                                                  : candidate::Measurement::parse(branch.measurement);
    if (!measurement)
      return consumeError(measurement.takeError());
    TaskChoices choices;
    if (branch.files.count("tasks.json"))
      if (auto text = run.readFile(branch.id, "tasks.json"))
        if (auto parsed = parseChoices(*text))
          choices = std::move(*parsed);
    for (const auto &[task, kernel] : standings.add(branch, *measurement, choices, variant.script))
      if (ReplayedTask *blamed = find(task))
        blamed->banned.insert(kernel);
    if (standings.bestId() == branch.id)
      useCounts(variant);
  }

  void useCounts(const NetworkVariant &variant) {
    for (ReplayedTask &task : tasks)
      task.state.count = 0;
    for (const graph::NetworkTask &known : variant.facts.partition.tasks)
      if (ReplayedTask *task = find(known.name))
        task->state.count = known.count - known.prepares;
  }

  const trajectory::RunFolder &run;
  std::vector<ReplayedTask> tasks;
  NetworkStandings standings;
};

/// Whether SCRIPT, of BRANCH, ends in the directives of the recorded answer that it carries out.
Error checkAnswered(const trajectory::RunFolder &run, const trajectory::BranchRecord &branch, StringRef script) {
  const trajectory::ReplyRecord *reply = run.findReplyByHash(branch.reply);
  auto ways = reply ? propose::parseMaterializations(reply->reply)
                    : Expected<std::vector<propose::Materialization>>(std::vector<propose::Materialization>());
  if (!ways)
    return ways.takeError();
  if (ways->empty() || !script.rtrim().ends_with(StringRef(ways->front().directives).rtrim()))
    return createStringError(run.getPath() + "/" + branch.id + "/directives.mlir is not what the recorded answer says");
  return Error::success();
}

/// The first kernels of the network that is BRANCH of RUN, lowered again in the ways that it recorded. With RECORDED
/// those that this code generator writes differently are as the run has them.
Expected<std::map<std::string, FirstKernel>> deriveFirsts(const trajectory::RunFolder &run,
                                                          const trajectory::BranchRecord &branch,
                                                          const NetworkVariant &variant, graph::GraphCompiler &compiler,
                                                          const Chip &chip, bool recorded) {
  auto kernels = readFirstKernels(run, branch);
  if (!kernels || recorded)
    return kernels;
  const std::vector<graph::NetworkTask> &tasks = variant.facts.partition.tasks;
  for (auto &[name, kernel] : *kernels) {
    auto task = find_if(tasks, [&](const graph::NetworkTask &one) { return one.name == name; });
    if (task == tasks.end())
      return createStringError(run.getPath() + "/" + branch.id + "/first.json names a task " + name +
                               " that the network does not have");
    const std::string &graph = variant.facts.graphs[task - tasks.begin()];
    auto lowered = kernel.isGeneric()
                       ? compiler.lowerGeneric(graph, chip)
                       : compiler.lowerWithDirectives(graph, kernel.directives, kernel.text, kernel.category, chip);
    if (!lowered)
      return createStringError(run.getPath() + "/" + branch.id + "/first.json: the way for " + name +
                               " cannot be taken again: " + toString(lowered.takeError()));
    kernel.lowered = std::move(*lowered);
  }
  return kernels;
}

} // namespace

Expected<int> replayNetwork(const SearchCommand &command, const SearchToolWorld &world) {
  auto run = trajectory::RunFolder::openForReading(world.fs, world.clock, networkFolder(command.run));
  if (!run)
    return run.takeError();
  if (Error error = (*run)->verifyFiles())
    return std::move(error);
  auto config = SearchConfig::fromJson((*run)->getConfig());
  if (!config)
    return config.takeError();
  auto facts = collectNetworkFacts(world.compiler, (*run)->getGraph(), config->chip);
  if (!facts)
    return facts.takeError();
  RunCompilers compilers(world.compiler, config->llm);
  // The ways in which the network was cut, by script, in the order in which their tasks got numbers.
  std::map<std::string, NetworkVariant> variants;
  NetworkVariant &base = variants[""];
  base.graph = (*run)->getGraph().str();
  base.facts = std::move(*facts);
  std::vector<graph::NetworkTask> known = base.facts.partition.tasks;
  std::map<std::string, std::string> graphs; // by task
  for (size_t i = 0; i < known.size(); ++i)
    graphs[known[i].name] = base.facts.graphs[i];
  std::map<std::string, std::string> scripts; // by branch
  for (const trajectory::BranchRecord &branch : (*run)->getBranches()) {
    std::string &script = scripts[branch.id];
    if (!branch.files.count("directives.mlir"))
      continue;
    auto text = (*run)->readFile(branch.id, "directives.mlir");
    if (!text)
      return text.takeError();
    script = *text;
    if (!branch.reply.empty())
      if (Error error = checkAnswered(**run, branch, script))
        return std::move(error);
    if (variants.count(script))
      continue;
    auto variant = makeVariant(*compilers.own, base, script, config->chip, known);
    if (!variant)
      return createStringError((*run)->getPath() + "/" + branch.id +
                               "/directives.mlir cannot be applied again: " + toString(variant.takeError()));
    for (size_t i = 0; i < variant->facts.partition.tasks.size(); ++i)
      graphs.try_emplace(variant->facts.partition.tasks[i].name, variant->facts.graphs[i]);
    variants.emplace(script, std::move(*variant));
  }
  std::vector<std::unique_ptr<trajectory::RunFolder>> opened;
  std::map<std::string, const trajectory::RunFolder *> tasks;
  std::vector<ReplayedTask> replayed;
  int branches = 0, files = 0;
  // Of tasks that gain alike the one that was opened first has the turn: those of each branch's partition, in its
  // order.
  SmallVector<std::string> order;
  auto add = [&](ArrayRef<graph::NetworkTask> list) {
    for (const graph::NetworkTask &task : list)
      if (!is_contained(order, task.name))
        order.push_back(task.name);
  };
  for (const trajectory::BranchRecord &branch : (*run)->getBranches())
    add(variants.at(scripts[branch.id]).facts.partition.tasks);
  add(known);
  for (const std::string &name : order) {
    const std::string path = command.run + "/tasks/" + name;
    if (!world.fs.exists(path + "/run.json"))
      continue; // the search was cut short before it
    auto task = trajectory::RunFolder::openForReading(world.fs, world.clock, path);
    if (!task)
      return task.takeError();
    if ((*task)->getGraph() != graphs[name])
      return make_error<trajectory::CorruptRun>(path + "/graph.mlir",
                                                " is not the task that the network's graph gives");
    auto summary = trajectory::replayRun(world.fs, **task, *compilers.own,
                                         {command.jobs, command.recorded, compilers.foreign.get()});
    if (!summary)
      return summary.takeError();
    branches += summary->branches;
    files += summary->files;
    tasks[name] = task->get();
    replayed.push_back({name, task->get(), {}, {}, 0});
    opened.push_back(std::move(*task));
  }
  int networks = 0;
  for (const trajectory::BranchRecord &branch : (*run)->getBranches()) {
    const NetworkVariant &variant = variants.at(scripts[branch.id]);
    std::map<std::string, std::string> expected;
    if (branch.files.count("tasks.json")) {
      auto text = (*run)->readFile(branch.id, "tasks.json");
      if (!text)
        return text.takeError();
      auto choices = parseChoices(*text);
      if (!choices)
        return choices.takeError();
      auto firsts = deriveFirsts(**run, branch, variant, *compilers.own, config->chip, command.recorded);
      if (!firsts)
        return firsts.takeError();
      std::map<std::string, const FirstKernel *> kernels;
      for (const auto &[task, kernel] : *firsts)
        kernels[task] = &kernel;
      auto together =
          putTogether(variant.facts.partition, variant.facts.precisions, variant.facts.whole, tasks, *choices, kernels);
      if (!together)
        return together.takeError();
      expected = std::move(*together);
      ++networks;
    } else if (branch.files.empty()) {
      continue;
    }
    expected["idea.md"] = trajectory::printIdeaPage(branch);
    if (!variant.script.empty()) {
      expected["directives.mlir"] = variant.script;
      expected["network.mlir"] = variant.graph;
    }
    for (const auto &[name, derived] : expected) {
      auto actual = (*run)->readFile(branch.id, name);
      if (!actual)
        return actual.takeError();
      ++files;
      if (*actual == derived)
        continue;
      size_t at =
          std::mismatch(actual->begin(), actual->begin() + std::min(actual->size(), derived.size()), derived.begin())
              .first -
          actual->begin();
      return createStringError((*run)->getPath() + "/" + branch.id + "/" + name +
                               " differs from what the tasks give, first at byte " + Twine(at));
    }
  }
  auto variantOf = [&](const trajectory::BranchRecord &branch) -> const NetworkVariant & {
    return variants.at(scripts[branch.id]);
  };
  if (std::string fault = TurnReplay(**run, std::move(replayed)).check(variantOf); !fault.empty())
    return createStringError((*run)->getPath() + "/journal.jsonl: " + fault);
  world.out << command.run << ": " << branches << " branches of " << tasks.size() << " tasks derived again, "
            << networks << " networks put together again, " << (*run)->getTurns().size() << " turns given away again, "
            << files << " files are the same to the byte\n";
  return 0;
}

} // namespace kgen::search
