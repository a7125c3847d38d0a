//===- RowOrder.cpp - Products of rows in the order that lies there -------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RowOrder.h"

#include "SameMemory.h"
#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/KGen/Layouts.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace kgen::pipelines {

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The permutation that gives VALUE, where that leaves the last dimension where it is.
static std::optional<SmallVector<int64_t>> rowPermutationOf(Value value) {
  std::optional<SmallVector<int64_t>> dims = permutationOf(value.getDefiningOp());
  if (!dims || dims->empty() || dims->back() != int64_t(dims->size()) - 1)
    return std::nullopt;
  return dims;
}

/// Whether VALUE leads through views to queries, keys and values of attention, and nowhere else.
static bool isForAttention(Value value) {
  return !value.use_empty() && llvm::all_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<aten::ScaledDotProductAttentionOp>(user))
      return use.getOperandNumber() < 3;
    auto cost = dyn_cast<aten::AtenCostOpInterface>(user);
    return cost && cost.getKind() == aten::OpKind::View && user->getNumOperands() == 1 && user->getNumResults() == 1 &&
           isForAttention(user->getResult(0));
  });
}

/// VALUE without the reshapes that give it; null where somebody else reads one of them.
static Value withoutReshapes(Value value) {
  while (value.hasOneUse() && value.getDefiningOp() && isReshape(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value.hasOneUse() ? value : Value();
}

/// LINEAR with the rows of INPUT.
static Value linearOf(OpBuilder &builder, Operation *linear, Value input) {
  Operation *moved = builder.clone(*linear);
  moved->setOperand(0, input);
  SmallVector<int64_t> shape(typeOf(input).getShape());
  Value result = moved->getResult(0);
  shape.back() = typeOf(result).getShape().back();
  result.setType(typeOf(result).clone(shape));
  return result;
}

/// Both are false where nothing moves.
static bool sinkToAttention(OpBuilder &builder, aten::LinearOp linear) {
  Value input = linear->getOperand(0), result = linear->getResult(0);
  std::optional<SmallVector<int64_t>> dims = rowPermutationOf(input);
  if (!dims || !isForAttention(result))
    return false;
  builder.setInsertionPoint(linear);
  Value moved = linearOf(builder, linear, input.getDefiningOp()->getOperand(0));
  result.replaceAllUsesWith(permuted(builder, linear->getLoc(), moved, *dims));
  linear->erase();
  return true;
}

static bool hoistToAttention(OpBuilder &builder, Operation *permutation) {
  std::optional<SmallVector<int64_t>> dims = rowPermutationOf(permutation->getResult(0));
  Value rows = permutation->getOperand(0);
  Value product = dims ? withoutReshapes(rows) : Value();
  auto linear = product ? product.getDefiningOp<aten::LinearOp>() : aten::LinearOp();
  Value input = linear ? withoutReshapes(linear->getOperand(0)) : Value();
  // Attention's heads, which a permutation has put beside each other.
  if (!input || !permutationOf(input.getDefiningOp()) ||
      !input.getDefiningOp()->getOperand(0).getDefiningOp<aten::ScaledDotProductAttentionOp>())
    return false;
  const size_t loops = dims->size() - 1;
  ArrayRef<int64_t> shape = typeOf(input).getShape();
  if (shape.size() <= loops || shape.take_front(loops) != typeOf(rows).getShape().drop_back())
    return false;
  SmallVector<int64_t> all(ArrayRef(*dims).drop_back());
  llvm::append_range(all, llvm::seq<int64_t>(loops, shape.size()));
  builder.setInsertionPoint(linear);
  Value moved = permuted(builder, permutation->getLoc(), input, all);
  SmallVector<int64_t> after(typeOf(permutation->getResult(0)).getShape());
  after.back() = typeOf(linear->getOperand(0)).getShape().back();
  moved = aten::ReshapeOp::create(builder, linear->getLoc(), typeOf(moved).clone(after), moved, after);
  permutation->getResult(0).replaceAllUsesWith(linearOf(builder, linear, moved));
  // What nobody reads now, from the end up to the heads.
  for (Value dead = permutation->getResult(0); dead.use_empty() && dead != input;) {
    Operation *op = dead.getDefiningOp();
    dead = op->getOperand(0);
    op->erase();
  }
  return true;
}

void moveRowPermutations(func::FuncOp func) {
  OpBuilder builder(func.getContext());
  Block &body = func.getBody().front();
  bool changed = false;
  for (aten::LinearOp linear : llvm::make_early_inc_range(body.getOps<aten::LinearOp>()))
    changed |= sinkToAttention(builder, linear);
  SmallVector<Operation *> permutations;
  for (Operation &op : body)
    if (permutationOf(&op))
      permutations.push_back(&op);
  for (Operation *op : permutations)
    changed |= hoistToAttention(builder, op);
  if (changed)
    eraseUnusedViews(func);
}

} // namespace kgen::pipelines
