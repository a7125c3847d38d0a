//===- PolicyTest.cpp -----------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Search/Policy.h"

#include "gtest/gtest.h"

#include <set>

using namespace kgen;
using namespace kgen::search;

namespace {

std::vector<std::string> parents(const std::vector<Expansion> &expansions) {
  std::vector<std::string> ids;
  for (const Expansion &expansion : expansions)
    ids.push_back(expansion.parent);
  return ids;
}

TEST(BranchPolicy, KeepsTheFastestRightBranchesOfAllRounds) {
  auto policy = createBranchPolicy({3, 2, 4, 2});
  std::vector<Outcome> outcomes = {{"g", "", 0, true, 100, "h0"},
                                   {"a", "g", 1, true, 50, "h1"},
                                   {"b", "g", 1, false, 0, "h2"},
                                   {"c", "g", 1, true, 40, "h3"},
                                   {"d", "g", 1, true, 40, "h3"}}; // the same code as c
  EXPECT_EQ(parents(policy->expand(2, outcomes)), (std::vector<std::string>{"c", "a"}));
  EXPECT_EQ(policy->expand(2, outcomes)[0].ideas, 4);
  EXPECT_EQ(policy->expand(2, outcomes)[0].variants, 2);
  EXPECT_EQ(policy->getBranchesInRound(1), 8);
  EXPECT_EQ(policy->getBranchesInRound(2), 16);
  EXPECT_TRUE(policy->expand(1, {}).empty());
}

TEST(BranchPolicy, OpensWithFewerIdeas) {
  PolicyOptions options{3, 1, 3, 2};
  options.opening = 1;
  auto policy = createBranchPolicy(options);
  std::vector<Outcome> outcomes = {{"g", "", 0, true, 100, "h0"}};
  EXPECT_EQ(policy->expand(1, outcomes)[0].ideas, 1);
  EXPECT_EQ(policy->expand(1, outcomes)[0].variants, 2);
  EXPECT_EQ(policy->getBranchesInRound(1), 2);
  EXPECT_EQ(policy->expand(2, outcomes)[0].ideas, 3);
  EXPECT_EQ(policy->getBranchesInRound(2), 6);
}

TEST(SequentialPolicy, GoesBackToTheBestWhenStuck) {
  auto policy = createSequentialPolicy({2, 2, 2, 1});
  EXPECT_EQ(policy->getRounds(), 2 + 4);
  std::vector<Outcome> outcomes = {{"g", "", 0, true, 100, ""}};
  EXPECT_EQ(parents(policy->expand(1, outcomes)), std::vector<std::string>{"g"});
  outcomes.push_back({"a", "g", 1, true, 50, ""});
  EXPECT_EQ(parents(policy->expand(2, outcomes)), std::vector<std::string>{"a"});
  outcomes.push_back({"b", "a", 2, true, 60, ""}); // slower, but right: revised further
  EXPECT_EQ(parents(policy->expand(3, outcomes)), std::vector<std::string>{"b"});
  outcomes.push_back({"c", "b", 3, false, 0, ""});
  EXPECT_EQ(parents(policy->expand(4, outcomes)), std::vector<std::string>{"b"});
  outcomes.push_back({"d", "b", 4, true, 70, ""});
  EXPECT_EQ(parents(policy->expand(5, outcomes)), std::vector<std::string>{"a"});
}

TEST(BeamPolicy, LooksAtTheLastRoundThatPassedAlone) {
  auto policy = createBeamPolicy({4, 2, 3, 2});
  std::vector<Outcome> outcomes = {{"g", "", 0, true, 100, "h0"},
                                   {"a", "g", 1, true, 10, "h1"},
                                   {"b", "a", 2, true, 30, "h2"},
                                   {"c", "a", 2, true, 20, "h3"},
                                   {"d", "a", 2, true, 25, "h4"}};
  EXPECT_EQ(parents(policy->expand(3, outcomes)), (std::vector<std::string>{"c", "d"})); // not a
  outcomes.push_back({"e", "c", 3, false, 0, "h5"});
  EXPECT_EQ(parents(policy->expand(4, outcomes)), (std::vector<std::string>{"c", "d"}));
  EXPECT_TRUE(policy->expand(1, {}).empty());
}

TEST(IslandsPolicy, EvolvesApartAndMeetsEveryThirdRound) {
  PolicyOptions options{6, 2, 4, 2};
  auto policy = createIslandsPolicy(options);
  std::vector<Outcome> outcomes = {{"g", "", 0, true, 100, "h0", 0}};
  std::vector<Expansion> first = policy->expand(1, outcomes);
  EXPECT_EQ(parents(first), (std::vector<std::string>{"g", "g"}));
  EXPECT_EQ(first[0].ideas, 2); // both together as many as the published method's first round
  outcomes.push_back({"a", "g", 1, true, 50, "h1", 0});
  outcomes.push_back({"b", "g", 1, false, 0, "h2", 1});
  EXPECT_EQ(parents(policy->expand(2, outcomes)), (std::vector<std::string>{"a", "g"})); // b's island starts again
  outcomes.push_back({"c", "g", 2, true, 90, "h3", 1});
  EXPECT_EQ(parents(policy->expand(3, outcomes)), (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(parents(policy->expand(4, outcomes)), (std::vector<std::string>{"a", "a"})); // a visit
  EXPECT_EQ(policy->getBranchesInRound(1), 8);
  EXPECT_EQ(policy->getBranchesInRound(2), 16);
}

TEST(MctsPolicy, WeighsWhatIsGoodAgainstWhatIsUnknown) {
  PolicyOptions options{3, 1, 4, 1};
  auto policy = createMctsPolicy(options);
  EXPECT_EQ(policy->getRounds(), 12);
  std::vector<Outcome> outcomes = {{"g", "", 0, true, 100, "h0", 0}};
  EXPECT_EQ(parents(policy->expand(1, outcomes)), std::vector<std::string>{"g"});
  outcomes.push_back({"good", "g", 1, true, 10, "h1", 0});
  EXPECT_EQ(parents(policy->expand(2, outcomes)), std::vector<std::string>{"g"}); // may still widen
  outcomes.push_back({"bad", "g", 2, true, 95, "h2", 0});
  outcomes.push_back({"failed", "g", 3, false, 0, "h3", 0});
  EXPECT_EQ(parents(policy->expand(4, outcomes)), std::vector<std::string>{"good"});
  // The good one is asked again and again without gain: at last the other one gets its turn.
  bool turned = false;
  for (int round = 4; round < 40 && !turned; ++round) {
    std::string parent = parents(policy->expand(round, outcomes)).front();
    turned = parent == "bad";
    outcomes.push_back({"x" + std::to_string(round), parent, round, false, 0, "x" + std::to_string(round), 0});
  }
  EXPECT_TRUE(turned);
}

TEST(MctsPolicy, LeavesOfARoundLookElsewhere) {
  PolicyOptions options{3, 3, 4, 2};
  auto policy = createMctsPolicy(options);
  std::vector<Outcome> outcomes = {{"g", "", 0, true, 100, "h0", 0}};
  for (int i = 0; i < 3; ++i)
    outcomes.push_back({"c" + std::to_string(i), "g", i + 1, true, 50.0 + i, "c" + std::to_string(i), 0});
  std::vector<std::string> ids = parents(policy->expand(5, outcomes));
  ASSERT_EQ(ids.size(), 3u);
  EXPECT_FALSE(ids[0] == ids[1] && ids[1] == ids[2]);
}

TEST(Policy, TheSameOutcomesAndSeedGiveTheSameAnswer) {
  std::vector<Outcome> outcomes = {{"g", "", 0, true, 100, "h0", 0}};
  for (int i = 0; i < 40; ++i)
    outcomes.push_back({"n" + std::to_string(i), i < 8 ? "g" : "n" + std::to_string(i / 3), 1 + i / 8, i % 5 != 0,
                        90.0 - (i * 37) % 50, "h" + std::to_string(i + 1), i % 3});
  for (const char *name : policyNames()) {
    PolicyOptions options{9, 3, 4, 2};
    std::set<std::vector<std::string>> seen;
    for (uint64_t seed = 0; seed < 12; ++seed) {
      options.seed = seed;
      auto once = parents((*createPolicy(name, options))->expand(6, outcomes));
      EXPECT_EQ(once, parents((*createPolicy(name, options))->expand(6, outcomes))) << name;
      EXPECT_FALSE(once.empty()) << name;
      seen.insert(once);
    }
    if (llvm::StringRef(name) == "islands")
      EXPECT_GT(seen.size(), 1u); // the seed decides which of two parents
  }
}

TEST(Policy, UnknownNames) {
  auto policy = createPolicy("genetic", {});
  ASSERT_FALSE(bool(policy));
  EXPECT_EQ(llvm::toString(policy.takeError()),
            "unknown policy 'genetic', expected branch, sequential, beam, islands, mcts");
}

} // namespace
