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

#include <set>

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

/// The element-wise ops that read RESHAPE, a reshape with several readers, or each other, as far as one value leaves
/// them: `x * sigmoid(x)`. None where the reshape itself leaves, or where two values do.
static SmallVector<Operation *> findRegion(Operation *reshape) {
  constexpr size_t most = 32;
  const ArrayRef<int64_t> shape = typeOf(reshape->getResult(0)).getShape();
  llvm::SmallPtrSet<Operation *, 16> inside = {reshape};
  SmallVector<Operation *> ops;
  size_t closed = 0; ///< so many of them have one value that leaves
  auto leaves = [&](Operation *op) {
    return llvm::any_of(op->getUsers(), [&](Operation *user) { return !inside.contains(user); });
  };
  auto joins = [&](Operation *op) {
    return isElementwise(op) && op->getNumResults() == 1 && !op->hasAttr(splitMark) &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             return typeOf(operand).getRank() == 0 || typeOf(operand).getShape() == shape;
           });
  };
  // Readers in the order of the block.
  auto isBefore = [](Operation *one, Operation *other) { return one->isBeforeInBlock(other); };
  std::set<Operation *, decltype(isBefore)> readers(isBefore);
  auto addReaders = [&](Operation *op) { readers.insert(op->user_begin(), op->user_end()); };
  for (addReaders(reshape); !readers.empty() && ops.size() < most;) {
    Operation *op = *readers.begin();
    readers.erase(readers.begin());
    if (!joins(op))
      continue;
    inside.insert(op);
    ops.push_back(op);
    addReaders(op);
    if (llvm::count_if(inside, leaves) == 1 && leaves(op))
      closed = ops.size();
  }
  ops.truncate(closed);
  return ops;
}

void moveReshapes(func::FuncOp func) {
  OpBuilder builder(func.getContext());
  // All at once: the order of a block that changes is counted anew each time.
  llvm::DenseMap<Operation *, SmallVector<Operation *>> readers;
  for (Operation &op : func.getBody().front().without_terminator())
    if (isReshape(&op) && !op.getResult(0).hasOneUse() && isProduct(op.getOperand(0)))
      readers[&op] = findRegion(&op);
  llvm::DenseMap<Operation *, Value> regions; ///< the product whose reshape these ops read together
  for (Operation &op : llvm::make_early_inc_range(func.getBody().front().without_terminator())) {
    for (Operation *reader : readers.lookup(&op))
      regions.insert({reader, op.getOperand(0)});
    Value product = regions.lookup(&op);
    if (!product)
      product = findProduct(&op);
    if (!product)
      continue;
    regions.erase(&op);
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
