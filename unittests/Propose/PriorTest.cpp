//===- PriorTest.cpp - Settings ranked before anything runs ---------------===//

#include "../../lib/Propose/Prior.h"

#include "gtest/gtest.h"

using namespace kgen;

namespace {

struct PriorTest : ::testing::Test {
  PlannedDispatch dispatch;
  DispatchFacts facts;

  void product(int64_t m, int64_t n, int64_t k) {
    dispatch.family = "gemm";
    facts.dispatch = &dispatch;
    facts.device = "cuda";
    facts.m = m;
    facts.n = n;
    facts.k = k;
  }
  void rows(int64_t count, int64_t columns) {
    dispatch.family = "row";
    facts.dispatch = &dispatch;
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

TEST_F(PriorTest, SplittingTheReductionFillsTheCard) {
  product(256, 256, 65536);
  EXPECT_LT(estimate("mma=mma_sync; tile=[128, 128, 32]; stages=3; split_k=16"),
            estimate("mma=mma_sync; tile=[128, 128, 32]; stages=3"));
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

TEST_F(PriorTest, OnTheHostBarriersCost) {
  product(512, 512, 512);
  facts.device = "host";
  EXPECT_LT(estimate("mma=none; tile=[64, 64, 64]; thread_tile=[8, 8]"),
            estimate("mma=none; tile=[64, 64, 8]; thread_tile=[2, 2]"));
}

} // namespace
