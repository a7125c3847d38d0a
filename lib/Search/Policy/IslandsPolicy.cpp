//===- IslandsPolicy.cpp - Populations that evolve apart ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Island i of a round is its expansion i, so membership follows from the
// journal. An island expands its best branch, sometimes its second best; every
// third round it expands its neighbour's best instead when that is faster.
//
//===----------------------------------------------------------------------===//

#include "kgen/Search/Policy.h"

#include <algorithm>

using namespace llvm;

namespace kgen::search {
namespace {

constexpr int roundsBetweenVisits = 3;
constexpr double secondBestShare = 0.25; ///< how often an island expands its second best

class IslandsPolicy : public Policy {
public:
  explicit IslandsPolicy(const PolicyOptions &options) : options(options) {}

  int getRounds() const override { return options.rounds; }
  int getBranchesInRound(int round) const override { return options.seeds * ideasIn(round) * options.variants; }

  std::vector<Expansion> expand(int round, ArrayRef<Outcome> outcomes) override {
    std::vector<const Outcome *> start;
    std::vector<std::vector<const Outcome *>> islands(options.seeds);
    for (const Outcome &outcome : outcomes)
      if (outcome.round == 0)
        start.push_back(&outcome);
      else if (outcome.expansion >= 0 && outcome.expansion < options.seeds)
        islands[outcome.expansion].push_back(&outcome);
    start = fastest(start, 1);
    if (start.empty())
      return {};
    std::vector<std::vector<const Outcome *>> best(options.seeds);
    for (int i = 0; i < options.seeds; ++i) {
      best[i] = fastest(islands[i], 2);
      if (best[i].empty())
        best[i] = start; // extinct, or not settled yet
    }
    std::vector<Expansion> expansions;
    for (int i = 0; i < options.seeds; ++i) {
      const Outcome *parent = best[i].front();
      const Outcome *neighbour = best[(i + options.seeds - 1) % options.seeds].front();
      std::string where = std::to_string(round) + "/" + std::to_string(i);
      if (round > 1 && (round - 1) % roundsBetweenVisits == 0 && neighbour->timeUs < parent->timeUs)
        parent = neighbour;
      else if (best[i].size() > 1 && drawNumber(options.seed, where) < secondBestShare)
        parent = best[i][1];
      expansions.push_back({parent->id, ideasIn(round), options.variants});
    }
    return expansions;
  }

private:
  /// All islands together start with as many ideas as the published method's first round.
  int ideasIn(int round) const { return round == 1 ? std::max(1, options.ideas / options.seeds) : options.ideas; }

  PolicyOptions options;
};

} // namespace

std::unique_ptr<Policy> createIslandsPolicy(const PolicyOptions &options) {
  return std::make_unique<IslandsPolicy>(options);
}

} // namespace kgen::search
