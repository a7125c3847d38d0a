//===- ViewShapes.cpp - Shape rules of views, cat and triangles -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ShapeRules.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace kgen::aten;

/// Appends operand 0's type with SHAPE.
static LogicalResult withShape(Operation *op, ArrayRef<int64_t> shape, ResultTypes &results) {
  results.push_back(operandType(op, 0).clone(shape));
  return success();
}

static SmallVector<int64_t> operandShape(Operation *op) { return SmallVector<int64_t>(operandType(op, 0).getShape()); }

LogicalResult kgen::aten::inferView(Operation *op, ArrayRef<int64_t> size, ResultTypes &results) {
  int64_t count = operandType(op, 0).getNumElements(), known = 1;
  SmallVector<int64_t> shape(size);
  int64_t *unknown = nullptr;
  for (int64_t &extent : shape) {
    if (extent < -1 || (extent == -1 && unknown))
      return op->emitOpError() << "expected extents and at most one -1 but found " << printShape(size) << " [view_c1]";
    if (extent == -1)
      unknown = &extent;
    else
      known *= extent;
  }
  if (unknown ? known == 0 || count % known != 0 : count != known)
    return op->emitOpError() << "expected a shape of " << count << " elements but found " << printShape(size)
                             << " [view_c2]";
  if (unknown)
    *unknown = count / known;
  return withShape(op, shape, results);
}

LogicalResult kgen::aten::inferExpand(Operation *op, ArrayRef<int64_t> size, ResultTypes &results) {
  SmallVector<int64_t> in = operandShape(op), shape(size);
  if (shape.size() < in.size())
    return op->emitOpError() << "expected at least " << in.size() << " dimensions but found " << printShape(size)
                             << " [expand_c1]";
  size_t lead = shape.size() - in.size();
  for (size_t i = 0; i < shape.size(); ++i) {
    bool added = i < lead;
    if (shape[i] == -1 && !added)
      shape[i] = in[i - lead];
    if (shape[i] < 0 || (!added && in[i - lead] != 1 && in[i - lead] != shape[i]))
      return op->emitOpError() << "expected a size that repeats only extents of 1 in " << printShape(in)
                               << " but found " << printShape(size) << " [expand_c2]";
  }
  return withShape(op, shape, results);
}

LogicalResult kgen::aten::inferFlatten(Operation *op, int64_t startDim, int64_t endDim, ResultTypes &results) {
  SmallVector<int64_t> shape = operandShape(op);
  FailureOr<int64_t> start = normalizeDim(op, startDim, shape.size());
  if (failed(start))
    return failure();
  FailureOr<int64_t> end = normalizeDim(op, endDim, shape.size());
  if (failed(end))
    return failure();
  if (*start > *end)
    return op->emitOpError() << "expected start_dim before end_dim but found " << startDim << " and " << endDim
                             << " [flatten_c1]";
  int64_t merged = 1;
  for (int64_t i = *start; i <= *end && i < int64_t(shape.size()); ++i)
    merged *= shape[i];
  if (shape.empty())
    return withShape(op, {1}, results);
  shape.erase(shape.begin() + *start + 1, shape.begin() + *end + 1);
  shape[*start] = merged;
  return withShape(op, shape, results);
}

LogicalResult kgen::aten::inferReversed(Operation *op, ResultTypes &results) {
  SmallVector<int64_t> shape = operandShape(op);
  std::reverse(shape.begin(), shape.end());
  return withShape(op, shape, results);
}

LogicalResult kgen::aten::inferPermute(Operation *op, ArrayRef<int64_t> dims, ResultTypes &results) {
  SmallVector<int64_t> in = operandShape(op), shape;
  int64_t rank = in.size();
  llvm::SmallBitVector seen(rank);
  for (int64_t dim : dims) {
    int64_t index = dim < 0 ? dim + rank : dim;
    if (index < 0 || index >= rank || seen.test(index))
      break;
    seen.set(index);
    shape.push_back(in[index]);
  }
  if (dims.size() != in.size() || shape.size() != in.size())
    return op->emitOpError() << "expected a permutation of " << rank << " dimensions but found " << printShape(dims)
                             << " [permute_c1]";
  return withShape(op, shape, results);
}

LogicalResult kgen::aten::inferTranspose(Operation *op, int64_t dim0, int64_t dim1, ResultTypes &results) {
  SmallVector<int64_t> shape = operandShape(op);
  FailureOr<int64_t> first = normalizeDim(op, dim0, shape.size());
  if (failed(first))
    return failure();
  FailureOr<int64_t> second = normalizeDim(op, dim1, shape.size());
  if (failed(second))
    return failure();
  if (!shape.empty())
    std::swap(shape[*first], shape[*second]);
  return withShape(op, shape, results);
}

LogicalResult kgen::aten::inferUnsqueeze(Operation *op, int64_t dim, ResultTypes &results) {
  SmallVector<int64_t> shape = operandShape(op);
  FailureOr<int64_t> index = normalizeDim(op, dim, shape.size() + 1);
  if (failed(index))
    return failure();
  shape.insert(shape.begin() + *index, 1);
  return withShape(op, shape, results);
}

LogicalResult kgen::aten::inferSqueeze(Operation *op, int64_t dim, ResultTypes &results) {
  SmallVector<int64_t> shape = operandShape(op);
  FailureOr<int64_t> index = normalizeDim(op, dim, shape.size());
  if (failed(index))
    return failure();
  if (!shape.empty() && shape[*index] == 1)
    shape.erase(shape.begin() + *index);
  return withShape(op, shape, results);
}

/// DIM of operand 0, which must have one: ATen refuses to slice a scalar.
static FailureOr<int64_t> slicedDim(Operation *op, int64_t dim) {
  int64_t rank = operandType(op, 0).getRank();
  if (rank == 0)
    return op->emitOpError("expected an operand of rank 1 or more but found 0 [dim_c1]");
  return normalizeDim(op, dim, rank);
}

LogicalResult kgen::aten::inferSelect(Operation *op, int64_t dim, int64_t index, ResultTypes &results) {
  SmallVector<int64_t> shape = operandShape(op);
  FailureOr<int64_t> position = slicedDim(op, dim);
  if (failed(position))
    return failure();
  int64_t extent = shape[*position];
  if (index < -extent || index >= extent)
    return op->emitOpError() << "expected an index from " << -extent << " to " << extent - 1 << " but found " << index
                             << " [select_c1]";
  shape.erase(shape.begin() + *position);
  return withShape(op, shape, results);
}

LogicalResult kgen::aten::inferSlice(Operation *op, int64_t dim, std::optional<int64_t> start,
                                     std::optional<int64_t> end, int64_t step, ResultTypes &results) {
  SmallVector<int64_t> shape = operandShape(op);
  FailureOr<int64_t> position = slicedDim(op, dim);
  if (failed(position))
    return failure();
  if (step < 1)
    return op->emitOpError() << "expected a positive step but found " << step << " [slice_c1]";
  auto [first, last] = clampSlice(start, end, shape[*position]);
  // As in Python, an end before the start is nothing.
  shape[*position] = last > first ? llvm::divideCeil(last - first, step) : 0;
  return withShape(op, shape, results);
}

LogicalResult kgen::aten::inferNarrow(Operation *op, int64_t dim, int64_t start, int64_t length, ResultTypes &results) {
  SmallVector<int64_t> shape = operandShape(op);
  FailureOr<int64_t> position = slicedDim(op, dim);
  if (failed(position))
    return failure();
  int64_t extent = shape[*position], first = start < 0 ? start + extent : start;
  if (first < 0 || length < 0 || first + length > extent)
    return op->emitOpError() << "expected a range within extent " << extent << " but found start " << start
                             << " and length " << length << " [narrow_c1]";
  shape[*position] = length;
  return withShape(op, shape, results);
}

LogicalResult kgen::aten::inferCat(Operation *op, int64_t dim, ResultTypes &results) {
  if (op->getNumOperands() == 0)
    return op->emitOpError("expected at least one tensor but found none [cat_c1]");
  FailureOr<int64_t> position = slicedDim(op, dim);
  if (failed(position) || failed(checkSameElements(op, "cat_c2")))
    return failure();
  SmallVector<int64_t> shape = operandShape(op);
  int64_t total = 0;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    ArrayRef<int64_t> other = operandType(op, i).getShape();
    bool fits = other.size() == shape.size();
    for (size_t d = 0; fits && d < shape.size(); ++d)
      fits = int64_t(d) == *position || other[d] == shape[d];
    if (!fits)
      return op->emitOpError() << "expected operand " << i << " to agree with " << printShape(shape)
                               << " outside dimension " << *position << " but found " << printShape(other)
                               << " [cat_c2]";
    total += other[*position];
  }
  shape[*position] = total;
  return withShape(op, shape, results);
}

LogicalResult kgen::aten::inferRepeat(Operation *op, ArrayRef<int64_t> repeats, ResultTypes &results) {
  SmallVector<int64_t> in = operandShape(op), shape(repeats);
  if (repeats.size() < in.size())
    return op->emitOpError() << "expected at least " << in.size() << " repeats but found " << printShape(repeats)
                             << " [repeat_c1]";
  if (llvm::any_of(repeats, [](int64_t count) { return count < 0; }))
    return op->emitOpError() << "expected repeats of at least 0 but found " << printShape(repeats) << " [repeat_c2]";
  for (size_t i = 0; i < in.size(); ++i)
    shape[repeats.size() - in.size() + i] *= in[i];
  return withShape(op, shape, results);
}

LogicalResult kgen::aten::inferConstantPad(Operation *op, ArrayRef<int64_t> pad, ResultTypes &results) {
  SmallVector<int64_t> shape = operandShape(op);
  if (pad.size() % 2 || pad.size() > 2 * shape.size())
    return op->emitOpError() << "expected two numbers for each of at most " << shape.size() << " dimensions but found "
                             << printShape(pad) << " [pad_c1]";
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    int64_t &extent = shape[shape.size() - 1 - i], low = pad[2 * i], high = pad[2 * i + 1];
    if (extent + low < 0 || extent + high < 0 || extent + low + high < 0)
      return op->emitOpError() << "expected padding that takes at most the extent " << extent << " but found " << low
                               << " and " << high << " [pad_c2]";
    extent += low + high;
  }
  return withShape(op, shape, results);
}

LogicalResult kgen::aten::inferUnfold(Operation *op, int64_t dim, int64_t size, int64_t step, ResultTypes &results) {
  SmallVector<int64_t> shape = operandShape(op);
  FailureOr<int64_t> position = slicedDim(op, dim);
  if (failed(position))
    return failure();
  int64_t &extent = shape[*position];
  if (size < 0 || size > extent || step < 1)
    return op->emitOpError() << "expected windows of at most " << extent << " elements and a positive step but found "
                             << size << " and " << step << " [unfold_c1]";
  extent = (extent - size) / step + 1;
  shape.push_back(size);
  return withShape(op, shape, results);
}

LogicalResult kgen::aten::inferDiagonal(Operation *op, int64_t offset, int64_t dim1, int64_t dim2,
                                        ResultTypes &results) {
  SmallVector<int64_t> shape = operandShape(op);
  FailureOr<int64_t> rows = slicedDim(op, dim1), columns = slicedDim(op, dim2);
  if (failed(rows) || failed(columns))
    return failure();
  if (*rows == *columns)
    return op->emitOpError() << "expected two dimensions but found " << dim1 << " twice [diagonal_c1]";
  // One beside the matrix is empty, as ATen has it.
  int64_t length = std::max<int64_t>(
      std::min(shape[*rows] - std::max<int64_t>(-offset, 0), shape[*columns] - std::max<int64_t>(offset, 0)), 0);
  SmallVector<int64_t> left;
  for (auto [i, extent] : llvm::enumerate(shape))
    if (int64_t(i) != *rows && int64_t(i) != *columns)
      left.push_back(extent);
  left.push_back(length);
  return withShape(op, left, results);
}

LogicalResult kgen::aten::inferAsStrided(Operation *op, ArrayRef<int64_t> size, ArrayRef<int64_t> stride,
                                         int64_t offset, ResultTypes &results) {
  if (size.size() != stride.size() || llvm::any_of(size, [](int64_t extent) { return extent < 0; }) ||
      llvm::any_of(stride, [](int64_t step) { return step < 0; }))
    return op->emitOpError() << "expected a stride for each of " << size.size() << " extents but found "
                             << printShape(size) << " and " << printShape(stride) << " [as_strided_c1]";
  int64_t last = offset, count = operandType(op, 0).getNumElements();
  for (auto [extent, step] : llvm::zip_equal(size, stride))
    last += (extent - 1) * step;
  if (offset < 0 || (last >= count && !llvm::is_contained(size, 0)))
    return op->emitOpError() << "expected elements from 0 to " << count - 1 << " but found " << offset << " to " << last
                             << " [as_strided_c2]";
  return withShape(op, size, results);
}

LogicalResult kgen::aten::inferTriangle(Operation *op, ResultTypes &results) {
  if (operandType(op, 0).getRank() < 2)
    return op->emitOpError() << "expected an operand of rank 2 or more but found " << operandType(op, 0).getRank()
                             << " [triangle_c1]";
  return inferSameAsOperand(op, results);
}
