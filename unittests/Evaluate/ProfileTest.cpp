//===- ProfileTest.cpp ----------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Evaluate/Profile.h"

#include "gtest/gtest.h"

using namespace kgen;
using namespace kgen::evaluate;

TEST(Profile, ReadsRowsOfMetrics) {
  // ncu's own lines, shortened.
  auto profile = readProfile(
      "==PROF== Connected to process 553 (/opt/jobs/k)\n"
      "==PROF== Profiling \"prepare\": 0%....50%....100% - 9 passes\n"
      "kgen: the candidate has run\n"
      "==PROF== Disconnected from process 553\n"
      "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block "
      "Size\",\"Grid "
      "Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\r\n"
      "\"0\",\"553\",\"k\",\"127.0.0.1\",\"prepare\",\"1\",\"7\",\"(128, 1, 1)\",\"(96, 1, "
      "1)\",\"0\",\"9.0\",\"Command line "
      "profiler metrics\",\"gpu__time_duration.sum\",\"ns\",\"4,512\"\n"
      "\"1\",\"553\",\"k\",\"127.0.0.1\",\"conv_main(const float *, __half *)\",\"1\",\"7\",\"(512, 1, 1)\",\"(132, 1, "
      "1)\",\"0\",\"9.0\",\"x\",\"gpu__time_duration.sum\",\"ns\",\"85,664\"\n"
      "\"1\",\"553\",\"k\",\"127.0.0.1\",\"conv_main(const float *, __half *)\",\"1\",\"7\",\"(512, 1, 1)\",\"(132, 1, "
      "1)\",\"0\",\"9.0\",\"x\",\"dram__throughput.avg.pct_of_peak_sustained_elapsed\",\"%\",\"39.31\"\n"
      "\"1\",\"553\",\"k\",\"127.0.0.1\",\"conv_main\",\"1\",\"7\",\"\",\"\",\"0\",\"9.0\",\"x\","
      "\"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio\",\"inst\",\"2.5\"\n"
      "\"1\",\"553\",\"k\",\"127.0.0.1\",\"conv_main\",\"1\",\"7\",\"\",\"\",\"0\",\"9.0\",\"x\","
      "\"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio\",\"inst\",\"4.25\"\n"
      "\"1\",\"553\",\"k\",\"127.0.0.1\",\"conv_main\",\"1\",\"7\",\"\",\"\",\"0\",\"9.0\",\"x\","
      "\"lts__t_sector_hit_rate.pct\",\"%\",\"n/a\"\n");
  ASSERT_EQ(profile.size(), 2u);
  EXPECT_EQ(profile[0].kernel, "prepare");
  EXPECT_DOUBLE_EQ(profile[0].timeUs, 4.512);
  EXPECT_EQ(profile[1].kernel, "conv_main");
  EXPECT_DOUBLE_EQ(profile[1].timeUs, 85.664);
  EXPECT_DOUBLE_EQ(profile[1].dram, 39.31);
  EXPECT_DOUBLE_EQ(profile[1].l2Hits, 0);
  EXPECT_EQ(profile[1].stall, "long scoreboard");
  EXPECT_DOUBLE_EQ(profile[1].stallCycles, 4.25);
}

TEST(Profile, ReadsNothingOutOfAnythingElse) {
  EXPECT_TRUE(readProfile("").empty());
  EXPECT_TRUE(readProfile("==ERROR== The application returned an error code (1).\n").empty());
  EXPECT_TRUE(
      readProfile("\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Value\"\n\"0\"\n\"0\",\"k\",\"m\",\"x\"\n").empty());
  EXPECT_TRUE(readProfile("\"a\",\"b\"\n\"0\",\"gpu__time_duration.sum\",\"5\"\n").empty());
}
