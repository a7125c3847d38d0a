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

namespace {

struct OracleDeclared : public kgen::oracle::impl::OracleDeclaredPassBase<OracleDeclared> {
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
