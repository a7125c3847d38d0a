//===- PriorCommand.cpp - How well the prior ranks what was measured ------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The prior of this kgen, not the one that a run recorded.
//
//===----------------------------------------------------------------------===//

#include "SearchCommands.h"

#include "kgen/Propose/Prior.h"
#include "kgen/Report/RunReport.h"
#include "kgen/Search/Search.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace llvm;

namespace kgen::search {
namespace {

struct Kernel {
  std::string run, id, family;
  std::string reply; ///< ways to carry out one idea share it
  int option;        ///< which of them, in the catalogue's order
  double expectedUs, measuredUs;
};

/// Of one family: kernels of several problems count relative to their problem's geometric mean.
struct FamilyRank {
  std::set<std::string> runs;
  std::vector<std::pair<double, double>> pairs;
  int inOrder = 0, ordered = 0; ///< two ways of one idea whose times differ: the faster one was listed first, all
};

} // namespace

/// The kernels of RUN that the catalogue proposed and that passed, each text once, with what the prior expects of them.
static Expected<std::vector<Kernel>> collectKernels(const std::string &folder, const SearchToolWorld &world) {
  auto run = trajectory::RunFolder::openForReading(world.fs, world.clock, folder);
  if (!run)
    return run.takeError();
  auto config = SearchConfig::fromJson((*run)->getConfig());
  if (!config)
    return config.takeError();
  auto facts = world.compiler.facts((*run)->getGraph());
  if (!facts)
    return createStringError(folder + ": " + toString(facts.takeError()));
  propose::ProposalContext context;
  context.facts = std::move(*facts);
  context.chip = config->chip;
  context.device = config->device == "host" ? "host" : "cuda";
  context.precision = config->precision;
  std::vector<Kernel> kernels;
  for (const trajectory::BranchRecord &branch : (*run)->getBranches()) {
    if (branch.priorUs <= 0 || branch.measurement.empty() || !branch.duplicateOf.empty())
      continue;
    auto measurement = candidate::Measurement::parse(branch.measurement);
    if (!measurement)
      return measurement.takeError();
    if (!measurement->passed())
      continue;
    auto plan = propose::parsePlan(branch.notes, context.facts);
    if (!plan)
      return createStringError(folder + ": " + branch.id + ": " + toString(plan.takeError()));
    if (plan->dispatches.empty())
      continue;
    // The family of the op with the most work decides.
    const auto *main = &plan->dispatches.front();
    const std::vector<graph::OpFact> &ops = propose::factsOf(*plan, context.facts).ops;
    for (const propose::PlannedDispatch &dispatch : plan->dispatches)
      if (ops[dispatch.anchor].flops > ops[main->anchor].flops)
        main = &dispatch;
    kernels.push_back({folder, branch.id, main->family, branch.reply, branch.option,
                       propose::estimatePlan(*plan, context), measurement->timeUs});
  }
  return kernels;
}

Expected<int> rankPrior(const SearchCommand &command, const SearchToolWorld &world) {
  std::map<std::string, FamilyRank> families;
  trajectory::Json all = trajectory::Json::array();
  for (const std::string &folder : command.runs) {
    auto kernels = collectKernels(folder, world);
    if (!kernels)
      return kernels.takeError();
    std::map<std::string, std::vector<const Kernel *>> byFamily;
    for (const Kernel &kernel : *kernels) {
      byFamily[kernel.family].push_back(&kernel);
      all.push_back({{"run", kernel.run},
                     {"branch", kernel.id},
                     {"family", kernel.family},
                     {"expected_us", kernel.expectedUs},
                     {"measured_us", kernel.measuredUs}});
    }
    for (const auto &[family, mine] : byFamily) {
      double expected = 0, measured = 0;
      for (const Kernel *kernel : mine) {
        expected += std::log(kernel->expectedUs) / double(mine.size());
        measured += std::log(kernel->measuredUs) / double(mine.size());
      }
      FamilyRank &rank = families[family];
      if (mine.size() < 2)
        continue; // one kernel has no rank
      rank.runs.insert(folder);
      // What differs by less is noise.
      constexpr double apart = 1.02;
      for (const Kernel *a : mine)
        for (const Kernel *b : mine)
          if (a->reply == b->reply && a->option < b->option) {
            rank.inOrder += a->measuredUs * apart < b->measuredUs;
            rank.ordered += a->measuredUs * apart < b->measuredUs || b->measuredUs * apart < a->measuredUs;
          }
      for (const Kernel *kernel : mine)
        rank.pairs.push_back({std::log(kernel->expectedUs) - expected, std::log(kernel->measuredUs) - measured});
    }
  }
  if (command.format == "json") {
    world.out << all.dump(1, ' ', false, trajectory::Json::error_handler_t::replace) << "\n";
    return 0;
  }
  world.out << "family      runs  kernels  rank correlation  ways of one idea in order\n";
  for (const auto &[family, rank] : families)
    world.out << formatv("{0,-10} {1,5} {2,8}  {3,16}  {4}\n", family, rank.runs.size(), rank.pairs.size(),
                         rank.pairs.size() < 2 ? std::string("-")
                                               : formatv("{0:f2}", report::rankCorrelation(rank.pairs)).str(),
                         formatv("{0} of {1}", rank.inOrder, rank.ordered));
  return 0;
}

} // namespace kgen::search
