//===- CardGateTest.cpp - Several evaluators of one card ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Evaluate/CardGate.h"
#include "kgen/Toolchain/Scratch.h"

#include "llvm/Support/FileSystem.h"

#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

using namespace kgen;
using evaluate::CardGate;

namespace {

struct CardGateTest : ::testing::Test {
  toolchain::ScratchFolder folder = llvm::cantFail(toolchain::ScratchFolder::create("gate"));
  std::unique_ptr<CardGate> open() { return llvm::cantFail(CardGate::open(folder.path() + "/card")); }
};

void pause(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

TEST_F(CardGateTest, WhoTimesIsAloneAndOthersWorkSideBySide) {
  std::atomic<int> working{0}, timing{0}, mostWorking{0}, clashes{0}, rounds{0};
  std::vector<std::thread> evaluators;
  for (int i = 0; i < 3; ++i)
    evaluators.emplace_back([&] {
      auto gate = open();
      for (int candidate = 0; candidate < 20; ++candidate) {
        for (int run = 0; run < 5; ++run) {
          auto place = gate->work();
          int now = ++working;
          for (int most = mostWorking; now > most && !mostWorking.compare_exchange_weak(most, now);) {
          }
          clashes += timing > 0;
          pause(1);
          --working;
        }
        auto place = gate->alone();
        EXPECT_TRUE(gate->isAlone());
        clashes += ++timing > 1 || working > 0;
        {
          auto within = gate->work(); // its own runs
          EXPECT_TRUE(gate->isAlone());
          pause(1);
        }
        clashes += working > 0;
        --timing;
        ++rounds;
      }
    });
  for (std::thread &evaluator : evaluators)
    evaluator.join();
  EXPECT_EQ(clashes, 0);
  EXPECT_EQ(rounds, 60) << "nobody starves";
  EXPECT_GT(mostWorking, 1);
}

TEST_F(CardGateTest, NobodyOvertakesWhoWaits) {
  // Two that always work, one after the other without a pause between them, leave room for a third.
  std::atomic<bool> over{false};
  std::vector<std::thread> busy;
  for (int i = 0; i < 2; ++i)
    busy.emplace_back([&, i] {
      auto gate = open();
      pause(i); // so that one of the two always holds it
      while (!over) {
        auto place = gate->work();
        pause(2);
      }
    });
  auto gate = open();
  for (int i = 0; i < 10; ++i)
    auto place = gate->alone();
  over = true;
  for (std::thread &one : busy)
    one.join();
}

TEST_F(CardGateTest, WhatEndedHoldsNothing) {
  {
    auto gone = open();
    alignas(CardGate::Place) char kept[sizeof(CardGate::Place)];
    new (kept) CardGate::Place(gone->alone()); // never left, as by a killed process
  }
  auto gate = open();
  auto place = gate->alone();
  EXPECT_TRUE(gate->isAlone());
  // One without a file is alone without waiting.
  CardGate nobody;
  auto own = nobody.alone();
  EXPECT_TRUE(nobody.isAlone());
  EXPECT_FALSE(nobody.isShared());
}

TEST_F(CardGateTest, IsOfTheFolderThatTheEnvironmentNames) {
  setenv("KGEN_GATE", (folder.path() + "/gates").c_str(), 1);
  auto host = CardGate::openFor("host", ""), card = CardGate::openFor("cuda:1", "");
  auto own = CardGate::openFor("cuda:1", folder.path() + "/card");
  unsetenv("KGEN_GATE");
  auto nobody = CardGate::openFor("cuda:1", "");
  ASSERT_TRUE(host && card && own && nobody);
  EXPECT_FALSE((*host)->isShared());
  EXPECT_TRUE((*card)->isShared());
  EXPECT_TRUE(llvm::sys::fs::exists(folder.path() + "/gates/cuda:1.turn"));
  EXPECT_TRUE(llvm::sys::fs::exists(folder.path() + "/card"));
  EXPECT_FALSE((*nobody)->isShared());
}

TEST_F(CardGateTest, SaysWhatIsMissing) {
  auto gate = CardGate::open(folder.path() + "/none/card");
  ASSERT_FALSE(bool(gate));
  EXPECT_NE(llvm::toString(gate.takeError()).find("cannot open"), std::string::npos);
}

} // namespace
