//===- SpeedVerdictTest.cpp - FAST, SAME, SLOW, AMBIGUOUS, INVALID --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Candidate/SpeedVerdict.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace kgen;
using namespace kgen::candidate;

/// BLOCKS of a baseline of 100 us and a candidate FASTER times as fast, with noise and a drift within a block.
static std::vector<SpeedBlock> makeBlocks(double faster, double noise, int blocks, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, noise);
  std::vector<SpeedBlock> out;
  for (int i = 0; i < blocks; ++i) {
    auto us = [&](double base, int place) { return base * std::exp(normal(random)) * (1 + 0.02 * place); };
    SpeedBlock block;
    block.candidate[0] = us(100 / faster, 0);
    block.baseline[0] = us(100, 1);
    block.baseline[1] = us(100, 2);
    block.candidate[1] = us(100 / faster, 3);
    out.push_back(block);
  }
  return out;
}

TEST(SpeedVerdict, TheFiveVerdicts) {
  EXPECT_EQ(judgeSpeed(makeBlocks(1.05, 0.002, 15, 1), 0).verdict, Speed::Fast);
  EXPECT_EQ(judgeSpeed(makeBlocks(1.0, 0.002, 15, 2), 0).verdict, Speed::Same);
  EXPECT_EQ(judgeSpeed(makeBlocks(0.95, 0.002, 15, 3), 0).verdict, Speed::Slow);
  EXPECT_EQ(judgeSpeed(makeBlocks(1.01, 0.03, 15, 4), 0).verdict, Speed::Ambiguous);
  // Alone the baseline took 90 us, beside the candidate more than 100.
  EXPECT_EQ(judgeSpeed(makeBlocks(1.05, 0.002, 15, 1), 90).verdict, Speed::Invalid);
  EXPECT_EQ(judgeSpeed(makeBlocks(1.05, 0.002, 15, 1), 101).verdict, Speed::Fast);
  EXPECT_EQ(judgeSpeed({}, 0).verdict, Speed::Invalid);
}

TEST(SpeedVerdict, ShortTimesAreToldApartByWhatProcessesDifferIn) {
  std::vector<SpeedBlock> blocks = makeBlocks(1.02, 0.002, 60, 6);
  EXPECT_EQ(judgeSpeed(blocks, 0).verdict, Speed::Fast);
  for (SpeedBlock &block : blocks)
    for (double *us : {&block.candidate[0], &block.candidate[1], &block.baseline[0], &block.baseline[1]})
      *us *= 0.066; // 6.6 us: two processes with one kernel were seen to differ by 2 %
  EXPECT_EQ(judgeSpeed(blocks, 0).verdict, Speed::Same);
  for (SpeedBlock &block : blocks)
    block.candidate[0] /= 1.05, block.candidate[1] /= 1.05;
  EXPECT_EQ(judgeSpeed(blocks, 0).verdict, Speed::Fast);
}

TEST(SpeedVerdict, DriftWithinABlockCancels) {
  // 2 % more with each run: the candidate has the first place and the last.
  SpeedComparison c = judgeSpeed(makeBlocks(1.0, 0.0005, 15, 5), 0);
  EXPECT_NEAR(c.ratio, 1.0, 1e-3);
  EXPECT_LE(c.low, c.ratio);
  EXPECT_GE(c.high, c.ratio);
}

TEST(SpeedVerdict, FalseAlarmsAreRareAndThreePercentIsSeen) {
  int fast = 0, slow = 0;
  for (uint64_t pair = 0; pair < 500; ++pair) {
    fast += judgeSpeed(makeBlocks(1.0, 0.01, 15, 100 + pair), 0).verdict == Speed::Fast;
    slow += judgeSpeed(makeBlocks(1 / 1.03, 0.01, 15, 10000 + pair), 0).verdict == Speed::Slow;
  }
  EXPECT_LE(fast, 5);
  EXPECT_GE(slow, 475);
}

TEST(SpeedVerdict, Spread) {
  EXPECT_TRUE(std::isinf(relativeSpread({1, 2, 3, 4, 5})));
  std::vector<double> samples;
  for (int i = 0; i < 100; ++i)
    samples.push_back(100 + i); // ranks 40 and 60: 140 and 160 over a median of 149.5
  EXPECT_NEAR(relativeSpread(samples), 10 / 149.5, 1e-9);
  EXPECT_EQ(relativeSpread(std::vector<double>(30, 7.0)), 0);
}
