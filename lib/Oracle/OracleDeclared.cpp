//===- OracleDeclared.cpp - kgen-oracle-declared --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/OracleLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace kgen::oracle {
#define GEN_PASS_DEF_ORACLEDECLAREDPASS
#include "kgen/Oracle/Passes.h.inc"
} // namespace kgen::oracle

using namespace mlir;

/// TENSOR with elements of TO, by way of f32: no CPU rounds f64 to a half.
static Value convert(OpBuilder &b, Value tensor, Type to) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Type from = type.getElementType(), f32 = b.getF32Type();
  const bool narrows = from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth();
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  Value init = tensor::EmptyOp::create(b, tensor.getLoc(), type.getShape(), to);
  auto op = linalg::GenericOp::create(b, tensor.getLoc(), TypeRange{init.getType()}, ValueRange{tensor},
                                      ValueRange{init}, ArrayRef<AffineMap>{identity, identity}, loops,
                                      [&](OpBuilder &body, Location loc, ValueRange args) {
                                        Value value = args[0];
                                        for (Type step : {f32, to})
                                          if (value.getType() != step)
                                            value = narrows
                                                        ? arith::TruncFOp::create(body, loc, step, value).getResult()
                                                        : arith::ExtFOp::create(body, loc, step, value).getResult();
                                        linalg::YieldOp::create(body, loc, value);
                                      });
  return op.getResult(0);
}

/// VALUE, an f32, rounded to the 10 bits of fraction that tf32 keeps, ties to even.
static Value roundToTF32(OpBuilder &b, Location loc, Value value) {
  auto constant = [&](int64_t bits) { return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(bits))); };
  Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), value);
  Value last = arith::AndIOp::create(b, loc, arith::ShRUIOp::create(b, loc, bits, constant(13)), constant(1));
  Value half = arith::AddIOp::create(b, loc, last, constant(0xfff));
  Value rounded = arith::AndIOp::create(b, loc, arith::AddIOp::create(b, loc, bits, half), constant(~int64_t(0x1fff)));
  // What is not finite stays as it is: all bits of its exponent are set.
  Value exponent = constant(0x7f800000);
  Value finite =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, arith::AndIOp::create(b, loc, bits, exponent), exponent);
  Value chosen = arith::SelectOp::create(b, loc, finite, rounded, bits);
  return arith::BitcastOp::create(b, loc, value.getType(), chosen);
}

/// Rounds what OP multiplies before it adds up, where these are two things of f32.
static void roundFactors(linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0)
    return;
  llvm::DenseSet<Value> sums(op.getRegionOutputArgs().begin(), op.getRegionOutputArgs().end());
  for (auto product : llvm::make_early_inc_range(op.getBody()->getOps<arith::MulFOp>())) {
    Value a = product.getLhs(), c = product.getRhs();
    if (!product.getType().isF32() || a == c || sums.contains(a) || sums.contains(c))
      continue;
    OpBuilder b(product);
    for (OpOperand &operand : product->getOpOperands())
      operand.set(roundToTF32(b, product.getLoc(), operand.get()));
  }
}

namespace {

struct OracleDeclared : public kgen::oracle::impl::OracleDeclaredPassBase<OracleDeclared> {
  using OracleDeclaredPassBase::OracleDeclaredPassBase;
  void runOnOperation() override {
    OpBuilder b(&getContext());
    Type f64 = b.getF64Type();
    auto widened = [&](Type type) -> Type {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && isa<FloatType>(tensor.getElementType()) ? tensor.clone(f64) : type;
    };
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      if (tf32)
        function.walk(roundFactors);
      b.setInsertionPointToStart(&function.getBody().front());
      for (BlockArgument argument : function.getArguments()) {
        Type type = argument.getType(), wide = widened(type);
        if (type == wide)
          continue;
        argument.setType(wide);
        Value narrow = convert(b, argument, cast<RankedTensorType>(type).getElementType());
        argument.replaceAllUsesExcept(narrow, narrow.getDefiningOp());
      }
      auto ret = cast<func::ReturnOp>(function.getBody().back().getTerminator());
      b.setInsertionPoint(ret);
      for (OpOperand &operand : ret->getOpOperands())
        if (operand.get().getType() != widened(operand.get().getType()))
          operand.set(convert(b, operand.get(), f64));
      function.setFunctionType(b.getFunctionType(function.getBody().front().getArgumentTypes(), ret.getOperandTypes()));
    }
  }
};

} // namespace
