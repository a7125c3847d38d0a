//===- SequentialPolicy.cpp - Revise one kernel again and again -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Search/Policy.h"

using namespace llvm;

namespace kgen::search {
namespace {

class SequentialPolicy : public Policy {
public:
  explicit SequentialPolicy(const PolicyOptions &options) : steps(options.totalBranches()) {}

  int getRounds() const override { return steps; }
  int getBranchesInRound(int) const override { return 1; }

  std::vector<Expansion> expand(int round, ArrayRef<Outcome> outcomes) override {
    const Outcome *best = nullptr, *last = nullptr;
    int sinceBest = 0;
    for (const Outcome &outcome : outcomes) {
      ++sinceBest;
      if (!outcome.passed)
        continue;
      last = &outcome;
      if (!best || outcome.timeUs < best->timeUs) {
        best = &outcome;
        sinceBest = 0;
      }
    }
    if (!last)
      return {};
    const Outcome *parent = sinceBest > 2 ? best : last;
    return {{parent->id, 1, 1}};
  }

private:
  int steps;
};

} // namespace

std::unique_ptr<Policy> createSequentialPolicy(const PolicyOptions &options) {
  return std::make_unique<SequentialPolicy>(options);
}

} // namespace kgen::search
