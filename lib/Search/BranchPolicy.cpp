//===- BranchPolicy.cpp - Rounds of parallel branches ---------------------===//
//
// The published method: after each round the fastest right branches are the
// seeds of the next one, and each seed is expanded into several ideas with
// several materialisations.
//
//===----------------------------------------------------------------------===//

#include "kgen/Search/Policy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace kgen {
namespace {

class BranchPolicy : public Policy {
public:
  explicit BranchPolicy(const PolicyOptions &options) : options(options) {}

  int getRounds() const override { return options.rounds; }
  int getBranchesInRound(int round) const override {
    return (round == 1 ? 1 : options.seeds) * options.ideas * options.variants;
  }

  std::vector<Expansion> expand(int round, ArrayRef<Outcome> outcomes) override {
    std::vector<const Outcome *> ranked;
    for (const Outcome &outcome : outcomes)
      if (outcome.passed)
        ranked.push_back(&outcome);
    // Of two that are equally fast the earlier one: both point into the same array.
    llvm::sort(ranked, [](const Outcome *a, const Outcome *b) {
      return a->timeUs != b->timeUs ? a->timeUs < b->timeUs : a < b;
    });
    std::vector<Expansion> expansions;
    StringSet<> seen;
    for (const Outcome *outcome : ranked) {
      if (int(expansions.size()) == options.seeds)
        break;
      // Two seeds with the same code would have the same children.
      if (!outcome->codeHash.empty() && !seen.insert(outcome->codeHash).second)
        continue;
      expansions.push_back({outcome->id, options.ideas, options.variants});
    }
    return expansions;
  }

private:
  PolicyOptions options;
};

} // namespace

std::unique_ptr<Policy> createBranchPolicy(const PolicyOptions &options) {
  return std::make_unique<BranchPolicy>(options);
}

} // namespace kgen
