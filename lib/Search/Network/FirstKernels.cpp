//===- FirstKernels.cpp - Kernels without a search ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph cut into tasks as a network's search cuts it, each by what the catalogue would try first, put together as a
// search puts its best kernels together. Nothing is run; what does not compile gives way to the next idea.
//
//===----------------------------------------------------------------------===//

#include "../Cli/SearchCommands.h"
#include "NetworkSearch.h"

#include "kgen/Candidate/UntrustedText.h"
#include "kgen/Propose/FirstWays.h"
#include "kgen/Propose/SchedulePlan.h"
#include "kgen/Search/ProblemSource.h"
#include "kgen/Support/Architectures.h"
#include "kgen/Toolchain/Compiler.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ThreadPool.h"

#include <nlohmann/json.hpp>

using namespace llvm;

namespace kgen::search {
namespace {

/// What a task is computed by.
struct FirstKernel {
  graph::LoweredGraph lowered;
  std::string idea = "generic", label; ///< the catalogue's key, and its settings
  double priorUs = 0;                  ///< what the prior expects of it; 0: it says nothing of generic kernels
  std::vector<std::string> families;   ///< of its graph, without a family for the generic path
  int ops = 0;
  double flops = 0, bytes = 0, floorUs = 0;                 ///< of its graph, the roofline's floor for an H200
  std::vector<std::string> ideas;                           ///< the catalogue's for it, the most promising first
  std::vector<std::pair<std::string, std::string>> refused; ///< ideas tried before, and why they were not taken
};

/// Kernels for one target.
class FirstKernels {
public:
  FirstKernels(graph::GraphCompiler &compiler, std::string device, Chip chip)
      : compiler(compiler), device(std::move(device)), chip(std::move(chip)) {
    auto found = this->device == "host" ? toolchain::createHostCompiler() : toolchain::createNvrtcCompiler();
    if (found)
      machine = std::move(*found);
    else
      consumeError(found.takeError()); // a machine that only writes texts has none
  }

  /// The kernel of GRAPH, canonical text: the first way that its families take and that compiles, the generic one where
  /// there is none.
  Expected<FirstKernel> choose(StringRef graph) const {
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
    if (kernel.idea == "generic" || countLaunches(*generic) < countLaunches(kernel.lowered)) {
      kernel.lowered = std::move(*generic);
      kernel.idea = "generic";
      kernel.label.clear();
      kernel.priorUs = 0;
    }
    return std::move(kernel);
  }

  /// The same for all of GRAPHS, side by side.
  Expected<std::vector<FirstKernel>> chooseAll(ArrayRef<std::string> graphs) const {
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

  static size_t countLaunches(const graph::LoweredGraph &lowered) {
    auto plan = candidate::LaunchPlan::parse(lowered.plan);
    if (plan)
      return plan->launches.size();
    consumeError(plan.takeError());
    return std::numeric_limits<size_t>::max();
  }

private:
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

  /// Whether CUDA compiles, as far as this machine can tell. Machine code stays in the cache for the bundle.
  bool compiles(StringRef cuda) const {
    if (!machine)
      return true;
    toolchain::CompileOptions options;
    options.arch = chip.arch;
    auto result = machine->compile(cuda, options);
    if (result)
      return std::holds_alternative<toolchain::Compiled>(*result);
    consumeError(result.takeError()); // whoever makes the bundle says what is wrong with the compiler
    return true;
  }

  /// Whether WAY has nothing but element-wise kernels.
  static bool isElementwise(const propose::Materialization &way, const graph::GraphFacts &facts) {
    auto plan = propose::parsePlan(way.notes, facts);
    if (plan)
      return all_of(plan->dispatches, [](const auto &dispatch) { return dispatch.family == "pointwise"; });
    consumeError(plan.takeError());
    return false;
  }

  graph::GraphCompiler &compiler;
  std::string device;
  Chip chip;
  std::unique_ptr<toolchain::Compiler> machine; ///< null: there is none here
};

using Files = std::map<std::string, std::string>;

std::string describe(StringRef task, int count, const FirstKernel &kernel) {
  return (task + " x" + Twine(count) + ": " + kernel.idea + (kernel.label.empty() ? "" : ": ") + kernel.label + "\n")
      .str();
}

/// What is known of a task before anything runs, for whoever wants to see what a search of its network will meet.
nlohmann::ordered_json tabulate(const graph::NetworkTask &task, const FirstKernel &kernel) {
  auto refused = nlohmann::ordered_json::array();
  for (const auto &[idea, why] : kernel.refused)
    refused.push_back({{"idea", idea}, {"why", why}});
  return {{"name", task.name},           {"count", task.count},
          {"prepares", task.prepares},   {"ops", kernel.ops},
          {"flops", kernel.flops},       {"bytes", kernel.bytes},
          {"floor_us", kernel.floorUs},  {"prior_us", kernel.priorUs},
          {"families", kernel.families}, {"idea", kernel.idea},
          {"settings", kernel.label},    {"launches", FirstKernels::countLaunches(kernel.lowered)},
          {"ideas", kernel.ideas},       {"refused", refused},
          {"graph", task.graph}};
}

/// The candidate of GRAPH, cut as PARTITION says.
Expected<Files> makeNetwork(const FirstKernels &maker, graph::GraphCompiler &compiler, StringRef graph,
                            graph::NetworkPartition partition, const Chip &chip) {
  auto facts = collectNetworkFacts(compiler, graph, std::move(partition), chip);
  if (!facts)
    return facts.takeError();
  auto kernels = maker.chooseAll(facts->graphs);
  if (!kernels)
    return kernels.takeError();
  Files files;
  std::vector<candidate::LaunchPlan> plans;
  std::vector<std::string> modules;
  auto tasks = nlohmann::ordered_json::array();
  for (const auto &[task, kernel] : zip_equal(facts->partition.tasks, *kernels)) {
    auto plan = candidate::LaunchPlan::parse(kernel.lowered.plan);
    if (!plan)
      return plan.takeError();
    plans.push_back(std::move(*plan));
    modules.push_back(task.name + ".cu");
    files[modules.back()] = kernel.lowered.cuda;
    files["annotated.mlir"] += kernel.lowered.annotated;
    files["ideas.txt"] += describe(task.name, task.count, kernel);
    tasks.push_back(tabulate(task, kernel));
  }
  files["tasks.json"] = tasks.dump(1) + "\n";
  auto plan = network::assemble(facts->partition, facts->whole, plans, modules);
  if (!plan)
    return plan.takeError();
  files["plan.json"] = plan->print();
  return std::move(files);
}

size_t countConvolutions(const graph::NetworkPartition &partition) {
  size_t count = 0;
  for (const graph::NetworkTask &task : partition.tasks)
    count += StringRef(task.name).ends_with("-conv2d") ? task.count : 0;
  return count;
}

/// GRAPH, which PARTITION cuts, as a search of it would begin with it for a card like CHIP, and PARTITION the cut of
/// that.
std::string recut(graph::GraphCompiler &compiler, std::string graph, graph::NetworkPartition &partition,
                  const Chip &chip) {
  auto facts = compiler.facts(graph);
  if (!facts) {
    consumeError(facts.takeError());
    return graph;
  }
  SearchConfig config;
  config.device = "cuda:0";
  config.chip = chip;
  config.precision = facts->precision;
  const std::string chosen = chooseCut(compiler, graph, config);
  SmallVector<StringRef> keys;
  StringRef(chosen).split(keys, ',', -1, /*KeepEmpty=*/false);
  for (const network::PartitionIdea &idea : network::partitionCatalogue()) {
    if (!is_contained(keys, idea.key))
      continue;
    auto rewritten = compiler.rewriteNetwork(graph, idea.directives, chip);
    auto other = rewritten ? compiler.partition(*rewritten) : rewritten.takeError();
    if (!other) {
      consumeError(other.takeError());
      continue;
    }
    // Around one convolution alone there would be permutations.
    if (idea.key == "channels-last" && countConvolutions(partition) < 2 && countConvolutions(*other) > 0)
      continue;
    partition = std::move(*other);
    graph = std::move(*rewritten);
  }
  return graph;
}

/// The candidate of GRAPH, which cannot be cut.
Expected<Files> makeWhole(const FirstKernels &maker, StringRef graph) {
  auto kernel = maker.choose(graph);
  if (!kernel)
    return kernel.takeError();
  return Files{{"plan.json", kernel->lowered.plan},
               {"kernel.cu", kernel->lowered.cuda},
               {"annotated.mlir", kernel->lowered.annotated},
               {"ideas.txt", describe("whole", 1, *kernel)}};
}

} // namespace

Expected<int> makeFirstKernels(const SearchCommand &command, const SearchToolWorld &world) {
  SourceFolders folders = findSourceFolders(world.fs, world.programFolder);
  auto text = readProblem(world.fs, folders, command.problem, world.programFolder);
  if (!text)
    return text.takeError();
  std::string source = command.precision.empty() ? std::move(*text) : withPrecision(*text, command.precision);
  auto graph = world.compiler.canonicalize(source, /*small=*/false);
  if (!graph)
    return graph.takeError();
  const bool host = command.device == "host";
  Chip chip = host || command.device == "auto" ? Chip() : chipOf(command.device);
  if (command.multiprocessors)
    chip.multiprocessors = command.multiprocessors;
  FirstKernels maker(world.compiler, host ? "host" : "cuda", chip);
  Expected<Files> files = Files();
  auto partition = world.compiler.partition(*graph);
  if (partition) {
    std::string cut = host ? *graph : recut(world.compiler, *graph, *partition, chip);
    files = makeNetwork(maker, world.compiler, cut, std::move(*partition), chip);
  } else {
    consumeError(partition.takeError());
    files = makeWhole(maker, *graph);
  }
  if (!files)
    return files.takeError();
  (*files)["graph.mlir"] = std::move(*graph);
  if (Error error = world.fs.createFolders(command.out))
    return std::move(error);
  for (const auto &[name, content] : *files)
    if (Error error = world.fs.writeAtomic(command.out + "/" + name, content))
      return std::move(error);
  world.out << candidate::printable((*files)["ideas.txt"]);
  return 0;
}

} // namespace kgen::search
