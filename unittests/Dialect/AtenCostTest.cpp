//===- AtenCostTest.cpp - FLOPs, bytes and kinds of aten ops --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/Aten/Algebra.h"
#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/Aten/Cost.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace kgen::aten;

namespace {
class AtenCost : public ::testing::Test {
protected:
  AtenCost() { context.loadDialect<AtenDialect, func::FuncDialect>(); }

  /// The only function of TEXT, which must parse.
  func::FuncOp parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return *module->getOps<func::FuncOp>().begin();
  }

  AtenCostOpInterface firstOp(StringRef text) {
    return cast<AtenCostOpInterface>(parse(text).getBody().front().front());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(AtenCost, MatmulCountsTwoPerMultiplyAccumulate) {
  auto op = firstOp(R"(func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) {
    %0 = aten.matmul %a, %b : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    return })");
  EXPECT_EQ(op.getFlops(), 2 * 4 * 8 * 16);
  EXPECT_EQ(op.getKind(), OpKind::Contraction);
}

TEST_F(AtenCost, LinearCountsItsBias) {
  EXPECT_EQ(firstOp(R"(func.func @f(%a: tensor<4x8xf32>, %b: tensor<16x8xf32>, %c: tensor<16xf32>) {
    %0 = aten.linear %a, %b, %c : (tensor<4x8xf32>, tensor<16x8xf32>, tensor<16xf32>) -> tensor<4x16xf32>
    return })")
                .getFlops(),
            2 * 4 * 8 * 16 + 4 * 16);
}

TEST_F(AtenCost, GroupedConvolutionSeesItsGroupsChannels) {
  EXPECT_EQ(firstOp(R"(func.func @f(%a: tensor<1x4x8x8xf32>, %b: tensor<6x2x3x3xf32>) {
    %0 = aten.conv2d %a, %b groups 2 : (tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x6x6xf32>
    return })")
                .getFlops(),
            2.0 * (6 * 6 * 6) * (2 * 3 * 3));
}

TEST_F(AtenCost, TransposedConvolutionCountsFromTheInput) {
  EXPECT_EQ(firstOp(R"(func.func @f(%a: tensor<1x4x8xf32>, %b: tensor<4x6x3xf32>) {
    %0 = aten.conv_transpose1d %a, %b stride [2] : (tensor<1x4x8xf32>, tensor<4x6x3xf32>) -> tensor<1x6x17xf32>
    return })")
                .getFlops(),
            2.0 * (4 * 8) * (6 * 3));
}

TEST_F(AtenCost, CausalAttentionCountsHalf) {
  const char *text = R"(func.func @f(%q: tensor<2x64x32xf16>, %k: tensor<2x48x32xf16>, %v: tensor<2x48x16xf16>) {
    %0 = aten.scaled_dot_product_attention %q, %k, %v{0} : (tensor<2x64x32xf16>, tensor<2x48x32xf16>, tensor<2x48x16xf16>) -> tensor<2x64x16xf16>
    return })";
  std::string full(text), causal(text);
  full.replace(full.find("{0}"), 3, "");
  causal.replace(causal.find("{0}"), 3, " is_causal true");
  double expected = 2.0 * 2 * 64 * 48 * (32 + 16);
  EXPECT_EQ(firstOp(full).getFlops(), expected);
  EXPECT_EQ(firstOp(causal).getFlops(), expected / 2);
}

TEST_F(AtenCost, GraphCountsEveryBufferOnce) {
  // %unused is not read; %0 is returned twice but written once; f16 has two bytes, i64 eight.
  auto func = parse(R"(func.func @f(%a: tensor<4x8xf16>, %unused: tensor<99xf32>)
      -> (tensor<4xf16>, tensor<4xi64>, tensor<4xf16>) {
    %r = aten.relu %a : (tensor<4x8xf16>) -> tensor<4x8xf16>
    %0, %1 = aten.max.dim %r dim 1 : (tensor<4x8xf16>) -> (tensor<4xf16>, tensor<4xi64>)
    return %0, %1, %0 : tensor<4xf16>, tensor<4xi64>, tensor<4xf16> })");
  EXPECT_EQ(compulsoryBytes(func), 4 * 8 * 2 + 4 * 2 + 4 * 8);
  EXPECT_EQ(graphFlops(func), 4 * 8 + 4 * 8);
}

TEST_F(AtenCost, KindsNeedNoNames) {
  auto kindOf = [&](StringRef op, StringRef type, StringRef result) {
    return firstOp(
               ("func.func @f(%a: " + type + ") { %0 = " + op + " : (" + type + ") -> " + result + " return }").str())
        .getKind();
  };
  StringRef t = "tensor<1x4x8x8xf32>";
  EXPECT_EQ(kindOf("aten.gelu %a", t, t), OpKind::Elementwise);
  EXPECT_EQ(kindOf("aten.softmax.int %a dim 1", t, t), OpKind::Normalization);
  EXPECT_EQ(kindOf("aten.sum.dim_IntList %a dim [2, 3]", t, "tensor<1x4xf32>"), OpKind::Reduction);
  EXPECT_EQ(kindOf("aten.max_pool2d %a kernel [2, 2]", t, "tensor<1x4x4x4xf32>"), OpKind::Window);
  EXPECT_EQ(kindOf("aten.flatten.using_ints %a", t, "tensor<256xf32>"), OpKind::View);
  // Depends on the position: a fuser that ignores positions must not take it.
  EXPECT_EQ(kindOf("aten.tril %a", t, t), OpKind::Other);
}

TEST_F(AtenCost, OfWhatIsPickedByIndexOnePartIsCertain) {
  // All indices may be the same, however many there are.
  auto bytesOf = [&](StringRef op, StringRef result) {
    return readBytes(parse(("func.func @f(%a: tensor<100x8xf32>, %i: tensor<300xi64>, %j: tensor<300x8xi64>) -> " +
                            result + " { %0 = " + op + " -> " + result + " return %0 : " + result + " }")
                               .str()))[0];
  };
  EXPECT_EQ(bytesOf("aten.embedding %a, %i : (tensor<100x8xf32>, tensor<300xi64>)", "tensor<300x8xf32>"), 4 * 8);
  EXPECT_EQ(bytesOf("aten.index_select %a, %i dim 0 : (tensor<100x8xf32>, tensor<300xi64>)", "tensor<300x8xf32>"),
            4 * 8);
  EXPECT_EQ(bytesOf("aten.gather %a, %j dim 0 : (tensor<100x8xf32>, tensor<300x8xi64>)", "tensor<300x8xf32>"), 4);
  EXPECT_EQ(bytesOf("aten.index.Tensor %a, %i dims [0] : (tensor<100x8xf32>, tensor<300xi64>)", "tensor<300x8xf32>"),
            4 * 8);
}

TEST_F(AtenCost, ReadsWhatIsPickedBehindViewsAndElementwiseOps) {
  EXPECT_EQ(readBytes(parse(R"(func.func @f(%a: tensor<4x3x8xf32>) -> tensor<4x8xf32> {
    %0 = aten.permute %a dims [1, 0, 2] : (tensor<4x3x8xf32>) -> tensor<3x4x8xf32>
    %1 = aten.relu %0 : (tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
    %2 = aten.select.int %1 dim 0 index -1 : (tensor<3x4x8xf32>) -> tensor<4x8xf32>
    return %2 : tensor<4x8xf32> })"))[0],
            4 * 8 * 4);
}

TEST_F(AtenCost, ReadsAllOfWhatOneUseNeedsWhole) {
  EXPECT_EQ(readBytes(parse(R"(func.func @f(%a: tensor<3x8xf32>) -> (tensor<8xf32>, tensor<3x8xf32>) {
    %0 = aten.relu %a : (tensor<3x8xf32>) -> tensor<3x8xf32>
    %1 = aten.select.int %0 dim 0 index 0 : (tensor<3x8xf32>) -> tensor<8xf32>
    return %1, %0 : tensor<8xf32>, tensor<3x8xf32> })"))[0],
            3 * 8 * 4);
}

TEST_F(AtenCost, ReadsNothingForCertainOfAConcatenationOfWhichHalfIsPicked) {
  const char *text = R"(func.func @f(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<LENGTHxf32> {
    %0 = aten.cat %a, %b dim 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
    %1 = aten.narrow %0 dim 0 start 0 length LENGTH : (tensor<16xf32>) -> tensor<LENGTHxf32>
    return %1 : tensor<LENGTHxf32> })";
  auto read = [&](StringRef length) {
    std::string graph = text;
    for (size_t at; (at = graph.find("LENGTH")) != std::string::npos;)
      graph.replace(at, 6, length.str());
    return readBytes(parse(graph))[0];
  };
  EXPECT_EQ(read("8"), 0);
  EXPECT_EQ(read("12"), 4 * 4);
}

TEST_F(AtenCost, ReadsWhatPartOfAProductNeeds) {
  // One row of x, and all of w; of the FLOPs one row's.
  auto func = parse(R"(func.func @f(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>, %b: tensor<16xf32>) -> tensor<16xf32> {
    %0 = aten.linear %x, %w, %b : (tensor<4x8xf32>, tensor<16x8xf32>, tensor<16xf32>) -> tensor<4x16xf32>
    %1 = aten.select.int %0 dim 0 index 2 : (tensor<4x16xf32>) -> tensor<16xf32>
    return %1 : tensor<16xf32> })");
  EXPECT_EQ(readBytes(func), (SmallVector<double>{4 * 8, 4 * 16 * 8, 4 * 16}));
  EXPECT_EQ(leastFlops(func), 16 * (2 * 8 + 1));
}

TEST_F(AtenCost, ReadsTheRowsThatReductionsAndNormsNeed) {
  auto bytesOf = [&](StringRef op, StringRef result, StringRef pick, StringRef part) {
    return readBytes(
        parse(("func.func @f(%a: tensor<10x8xf32>) -> " + part + " { %0 = " + op + " : (tensor<10x8xf32>) -> " +
               result + " %1 = " + pick + " : (" + result + ") -> " + part + " return %1 : " + part + " }")
                  .str()))[0];
  };
  EXPECT_EQ(bytesOf("aten.sum.dim_IntList %a dim [1]", "tensor<10xf32>", "aten.narrow %0 dim 0 start 7 length 3",
                    "tensor<3xf32>"),
            4 * 3 * 8);
  EXPECT_EQ(
      bytesOf("aten.softmax.int %a dim 1", "tensor<10x8xf32>", "aten.select.int %0 dim 0 index 1", "tensor<8xf32>"),
      4 * 8);
  // How much of what moves by itself, or by the data, nobody says.
  EXPECT_EQ(
      bytesOf("aten.tril %a diagonal -10", "tensor<10x8xf32>", "aten.select.int %0 dim 0 index 1", "tensor<8xf32>"), 0);
}

TEST_F(AtenCost, ReadsWhatPartOfAConvolutionNeeds) {
  // A filter of four, and of the image nothing for certain: padding may be all that is met.
  auto func = parse(R"(func.func @f(%x: tensor<1x2x5x5xf32>, %w: tensor<4x2x3x3xf32>) -> tensor<1x1x5x5xf32> {
    %0 = aten.conv2d %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<1x2x5x5xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x5x5xf32>
    %1 = aten.narrow %0 dim 1 start 3 length 1 : (tensor<1x4x5x5xf32>) -> tensor<1x1x5x5xf32>
    return %1 : tensor<1x1x5x5xf32> })");
  EXPECT_EQ(readBytes(func), (SmallVector<double>{0, 4 * 2 * 9}));
  EXPECT_EQ(leastFlops(func), 25 * 2 * 18);
}

TEST_F(AtenCost, ReadsNothingForCertainBehindAPaddingOfWhichPartIsPicked) {
  auto bytesOf = [&](StringRef pads, StringRef padded, int64_t length) {
    std::string part = ("tensor<" + Twine(length) + "xf32>").str();
    return readBytes(parse(("func.func @f(%a: tensor<8xf32>) -> " + part + " { %0 = aten.constant_pad_nd %a pad " +
                            pads + " : (tensor<8xf32>) -> " + padded + " %1 = aten.narrow %0 dim 0 start 0 length " +
                            Twine(length) + " : (" + padded + ") -> " + part + " return %1 : " + part + " }")
                               .str()))[0];
  };
  EXPECT_EQ(bytesOf("[4, 0]", "tensor<12xf32>", 4), 0);
  EXPECT_EQ(bytesOf("[4, 0]", "tensor<12xf32>", 6), 4 * 2);
  EXPECT_EQ(bytesOf("[4, -3]", "tensor<9xf32>", 9), 4 * 5);
}

TEST_F(AtenCost, WhatIsWrittenInPlaceCostsWhatOthersReadOfIt) {
  auto bytesOf =
      [&](const char *more, const char *results) {
        return compulsoryBytes(
            parse((Twine(R"(func.func @f(%c: tensor<16x4xf32> {kgen.name = "c"}, %i: tensor<1xi64>, %v: tensor<1x4xf32>)
        -> ()") + results +
                   R"() {
      %0 = aten.index_put %c, %i values %v dims [0] : (tensor<16x4xf32>, tensor<1xi64>, tensor<1x4xf32>) -> tensor<16x4xf32>
      )" + more + "}")
                      .str()));
      };
  const double given = 8 + 4 * 4, cache = 16 * 4 * 4;
  EXPECT_EQ(bytesOf("return %0 : tensor<16x4xf32>", "tensor<16x4xf32> {kgen.mutates = \"c\"}"), given);
  EXPECT_EQ(bytesOf("return %0 : tensor<16x4xf32>", "tensor<16x4xf32>"), given + 2 * cache);
  EXPECT_EQ(bytesOf(R"(%1 = aten.exp %0 : (tensor<16x4xf32>) -> tensor<16x4xf32>
      return %0, %1 : tensor<16x4xf32>, tensor<16x4xf32>)",
                    "tensor<16x4xf32> {kgen.mutates = \"c\"}, tensor<16x4xf32>"),
            given + 2 * cache);
}

} // namespace
