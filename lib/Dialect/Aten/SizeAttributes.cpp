//===- SizeAttributes.cpp - Attributes that follow a changed shape --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/Aten/Aten.h"

using namespace mlir;
using namespace kgen::aten;

using Rename = llvm::function_ref<int64_t(int64_t)>;

static ArrayRef<int64_t> shapeOf(Type type) { return cast<RankedTensorType>(type).getShape(); }

/// The extents that a view from BEFORE to SIZE has from AFTER on. Splits both
/// shapes into the shortest runs with equal products: dimension by dimension where
/// the view keeps one, longer runs where it merges or splits. Within a run the new extents are
/// the renamed ones if their product fits; else the change goes to the outermost dimension that takes it.
static FailureOr<SmallVector<int64_t>> followView(ArrayRef<int64_t> before, ArrayRef<int64_t> after,
                                                  ArrayRef<int64_t> size, Rename rename) {
  SmallVector<int64_t> out(size);
  size_t i = 0, o = 0;
  while (i < before.size() && o < out.size()) {
    size_t firstIn = i, firstOut = o;
    int64_t in = before[i++], result = out[o++];
    while (in != result)
      if (in < result && i < before.size())
        in *= before[i++];
      else if (o < out.size())
        result *= out[o++];
      else
        return failure();
    int64_t now = 1;
    for (size_t k = firstIn; k < i; ++k)
      now *= after[k];
    if (now == in)
      continue;

    int64_t renamed = 1;
    for (size_t m = firstOut; m < o; ++m)
      renamed *= rename(out[m]);
    if (renamed == now) {
      for (size_t m = firstOut; m < o; ++m)
        out[m] = rename(out[m]);
      continue;
    }
    size_t target = firstOut;
    while (target < o && (out[target] == 1 || now % (in / out[target]) != 0))
      ++target;
    if (target == o)
      return failure();
    out[target] = now / (in / out[target]);
  }
  // What is left over are extents of 1, in either shape.
  return out;
}

/// SIZE with its -1 replaced, so that runs can be compared.
static SmallVector<int64_t> resolved(ArrayRef<int64_t> size, ArrayRef<int64_t> from) {
  int64_t count = 1, known = 1;
  for (int64_t extent : from)
    count *= extent;
  for (int64_t extent : size)
    known *= extent == -1 ? 1 : extent;
  SmallVector<int64_t> shape(size);
  for (int64_t &extent : shape)
    if (extent == -1)
      extent = known ? count / known : 0;
  return shape;
}

template <typename OpT>
static LogicalResult adaptView(OpT op, TypeRange before, ArrayRef<int64_t> size, Rename rename,
                               void (OpT::*set)(ArrayRef<int64_t>)) {
  ArrayRef<int64_t> from = shapeOf(before[0]), to = shapeOf(op.getSelf().getType());
  FailureOr<SmallVector<int64_t>> adapted = followView(from, to, resolved(size, from), rename);
  if (failed(adapted))
    return op.emitOpError() << "expected extents that follow " << printShape(from) << " becoming " << printShape(to)
                            << " but found " << printShape(size);
  for (auto [extent, written] : llvm::zip_equal(*adapted, size))
    if (written == -1)
      extent = -1;
  (op.*set)(*adapted);
  return success();
}

LogicalResult ViewOp::adaptToOperands(TypeRange before, Rename rename) {
  return adaptView(*this, before, getSize(), rename, &ViewOp::setSize);
}

LogicalResult ReshapeOp::adaptToOperands(TypeRange before, Rename rename) {
  return adaptView(*this, before, getShape(), rename, &ReshapeOp::setShape);
}

LogicalResult ExpandOp::adaptToOperands(TypeRange before, Rename rename) {
  ArrayRef<int64_t> from = shapeOf(before[0]), to = shapeOf(getSelf().getType());
  SmallVector<int64_t> size(getSize());
  size_t lead = size.size() - from.size();
  for (size_t i = 0; i < size.size(); ++i)
    if (i < lead || (from[i - lead] == 1 && to[i - lead] == 1))
      size[i] = size[i] == -1 ? -1 : rename(size[i]);
    else if (size[i] != -1)
      size[i] = to[i - lead];
  setSize(size);
  return success();
}

LogicalResult LayerNormOp::adaptToOperands(TypeRange, Rename) {
  ArrayRef<int64_t> shape = shapeOf(getInput().getType());
  if (getNormalizedShape().size() <= shape.size())
    setNormalizedShape(shape.take_back(getNormalizedShape().size()));
  return success();
}
