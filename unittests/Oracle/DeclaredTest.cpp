//===- DeclaredTest.cpp - A graph in the types that it declares -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/OracleCases.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace kgen;
using namespace kgen::oracle;

namespace {

std::vector<double> declared(llvm::StringRef graph, llvm::ArrayRef<llvm::ArrayRef<double>> inputs,
                             OracleResult result = OracleResult::Declared) {
  auto oracle = Oracle::create(graph, int64_t(1) << 30, "graph", result);
  if (!oracle) {
    ADD_FAILURE() << llvm::toString(oracle.takeError()) << "\n" << graph.str();
    return {};
  }
  return llvm::cantFail((*oracle)->run(inputs)).front();
}

/// x * x - x * x * (1 - 2^-11), with every product rounded to TYPE.
std::string difference(const std::string &type) {
  std::string t = "tensor<3x" + type + ">";
  return "func.func @f(%x: " + t + ") -> " + t + " {\n  %0 = aten.square %x : (" + t + ") -> " + t +
         "\n  %1 = aten.mul.Scalar %0 {other = 0.99951171875} : (" + t + ") -> " + t +
         "\n  %2 = aten.sub.Tensor %0, %1 : (" + t + ", " + t + ") -> " + t + "\n  return %2 : " + t + "\n}\n";
}

TEST(Declared, HalvesOverflowAndRoundAfterEachOp) {
  std::vector<double> x = {1, 3, 1000};
  auto half = declared(difference("f16"), {x});
  ASSERT_EQ(half.size(), 3u);
  EXPECT_EQ(half[0], 0x1p-11);
  EXPECT_TRUE(std::isnan(half[2])); // infinity less infinity
  auto brain = declared(difference("bf16"), {x});
  ASSERT_EQ(brain.size(), 3u);
  EXPECT_EQ(brain[0], 0); // its numbers are 2^-8 apart there
  EXPECT_TRUE(std::isfinite(brain[2]));
  EXPECT_NEAR(declared(difference("f32"), {x})[2], 1e6 * 0x1p-11, 0.1);
}

TEST(Declared, AMeanOfSquaresLosesAVarianceInFp32) {
  std::string in = "tensor<4xf32>", out = "tensor<f32>";
  std::vector<double> x = {1000.0625, 1000.125, 999.9375, 999.875};
  std::string graph = "func.func @f(%x: tensor<4xf32>) -> tensor<f32> {\n"
                      "  %0 = aten.square %x : (tensor<4xf32>) -> tensor<4xf32>\n"
                      "  %1 = aten.mean %0 : (tensor<4xf32>) -> tensor<f32>\n"
                      "  %2 = aten.mean %x : (tensor<4xf32>) -> tensor<f32>\n"
                      "  %3 = aten.square %2 : (tensor<f32>) -> tensor<f32>\n"
                      "  %4 = aten.sub.Tensor %1, %3 : (tensor<f32>, tensor<f32>) -> tensor<f32>\n"
                      "  return %4 : tensor<f32>\n}\n";
  double exact = llvm::cantFail(llvm::cantFail(Oracle::create(graph))->run({x})).front().front();
  EXPECT_NEAR(exact, 0.009765625, 1e-9);
  EXPECT_GT(std::fabs(declared(graph, {x}).front() - exact), 1e-3);
}

TEST(Declared, FactorsAreRoundedToTF32WhereThatIsAsked) {
  // The second product's left factor is the first one's result, which no rounding of inputs tells of.
  auto graph = [](const std::string &type) {
    std::string t = "tensor<1x1x" + type + ">";
    return "func.func @f(%a: " + t + ", %b: " + t + ") -> " + t + " {\n  %0 = aten.mm %a, %b : (" + t + ", " + t +
           ") -> " + t + "\n  %1 = aten.mm %0, %b : (" + t + ", " + t + ") -> " + t + "\n  return %1 : " + t + "\n}\n";
  };
  std::vector<double> a = {1 + 0x1p-10}, b = {1 + 0x1p-9}; // both hold in tf32, their product does not
  const double exact = a[0] * b[0] * b[0], rounded = (1 + 0x1p-10 + 0x1p-9) * b[0];
  EXPECT_NEAR(declared(graph("f32"), {a, b})[0], exact, 1e-7);
  EXPECT_NEAR(declared(graph("f32"), {a, b}, OracleResult::DeclaredTF32)[0], rounded, 1e-7);
  EXPECT_GT(exact - rounded, 1e-6);
  // Other types are what they are, and what is not finite stays so.
  EXPECT_DOUBLE_EQ(declared(graph("f64"), {a, b}, OracleResult::DeclaredTF32)[0], exact);
  std::vector<double> infinite = {-INFINITY}, none = {NAN};
  EXPECT_EQ(declared(graph("f32"), {infinite, b}, OracleResult::DeclaredTF32)[0], -INFINITY);
  EXPECT_TRUE(std::isnan(declared(graph("f32"), {none, b}, OracleResult::DeclaredTF32)[0]));
}

} // namespace
