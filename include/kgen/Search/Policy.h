//===- Policy.h - What to try next ----------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace kgen::search {

/// A measured branch, as far as a policy cares.
struct Outcome {
  std::string id, parent;
  int round = 0;
  bool passed = false;
  double timeUs = 0;    ///< median; 0 unless passed
  std::string codeHash; ///< branches with the same code have the same hash
  int expansion = 0;    ///< which expansion of its round asked for it
};

/// "Take PARENT, ask for IDEAS ideas and carry each out in VARIANTS ways."
struct Expansion {
  std::string parent;
  int ideas = 0;
  int variants = 0;
};

struct PolicyOptions {
  int rounds = 3;
  int seeds = 3;    ///< parents kept after each round
  int ideas = 4;    ///< ideas per parent
  int variants = 2; ///< materialisations per idea
  int opening = 0;  ///< ideas in round 1 of policy branch, which is not tuned then; 0: as in any other
  uint64_t seed = 0;

  /// Branches of the published method with these numbers: what a policy without rounds of that shape
  /// spends, too.
  int totalBranches() const { return rounds > 0 ? (1 + (rounds - 1) * seeds) * ideas * variants : 0; }
};

/// Decides from recorded outcomes alone, so that a resumed run takes the same way.
class Policy {
public:
  virtual ~Policy() = default;
  /// How many rounds there can be after round 0.
  virtual int getRounds() const = 0;
  /// At most how many branches ROUND has: for the estimate of the time left.
  virtual int getBranchesInRound(int round) const = 0;
  /// The expansions of ROUND (from 1), given every outcome of earlier rounds in branch order;
  /// empty ends the search.
  virtual std::vector<Expansion> expand(int round, llvm::ArrayRef<Outcome> outcomes) = 0;
};

/// Rounds of parallel branches: the best SEEDS of all branches so far are expanded, each into IDEAS
/// ideas of VARIANTS materialisations. The published method.
std::unique_ptr<Policy> createBranchPolicy(const PolicyOptions &options);
/// One branch at a time, each a revision of the last one that was right; after two revisions
/// without gain it goes back to the best. The number of branches is that of the other policy.
std::unique_ptr<Policy> createSequentialPolicy(const PolicyOptions &options);
/// Beam search: like branch, but only branches of the last round that passed are expanded, so that
/// the beam moves on even when it loses for a while.
std::unique_ptr<Policy> createBeamPolicy(const PolicyOptions &options);
/// SEEDS populations that evolve apart; every third round each one takes its neighbour's best when
/// that is faster.
std::unique_ptr<Policy> createIslandsPolicy(const PolicyOptions &options);
/// Monte Carlo tree search (UCT with progressive widening) over the tree of branches: SEEDS leaves a
/// round, one idea each.
std::unique_ptr<Policy> createMctsPolicy(const PolicyOptions &options);

/// The names that createPolicy knows: branch, sequential, beam, islands, mcts.
llvm::ArrayRef<const char *> policyNames();
llvm::Expected<std::unique_ptr<Policy>> createPolicy(llvm::StringRef name, const PolicyOptions &options);

/// The COUNT fastest of OUTCOMES that passed, of several with the same code the earliest. Equally fast
/// ones keep their order.
std::vector<const Outcome *> fastest(llvm::ArrayRef<const Outcome *> outcomes, int count);
/// A number in [0, 1) that depends on the seed and WHAT alone.
double drawNumber(uint64_t seed, llvm::StringRef what);

} // namespace kgen::search
