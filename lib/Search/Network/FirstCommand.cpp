//===- FirstCommand.cpp - Kernels without a search ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph cut into tasks as a network's search cuts it, each by what the catalogue would try first, put together as a
// search puts its best kernels together. Nothing is run; what does not compile gives way to the next idea.
//
//===----------------------------------------------------------------------===//

#include "../Cli/SearchCommands.h"
#include "FirstKernels.h"
#include "NetworkSearch.h"

#include "kgen/Candidate/UntrustedText.h"
#include "kgen/Search/ProblemSource.h"
#include "kgen/Support/Architectures.h"
#include "kgen/Toolchain/Compiler.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <nlohmann/json.hpp>

using namespace llvm;

namespace kgen::search {
namespace {

/// Whether a text compiles for CHIP on DEVICE, as far as this machine can tell. Machine code stays in the cache for the
/// bundle.
FirstKernels::Compiles createCompiles(StringRef device, const Chip &chip) {
  auto found = device == "host" ? toolchain::createHostCompiler() : toolchain::createNvrtcCompiler();
  if (!found) {
    consumeError(found.takeError()); // a machine that only writes texts has none
    return [](StringRef) { return true; };
  }
  std::shared_ptr<toolchain::Compiler> machine = std::move(*found);
  return [machine, arch = chip.arch](StringRef cuda) {
    toolchain::CompileOptions options;
    options.arch = arch;
    auto result = machine->compile(cuda, options);
    if (result)
      return std::holds_alternative<toolchain::Compiled>(*result);
    consumeError(result.takeError()); // whoever makes the bundle says what is wrong with the compiler
    return true;
  };
}

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
  return {{"name", task.name},          {"count", task.count},        {"prepares", task.prepares},
          {"ops", kernel.ops},          {"flops", kernel.flops},      {"bytes", kernel.bytes},
          {"floor_us", kernel.floorUs}, {"prior_us", kernel.priorUs}, {"families", kernel.families},
          {"idea", kernel.idea},        {"settings", kernel.label},   {"launches", countLaunches(kernel.lowered)},
          {"ideas", kernel.ideas},      {"refused", refused},         {"graph", task.graph}};
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
  FirstKernels maker(world.compiler, host ? "host" : "cuda", chip, createCompiles(host ? "host" : "cuda", chip));
  Expected<Files> files = Files();
  auto partition = world.compiler.partition(*graph);
  if (partition) {
    std::string cut = host ? *graph : recut(world.compiler, *graph, *partition, chip);
    files = makeNetwork(maker, world.compiler, cut, std::move(*partition), chip);
  } else {
    world.out << "not cut: " << candidate::printable(toString(partition.takeError())) << "\n";
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
