//===- ReshapeOrder.cpp - Epilogues in front of reshapes ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ReshapeOrder.h"

#include "SameMemory.h"
#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Dialect/KGen/NetworkMarks.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace kgen::pipelines {

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Whether VALUE, which one op reads, is what a product or convolution computes, through what its task takes in.
static bool isProduct(Value value, int depth = 0) {
  constexpr int most = 8;
  Operation *op = value.getDefiningOp();
  if (!op || !value.hasOneUse() || depth > most || isa<aten::ScaledDotProductAttentionOp>(op))
    return false;
  if (op->hasAttr(storeMark))
    return isProduct(op->getOperand(0), depth + 1);
  if (isElementwise(op))
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return typeOf(operand).getShape() == typeOf(value).getShape() && isProduct(operand, depth + 1);
    });
  return cast<aten::AtenCostOpInterface>(op).getKind() == aten::OpKind::Contraction;
}

/// What OP, element-wise, reads as a reshape of a product; null where it reads none.
static Value findProduct(Operation *op) {
  if (!isElementwise(op) || op->getNumResults() != 1 || op->hasAttr(splitMark))
    return {};
  ArrayRef<int64_t> shape = typeOf(op->getResult(0)).getShape();
  Value product;
  for (Value operand : op->getOperands()) {
    if (typeOf(operand).getShape() != shape) {
      if (typeOf(operand).getRank() == 0)
        continue;
      return {}; // it is broadcast along dimensions that the product has not
    }
    Operation *reshape = operand.getDefiningOp();
    if (!product && reshape && isReshape(reshape) && operand.hasOneUse() && isProduct(reshape->getOperand(0)))
      product = reshape->getOperand(0);
  }
  return product;
}

void moveReshapes(func::FuncOp func) {
  OpBuilder builder(func.getContext());
  for (Operation &op : llvm::make_early_inc_range(func.getBody().front().without_terminator())) {
    Value product = findProduct(&op);
    if (!product)
      continue;
    ArrayRef<int64_t> shape = typeOf(product).getShape();
    builder.setInsertionPoint(&op);
    SmallVector<Value> operands;
    for (Value operand : op.getOperands()) {
      Operation *before = operand.getDefiningOp();
      if (before && isReshape(before) && typeOf(before->getOperand(0)).getShape() == shape)
        operand = before->getOperand(0);
      else if (typeOf(operand).getRank() != 0)
        operand = aten::ReshapeOp::create(builder, op.getLoc(), typeOf(operand).clone(shape), operand, shape);
      operands.push_back(operand);
    }
    Operation *moved = builder.clone(op);
    moved->setOperands(operands);
    Value result = op.getResult(0);
    moved->getResult(0).setType(typeOf(result).clone(shape));
    Value reshaped =
        aten::ReshapeOp::create(builder, op.getLoc(), typeOf(result), moved->getResult(0), typeOf(result).getShape());
    result.replaceAllUsesWith(reshaped);
    SmallVector<Value> old(op.getOperands());
    op.erase();
    for (Value operand : old)
      if (Operation *before = operand.getDefiningOp(); before && isReshape(before) && before->use_empty())
        before->erase();
  }
}

} // namespace kgen::pipelines
