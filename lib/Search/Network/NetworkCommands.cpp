//===- NetworkCommands.cpp - What a network's commands share --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NetworkSearch.h"

#include "kgen/Report/NetworkReport.h"
#include "kgen/Support/PlanLimits.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/ThreadPool.h"

using namespace llvm;

namespace kgen::search {

std::string networkFolder(StringRef run) { return (run + "/network").str(); }

bool isNetworkRun(trajectory::FileSystem &fs, StringRef run) { return fs.exists(networkFolder(run) + "/run.json"); }

Expected<std::optional<graph::NetworkPartition>> partitionForSearch(const SearchCommand &command,
                                                                    const SearchToolWorld &world, StringRef graph) {
  if (command.network == "never")
    return std::nullopt;
  auto partition = world.compiler.partition(graph);
  if (!partition) {
    if (command.network == "always")
      return partition.takeError();
    consumeError(partition.takeError()); // one search does
    return std::nullopt;
  }
  if (command.network == "auto" && partition->steps.size() < network::fewestSteps)
    return std::nullopt;
  // As one search it would have as many launches.
  if (partition->steps.size() > mostLaunches)
    return createStringError("the network has " + Twine(partition->steps.size()) + " tasks, a plan has at most " +
                             Twine(mostLaunches) + " launches");
  return std::move(*partition);
}

std::string printChoices(const TaskChoices &choices) {
  trajectory::Json list = trajectory::Json::object();
  for (const auto &[task, branch] : choices)
    list[task] = branch;
  return list.dump(1) + "\n";
}

Expected<TaskChoices> parseChoices(StringRef text) {
  trajectory::Json list = trajectory::Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!list.is_object())
    return createStringError("tasks.json is not an object");
  TaskChoices choices;
  for (const auto &[task, branch] : list.items()) {
    if (!branch.is_string())
      return createStringError("tasks.json names no branch for " + task);
    choices[task] = branch.get<std::string>();
  }
  return choices;
}

/// What FACTS' partition needs of its tasks.
static Error addTaskFacts(graph::GraphCompiler &compiler, const Chip &chip, NetworkFacts &facts) {
  const std::vector<graph::NetworkTask> &tasks = facts.partition.tasks;
  facts.graphs.resize(tasks.size());
  facts.precisions.resize(tasks.size());
  std::vector<std::string> faults(tasks.size());
  auto add = [&](size_t i) -> Error {
    auto canonical = compiler.canonicalize(tasks[i].graph, /*small=*/false);
    if (!canonical)
      return canonical.takeError();
    auto lowered = compiler.lowerGeneric(*canonical, chip);
    if (!lowered)
      return createStringError("task " + tasks[i].name + ": " + toString(lowered.takeError()));
    auto own = candidate::LaunchPlan::parse(lowered->plan);
    if (!own)
      return own.takeError();
    facts.graphs[i] = std::move(*canonical);
    facts.precisions[i] = own->precision;
    return Error::success();
  };
  {
    DefaultThreadPool workers;
    for (size_t i = 0; i < tasks.size(); ++i)
      workers.async([&, i] {
        if (Error error = add(i))
          faults[i] = toString(std::move(error));
      });
    workers.wait();
  }
  for (const std::string &fault : faults)
    if (!fault.empty())
      return createStringError(fault);
  for (const graph::NetworkTask &task : tasks)
    facts.flops += (task.count - task.prepares) * task.flops;
  return Error::success();
}

Expected<NetworkFacts> collectNetworkFacts(graph::GraphCompiler &compiler, StringRef graph, const Chip &chip) {
  auto partition = compiler.partition(graph);
  if (!partition)
    return partition.takeError();
  return collectNetworkFacts(compiler, graph, std::move(*partition), chip);
}

Expected<NetworkFacts> collectNetworkFacts(graph::GraphCompiler &compiler, StringRef graph,
                                           graph::NetworkPartition partition, const Chip &chip) {
  NetworkFacts facts;
  facts.partition = std::move(partition);
  auto whole = compiler.lowerGeneric(graph, chip);
  if (!whole)
    return whole.takeError();
  auto plan = candidate::LaunchPlan::parseShape(whole->plan);
  if (!plan)
    return plan.takeError();
  facts.whole = std::move(*plan);
  if (Error error = addTaskFacts(compiler, chip, facts))
    return std::move(error);
  return std::move(facts);
}

std::string chooseCut(graph::GraphCompiler &compiler, StringRef graph, const SearchConfig &config) {
  if (config.device == "host" || !config.chip.isHopper())
    return "";
  std::string keys, script;
  for (StringRef key : {"channels-last", "join-heads"}) {
    if (key == "channels-last" && config.precision == "strict-fp32")
      continue;
    const network::PartitionIdea *idea =
        find_if(network::partitionCatalogue(), [&](const network::PartitionIdea &each) { return each.key == key; });
    auto rewritten = compiler.rewriteNetwork(graph, script + idea->directives, config.chip);
    auto partition = rewritten ? compiler.partition(*rewritten) : rewritten.takeError();
    if (!partition) {
      consumeError(partition.takeError()); // it is about another network
      continue;
    }
    keys += (keys.empty() ? "" : ",") + key.str();
    script += idea->directives;
  }
  return keys;
}

Expected<NetworkVariant> makeVariant(graph::GraphCompiler &compiler, const NetworkVariant &base, StringRef script,
                                     const Chip &chip, std::vector<graph::NetworkTask> &known) {
  NetworkVariant variant;
  variant.script = script.str();
  auto graph = compiler.rewriteNetwork(base.graph, script, chip);
  if (!graph)
    return graph.takeError();
  variant.graph = std::move(*graph);
  auto partition = compiler.partition(variant.graph);
  if (!partition)
    return partition.takeError();
  variant.facts.partition = std::move(*partition);
  std::vector<graph::NetworkTask> joined = known;
  network::shareTasks(variant.facts.partition, joined);
  // What goes in and out is the network's, however it is cut.
  variant.facts.whole = base.facts.whole;
  if (Error error = addTaskFacts(compiler, chip, variant.facts))
    return std::move(error);
  known = std::move(joined);
  return std::move(variant);
}

Expected<std::map<std::string, std::string>>
putTogether(const graph::NetworkPartition &partition, ArrayRef<std::string> precisions,
            const candidate::LaunchPlan &whole, const std::map<std::string, const trajectory::RunFolder *> &tasks,
            const TaskChoices &choices, const std::map<std::string, const FirstKernel *> &firsts) {
  std::map<std::string, std::string> files;
  std::vector<candidate::LaunchPlan> plans;
  std::vector<std::string> modules;
  std::map<std::string, const FirstKernel *> used;
  for (const graph::NetworkTask &task : partition.tasks) {
    auto run = tasks.find(task.name);
    auto choice = choices.find(task.name);
    if (choice != choices.end() && choice->second == firstKernel) {
      auto first = firsts.find(task.name);
      if (first == firsts.end())
        return createStringError("there is no first kernel for task " + task.name);
      auto plan = candidate::LaunchPlan::parse(first->second->lowered.plan);
      if (!plan)
        return plan.takeError();
      plans.push_back(std::move(*plan));
      modules.push_back(task.name + ".cu");
      files[modules.back()] = first->second->lowered.cuda;
      files[firstPlanFile(task.name)] = first->second->lowered.plan;
      used.insert(*first);
      continue;
    }
    if (run == tasks.end() || choice == choices.end() || !run->second->findBranch(choice->second))
      return createStringError("there is no kernel for task " + task.name);
    auto text = run->second->readFile(choice->second, "plan.json");
    if (!text)
      return text.takeError();
    auto plan = candidate::LaunchPlan::parse(*text);
    if (!plan)
      return plan.takeError();
    auto cuda = run->second->readFile(choice->second, "kernel.cu");
    if (!cuda)
      return cuda.takeError();
    plans.push_back(std::move(*plan));
    modules.push_back(task.name + ".cu");
    files[modules.back()] = std::move(*cuda);
  }
  auto plan = network::assemble(partition, whole, plans, modules);
  if (!plan)
    return plan.takeError();
  files["plan.json"] = plan->print();
  files["partition.json"] = network::printPartition(partition, precisions);
  files["tasks.json"] = printChoices(choices);
  if (!used.empty())
    files["first.json"] = printFirstWays(used);
  return files;
}

Expected<std::string> printNetworkReport(const SearchCommand &command, const SearchToolWorld &world) {
  auto report = report::summarizeNetwork(world.fs, world.clock, command.run);
  if (!report)
    return report.takeError();
  return command.format == "md"     ? report::printNetworkMarkdown(*report)
         : command.format == "json" ? report::printNetworkJson(*report)
         : command.format == "html" ? report::printNetworkHtml(*report)
                                    : report::printNetworkText(*report);
}

} // namespace kgen::search
