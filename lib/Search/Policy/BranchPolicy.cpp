//===- BranchPolicy.cpp - Rounds of parallel branches ---------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The published method: after each round the fastest right branches are the
// seeds of the next one, and each seed is expanded into several ideas with
// several materialisations.
//
//===----------------------------------------------------------------------===//

#include "kgen/Search/Policy.h"

using namespace llvm;

namespace kgen::search {
namespace {

class BranchPolicy : public Policy {
public:
  explicit BranchPolicy(const PolicyOptions &options) : options(options) {}

  int getRounds() const override { return options.rounds; }
  int getBranchesInRound(int round) const override {
    return (round == 1 ? 1 : options.seeds) * ideasIn(round) * options.variants;
  }

  std::vector<Expansion> expand(int round, ArrayRef<Outcome> outcomes) override {
    std::vector<const Outcome *> all;
    for (const Outcome &outcome : outcomes)
      all.push_back(&outcome);
    std::vector<Expansion> expansions;
    for (const Outcome *outcome : fastest(all, options.seeds))
      expansions.push_back({outcome->id, ideasIn(round), options.variants});
    return expansions;
  }

private:
  int ideasIn(int round) const { return round == 1 && options.opening > 0 ? options.opening : options.ideas; }

  PolicyOptions options;
};

} // namespace

std::unique_ptr<Policy> createBranchPolicy(const PolicyOptions &options) {
  return std::make_unique<BranchPolicy>(options);
}

} // namespace kgen::search
