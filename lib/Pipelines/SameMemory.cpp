//===- SameMemory.cpp - Ops that move nothing -----------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SameMemory.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/Aten/Views.h"
#include "kgen/Dialect/KGen/NetworkMarks.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kgen;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

int64_t pipelines::bytesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() * ((int64_t(tensor.getElementTypeBitWidth()) + 7) / 8);
}

bool pipelines::isStore(Operation *op) {
  if (op->hasAttr(storeMark))
    return true;
  Operation *source = isa<aten::TransposeIntOp, aten::PermuteOp>(op) ? op->getOperand(0).getDefiningOp() : nullptr;
  return isa_and_nonnull<aten::ScaledDotProductAttentionOp>(source) && source->hasOneUse();
}

bool pipelines::isReshape(Operation *op) {
  if (aten::isReshape(op))
    return true;
  if (isStore(op))
    return false;
  if (std::optional<SmallVector<int64_t>> dims = aten::permutationOf(op))
    return aten::keepsOrder(typeOf(op->getOperand(0)).getShape(), *dims);
  if (!isa<aten::ExpandOp, aten::SliceTensorOp>(op))
    return false;
  ArrayRef<int64_t> before = typeOf(op->getOperand(0)).getShape(), after = typeOf(op->getResult(0)).getShape();
  if (isa<aten::SliceTensorOp>(op)) // of a dimension of one element a slice with any step is all of it
    return before == after && (!op->hasAttr("step") || op->getAttrOfType<IntegerAttr>("step").getInt() == 1);
  return typeOf(op->getOperand(0)).getNumElements() == typeOf(op->getResult(0)).getNumElements();
}

/// Whether dimension DIM of SHAPE, counted from the end where it is negative, is the first with more than one element.
/// DIM is then counted from the front.
static bool isOutermost(ArrayRef<int64_t> shape, int64_t &dim) {
  dim = dim < 0 ? dim + int64_t(shape.size()) : dim;
  return llvm::all_of(shape.take_front(dim), [](int64_t extent) { return extent == 1; });
}

std::optional<int64_t> pipelines::sliceOffset(Operation *op) {
  struct Range {
    int64_t dim, start;
  };
  auto range =
      llvm::TypeSwitch<Operation *, std::optional<Range>>(op)
          .Case([](aten::SelectIntOp select) { return Range{select.getDim(), select.getIndex()}; })
          .Case([](aten::NarrowOp narrow) { return Range{narrow.getDim(), narrow.getStart()}; })
          .Case([](aten::SliceTensorOp slice) {
            return slice.getStep() == 1 ? std::optional(Range{slice.getDim(), slice.getBounds().first}) : std::nullopt;
          })
          .Default([](Operation *) { return std::nullopt; });
  if (!range || typeOf(op->getResult(0)).getNumElements() == 0)
    return std::nullopt;
  RankedTensorType whole = typeOf(op->getOperand(0));
  if (!isOutermost(whole.getShape(), range->dim))
    return std::nullopt;
  const int64_t extent = whole.getDimSize(range->dim);
  return (range->start < 0 ? range->start + extent : range->start) * (bytesOf(whole) / extent);
}

bool pipelines::isStack(Operation *op) {
  auto cat = dyn_cast<aten::CatOp>(op);
  if (!cat)
    return false;
  int64_t dim = cat.getDim();
  return isOutermost(typeOf(cat.getResult()).getShape(), dim);
}
