//===- MctsPolicy.cpp - Monte Carlo tree search over branches -------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// UCT (Kocsis and Szepesvari, 2006) with progressive widening (Coulom, 2007).
// The tree is the journal's: a node is a branch that passed. A visit asks for
// one idea about a node; the reward of a branch is the logarithm of its speedup
// over round 0, as a share of the best one's so far, and 0 when it failed. The
// value of a node is halfway between the mean and the best reward below it: a
// search wants the best kernel, not a good average.
//
//===----------------------------------------------------------------------===//

#include "kgen/Search/Policy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace kgen::search {
namespace {

constexpr double exploration = 0.7; ///< weight of the unknown against the value, which lies in [0, 1]
constexpr double widening = 1.5;    ///< a node with n visits has at most widening * sqrt(n + 1) ideas of its own

struct Node {
  const Outcome *outcome = nullptr;
  Node *parent = nullptr;
  std::vector<Node *> children; ///< those that passed, in branch order
  int asked = 0;                ///< visits that asked about this very node
  int visits = 0;               ///< of it and all below it
  double sum = 0, best = 0;     ///< of rewards of branches below it, its own included
  int rewards = 0;

  double value() const { return rewards ? 0.5 * sum / rewards + 0.5 * best : 0; }
  bool mayWiden() const { return children.empty() || asked < widening * std::sqrt(visits + 1.0); }
};

class MctsPolicy : public Policy {
public:
  explicit MctsPolicy(const PolicyOptions &options) : options(options) {
    int inRound = options.seeds * options.variants;
    rounds = (options.totalBranches() + inRound - 1) / inRound;
  }

  int getRounds() const override { return rounds; }
  int getBranchesInRound(int) const override { return options.seeds * options.variants; }

  std::vector<Expansion> expand(int round, ArrayRef<Outcome> outcomes) override {
    std::vector<Node> nodes(outcomes.size());
    Node *root = grow(outcomes, nodes);
    if (!root)
      return {};
    std::vector<Expansion> expansions;
    for (int leaf = 0; leaf < options.seeds; ++leaf) {
      Node *node = select(*root, round, leaf);
      // Until its result is known, the visit counts as one without reward: the next leaf of the round
      // looks elsewhere.
      ++node->asked;
      addReward(node, 0, /*visit=*/true);
      expansions.push_back({node->outcome->id, 1, options.variants});
    }
    return expansions;
  }

private:
  static void addReward(Node *node, double reward, bool visit) {
    for (; node; node = node->parent) {
      node->sum += reward;
      node->best = std::max(node->best, reward);
      ++node->rewards;
      node->visits += visit;
    }
  }

  Node *grow(ArrayRef<Outcome> outcomes, std::vector<Node> &nodes) const {
    double generic = 0, least = 0;
    for (const Outcome &outcome : outcomes)
      if (outcome.passed) {
        if (outcome.round == 0)
          generic = outcome.timeUs;
        least = least == 0 ? outcome.timeUs : std::min(least, outcome.timeUs);
      }
    double span = generic > least && least > 0 ? std::log(generic / least) : 1;
    StringMap<Node *> byId, byCode;
    Node *root = nullptr;
    std::string lastVisit;
    for (auto [index, outcome] : enumerate(outcomes)) {
      Node *node = &nodes[index];
      node->outcome = &outcome;
      node->parent = byId.lookup(outcome.parent);
      bool isNew = outcome.codeHash.empty() || byCode.try_emplace(outcome.codeHash, node).second;
      // A kernel that is there already is no node, so that it is not expanded twice.
      if (outcome.passed && isNew) {
        byId[outcome.id] = node;
        if (node->parent)
          node->parent->children.push_back(node);
        else if (!root)
          root = node;
      }
      if (!node->parent)
        continue;
      std::string visit = std::to_string(outcome.round) + "/" + std::to_string(outcome.expansion);
      if (visit != lastVisit)
        ++node->parent->asked;
      double reward = outcome.passed ? std::clamp(std::log(generic / outcome.timeUs) / span, 0.0, 1.0) : 0;
      addReward(outcome.passed && isNew ? node : node->parent, reward, visit != lastVisit);
      lastVisit = visit;
    }
    return root;
  }

  Node *select(Node &root, int round, int leaf) const {
    Node *node = &root;
    while (!node->mayWiden()) {
      Node *next = nullptr;
      double most = 0;
      for (Node *child : node->children) {
        double unknown = std::sqrt(std::log(node->visits + 1.0) / (child->visits + 1.0));
        std::string tie = std::to_string(round) + "/" + std::to_string(leaf) + "/" + child->outcome->id;
        double score = child->value() + exploration * unknown + 1e-3 * drawNumber(options.seed, tie);
        if (!next || score > most) {
          next = child;
          most = score;
        }
      }
      node = next;
    }
    return node;
  }

  PolicyOptions options;
  int rounds;
};

} // namespace

std::unique_ptr<Policy> createMctsPolicy(const PolicyOptions &options) { return std::make_unique<MctsPolicy>(options); }

} // namespace kgen::search
