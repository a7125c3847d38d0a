//===- DiagnosisTest.cpp --------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Candidate/Diagnosis.h"

#include "gtest/gtest.h"

using namespace kgen;
using namespace kgen::candidate;

namespace {

/// A candidate that moves 8.6 GB per call at 4.3 TB/s when it takes 2000 us.
struct DiagnosisTest : ::testing::Test {
  Measurement m;
  LaunchPlan plan;

  DiagnosisTest() {
    m.device = "cuda:0 NVIDIA H200";
    m.timeUs = 2000;
    m.kernels = {{"k", 64, 1024, 0, 0, 0.5, false}};
    plan.precision = "tf32";
    BufferSpec x;
    x.shape = {1075000000};
    plan.inputs = {x};
    plan.outputs = {x};
    Launch launch;
    launch.kernel = "k";
    launch.grid = {1000, 1, 1};
    plan.launches = {launch};
  }
  std::string bound(double flops = 0) const {
    return diagnose(m, plan, flops).substr(0, diagnose(m, plan, flops).find(':'));
  }
  void shrink(int64_t elements) { plan.inputs[0].shape = plan.outputs[0].shape = {elements}; }
};

TEST_F(DiagnosisTest, NamesTheBoundByTheNumbers) {
  EXPECT_EQ(bound(), "memory bound");
  EXPECT_NE(diagnose(m, plan, 1e12).find("4.3e+03 GB/s of compulsory traffic are 100 % of a copy's"), std::string::npos)
      << diagnose(m, plan, 1e12);
  shrink(1000000);
  EXPECT_EQ(bound(), "latency bound");
  EXPECT_EQ(bound(395e12 * 2e-3 * 0.7), "arithmetic bound"); // on fp32 units: more than they can
  m.kernels[0].tensorCore = true;
  EXPECT_EQ(bound(395e12 * 2e-3 * 0.7), "tensor-core bound");
  EXPECT_EQ(bound(395e12 * 2e-3 * 0.5), "latency bound");
  plan.precision = "fp16"; // twice the rate
  EXPECT_EQ(bound(395e12 * 2e-3 * 0.7), "latency bound");
}

TEST_F(DiagnosisTest, TakesTheUnitsFromTheMachineCode) {
  shrink(1000000);
  m.kernels[0].tensorCore = true;
  m.kernels[0].code = {900, {{"HGMMA.F16", 8}, {"LDG.32", 3}}};
  // fp32 data multiplied as fp16: twice the class's rate.
  EXPECT_EQ(bound(395e12 * 2e-3 * 0.7), "latency bound");
  EXPECT_NE(diagnose(m, plan, 395e12 * 2e-3).find("50 % of the matrix units' 16-bit rate"), std::string::npos)
      << diagnose(m, plan, 395e12 * 2e-3);
  m.kernels[0].code.kinds["HMMA.TF32"] = 1; // the slower kind decides
  EXPECT_EQ(bound(395e12 * 2e-3 * 0.7), "tensor-core bound");
  EXPECT_NE(diagnose(m, plan, 395e12 * 2e-3).find("100 % of the matrix units' TF32 rate"), std::string::npos);
}

TEST_F(DiagnosisTest, ListsInstructionsAndProfileBehindTheJudgement) {
  m.kernels[0].code = {900, {{"FFMA", 300}, {"LDG.32", 3}}};
  m.kernels[0].loop = {120, {{"FFMA", 64}, {"LDS.128", 8}, {"BAR", 2}}};
  m.profile = {{"k", 1990, 91, 2.5, 30, 48, 67, "long scoreboard", 12.25}};
  std::string words = diagnose(m, plan, 0);
  EXPECT_NE(words.find(". Machine code of k: 900 instructions, 64 registers, 50 % of a multiprocessor's threads; its "
                       "busiest loop has 120: 64 FFMA, 8 LDS.128, 2 BAR. Profiled k: 1.99e+03 us, DRAM 91 % of its "
                       "peak, matrix units 2 %, issue slots 30 %, 48 % of all warps resident, 67 % L2 hits; a warp "
                       "waits longest for long scoreboard (12.2 cycles an instruction)"),
            std::string::npos)
      << words;
  EXPECT_EQ(llvm::StringRef(words).split(machineCodeMark).first.find("FFMA"), llvm::StringRef::npos);
  // Recorded and read again.
  auto again = Measurement::parse(m.print());
  ASSERT_TRUE(bool(again));
  EXPECT_EQ(diagnose(*again, plan, 0), words);
}

TEST_F(DiagnosisTest, LooksAtTheLaunchesWhenNothingIsBusy) {
  shrink(1000000);
  m.timeUs = 5;
  plan.launches.push_back(plan.launches[0]);
  shrink(1000);
  EXPECT_EQ(bound(), "launch bound (2 launches of about 3 us)");
  m.timeUs = 500;
  plan.launches.pop_back();
  plan.launches[0].grid = {16, 1, 1};
  EXPECT_EQ(bound(), "occupancy bound (at most 16 blocks for 132 multiprocessors)");
  plan.launches[0].grid = {1000, 1, 1};
  m.kernels[0].occupancy = 0.125;
  EXPECT_EQ(bound(), "occupancy bound (12 % of a multiprocessor's threads)");
  m.kernels[0].tensorCore = true; // few threads are how those kernels are
  EXPECT_EQ(bound(), "latency bound");
}

TEST_F(DiagnosisTest, GivesTheCompilersFacts) {
  m.kernels[0].spillBytes = 40;
  m.floorUs = 1000;
  std::string words = diagnose(m, plan, 0);
  EXPECT_NE(words.find("k spills 40 bytes of registers per thread"), std::string::npos) << words;
  EXPECT_NE(words.find("50 % of the floor's speed"), std::string::npos) << words;
  m.device = "host";
  EXPECT_EQ(diagnose(m, plan, 0).find("bound"), std::string::npos);
  EXPECT_NE(diagnose(m, plan, 0).find("host time"), std::string::npos);
}

} // namespace
