//===- ProblemTools.cpp - Problems, ideas and the guide -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "kgen/Propose/ModelProposer.h"
#include "kgen/Search/ProblemSource.h"
#include "kgen/Support/Chip.h"

using namespace llvm;

namespace kgen::mcp {

static Json printTensors(const std::vector<graph::TensorFact> &tensors) {
  Json list = Json::array();
  for (const graph::TensorFact &tensor : tensors) {
    list.push_back({{"dtype", tensor.dtype}, {"shape", tensor.shape}});
    if (tensor.updates >= 0)
      list.back()["updates"] = tensor.updates;
  }
  return list;
}

Expected<Json> listProblems(Workspace &workspace, const Json &arguments, Call &call) {
  trajectory::FileSystem &fs = workspace.getWorld().fs;
  search::SourceFolders folders = workspace.getFolders();
  std::vector<std::string> names = search::listProblems(fs, folders);
  Json list = Json::array();
  for (const std::string &name : names) {
    if (call.cancelled())
      return createStringError("cancelled");
    call.progress(list.size(), names.size(), name);
    auto text = fs.read(folders.problems + "/" + name + ".mlir");
    if (!text)
      return text.takeError();
    auto facts = workspace.getWorld().compiler.facts(*text);
    if (!facts)
      return createStringError(name + ": " + toString(facts.takeError()));
    list.push_back({{"name", name},
                    {"precision", facts->precision},
                    {"inputs", printTensors(facts->inputs)},
                    {"outputs", printTensors(facts->outputs)},
                    {"flops", facts->flops}});
  }
  return Json{{"problems", std::move(list)}};
}

static Expected<Json> describe(Workspace &workspace, const std::string &problem, const Json &arguments,
                               bool withGraph) {
  std::string size = arguments.value("size", "full"), cardName = arguments.value("card", "NVIDIA H200");
  std::optional<ChipRates> rates = findChipRates(cardName);
  if (!rates)
    return createStringError("card is '" + cardName + "', whose rates kgen does not know");
  auto graph = workspace.readGraph(problem, size == "small", arguments.value("precision", ""));
  if (!graph)
    return graph.takeError();
  auto facts = workspace.getWorld().compiler.facts(*graph);
  if (!facts)
    return createStringError(problem + ": " + toString(facts.takeError()));
  double floor = floorMicroseconds(*rates, facts->compulsoryBytes, facts->flops, facts->precision);
  double memory = floorMicroseconds(*rates, facts->compulsoryBytes, 0, facts->precision);
  double arithmetic = floorMicroseconds(*rates, 0, facts->flops, facts->precision);
  Json ops = Json::array(), kernels = Json::array();
  for (const graph::OpFact &op : facts->ops)
    ops.push_back({{"index", ops.size()},
                   {"op", op.name},
                   {"family", op.family},
                   {"operands", printTensors(op.operands)},
                   {"results", printTensors(op.results)},
                   {"attributes", Json(op.attributes)},
                   {"flops", op.flops}});
  for (const graph::GroupFact &group : facts->getGroups(graph::Fusion::Epilogue))
    kernels.push_back({{"family", group.family}, {"anchor", group.anchor}, {"ops", group.ops}});
  Json answer = {{"name", facts->name},
                 {"problem", problem},
                 {"size", size},
                 {"precision", facts->precision},
                 {"inputs", printTensors(facts->inputs)},
                 {"outputs", printTensors(facts->outputs)},
                 {"flops", facts->flops},
                 {"compulsory_bytes", facts->compulsoryBytes},
                 {"floor",
                  {{"card", cardName},
                   {"us", floor},
                   {"memory_us", memory},
                   {"arithmetic_us", arithmetic},
                   {"diagnosis", memory >= arithmetic ? "memory bound: moving the inputs and outputs takes longest"
                                                      : "arithmetic bound: the products and sums take longest"}}},
                 {"ops", std::move(ops)},
                 {"kernels", std::move(kernels)}};
  if (withGraph)
    answer["graph"] = *graph;
  return answer;
}

Expected<Json> describeProblem(Workspace &workspace, const Json &arguments, Call &call) {
  return describe(workspace, arguments["problem"], arguments, arguments.value("graph", false));
}

Expected<Json> importProblem(Workspace &workspace, const Json &arguments, Call &call) {
  std::string file = arguments["file"];
  if (!StringRef(file).ends_with(".py"))
    return createStringError("file is '" + file + "', expected a FILE.py below the server's root");
  return describe(workspace, file, arguments, /*withGraph=*/true);
}

Expected<Json> listIdeas(Workspace &workspace, const Json &arguments, Call &call) {
  search::SearchCommand command;
  command.kind = search::SearchCommand::Ideas;
  command.family = arguments.value("family", "");
  if (arguments.contains("problem") && arguments.contains("run"))
    return createStringError("list_ideas takes a problem or a run, one of them");
  const bool isAsked = arguments.contains("problem") || arguments.contains("run");
  command.device = arguments.value("device", isAsked ? workspace.getOptions().device : "any");
  if (arguments.contains("run")) {
    const std::string name = arguments["run"];
    auto run = workspace.readRun(name);
    if (!run)
      return run.takeError();
    if (workspace.isNetwork(name))
      return createStringError("'" + name + "' is a network: ask for one of its tasks, which list_runs names");
    command.problem = workspace.pathOf(name) + "/graph.mlir";
    if (!arguments.contains("device"))
      command.device = (*run)->getConfig().value("device", command.device);
  }
  if (arguments.contains("problem")) {
    auto problem = workspace.resolveProblem(arguments["problem"].get<std::string>());
    if (!problem)
      return problem.takeError();
    command.problem = *problem;
  }
  raw_null_ostream nowhere;
  const WorkspaceWorld &world = workspace.getWorld();
  search::SearchToolWorld toolWorld{world.fs, world.clock, world.compiler, {}, nowhere, nowhere, call.cancelled()};
  toolWorld.programFolder = world.programFolder;
  auto ideas = search::chooseIdeas(command, toolWorld);
  if (!ideas)
    return ideas.takeError();
  Json list = Json::array();
  for (const propose::ListedIdea &one : *ideas)
    list.push_back({{"key", one.idea.key},
                    {"category", ideas::categoryName(one.idea.category).str()},
                    {"families", one.families},
                    {"idea", one.idea.text}});
  return Json{{"ideas", std::move(list)}};
}

Expected<Json> readGuide(Workspace &workspace, const Json &arguments, Call &call) {
  constexpr StringLiteral preface =
      "What follows is what kgen tells every model that it asks. Through these tools you are not asked in stages: give "
      "evaluate or propose a script as `directives`, or device code as `cuda` with its launches as `plan`.\n\n";
  return Json{{"text", preface.str() + propose::printSystemPrompt()}};
}

} // namespace kgen::mcp
