//===- Layouts.cpp - Values with their channels last ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/Layouts.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/KGen/Dispatch.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace mlir;

namespace kgen {

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static RankedTensorType withShape(Value like, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, typeOf(like).getElementType());
}

static SmallVector<int64_t> identity(int64_t rank) {
  SmallVector<int64_t> dims(rank);
  std::iota(dims.begin(), dims.end(), 0);
  return dims;
}

SmallVector<int64_t> channelsLast(int64_t rank) {
  SmallVector<int64_t> dims = identity(rank);
  std::rotate(dims.begin() + 1, dims.begin() + 2, dims.end());
  return dims;
}

SmallVector<int64_t> channelsFirst(int64_t rank) {
  SmallVector<int64_t> dims = identity(rank);
  std::rotate(dims.begin() + 1, dims.end() - 1, dims.end());
  return dims;
}

static SmallVector<int64_t> inverse(ArrayRef<int64_t> dims) {
  SmallVector<int64_t> back(dims.size());
  for (auto [to, from] : llvm::enumerate(dims))
    back[from] = int64_t(to);
  return back;
}

static SmallVector<int64_t> applied(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [&](int64_t from) { return shape[from]; });
}

Value permuted(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> all(dims);
  Operation *op = value.getDefiningOp();
  if (std::optional<SmallVector<int64_t>> before = permutationOf(op)) {
    all = applied(*before, dims);
    value = op->getOperand(0);
  }
  ArrayRef<int64_t> shape = typeOf(value).getShape();
  if (all == identity(shape.size()))
    return value;
  SmallVector<int64_t> after = applied(shape, all);
  if (!aten::keepsOrder(shape, all))
    return aten::PermuteOp::create(builder, loc, withShape(value, after), value, all);
  // What was given this shape before.
  if (auto reshape = value.getDefiningOp<aten::ReshapeOp>();
      reshape && typeOf(reshape.getSelf()).getShape() == ArrayRef(after))
    return reshape.getSelf();
  return aten::ReshapeOp::create(builder, loc, withShape(value, after), value, after);
}

/// OPERAND of an element-wise op with results of DIMS.size() dimensions, which broadcasting aligns at the end, for the
/// op whose result is permuted.
static Value permutedOperand(OpBuilder &builder, Location loc, Value operand, ArrayRef<int64_t> dims) {
  ArrayRef<int64_t> shape = typeOf(operand).getShape();
  if (typeOf(operand).getNumElements() == 1 && shape.size() <= 1)
    return operand;
  if (shape.size() < dims.size()) {
    SmallVector<int64_t> full(dims.size() - shape.size(), 1);
    full.append(shape.begin(), shape.end());
    // One reshape for both, where the order stays.
    if (aten::keepsOrder(full, dims)) {
      SmallVector<int64_t> after = applied(full, dims);
      return aten::ReshapeOp::create(builder, loc, withShape(operand, after), operand, after);
    }
    operand = aten::ReshapeOp::create(builder, loc, withShape(operand, full), operand, full);
  }
  return permuted(builder, loc, operand, dims);
}

Operation *permutedElementwise(OpBuilder &builder, Operation *op, ArrayRef<int64_t> dims) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(permutedOperand(builder, op->getLoc(), operand, dims));
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  Value result = copy->getResult(0);
  result.setType(withShape(result, applied(typeOf(result).getShape(), dims)));
  return copy;
}

static bool isView(Operation *op) {
  auto cost = dyn_cast<aten::AtenCostOpInterface>(op);
  return cost && cost.getKind() == aten::OpKind::View;
}

void eraseUnusedViews(func::FuncOp func) {
  SmallVector<Operation *> views;
  for (Operation &op : func.getBody().front())
    if (isView(&op))
      views.push_back(&op);
  for (Operation *op : llvm::reverse(views))
    if (op->use_empty())
      op->erase();
}

void sinkPermutations(func::FuncOp func) {
  OpBuilder builder(func.getContext());
  auto isComputed = [](Value value) { return value.getDefiningOp() && !isView(value.getDefiningOp()); };
  Block &body = func.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    if (std::optional<SmallVector<int64_t>> dims = permutationOf(&op)) {
      if (!permutationOf(op.getOperand(0).getDefiningOp()))
        continue;
      builder.setInsertionPoint(&op);
      op.getResult(0).replaceAllUsesWith(permuted(builder, op.getLoc(), op.getOperand(0), *dims));
      continue;
    }
    if (!isElementwise(&op) || isa<aten::BatchNormOp>(op) || op.getNumResults() != 1)
      continue;
    for (Value operand : op.getOperands()) {
      std::optional<SmallVector<int64_t>> dims = permutationOf(operand.getDefiningOp());
      if (!dims || !isComputed(operand.getDefiningOp()->getOperand(0)) ||
          typeOf(operand).getShape() != typeOf(op.getResult(0)).getShape())
        continue;
      builder.setInsertionPoint(&op);
      Operation *moved = permutedElementwise(builder, &op, inverse(*dims));
      op.getResult(0).replaceAllUsesWith(permuted(builder, op.getLoc(), moved->getResult(0), *dims));
      op.erase();
      break;
    }
  }
  eraseUnusedViews(func);
}

} // namespace kgen
