//===- PolicyTest.cpp -----------------------------------------------------===//

#include "kgen/Search/Policy.h"

#include "gtest/gtest.h"

using namespace kgen;

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

TEST(Policy, UnknownNames) {
  auto policy = createPolicy("genetic", {});
  ASSERT_FALSE(bool(policy));
  EXPECT_EQ(llvm::toString(policy.takeError()), "unknown policy 'genetic', expected branch or sequential");
}

} // namespace
