//===- OracleUntangle.cpp - kgen-oracle-untangle ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/OracleLowering.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

namespace kgen::oracle {
#define GEN_PASS_DEF_ORACLEUNTANGLEPASS
#include "kgen/Oracle/Passes.h.inc"
} // namespace kgen::oracle

using namespace mlir;

namespace {

/// Parts in a chain.
constexpr size_t mostParts = 16;

/// Neighbouring parts of a tensor along dimension DIM.
struct Parts {
  int64_t dim = 0;
  SmallVector<Value> values;
};

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The dimension in which INSERT's source is a part of all that it is put into, whole in the others; none where it is
/// anything else.
std::optional<int64_t> dimensionOf(tensor::InsertSliceOp insert) {
  if (!insert.hasUnitStride() || insert.getSourceType().getRank() != insert.getType().getRank() ||
      !insert.getOffsets().empty() || !insert.getSizes().empty())
    return std::nullopt;
  std::optional<int64_t> dim;
  for (int64_t i = 0; i < insert.getType().getRank(); ++i)
    if (insert.getSourceType().getDimSize(i) != insert.getType().getDimSize(i)) {
      if (dim)
        return std::nullopt;
      dim = i;
    }
  return dim;
}

/// PARTS one after the other, in INTO where it is given, at position START of it.
Value putTogether(OpBuilder &builder, Location loc, const Parts &parts, Value into, int64_t start) {
  const int64_t rank = typeOf(parts.values[0]).getRank();
  if (!into) {
    SmallVector<int64_t> shape(typeOf(parts.values[0]).getShape());
    shape[parts.dim] = 0;
    for (Value part : parts.values)
      shape[parts.dim] += typeOf(part).getDimSize(parts.dim);
    into = tensor::EmptyOp::create(builder, loc, shape, typeOf(parts.values[0]).getElementType());
  }
  SmallVector<OpFoldResult> offsets(rank, builder.getIndexAttr(0)), steps(rank, builder.getIndexAttr(1));
  for (Value part : parts.values) {
    offsets[parts.dim] = builder.getIndexAttr(start);
    SmallVector<OpFoldResult> sizes = llvm::map_to_vector(
        typeOf(part).getShape(), [&](int64_t extent) -> OpFoldResult { return builder.getIndexAttr(extent); });
    into = tensor::InsertSliceOp::create(builder, loc, part, into, offsets, sizes, steps);
    start += typeOf(part).getDimSize(parts.dim);
  }
  return into;
}

struct OracleUntangle : public kgen::oracle::impl::OracleUntanglePassBase<OracleUntangle> {
  void runOnOperation() override {
    ownDestinations();
    SmallVector<tensor::InsertSliceOp> ends;
    getOperation().walk([&](tensor::InsertSliceOp insert) {
      // The last of a chain.
      auto *user = insert->hasOneUse() ? *insert->user_begin() : nullptr;
      auto next = dyn_cast_or_null<tensor::InsertSliceOp>(user);
      if (!next || next.getDest() != insert.getResult() || next->getBlock() != insert->getBlock())
        ends.push_back(insert);
    });
    for (tensor::InsertSliceOp end : ends)
      regroup(end);
  }

private:
  /// CSE leaves one empty tensor, or one full of zeros, to all steps of its type: each gets one of its own.
  void ownDestinations() {
    SmallVector<Operation *> shared;
    getOperation().walk([&](Operation *op) {
      if (isa<tensor::EmptyOp, linalg::FillOp>(op) && op->getNumResults() == 1)
        shared.push_back(op);
    });
    // Fills first, whose copies share their destination then.
    for (Operation *op : llvm::reverse(shared)) {
      OpBuilder builder(op);
      SmallVector<OpOperand *> uses = llvm::map_to_vector(op->getUses(), [](OpOperand &use) { return &use; });
      for (size_t i = 1; i < uses.size(); ++i) {
        builder.setInsertionPoint(uses[i]->getOwner());
        uses[i]->set(builder.clone(*op)->getResult(0));
      }
    }
  }

  void regroup(tensor::InsertSliceOp end) {
    const std::optional<int64_t> dim = dimensionOf(end);
    if (!dim)
      return;
    SmallVector<tensor::InsertSliceOp> chain{end};
    while (auto before = chain.back().getDest().getDefiningOp<tensor::InsertSliceOp>()) {
      const int64_t after = before.getStaticOffset(*dim) + before.getSourceType().getDimSize(*dim);
      if (!before->hasOneUse() || before->getBlock() != end->getBlock() || dimensionOf(before) != dim ||
          after != chain.back().getStaticOffset(*dim))
        break;
      chain.push_back(before);
    }
    if (chain.size() <= mostParts)
      return;
    OpBuilder builder(end);
    Parts parts{*dim, {}};
    for (tensor::InsertSliceOp insert : llvm::reverse(chain))
      parts.values.push_back(insert.getSource());
    while (parts.values.size() > mostParts) {
      Parts groups{*dim, {}};
      for (size_t begin = 0; begin < parts.values.size(); begin += mostParts) {
        ArrayRef<Value> group = ArrayRef(parts.values).slice(begin).take_front(mostParts);
        groups.values.push_back(
            group.size() == 1
                ? group[0]
                : putTogether(builder, end.getLoc(), {*dim, SmallVector<Value>(group)}, Value(), /*start=*/0));
      }
      parts = std::move(groups);
    }
    tensor::InsertSliceOp first = chain.back();
    end.getResult().replaceAllUsesWith(
        putTogether(builder, end.getLoc(), parts, first.getDest(), first.getStaticOffset(*dim)));
    for (tensor::InsertSliceOp insert : chain)
      insert.erase();
  }
};

} // namespace
