//===- PointwiseFunctionTest.cpp - Fused element-wise ops as text ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Kernels/Emit/PointwiseFunction.h"
#include "kgen/InitAll.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace kgen;
using namespace kgen::kernels;
using testing::HasSubstr;
using testing::Not;

namespace {

class PointwiseFunctionTest : public testing::Test {
protected:
  PointwiseFunctionTest() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// The function of all ops of GRAPH's body; its first SCALARS arguments are scalars.
  mlir::FailureOr<PointwiseFunction> emit(llvm::StringRef graph, unsigned scalars,
                                          llvm::StringRef computeType = "float") {
    module = mlir::parseSourceString<mlir::ModuleOp>(graph, &context);
    EXPECT_TRUE(module);
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    llvm::SmallVector<mlir::Operation *> ops;
    for (mlir::Operation &op : function.getBody().front().without_terminator())
      ops.push_back(&op);
    llvm::SmallVector<mlir::Value> values(function.getArguments().take_front(scalars));
    return emitPointwiseFunction("fused", ops, function.getBody().front().getTerminator()->getOperand(0), values,
                                 computeType);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(PointwiseFunctionTest, BiasOverChannelsIsReadAtItsCoordinate) {
  auto function = emit(R"(func.func @f(%x: tensor<2x3x4x5xf32>, %b: tensor<3x1x1xf32>) -> tensor<2x3x4x5xf32> {
    %0 = aten.add.Tensor %x, %b : (tensor<2x3x4x5xf32>, tensor<3x1x1xf32>) -> tensor<2x3x4x5xf32>
    %1 = aten.relu %0 : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    return %1 : tensor<2x3x4x5xf32> })",
                       1);
  ASSERT_TRUE(succeeded(function));
  EXPECT_THAT(function->text, HasSubstr("__device__ __forceinline__ float fused(float acc0, int d0, int d1, int d2, "
                                        "int d3, const float *p0) {\n  const float t0 = p0[d1];\n"));
  EXPECT_THAT(function->text, HasSubstr("acc0 + t0"));
  EXPECT_THAT(function->text, HasSubstr("kgen_maximum("));
  ASSERT_EQ(function->operands.size(), 1u);
}

TEST_F(PointwiseFunctionTest, TwoScalarsAndNoOperand) {
  auto function = emit(R"(func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = aten.mul.Tensor %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32> })",
                       2);
  ASSERT_TRUE(succeeded(function));
  EXPECT_THAT(function->text, HasSubstr("fused(float acc0, float acc1, int d0, int d1) {\n"
                                        "  const float t0 = acc0 * acc1;\n  return t0;\n}\n"));
}

TEST_F(PointwiseFunctionTest, HalvesAreHeldInFloat) {
  auto function = emit(R"(func.func @f(%x: tensor<2x3xf16>, %b: tensor<3xf16>) -> tensor<2x3xf16> {
    %0 = aten.add.Tensor %x, %b : (tensor<2x3xf16>, tensor<3xf16>) -> tensor<2x3xf16>
    %1 = aten.gelu %0 : (tensor<2x3xf16>) -> tensor<2x3xf16>
    return %1 : tensor<2x3xf16> })",
                       1);
  ASSERT_TRUE(succeeded(function));
  EXPECT_THAT(function->text, HasSubstr("const __half *p0"));
  EXPECT_THAT(function->text, HasSubstr("__half2float(p0[d1])"));
  EXPECT_THAT(function->text, Not(HasSubstr("__float2half")));
  EXPECT_THAT(function->text, HasSubstr("#include <cuda_fp16.h>"));
}

TEST_F(PointwiseFunctionTest, DoubleComputesInDouble) {
  auto function = emit(R"(func.func @f(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = aten.sigmoid %x : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64> })",
                       1, "double");
  ASSERT_TRUE(succeeded(function));
  EXPECT_THAT(function->text, HasSubstr("double fused(double acc0, int d0, int d1)"));
  EXPECT_THAT(function->text, HasSubstr("exp("));
  EXPECT_THAT(function->text, Not(HasSubstr("expf(")));
}

TEST_F(PointwiseFunctionTest, RowStatisticBroadcasts) {
  auto function = emit(R"(func.func @f(%x: tensor<4x7xf32>, %m: tensor<4x1xf32>) -> tensor<4x7xf32> {
    %0 = aten.sub.Tensor %x, %m : (tensor<4x7xf32>, tensor<4x1xf32>) -> tensor<4x7xf32>
    %1 = aten.exp %0 : (tensor<4x7xf32>) -> tensor<4x7xf32>
    return %1 : tensor<4x7xf32> })",
                       2);
  ASSERT_TRUE(succeeded(function));
  EXPECT_THAT(function->text, HasSubstr("acc0 - acc1"));
}

TEST_F(PointwiseFunctionTest, NothingToFuseIsTheIdentity) {
  auto function = emit(R"(func.func @f(%x: tensor<4x7xf32>) -> tensor<4x7xf32> { return %x : tensor<4x7xf32> })", 1);
  ASSERT_TRUE(succeeded(function));
  EXPECT_THAT(function->text, HasSubstr("float fused(float acc0, int d0, int d1) { return acc0; }"));
}

TEST_F(PointwiseFunctionTest, ReductionIsRefused) {
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) { message = diagnostic.str(); });
  auto function = emit(R"(func.func @f(%x: tensor<4x7xf32>) -> tensor<4x7xf32> {
    %0 = aten.softmax.int %x dim -1 : (tensor<4x7xf32>) -> tensor<4x7xf32>
    return %0 : tensor<4x7xf32> })",
                       1);
  EXPECT_TRUE(failed(function));
  EXPECT_THAT(message, HasSubstr("cannot be fused"));
}

TEST_F(PointwiseFunctionTest, TransposedScalarIsRefused) {
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) { message = diagnostic.str(); });
  auto function = emit(R"(func.func @f(%x: tensor<5x5xf32>) -> tensor<5x5xf32> {
    %0 = aten.transpose.int %x dim0 0 dim1 1 : (tensor<5x5xf32>) -> tensor<5x5xf32>
    %1 = aten.relu %0 : (tensor<5x5xf32>) -> tensor<5x5xf32>
    return %1 : tensor<5x5xf32> })",
                       1);
  EXPECT_TRUE(failed(function));
  EXPECT_THAT(message, HasSubstr("another place than its own element"));
}

} // namespace
