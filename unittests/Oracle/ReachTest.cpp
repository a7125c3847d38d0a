//===- ReachTest.cpp - How large partial sums and products may get --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/Oracle.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace kgen;
using namespace kgen::oracle;

namespace {

/// BODY makes %r, a tensor<RESULT>, of %x, a tensor<IN>.
std::vector<double> reachOf(const std::string &in, const std::string &result, const std::string &body,
                            llvm::ArrayRef<double> x) {
  std::string graph = "func.func @f(%x: tensor<" + in + ">) -> tensor<" + result + "> {\n" + body +
                      "\n  return %r : tensor<" + result + ">\n}\n";
  auto oracle = Oracle::create(graph, int64_t(1) << 30, "graph", OracleResult::Reach);
  if (!oracle) {
    ADD_FAILURE() << llvm::toString(oracle.takeError()) << "\n" << graph;
    return {};
  }
  return llvm::cantFail((*oracle)->run({x})).front();
}

void expectNear(const std::vector<double> &found, const std::vector<double> &expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i] / expected[i], 1, 1e-9) << i << ": " << found[i] << " for " << expected[i];
}

const char product[] = "  %r = aten.prod %x : (tensor<6xf32>) -> tensor<f32>";

TEST(Reach, AProductReachesWhatItsLargeFactorsMake) {
  // From left to right it is 0 all the way; by halves it is 0 * 1e60.
  expectNear(reachOf("6xf32", "f32", product, {0, -1e15, 1e15, 1e15, 1e15, 0.5}), {1e60});
  expectNear(reachOf("6xf32", "f32", product, {2, 0.5, -3, 0.25, 1, 1}), {8}); // the inverses of 0.5 and 0.25
}

TEST(Reach, WhatUnderflowsCountsWhereTheAnswerDoesNot) {
  expectNear(reachOf("6xf32", "f32", product, {1e-20, 1e5, 1e-20, 1e5, 1e10, 1}), {1e40});
  // 1e-40 is as good as zero.
  expectNear(reachOf("6xf32", "f32", product, {1e-20, 1, 1e-20, 1, 1, 2}), {2});
  expectNear(reachOf("6xf32", "f32", product, {1e-20, 1, 1e-20, 1, 0, 2}), {2});
}

TEST(Reach, ASumReachesTheSizeOfItsTerms) {
  const char mean[] = "  %0 = aten.mean %x : (tensor<4xf32>) -> tensor<f32>\n"
                      "  %r = aten.tanh %0 : (tensor<f32>) -> tensor<f32>";
  expectNear(reachOf("4xf32", "f32", mean, {3e38, -3e38, 2e38, -2e38}), {1e39});
  // What is infinite is no size.
  expectNear(reachOf("4xf32", "f32", mean, {-INFINITY, 1, 2, NAN}), {3});
}

TEST(Reach, ARunningProductCountsAllFactorsBeforeIt) {
  // Longer than a segment of the scan.
  std::vector<double> x(70, 10), expected(70);
  x[0] = 0;
  for (size_t i = 0; i < 70; ++i)
    expected[i] = std::pow(10, double(i));
  expectNear(reachOf("70xf32", "70xf32", "  %r = aten.cumprod %x dim 0 : (tensor<70xf32>) -> tensor<70xf32>", x),
             expected);
}

TEST(Reach, OnlyWhatWasFoldedHasOne) {
  EXPECT_EQ(reachOf("2xf32", "2xf32", "  %r = aten.exp %x : (tensor<2xf32>) -> tensor<2xf32>", {80, 3}),
            (std::vector<double>{0, 0}));
  // A maximum takes one of its operands: nothing of it is out of range.
  EXPECT_EQ(reachOf("2xf32", "f32", "  %r = aten.max %x : (tensor<2xf32>) -> tensor<f32>", {1e38, -1e38}),
            (std::vector<double>{0}));
}

TEST(Reach, AChoiceHasThatOfWhatItTakes) {
  const char chosen[] = "  %0 = aten.prod.dim_int %x dim 1 : (tensor<2x3xf32>) -> tensor<2xf32>\n"
                        "  %1 = aten.sum.dim_IntList %x dim [1] : (tensor<2x3xf32>) -> tensor<2xf32>\n"
                        "  %2 = aten.select.int %x dim 1 index 0 : (tensor<2x3xf32>) -> tensor<2xf32>\n"
                        "  %3 = aten.gt.Scalar %2 {other = 0.0} : (tensor<2xf32>) -> tensor<2xi1>\n"
                        "  %r = aten.where.self %3, %0, %1 : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> "
                        "tensor<2xf32>";
  expectNear(reachOf("2x3xf32", "2xf32", chosen, {2, 10, 10, -2, 10, 10}), {200, 22});
}

TEST(Reach, AnIndexIsInDoubtWhereRoundingDoesNotTellTheLargestApart) {
  const float close = std::nextafterf(1000, 2000);
  const std::vector<double> x = {1000, close, 7, 1000, 1000, 7, close, 7, 8};
  const char logs[] = "  %0 = aten.log %x : (tensor<3x3xf32>) -> tensor<3x3xf32>\n"
                      "  %1, %r = aten.max.dim %0 dim 1 : (tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3xi64>)";
  // The logarithms of the first row are 9e-9 apart, those of the second the same number.
  EXPECT_EQ(reachOf("3x3xf32", "3xi64", logs, x), (std::vector<double>{1, 0, 0}));
  // Numbers of fp32 are what they are.
  EXPECT_EQ(reachOf("3x3xf32", "3xi64",
                    "  %1, %r = aten.max.dim %x dim 1 : (tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3xi64>)", x),
            (std::vector<double>{0, 0, 0}));
  // Where the largest one is clear, others may be close.
  EXPECT_EQ(reachOf("3x3xf32", "3xi64", logs, {1000, close, 1001, close, 1001, 1000, 1002, 1000, close}),
            (std::vector<double>{0, 0, 0}));
}

TEST(Reach, ASumIsInDoubtByTheSizeOfItsTerms) {
  // 0.125 apart: enough for 1 and 1.125, nothing for what is left of 1e7.
  const char larger[] = "  %0 = aten.sum.dim_IntList %x dim [1] : (tensor<2x3xf32>) -> tensor<2xf32>\n"
                        "  %1 = aten.mul.Scalar %0 {other = 0.1} : (tensor<2xf32>) -> tensor<2xf32>\n"
                        "  %r = aten.gt.Scalar %1 {other = 0.1} : (tensor<2xf32>) -> tensor<2xi1>";
  EXPECT_EQ(reachOf("2x3xf32", "2xi1", larger, {0.5, 0.5, 0.125, 1e7, -1e7, 1.125}), (std::vector<double>{0, 1}));
}

TEST(Reach, WhatFollowsFromAnIntegerInDoubtIsOutOfRange) {
  const float close = std::nextafterf(1000, 2000);
  const char gathered[] = "  %0 = aten.log %x : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
                          "  %1 = aten.gt.Scalar %0 {other = 6.9077553} : (tensor<2x3xf32>) -> tensor<2x3xi1>\n"
                          "  %r = aten.where.self %1, %x, %0 : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> "
                          "tensor<2x3xf32>";
  EXPECT_EQ(reachOf("2x3xf32", "2x3xf32", gathered, {1000, close, 1, 900, 1001, 1100}),
            (std::vector<double>{INFINITY, INFINITY, 0, 0, 0, 0}));
}

} // namespace
