//===- BeamPolicy.cpp - The last round's best alone ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Search/Policy.h"

using namespace llvm;

namespace kgen::search {
namespace {

class BeamPolicy : public Policy {
public:
  explicit BeamPolicy(const PolicyOptions &options) : options(options) {}

  int getRounds() const override { return options.rounds; }
  int getBranchesInRound(int round) const override {
    return (round == 1 ? 1 : options.seeds) * options.ideas * options.variants;
  }

  std::vector<Expansion> expand(int round, ArrayRef<Outcome> outcomes) override {
    // A round in which nothing passed leaves the beam where it was.
    std::vector<Expansion> expansions;
    for (int layer = round - 1; layer >= 0 && expansions.empty(); --layer) {
      std::vector<const Outcome *> last;
      for (const Outcome &outcome : outcomes)
        if (outcome.round == layer)
          last.push_back(&outcome);
      for (const Outcome *outcome : fastest(last, options.seeds))
        expansions.push_back({outcome->id, options.ideas, options.variants});
    }
    return expansions;
  }

private:
  PolicyOptions options;
};

} // namespace

std::unique_ptr<Policy> createBeamPolicy(const PolicyOptions &options) { return std::make_unique<BeamPolicy>(options); }

} // namespace kgen::search
