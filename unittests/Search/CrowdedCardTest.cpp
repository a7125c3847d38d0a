//===- CrowdedCardTest.cpp - Evaluators that share a card's memory --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Search/OpenEvaluators.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <chrono>
#include <numeric>
#include <thread>

using namespace kgen;
using namespace kgen::search;
using llvm::toString;

namespace {

/// Cards on which each candidate leaves one of so many places taken until its evaluator makes room.
struct Cards {
  int places = 3;
  std::mutex mutex;
  std::vector<int> kept; ///< by each evaluator
  std::vector<bool> gone;
  int tries = 0, madeRoom = 0; ///< of large ones
  int goneAfter = 0;           ///< tries
};

class CrowdedEvaluator : public CandidateEvaluator {
public:
  CrowdedEvaluator(Cards &cards, size_t index, std::string card) : cards(cards), index(index) {
    facts.name = std::move(card);
    facts.model = "card";
  }
  DeviceFacts getDevice() const override { return facts; }
  void prepare(llvm::StringRef) override {}
  std::map<std::string, double> timeBaselines(llvm::StringRef, std::string &) override { return {}; }
  void makeRoom() override {
    std::lock_guard<std::mutex> guard(cards.mutex);
    cards.kept[index] = 0;
    ++cards.madeRoom;
  }
  /// "large" takes all places of the card but those that its own evaluator keeps.
  llvm::Expected<candidate::Measurement> evaluate(const EvaluationJob &job) override {
    candidate::Measurement out;
    std::unique_lock<std::mutex> guard(cards.mutex);
    if (cards.gone[index] && cards.tries >= cards.goneAfter) {
      cards.kept[index] = 0;
      return llvm::make_error<EvaluatorLost>("it does not answer", /*forGood=*/true);
    }
    const bool isLarge = llvm::StringRef(job.folder).starts_with("large");
    cards.tries += isLarge;
    guard.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    guard.lock();
    const int others = std::accumulate(cards.kept.begin(), cards.kept.end(), 0) - cards.kept[index];
    if (isLarge && (others > 0 || cards.places == 0)) {
      out.detail = (candidate::noRoom + ", twice: out of memory").str();
      return out;
    }
    cards.kept[index] = 1;
    out.verdict = candidate::Verdict::Pass;
    return out;
  }

private:
  Cards &cards;
  size_t index;
  DeviceFacts facts;
};

struct CrowdedCard : testing::Test {
  Cards cards;
  std::atomic<bool> stop{false};
  std::unique_ptr<CandidateEvaluator> pool;

  void open(std::vector<std::string> names) {
    cards.kept.resize(names.size());
    cards.gone.resize(names.size());
    std::vector<PoolMember> members;
    for (auto [i, name] : llvm::enumerate(names))
      members.push_back({name,
                         [this, i = i, name = name](const Listener &, std::function<bool()>)
                             -> llvm::Expected<std::unique_ptr<CandidateEvaluator>> {
                           return std::make_unique<CrowdedEvaluator>(cards, i, name);
                         },
                         ""});
    auto opened = createEvaluatorPool(std::move(members), stop, [](llvm::StringRef) {});
    ASSERT_TRUE(bool(opened)) << toString(opened.takeError());
    pool = std::move(*opened);
    pool->learn({}); // all of them are there
    for (size_t lane = 0; lane < names.size(); ++lane)
      EXPECT_TRUE(evaluate("small", int(lane)).passed());
  }
  candidate::Measurement evaluate(const std::string &folder, int lane) {
    EvaluationJob job;
    job.folder = folder;
    job.lane = lane;
    auto measurement = pool->evaluate(job);
    if (measurement)
      return *measurement;
    candidate::Measurement none;
    none.detail = toString(measurement.takeError());
    return none;
  }
};

TEST_F(CrowdedCard, TheOthersMakeRoom) {
  open({"cuda:0", "cuda:0", "cuda:0"});
  EXPECT_TRUE(evaluate("large", 1).passed());
  EXPECT_EQ(cards.tries, 2);
  EXPECT_EQ(cards.madeRoom, 2);
  EXPECT_EQ(cards.kept, std::vector<int>({0, 1, 0}));
}

TEST_F(CrowdedCard, NobodyElseWorksThereMeanwhile) {
  open({"cuda:0", "cuda:0", "cuda:0"});
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  std::atomic<bool> first{true};
  for (int lane = 0; lane < 3; ++lane)
    threads.emplace_back([&, lane] {
      for (int i = 0; i < 30; ++i)
        right += evaluate(i % 10 == 5 ? "large" : "small", lane).passed();
    });
  for (std::thread &thread : threads)
    thread.join();
  // A large one meets others in its first try only, whose verdict is not the last word.
  EXPECT_EQ(right, 90);
  EXPECT_GT(cards.tries, 9);
}

TEST_F(CrowdedCard, WhatIsTooLargeIsTriedTwice) {
  open({"cuda:0", "cuda:0"});
  cards.places = 0;
  candidate::Measurement measurement = evaluate("large", 0);
  EXPECT_TRUE(candidate::lacksRoom(measurement)) << measurement.detail;
  EXPECT_EQ(cards.tries, 2);
  EXPECT_TRUE(evaluate("small", 1).passed());
}

TEST_F(CrowdedCard, OtherCardsKeepWhatTheyHave) {
  open({"cuda:0", "cuda:1"});
  EXPECT_TRUE(candidate::lacksRoom(evaluate("large", 0)));
  EXPECT_EQ(cards.tries, 1);
  EXPECT_EQ(cards.madeRoom, 0);
}

TEST_F(CrowdedCard, WhoLeavesMeanwhileIsNotWaitedFor) {
  open({"cuda:0", "cuda:0", "cuda:0"});
  cards.gone[1] = true;
  EXPECT_TRUE(evaluate("large", 1).passed());
  EXPECT_TRUE(evaluate("small", 1).passed());
}

TEST_F(CrowdedCard, WhoLeavesWithTheCardToItselfLosesNothing) {
  open({"cuda:0", "cuda:0", "cuda:0"});
  cards.gone[1] = true;
  cards.goneAfter = 1;
  EXPECT_TRUE(evaluate("large", 1).passed());
  EXPECT_EQ(cards.tries, 2);
  EXPECT_TRUE(evaluate("small", 1).passed());
}

} // namespace
