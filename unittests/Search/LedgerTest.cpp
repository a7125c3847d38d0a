//===- LedgerTest.cpp - What a search costs, and its limits ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"
#include "kgen/Report/RunReport.h"

using namespace kgen;
using namespace kgen::search;
using namespace kgen::test;
using llvm::toString;

namespace {

/// Answers like the builtin proposer and sends a bill: 100 tokens in, 40 of them cached, 10 out.
class BillingProposer : public propose::Proposer {
public:
  std::unique_ptr<propose::Proposer> inner = propose::createBuiltinProposer();
  std::vector<propose::TokenUsage> bill;
  int asked = 0, failAt = -1;

  llvm::Error ask() {
    bill = {{"m:one", 1, 100, 40, 10, 4}};
    if (asked++ == failAt)
      return llvm::createStringError("no answer");
    return llvm::Error::success();
  }
  llvm::Expected<std::vector<propose::Idea>> proposeIdeas(const propose::ProposalContext &context, int n) override {
    if (llvm::Error error = ask())
      return std::move(error);
    return inner->proposeIdeas(context, n);
  }
  llvm::Expected<std::vector<propose::Materialization>> materialize(const propose::ProposalContext &context,
                                                                    const propose::Idea &idea, int n) override {
    if (llvm::Error error = ask())
      return std::move(error);
    return inner->materialize(context, idea, n);
  }
  std::vector<propose::TokenUsage> takeUsage() override { return std::exchange(bill, {}); }
};

struct BilledWorld : World {
  BillingProposer *billing;
  BilledWorld() {
    auto mine = std::make_unique<BillingProposer>();
    billing = mine.get();
    proposer = std::move(mine);
    config.prices.asOf = "2026-01-01";
    config.prices.models["m:one"] = {10, 1, 100}; // a question costs 60 * 10 + 40 * 1 + 10 * 100 millionths
    evaluator.beforeEvaluate = [this](int) { clock.now += 2; };
  }
};
constexpr double perQuestion = (60 * 10 + 40 * 1 + 10 * 100) / 1e6;

TEST(Ledger, AddsUpQuestionsBranchesAndCategories) {
  BilledWorld world;
  ASSERT_FALSE(bool(world.search()));
  auto run = world.read();
  trajectory::Ledger ledger = trajectory::addUp(*run);
  int asked = world.billing->asked;
  EXPECT_EQ(ledger.total.requests, asked);
  EXPECT_EQ(ledger.total.tokens(), 110 * asked);
  EXPECT_EQ(ledger.total.cached, 40 * asked);
  EXPECT_EQ(ledger.total.reasoning, 4 * asked);
  EXPECT_NEAR(ledger.total.dollars, perQuestion * asked, 1e-12);
  EXPECT_EQ(ledger.total.deviceSeconds, 2 * world.evaluator.evaluated);
  EXPECT_EQ(ledger.pricesAsOf, "2026-01-01");
  double dollars = 0, deviceSeconds = 0;
  int branches = 0, requests = 0;
  for (const auto &[name, costs] : ledger.categories) {
    dollars += costs.dollars;
    deviceSeconds += costs.deviceSeconds;
    branches += costs.branches;
    requests += costs.requests;
  }
  EXPECT_NEAR(dollars, ledger.total.dollars, 1e-12);
  EXPECT_EQ(deviceSeconds, ledger.total.deviceSeconds);
  EXPECT_EQ(branches, int(run->getBranches().size()));
  EXPECT_EQ(requests, asked);
  // A branch pays its own answer, shared with the other ways to carry the idea out, and its share of
  // the question for ideas.
  const trajectory::Costs &first = ledger.branches["round-01/b00"];
  EXPECT_GT(first.dollars, 0);
  EXPECT_LT(first.dollars, 2 * perQuestion);
  EXPECT_EQ(ledger.branches["round-00/b00"].dollars, 0);
  std::string text = report::printReportText(report::summarizeRun(*run), /*columns=*/400);
  EXPECT_NE(text.find(" tokens in ("), std::string::npos) << text;
  EXPECT_NE(text.find(" at prices of 2026-01-01"), std::string::npos) << text;
}

TEST(Ledger, LimitsHoldOverKillsAndResumes) {
  for (int at : {40, 80, 120, 160, 200}) {
    BilledWorld world;
    world.config.options = {4, 2, 4, 2};
    world.config.maxTokens = 2000;
    world.fs.powerAfter = at;
    llvm::consumeError(world.search());
    world.fs.powerAfter = -1;
    ASSERT_FALSE(bool(world.search())) << at;
    auto run = world.read();
    EXPECT_EQ(run->getStopReason(), trajectory::StopReason::TokensSpent);
    int64_t tokens = trajectory::addUp(*run).total.tokens();
    EXPECT_GE(tokens, 2000);
    EXPECT_LT(tokens, 2000 + 110) << at; // the question that reached it was the last
    // What was paid for was measured.
    for (const trajectory::BranchRecord &branch : run->getBranches())
      EXPECT_FALSE(branch.measurement.empty());
    int asked = world.billing->asked;
    ASSERT_FALSE(bool(world.search()));
    EXPECT_EQ(world.billing->asked, asked);
    world.config.maxTokens = 3000;
    ASSERT_FALSE(bool(world.search()));
    EXPECT_GE(trajectory::addUp(*world.read()).total.tokens(), 3000);
  }
}

TEST(Ledger, MoneyEndsASearchToo) {
  BilledWorld world;
  world.config.options = {4, 2, 4, 2};
  world.config.maxDollars = 10 * perQuestion;
  ASSERT_FALSE(bool(world.search()));
  EXPECT_EQ(world.read()->getStopReason(), trajectory::StopReason::MoneySpent);
  EXPECT_NEAR(trajectory::addUp(*world.read()).total.dollars, 10 * perQuestion, perQuestion);
}

TEST(Ledger, AQuestionWithoutAnswerIsBilledToo) {
  BilledWorld world;
  world.billing->failAt = 3;
  llvm::Error error = world.search();
  ASSERT_TRUE(bool(error));
  EXPECT_EQ(toString(std::move(error)), "no answer");
  EXPECT_EQ(trajectory::addUp(*world.read()).total.requests, 4);
}

TEST(Ledger, StopsNearTheFloor) {
  World world;
  world.config.options = {4, 2, 4, 2};
  world.config.stopAtFloor = 0.05; // the floor is 50 us, so 1000 us is enough
  ASSERT_FALSE(bool(world.search()));
  EXPECT_EQ(world.read()->getStopReason(), trajectory::StopReason::NearFloor);
  EXPECT_EQ(world.evaluator.evaluated, 1);
}

TEST(PriceList, ReadsAFileAndNamesWhatIsWrong) {
  auto list = trajectory::PriceList::parse(
      R"({"as_of": "d", "models": {"a:b": {"input": 1, "cached": 0.5, "output": 2}}})", "p");
  ASSERT_TRUE(bool(list)) << toString(list.takeError());
  EXPECT_EQ(list->find("a:b")->of({"a:b", 1, 1000000, 500000, 1000000, 0}), 0.5 + 0.25 + 2);
  EXPECT_FALSE(list->find("a:c"));
  auto errorOf = [](const char *text) {
    auto list = trajectory::PriceList::parse(text, "p.json");
    return list ? std::string() : toString(list.takeError());
  };
  EXPECT_EQ(errorOf("[]"), "p.json is not a price file: expected an object with \"models\"");
  EXPECT_EQ(errorOf(R"({"models": {"x": {"input": 1, "cached": -1, "output": 1}}})"),
            "p.json: models[\"x\"].cached is missing, expected dollars per million tokens");
  EXPECT_EQ(errorOf(R"({"models": {"x": 5}})"),
            "p.json: models[\"x\"].input is missing, expected dollars per million tokens");
}

} // namespace
