//===- MeasurementTest.cpp - What is said of a candidate ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Candidate/Measurement.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace kgen;
using namespace kgen::candidate;

TEST(Measurement, SurvivesARoundTripWithHostileText) {
  Measurement m;
  m.verdict = Verdict::Wrong;
  m.detail = "kernel printed \xff\xfe";
  m.timeUs = 12.5;
  m.samples = {12, 12.5, 13};
  m.baselines["eager"] = 100;
  m.errors.push_back({"wide#1", {std::numeric_limits<double>::infinity(), 2}});
  m.kernels.push_back({"k", 32, 1024, 0, 0, 0.5, true});
  auto back = Measurement::parse(m.print());
  ASSERT_TRUE(bool(back));
  EXPECT_EQ(back->verdict, Verdict::Wrong);
  EXPECT_EQ(back->samples, m.samples);
  EXPECT_TRUE(std::isinf(back->errors[0].norms.max));
  EXPECT_TRUE(back->kernels[0].tensorCore);
  EXPECT_FALSE(bool(Measurement::parse("{}")));
  llvm::consumeError(Measurement::parse("{\"verdict\":\"MAYBE\"}").takeError());
}

TEST(Measurement, RulesWarningsAndSpeedComeBack) {
  Measurement m;
  m.verdict = Verdict::Pass;
  m.timeUs = 10;
  m.samples = {10};
  m.rules = "kernelbench";
  m.warnings = {"cannot tell zeros"};
  m.inputs = "seed 1F";
  m.spread = 0.25;
  m.before = {1980, 300, 45};
  m.after = {1970, 310, 46};
  m.sanitizer = "memcheck: nothing found";
  m.phases = {{"reference", 1.25}, {"timing", 0.031}};
  m.speed = SpeedComparison{Speed::Fast, 1.2, 1.1, 1.3, 10, 12, 11.9, 15, "round-01/b02"};
  auto back = Measurement::parse(m.print());
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  EXPECT_EQ(back->print(), m.print());
  EXPECT_EQ(back->speed->verdict, Speed::Fast);
  EXPECT_EQ(back->after.powerWatts, 310);
  EXPECT_EQ(back->phases, m.phases);
}

TEST(Measurement, ItsDetailIsShort) {
  Measurement m;
  m.detail = "kernel.cu:1: error: \x1b[31m" + std::string(100000, 'x');
  EXPECT_LT(m.print().size(), 3000u);
  EXPECT_EQ(m.shownDetail().substr(0, 26), "kernel.cu:1: error: ?[31mx");
}

TEST(Measurement, BeatsTheBestOnlyIfItWinsBesideIt) {
  Measurement m;
  m.verdict = Verdict::Pass;
  m.timeUs = 10;
  EXPECT_TRUE(m.beats(0));
  EXPECT_TRUE(m.beats(11));
  EXPECT_FALSE(m.beats(10));
  m.speed = SpeedComparison{};
  m.speed->low = 0.99;
  EXPECT_FALSE(m.beats(11));
  m.speed->low = 1.001;
  EXPECT_TRUE(m.beats(11));
  m.verdict = Verdict::Race;
  EXPECT_FALSE(m.beats(11));
}
