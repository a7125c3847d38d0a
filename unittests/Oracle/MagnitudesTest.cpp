//===- MagnitudesTest.cpp - The size of what was added up -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/OracleCases.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace kgen;
using namespace kgen::oracle;

namespace {

std::vector<double> magnitudesOf(llvm::StringRef graph, llvm::ArrayRef<llvm::ArrayRef<double>> inputs) {
  auto oracle = Oracle::create(graph, int64_t(1) << 30, "graph", OracleResult::Magnitudes);
  if (!oracle) {
    ADD_FAILURE() << llvm::toString(oracle.takeError()) << "\n" << graph.str();
    return {};
  }
  return llvm::cantFail((*oracle)->run(inputs)).front();
}

TEST(Magnitudes, AProductsAreTwiceTheProductOfSizes) {
  std::vector<double> a = {1, -2, 3, -4, 5, -6}, b = {7, 8, -9, 10, 11, -12};
  auto sizes = magnitudesOf("func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {"
                            "  %0 = aten.mm %a, %b : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>"
                            "  return %0 : tensor<2x2xf32> }",
                            {a, b});
  // |A||B| = [[7 + 18 + 33, 8 + 20 + 36], [28 + 45 + 66, 32 + 50 + 72]]
  EXPECT_EQ(sizes, (std::vector<double>{116, 128, 278, 308}));
}

TEST(Magnitudes, ASumThatCancelsIsNoSmallerForThat) {
  std::vector<double> x = {1e6, -1e6, 3, -3.5};
  auto sizes = magnitudesOf("func.func @f(%x: tensor<4xf32>) -> tensor<f32> {"
                            "  %0 = aten.sum %x : (tensor<4xf32>) -> tensor<f32>"
                            "  return %0 : tensor<f32> }",
                            {x});
  EXPECT_EQ(sizes, (std::vector<double>{2e6 + 6.5}));
}

TEST(Magnitudes, AFunctionPassesItsOperandsOn) {
  // exp(a - b): e^(a - b) (|a| + |b|) + e^(a - b).
  std::vector<double> a = {100}, b = {99};
  auto sizes = magnitudesOf("func.func @f(%a: tensor<1xf32>, %b: tensor<1xf32>) -> tensor<1xf32> {"
                            "  %0 = aten.sub.Tensor %a, %b : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>"
                            "  %1 = aten.exp %0 : (tensor<1xf32>) -> tensor<1xf32>"
                            "  return %1 : tensor<1xf32> }",
                            {a, b});
  ASSERT_EQ(sizes.size(), 1u);
  EXPECT_NEAR(sizes[0], std::exp(1.0) * 200, 1e-9);
}

TEST(Magnitudes, WhatIsLeftOfARootThatCancelsIsItsOwnSquare) {
  const double u = 0x1p-22;
  std::vector<double> a = {3, 3}, b = {3, 2};
  auto sizes = magnitudesOf("func.func @f(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {"
                            "  %0 = aten.sub.Tensor %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>"
                            "  %1 = aten.mul.Tensor %0, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>"
                            "  return %1 : tensor<2xf32> }",
                            {a, b});
  ASSERT_EQ(sizes.size(), 2u);
  EXPECT_DOUBLE_EQ(sizes[0], u * 36);
  EXPECT_DOUBLE_EQ(sizes[1], 2 * 1 * 5 + u * 25);
}

TEST(Magnitudes, ARootIsSteepWhereItVanishesButBounded) {
  const double u = 0x1p-22;
  std::vector<double> a = {3, 7, 3}, b = {3, 3, 3 - 0x1p-40};
  auto sizes = magnitudesOf("func.func @f(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {"
                            "  %0 = aten.sub.Tensor %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>"
                            "  %1 = aten.sqrt %0 : (tensor<3xf32>) -> tensor<3xf32>"
                            "  return %1 : tensor<3xf32> }",
                            {a, b});
  ASSERT_EQ(sizes.size(), 3u);
  // 6u or -6u under the root.
  EXPECT_NEAR(sizes[0] * u, std::sqrt(6 * u), 1e-12);
  EXPECT_NEAR(sizes[1], 10 / 4.0 + 2, 1e-5);
  EXPECT_NEAR(sizes[2] * u, std::sqrt(6 * u), 1e-5);
}

/// No magnitude is below the answer itself. Compiling takes long: of the numeric cases, every eighth.
TEST(Magnitudes, NoneIsBelowItsAnswer) {
  std::error_code error;
  size_t cases = 0;
  for (llvm::sys::fs::directory_iterator it(KGEN_NUMERIC_CASES, error), end; it != end && !error; it.increment(error)) {
    if (llvm::sys::path::extension(it->path()) != ".mlir")
      continue;
    auto file = llvm::MemoryBuffer::getFile(it->path());
    ASSERT_TRUE(bool(file));
    for (const OracleCase &one : parseOracleCases((*file)->getBuffer())) {
      if (cases++ % 8)
        continue;
      auto oracle = Oracle::create(one.graph, int64_t(1) << 30, one.name, OracleResult::Magnitudes);
      ASSERT_TRUE(bool(oracle)) << one.name << ": " << llvm::toString(oracle.takeError());
      std::vector<std::vector<double>> inputs;
      for (size_t i = 0; i < one.inputKinds.size(); ++i)
        inputs.push_back(oracleCaseInput(one.inputKinds[i], i, (*oracle)->inputs()[i].elements()));
      auto sizes = llvm::cantFail((*oracle)->run(std::vector<llvm::ArrayRef<double>>(inputs.begin(), inputs.end())));
      ASSERT_EQ(sizes.size(), one.expected.size()) << one.name;
      for (size_t i = 0; i < sizes.size(); ++i)
        for (size_t k = 0; k < sizes[i].size() && (*oracle)->outputs()[i].isFloat(); ++k)
          if (std::isfinite(one.expected[i][k]) && !std::isnan(sizes[i][k]))
            EXPECT_GE(sizes[i][k] * (1 + 1e-9) + 1e-300, std::fabs(one.expected[i][k])) << one.name << " element " << k;
    }
  }
  EXPECT_GE(cases, 100u);
}

} // namespace
