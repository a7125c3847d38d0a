//===- MixedProposer.cpp - Several proposers, a bandit between them -------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Propose/ModelProposer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace llvm;

namespace kgen::propose {
namespace {

/// What BRANCH was worth, 0 to 1: nothing unless it is right and faster than its parent, all when it
/// is twice as fast.
double rewardOf(const TriedBranch &branch, const ProposalContext &context) {
  if (branch.timeUs <= 0)
    return 0;
  for (const TriedBranch &parent : context.history)
    if (parent.id == branch.parent && parent.timeUs > 0)
      return std::clamp(std::log2(parent.timeUs / branch.timeUs), 0.0, 1.0);
  return 0;
}

class MixedProposer : public Proposer {
public:
  explicit MixedProposer(std::vector<ProposerArm> arms) : arms(std::move(arms)) {}

  Expected<std::vector<Idea>> proposeIdeas(const ProposalContext &context, int n) override {
    ProposerArm &arm = choose(context);
    auto ideas = arm.proposer->proposeIdeas(context, n);
    if (!ideas)
      return createStringError(arm.name + ": " + toString(ideas.takeError()));
    for (Idea &idea : *ideas)
      idea.by = arm.name;
    return ideas;
  }

  Expected<std::vector<Materialization>> materialize(const ProposalContext &context, const Idea &idea, int n) override {
    return armOf(idea).proposer->materialize(context, idea, n);
  }

  std::vector<TokenUsage> takeUsage() override {
    std::vector<TokenUsage> all;
    for (ProposerArm &arm : arms)
      for (TokenUsage &usage : arm.proposer->takeUsage())
        all.push_back(std::move(usage));
    return all;
  }
  bool readsWords() const override {
    return any_of(arms, [](const ProposerArm &arm) { return arm.proposer->readsWords(); });
  }

  bool canRepair() const override {
    return any_of(arms, [](const ProposerArm &arm) { return arm.proposer->canRepair(); });
  }
  Expected<std::vector<Materialization>> repair(const ProposalContext &context, const Idea &idea,
                                                const FailedBranch &failed) override {
    return armOf(idea).proposer->repair(context, idea, failed);
  }

private:
  /// Thompson sampling: each arm draws from the Beta distribution of its rewards so far.
  ProposerArm &choose(const ProposalContext &context) {
    std::mt19937_64 random(context.seed ^ xxh3_64bits(context.slot));
    ProposerArm *best = nullptr;
    double bestScore = -1;
    for (ProposerArm &arm : arms) {
      double gain = 1, loss = 1;
      for (const TriedBranch &branch : context.history)
        if (branch.idea.by == arm.name && branch.verdict != "PENDING") {
          double reward = rewardOf(branch, context);
          gain += reward;
          loss += 1 - reward;
        }
      double x = std::gamma_distribution<double>(gain)(random), y = std::gamma_distribution<double>(loss)(random);
      double score = arm.weight * x / (x + y);
      if (score > bestScore) {
        best = &arm;
        bestScore = score;
      }
    }
    return *best;
  }

  ProposerArm &armOf(const Idea &idea) {
    for (ProposerArm &arm : arms)
      if (arm.name == idea.by)
        return arm;
    // A person's idea goes to whoever reads it.
    for (ProposerArm &arm : arms)
      if (arm.proposer->readsWords())
        return arm;
    return arms.front();
  }

  std::vector<ProposerArm> arms;
};

} // namespace

std::unique_ptr<Proposer> createMixedProposer(std::vector<ProposerArm> arms) {
  return std::make_unique<MixedProposer>(std::move(arms));
}

} // namespace kgen::propose
