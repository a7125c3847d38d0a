//===- Creation.cpp - Tensors out of nothing ------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LinalgBuilder.h"
#include "kgen/Dialect/Aten/Aten.h"

using namespace mlir;

namespace kgen::conversion {
namespace {

SmallVector<Value> lowerConstant(aten::ConstantOp op, LinalgBuilder &b) {
  return {arith::ConstantOp::create(b.b, op.getResult().getType(), op.getValue())};
}

template <typename OpT>
SmallVector<Value> lowerFull(OpT op, LinalgBuilder &b) {
  return {b.filled(b.shape(op.getResult()), b.element(op.getResult()), op.getFillValue())};
}

SmallVector<Value> lowerArange(aten::ArangeStartStepOp op, LinalgBuilder &b) {
  Type element = b.element(op.getResult()), type = computeType(element);
  // An operand only gives the body's builder; it is never read.
  Operand none{b.empty({}, type), b.mapTo(1, {})};
  return {b.map(none, b.shape(op.getResult()), element, [&](ArrayRef<Scalar> x) {
    Scalar position = b.index(x[0], 0);
    return isa<FloatType>(type) ? position.to(type) * op.getStep() + op.getStart()
                                : position * op.getStep() + op.getStart();
  })};
}

} // namespace

void populateCreationPatterns(RewritePatternSet &patterns) {
  addLowering<aten::ArangeStartStepOp>(patterns, lowerArange);
  addLowering<aten::ConstantOp>(patterns, lowerConstant);
  addLowering<aten::FullLikeOp>(patterns, lowerFull);
  addLowering<aten::FullOp>(patterns, lowerFull);
}

} // namespace kgen::conversion
