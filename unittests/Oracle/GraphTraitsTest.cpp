//===- GraphTraitsTest.cpp - What follows from a graph for all inputs -----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/GraphTraits.h"

#include "gtest/gtest.h"

using namespace kgen::oracle;

namespace {

/// "10" for a graph of two results, the first of which is exact; inputs are at most LARGEST.
std::string exactIn(llvm::StringRef graph, std::vector<double> largest, double products = 2048) {
  auto traits = findTraits(graph, largest, products);
  if (!traits) {
    ADD_FAILURE() << llvm::toString(traits.takeError()) << "\n" << graph.str();
    return "";
  }
  std::string out;
  for (bool each : traits->exact)
    out += each ? '1' : '0';
  return out;
}

/// A product of 4 x K and K x 3 elements of TYPE.
std::string exactProduct(int64_t k, const std::string &type, double largest = 1, double products = 2048) {
  std::string a = "tensor<4x" + std::to_string(k) + "x" + type + ">",
              b = "tensor<" + std::to_string(k) + "x3x" + type + ">", c = "tensor<4x3x" + type + ">";
  return exactIn("func.func @f(%a: " + a + ", %b: " + b + ") -> " + c + " { %0 = aten.mm %a, %b : (" + a + ", " + b +
                     ") -> " + c + " return %0 : " + c + " }",
                 {largest, 1}, products);
}

/// A graph of one vector of f32 and OPS, lines that make %r of %x.
std::string exactOf(const std::string &ops, double largest = 1) {
  return exactIn("func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> { " + ops + " return %r : tensor<8xf32> }",
                 {largest});
}

const std::string same = " : (tensor<8xf32>) -> tensor<8xf32> ";
const std::string both = " : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> ";

} // namespace

TEST(GraphTraits, ProductsOfIntegersAre) {
  EXPECT_EQ(exactProduct(64, "f32"), "1");
  EXPECT_EQ(exactProduct(4096, "f16"), "1"); // summed in fp32; whether the type holds the sums, they say
  EXPECT_EQ(exactProduct(4096, "bf16"), "1");
}

TEST(GraphTraits, SumsThatTheTypeDoesNotHoldAreNot) {
  EXPECT_EQ(exactProduct(4096, "f32", 2048), "1");
  EXPECT_EQ(exactProduct(16384, "f32", 2048), "0"); // 2^25
  EXPECT_EQ(exactProduct(16384, "f64", 2048), "1");
}

TEST(GraphTraits, FactorsThatTheUnitsRoundAreNot) {
  EXPECT_EQ(exactProduct(8, "f32", 2049), "0");
  EXPECT_EQ(exactProduct(8, "f32", 2049, 0x1p22), "1");
  EXPECT_EQ(exactProduct(8, "f64", 2049), "1");
}

TEST(GraphTraits, WhatMakesFractionsIsNot) {
  EXPECT_EQ(exactOf("%r = aten.relu %x" + same), "1");
  EXPECT_EQ(exactOf("%0 = aten.mul.Tensor %x, %x" + both + "%1 = aten.neg %0" + same + "%r = aten.abs %1" + same), "1");
  EXPECT_EQ(exactOf("%r = aten.leaky_relu %x {negative_slope = 2.000000e-01 : f64}" + same), "0");
  EXPECT_EQ(exactOf("%r = aten.exp %x" + same), "0");
  EXPECT_EQ(exactOf("%r = aten.sqrt %x" + same), "0");
  // An integer of a fraction jumps where that was rounded another way.
  EXPECT_EQ(exactOf("%0 = aten.sigmoid %x" + same + "%r = aten.floor %0" + same), "0");
  EXPECT_EQ(exactOf("%r = aten.floor %x" + same), "1");
}

TEST(GraphTraits, EachResultHasItsOwn) {
  EXPECT_EQ(exactIn("func.func @f(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<f32>) {"
                    "  %0 = aten.exp %x : (tensor<8xf32>) -> tensor<8xf32>"
                    "  %1 = aten.relu %x : (tensor<8xf32>) -> tensor<8xf32>"
                    "  %2 = aten.sum %x : (tensor<8xf32>) -> tensor<f32>"
                    "  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<f32> }",
                    {1}),
            "011");
}

TEST(GraphTraits, AProductOfManyGrowsUntilTheTypeEnds) {
  auto product = [](double largest) {
    return exactIn("func.func @f(%x: tensor<20xf32>) -> tensor<f32> {"
                   "  %0 = aten.prod %x : (tensor<20xf32>) -> tensor<f32> return %0 : tensor<f32> }",
                   {largest});
  };
  EXPECT_EQ(product(1), "1");
  EXPECT_EQ(product(2), "1"); // 2^20
  EXPECT_EQ(product(3), "0");
}

TEST(GraphTraits, ErrorsSayWhat) {
  auto exact = findTraits("func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> { return %x : tensor<8xf32> }", {}, 1);
  ASSERT_FALSE(bool(exact));
  EXPECT_EQ(llvm::toString(exact.takeError()), "the graph takes 1 inputs, found the sizes of 0");
}

TEST(GraphTraits, InfinitiesInProductsAreKnown) {
  auto multiplied = [](const std::string &body) {
    auto traits = findTraits("func.func @f(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> { " + body +
                                 " return %r : tensor<4x4xf32> }",
                             {1, 1}, 2048);
    if (!traits) {
      ADD_FAILURE() << llvm::toString(traits.takeError());
      return std::string();
    }
    std::string out;
    for (bool each : traits->multiplied)
      out += each ? '1' : '0';
    return out;
  };
  const std::string one = " : (tensor<4x4xf32>) -> tensor<4x4xf32> ",
                    two = " : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> ";
  EXPECT_EQ(multiplied("%r = aten.mm %x, %y" + two), "11");
  EXPECT_EQ(multiplied("%r = aten.mul.Tensor %x, %y" + two), "00"); // nothing is filled up
  EXPECT_EQ(multiplied("%0 = aten.neg %x" + one + "%1 = aten.mm %0, %y" + two + "%r = aten.tanh %1" + one), "11");
  // Weights of a softmax are finite.
  EXPECT_EQ(multiplied("%0 = aten.exp %x" + one + "%r = aten.mm %0, %y" + two), "01");
  EXPECT_EQ(multiplied("%0 = aten.relu %x" + one + "%r = aten.mm %0, %y" + two), "01");
}

TEST(GraphTraits, NaNThatMayBecomeAnythingAreKnown) {
  auto kept = [](const std::string &body) {
    auto traits = findTraits("func.func @f(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> { " + body +
                                 " return %r : tensor<4x4xf32> }",
                             {1, 1}, 2048);
    if (!traits) {
      ADD_FAILURE() << llvm::toString(traits.takeError());
      return std::string();
    }
    std::string out;
    for (bool each : traits->keepsNaN)
      out += each ? '1' : '0';
    return out;
  };
  const std::string one = " : (tensor<4x4xf32>) -> tensor<4x4xf32> ",
                    two = " : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> ";
  // A zero that a kernel fills up with would make more of them.
  EXPECT_EQ(kept("%r = aten.mm %x, %y" + two), "00");
  EXPECT_EQ(kept("%0 = aten.exp %x" + one + "%r = aten.mm %0, %y" + two), "00");
  EXPECT_EQ(kept("%0 = aten.mm %y, %y" + two + "%r = aten.add.Tensor %x, %0" + two), "10");
  EXPECT_EQ(kept("%r = aten.maximum %x, %y" + two), "11");
  // Squares and running products are products with nothing else.
  EXPECT_EQ(kept("%0 = aten.square %x" + one + "%r = aten.cumprod %0 dim 1" + one), "11");
  EXPECT_EQ(kept("%r = aten.softmax.int %x dim 1" + one), "11");
}
