//===- PriorTest.cpp - Settings ranked before anything runs ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Propose/Builtin/Prior.h"

#include "gtest/gtest.h"

#include <array>
#include <cmath>

using namespace kgen;
using namespace kgen::propose;

namespace {

struct PriorTest : ::testing::Test {
  ideas::DispatchFacts facts;

  void product(int64_t m, int64_t n, int64_t k) {
    facts.family = "gemm";
    facts.device = "cuda";
    facts.m = m;
    facts.n = n;
    facts.k = k;
  }
  void rows(int64_t count, int64_t columns) {
    facts.family = "row";
    facts.device = "cuda";
    facts.rows = count;
    facts.columns = columns;
  }
  double estimate(const char *settings, double bytes = 1e6) const {
    return estimateDispatch(facts, parseSettings(settings), bytes);
  }
};

TEST_F(PriorTest, OneBlockMoreThanAWaveCostsAnotherWave) {
  // Two blocks of 128 x 128 fit a multiprocessor, so 264 of them are a wave of 132.
  product(128 * 264, 128, 8192);
  double whole = estimate("mma=mma_sync; tile=[128, 128, 32]; stages=3");
  product(128 * 265, 128, 8192);
  double more = estimate("mma=mma_sync; tile=[128, 128, 32]; stages=3");
  EXPECT_GT(more, 1.9 * whole);
  EXPECT_LT(more, 2.1 * whole);
}

TEST_F(PriorTest, TensorCoresAndLargeTilesWinLargeProducts) {
  product(4096, 4096, 4096);
  double plain = estimate("mma=none; tile=[128, 128, 16]; thread_tile=[8, 8]", 2e8);
  double tensor = estimate("mma=mma_sync; tile=[128, 128, 32]; stages=3", 2e8);
  double warpgroup = estimate("mma=wgmma; tile=[128, 256, 64]; stages=4", 2e8);
  EXPECT_LT(tensor, plain);
  EXPECT_LT(warpgroup, tensor);
  EXPECT_LT(estimate("mma=none; tile=[128, 128, 16]; thread_tile=[8, 8]"),
            estimate("mma=none; tile=[64, 64, 16]; thread_tile=[2, 2]"));
  EXPECT_LT(estimate("mma=mma_sync; tile=[128, 128, 32]; stages=3"),
            estimate("mma=mma_sync; tile=[128, 128, 32]; stages=1"));
}

TEST_F(PriorTest, FewTilesWantManyThreads) {
  // Two warps leave half of a multiprocessor's schedulers idle, where no other block is there.
  const char *twoWarps = "mma=none; tile=[64, 64, 16]; thread_tile=[8, 8]";
  const char *eightWarps = "mma=none; tile=[64, 64, 16]; thread_tile=[4, 4]";
  product(128, 768, 3072);
  EXPECT_GT(estimate(twoWarps), 1.3 * estimate(eightWarps));
  product(4096, 4096, 3072);
  EXPECT_LT(estimate(twoWarps), estimate(eightWarps));
}

// Problems of level 1 of the benchmark, in class tf32: many results of short rows, and few of long ones.
TEST_F(PriorTest, OperandsThatMemoryBoundsAreReadOnce) {
  facts.precision = "tf32";
  facts.op = "aten.matmul";
  const char *rounded = "mma=wgmma; dtype=tf32; tile=[128, 256, 32]; cluster=2";
  const char *halves = "mma=wgmma; tile=[128, 256, 64]; cluster=2", *warps = "mma=mma_sync; dtype=tf32";
  for (auto [m, n, k] : {std::array<int64_t, 3>{1048576, 768, 256}, {32768, 32768, 32}, {256, 256, 524288}}) {
    product(m, n, k);
    const double bytes = 4 * (double(m) * k + double(n) * k + double(m) * n);
    EXPECT_LT(estimate(rounded, bytes), estimate(halves, bytes)) << m;
    EXPECT_LT(estimate(halves, bytes), 3 * estimate(rounded, bytes) + 600) << m;
    if (k < 1024) {
      EXPECT_LT(2 * estimate(rounded, bytes), estimate(warps, bytes)) << m;
    }
  }
  // Where products bound it, halves are worth their launches.
  product(2048, 4096, 8192);
  EXPECT_LT(estimate(halves, 2e8), estimate(rounded, 2e8));
}

TEST_F(PriorTest, SplittingTheReductionFillsTheCard) {
  product(256, 256, 65536);
  EXPECT_LT(estimate("mma=mma_sync; tile=[128, 128, 32]; stages=3; split_k=16"),
            estimate("mma=mma_sync; tile=[128, 128, 32]; stages=3; split_k=1"));
}

TEST_F(PriorTest, RowsWantToBeReadOnceByManyThreads) {
  rows(4096, 65536);
  double bytes = 2.0 * 4096 * 65536 * 4;
  EXPECT_LT(estimate("resident=smem; threads_per_row=1024", bytes),
            estimate("resident=none; threads_per_row=1024", bytes));
  EXPECT_LT(estimate("resident=none; threads_per_row=1024", bytes),
            estimate("resident=none; reduce=two_pass; threads_per_row=1024", bytes));
  EXPECT_LT(estimate("resident=smem; vec=4", bytes), estimate("resident=smem; vec=1", bytes));
  EXPECT_LT(estimate("resident=smem; threads_per_row=1024", bytes),
            estimate("resident=reg; threads_per_row=128", bytes)); // 512 elements a thread spill
  rows(16, 4194304);
  EXPECT_LT(estimate("resident=none; threads_per_row=1024; split_rows=32", bytes),
            estimate("resident=none; threads_per_row=1024", bytes));
}

TEST_F(PriorTest, ShortRowsHaveAsManyThreadsAsPacks) {
  // Of 16 threads for a row of 32 fp32 numbers eight have nothing to do; the family takes eight by itself.
  rows(131072, 32);
  facts.f32 = true;
  EXPECT_LT(estimate("", 33.6e6), 0.7 * estimate("threads_per_row=16; rows_per_block=16; resident=reg", 33.6e6));
  EXPECT_LT(estimate("", 33.6e6), 20);
}

TEST_F(PriorTest, StridedRowsWantNeighboursInABlock) {
  // The channels of 128 images of 129 by 129 pixels.
  rows(128 * 129 * 129, 128);
  facts.apart = 129 * 129;
  const double bytes = 2.0 * 128 * 129 * 129 * 128 * 4;
  const double neighbours = estimate("resident=reg; threads_per_row=8; rows_per_block=32", bytes);
  EXPECT_GT(estimate("resident=reg; threads_per_row=512; rows_per_block=1", bytes), 7 * neighbours);
  EXPECT_GT(estimate("resident=reg; threads_per_row=32; rows_per_block=8", bytes), 1.1 * neighbours);
  // The family's own choice is such a one; nothing is read twice by it.
  EXPECT_LT(estimate("", bytes), 1.1 * neighbours);
  EXPECT_GT(estimate("resident=none; threads_per_row=8; rows_per_block=32", bytes), neighbours);
}

TEST_F(PriorTest, AttentionSeesWhatItsTilesCompute) {
  facts.family = "attention";
  facts.device = "cuda";
  facts.precision = "fp16";
  facts.f32 = false;
  facts.hopper = true;
  facts.heads = 64;
  facts.m = facts.n = 4096;
  facts.k = 128;
  const double all = estimate("mma=wgmma");
  EXPECT_LT(all, estimate("mma=mma_sync"));
  EXPECT_LT(estimate("mma=mma_sync"), estimate("mma=none"));
  // Half of all pairs, and of the last tile of each row more than that.
  facts.causal = true;
  EXPECT_GT(estimate("mma=wgmma"), 0.5 * all);
  EXPECT_LT(estimate("mma=wgmma"), 0.55 * all);
  // Fifty heads of one tile leave most of the card idle.
  facts.causal = false;
  facts.heads = 50;
  facts.m = 128;
  const double few = estimate("mma=wgmma");
  facts.heads = 132;
  EXPECT_LT(estimate("mma=wgmma"), 1.01 * few);
}

TEST_F(PriorTest, OnTheHostBarriersCost) {
  product(512, 512, 512);
  facts.device = "host";
  EXPECT_LT(estimate("mma=none; tile=[64, 64, 64]; thread_tile=[8, 8]"),
            estimate("mma=none; tile=[64, 64, 8]; thread_tile=[2, 2]"));
}

//===----------------------------------------------------------------------===//
// What was measured
//===----------------------------------------------------------------------===//

struct Measured {
  const char *problem, *settings;
  double us;
};
const Measured measurements[] = {
#include "PriorData.inc"
};

/// Ranks from 1 on; equal values share the mean of theirs.
std::vector<double> ranksOf(const std::vector<double> &values) {
  std::vector<double> ranks;
  for (double value : values) {
    double less = 0, equal = 0;
    for (double other : values)
      less += other < value, equal += other == value;
    ranks.push_back(less + (equal + 1) / 2);
  }
  return ranks;
}

/// Spearman's rank correlation: Pearson's, of the ranks.
double rankCorrelation(const std::vector<double> &a, const std::vector<double> &b) {
  std::vector<double> x = ranksOf(a), y = ranksOf(b);
  double mean = (a.size() + 1) / 2.0, xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xy / std::sqrt(xx * yy);
}

TEST_F(PriorTest, RanksWhatWasMeasured) {
  constexpr double image = 100.0 * 3 * 224 * 224 * 4, outputs = 100.0 * 96 * 4;
  auto correlation = [&](const char *problem, double bytes) {
    std::vector<double> estimates, times;
    for (const Measured &row : measurements)
      if (llvm::StringRef(row.problem) == problem) {
        estimates.push_back(estimate(row.settings, bytes));
        times.push_back(row.us);
      }
    EXPECT_GE(times.size(), 8u) << problem;
    double rank = rankCorrelation(estimates, times);
    RecordProperty(problem, std::to_string(rank));
    return rank;
  };
  auto convolution = [&](bool pool) {
    product(302500, 96, 363);
    facts.family = "conv";
    facts.precision = "tf32";
    facts.channels = 3;
    facts.poolFollows = facts.runningMaximum = pool;
  };
  convolution(false);
  EXPECT_GE(correlation("conv2d", image + outputs * 55 * 55), 0.94);
  convolution(true);
  EXPECT_GE(correlation("conv_relu_maxpool", image + outputs * 27 * 27), 0.9);
  facts = {};
  facts.precision = "tf32";
  product(4096, 4096, 4096);
  EXPECT_GE(correlation("matmul_fp32", 2e8), 0.94);
  facts.precision = "strict-fp32";
  EXPECT_GE(correlation("matmul_fp32_strict", 2e8), 0.79);
  facts.precision = "fp16";
  facts.f32 = false;
  EXPECT_GE(correlation("matmul_fp16", 1e8), 0.86);
  auto attention = [&](int64_t heads, int64_t depth, bool causal) {
    facts = {};
    facts.family = "attention";
    facts.device = "cuda";
    facts.precision = "fp16";
    facts.f32 = false;
    facts.hopper = true;
    facts.heads = heads;
    facts.m = facts.n = 4096;
    facts.k = depth;
    facts.causal = causal;
  };
  attention(128, 64, false);
  EXPECT_GE(correlation("attention_fp16_d64", 2.7e8), 0.9);
  attention(64, 128, true);
  EXPECT_GE(correlation("attention_fp16_d128_causal", 2.7e8), 0.95);
  facts = {};
  facts.hopper = true;
  rows(4096, 65536);
  EXPECT_GE(correlation("softmax", 2.0 * 4096 * 65536 * 4), 0.89);
  rows(16, 4194304);
  EXPECT_GE(correlation("layer_norm", 2.0 * 16 * 4194304 * 4), 0.82);
}

} // namespace
