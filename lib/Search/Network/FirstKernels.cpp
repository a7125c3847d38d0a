//===- FirstKernels.cpp - What the catalogue would try first --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FirstKernels.h"

#include "kgen/Candidate/LaunchPlan.h"
#include "kgen/Propose/FirstWays.h"
#include "kgen/Propose/SchedulePlan.h"
#include "kgen/Trajectory/RunFolder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ThreadPool.h"

using namespace llvm;

namespace kgen::search {

static FirstKernel describeGraph(const graph::GraphFacts &facts, ArrayRef<propose::FirstWay> ways) {
  FirstKernel kernel;
  kernel.ops = int(facts.ops.size());
  kernel.flops = facts.flops;
  kernel.bytes = facts.compulsoryBytes;
  kernel.floorUs = floorMicroseconds(getDefaultRates(), kernel.bytes, kernel.flops, facts.precision);
  for (const graph::GroupFact &group : facts.getGroups(graph::Fusion::Pool))
    kernel.families.push_back(group.family);
  for (const propose::FirstWay &one : ways)
    if (!is_contained(kernel.ideas, one.idea.key))
      kernel.ideas.push_back(one.idea.key);
  return kernel;
}

/// Whether WAY has nothing but element-wise kernels.
static bool isElementwise(const propose::Materialization &way, const graph::GraphFacts &facts) {
  auto plan = propose::parsePlan(way.notes, facts);
  if (plan)
    return all_of(plan->dispatches, [](const auto &dispatch) { return dispatch.family == "pointwise"; });
  consumeError(plan.takeError());
  return false;
}

size_t countLaunches(const graph::LoweredGraph &lowered) {
  auto plan = candidate::LaunchPlan::parse(lowered.plan);
  if (plan)
    return plan->launches.size();
  consumeError(plan.takeError());
  return std::numeric_limits<size_t>::max();
}

Expected<FirstKernel> FirstKernels::choose(StringRef graph) const {
  constexpr size_t mostTries = 16;
  propose::ProposalContext context;
  context.slot = "first";
  context.chip = chip;
  context.device = device;
  auto facts = compiler.facts(graph);
  if (!facts)
    return facts.takeError();
  context.precision = facts->precision;
  context.facts = std::move(*facts);
  auto ways = propose::listFirstWays(context);
  if (!ways)
    return ways.takeError();
  FirstKernel kernel = describeGraph(context.facts, *ways);
  for (const propose::FirstWay &one : ArrayRef(*ways).take_front(mostTries)) {
    if (isOver())
      break;
    auto lowered = compiler.lowerWithDirectives(graph, one.way.directives, one.idea.text,
                                                ideas::categoryName(one.idea.category), chip);
    if (!lowered) {
      kernel.refused.push_back({one.idea.key, toString(lowered.takeError())}); // the next way may be legal
      continue;
    }
    if (!compiles(lowered->cuda)) {
      kernel.refused.push_back({one.idea.key, "does not compile"});
      continue;
    }
    kernel.lowered = std::move(*lowered);
    kernel.idea = one.idea.key;
    kernel.text = one.idea.text;
    kernel.category = ideas::categoryName(one.idea.category).str();
    kernel.directives = one.way.directives;
    kernel.label = one.way.label;
    kernel.priorUs = one.way.priorUs;
    // Generic kernels read element-wise ops' operands through views, which others have copied first.
    if (!isElementwise(one.way, context.facts))
      return std::move(kernel);
    break;
  }
  auto generic = compiler.lowerGeneric(graph, chip);
  if (!generic)
    return generic.takeError();
  if (kernel.isGeneric() || countLaunches(*generic) < countLaunches(kernel.lowered)) {
    kernel.lowered = std::move(*generic);
    kernel.idea = "generic";
    kernel.label.clear();
    kernel.text.clear();
    kernel.category.clear();
    kernel.directives.clear();
    kernel.priorUs = 0;
  }
  return std::move(kernel);
}

Expected<std::vector<FirstKernel>> FirstKernels::chooseAll(ArrayRef<std::string> graphs) const {
  std::vector<FirstKernel> kernels(graphs.size());
  std::vector<std::string> faults(graphs.size());
  {
    DefaultThreadPool workers;
    for (size_t i = 0; i < graphs.size(); ++i)
      workers.async([&, i] {
        auto kernel = choose(graphs[i]);
        if (kernel)
          kernels[i] = std::move(*kernel);
        else
          faults[i] = toString(kernel.takeError());
      });
    workers.wait();
  }
  for (const std::string &fault : faults)
    if (!fault.empty())
      return createStringError(fault);
  return std::move(kernels);
}

std::string printFirstWays(const std::map<std::string, const FirstKernel *> &kernels) {
  trajectory::Json ways = trajectory::Json::object();
  for (const auto &[task, kernel] : kernels)
    ways[task] = {{"idea", kernel->idea},
                  {"text", kernel->text},
                  {"category", kernel->category},
                  {"settings", kernel->label},
                  {"directives", kernel->directives}};
  return ways.dump(1) + "\n";
}

Expected<std::map<std::string, FirstKernel>> parseFirstWays(StringRef text) {
  trajectory::Json ways = trajectory::Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!ways.is_object())
    return createStringError("first.json is not an object");
  std::map<std::string, FirstKernel> kernels;
  for (const auto &[task, way] : ways.items()) {
    FirstKernel &kernel = kernels[task];
    for (auto [key, field] :
         {std::pair("idea", &kernel.idea), std::pair("text", &kernel.text), std::pair("category", &kernel.category),
          std::pair("settings", &kernel.label), std::pair("directives", &kernel.directives)}) {
      if (!way.is_object() || !way.contains(key) || !way[key].is_string())
        return createStringError("first.json has no " + Twine(key) + " for " + task);
      *field = way[key].get<std::string>();
    }
  }
  return std::move(kernels);
}

} // namespace kgen::search
