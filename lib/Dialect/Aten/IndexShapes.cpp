//===- IndexShapes.cpp - Shape rules of indexing, scattering and sorting --===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ShapeRules.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace kgen::aten;

static Type positionType(Operation *op) { return IntegerType::get(op->getContext(), 64); }

LogicalResult kgen::aten::inferEmbedding(Operation *op, ResultTypes &results) {
  auto weight = operandType(op, 0);
  if (weight.getRank() != 2)
    return op->emitOpError() << "expected a weight of rank 2 but found " << weight.getRank() << " [embedding_c1]";
  SmallVector<int64_t> shape(operandType(op, 1).getShape());
  shape.push_back(weight.getDimSize(1));
  results.push_back(weight.clone(shape));
  return success();
}

LogicalResult kgen::aten::inferIndexSelect(Operation *op, int64_t dim, ResultTypes &results) {
  auto self = operandType(op, 0), index = operandType(op, 1);
  FailureOr<int64_t> position = normalizeDim(op, dim, self.getRank());
  if (failed(position))
    return failure();
  if (index.getRank() > 1)
    return op->emitOpError() << "expected an index of rank 1 but found " << index.getRank() << " [index_select_c1]";
  SmallVector<int64_t> shape(self.getShape());
  if (!shape.empty())
    shape[*position] = index.getNumElements();
  results.push_back(self.clone(shape));
  return success();
}

/// gather_c1: INDEX lies within SELF but for dimension DIM.
static FailureOr<int64_t> checkPositions(Operation *op, int64_t dim) {
  auto self = operandType(op, 0), index = operandType(op, 1);
  FailureOr<int64_t> position = normalizeDim(op, dim, self.getRank());
  if (failed(position))
    return failure();
  bool fits = self.getRank() == index.getRank();
  for (int64_t i = 0; fits && i < self.getRank(); ++i)
    fits = i == *position || index.getDimSize(i) <= self.getDimSize(i);
  if (!fits)
    return op->emitOpError() << "expected an index within " << printShape(self.getShape()) << " but for dimension "
                             << *position << " but found " << printShape(index.getShape()) << " [gather_c1]";
  return *position;
}

LogicalResult kgen::aten::inferGather(Operation *op, int64_t dim, ResultTypes &results) {
  if (failed(checkPositions(op, dim)))
    return failure();
  results.push_back(operandType(op, 0).clone(operandType(op, 1).getShape()));
  return success();
}

std::optional<IndexedShape> kgen::aten::indexedShape(ArrayRef<int64_t> self, ArrayRef<int64_t> dims,
                                                     ArrayRef<ArrayRef<int64_t>> shapes) {
  SmallVector<int64_t> common;
  for (ArrayRef<int64_t> shape : shapes) {
    auto next = broadcastShapes(common, shape);
    if (!next)
      return std::nullopt;
    common = std::move(*next);
  }
  bool neighbours = dims.back() - dims.front() + 1 == int64_t(dims.size());
  IndexedShape result{{}, neighbours ? dims.front() : 0, int64_t(common.size())};
  for (auto [i, extent] : llvm::enumerate(self))
    if (!llvm::is_contained(dims, int64_t(i)))
      result.shape.push_back(extent);
  result.shape.insert(result.shape.begin() + result.start, common.begin(), common.end());
  return result;
}

/// The shape of operand 0 indexed along DIMS by the operands from 1 on.
static FailureOr<SmallVector<int64_t>> indexed(Operation *op, ArrayRef<int64_t> dims, unsigned count) {
  auto self = operandType(op, 0);
  bool valid = !dims.empty() && dims.size() == count && llvm::is_sorted(dims) && dims.front() >= 0 &&
               dims.back() < self.getRank() && std::adjacent_find(dims.begin(), dims.end()) == dims.end();
  if (!valid)
    return op->emitOpError() << "expected " << count << " increasing dimensions of a tensor of rank " << self.getRank()
                             << " but found " << printShape(dims) << " [index_c1]";
  SmallVector<ArrayRef<int64_t>> shapes;
  for (unsigned i = 0; i < count; ++i)
    shapes.push_back(operandType(op, 1 + i).getShape());
  auto result = indexedShape(self.getShape(), dims, shapes);
  if (!result)
    return op->emitOpError("expected indices that broadcast but found different shapes [broadcast_c1]");
  return result->shape;
}

LogicalResult kgen::aten::inferIndex(Operation *op, ArrayRef<int64_t> dims, ResultTypes &results) {
  FailureOr<SmallVector<int64_t>> shape = indexed(op, dims, op->getNumOperands() - 1);
  if (failed(shape))
    return failure();
  results.push_back(operandType(op, 0).clone(*shape));
  return success();
}

LogicalResult kgen::aten::inferIndexPut(Operation *op, ArrayRef<int64_t> dims, ResultTypes &results) {
  unsigned last = op->getNumOperands() - 1;
  FailureOr<SmallVector<int64_t>> shape = indexed(op, dims, last - 1);
  if (failed(shape))
    return failure();
  auto self = operandType(op, 0), values = operandType(op, last);
  auto common = broadcastShapes(*shape, values.getShape());
  if (!common || *common != *shape || values.getElementType() != self.getElementType())
    return op->emitOpError() << "expected values of " << self.getElementType() << " that broadcast to "
                             << printShape(*shape) << " but found " << values << " [index_put_c1]";
  return inferSameAsOperand(op, results);
}

LogicalResult kgen::aten::inferScatter(Operation *op, int64_t dim, ResultTypes &results) {
  if (failed(checkPositions(op, dim)))
    return failure();
  if (op->getNumOperands() > 2) {
    auto self = operandType(op, 0), index = operandType(op, 1), source = operandType(op, 2);
    bool fits = source.getRank() == index.getRank() && source.getElementType() == self.getElementType();
    for (int64_t i = 0; fits && i < index.getRank(); ++i)
      fits = index.getDimSize(i) <= source.getDimSize(i);
    if (!fits)
      return op->emitOpError() << "expected a source of " << self.getElementType() << " of at least "
                               << printShape(index.getShape()) << " but found " << source << " [scatter_c1]";
  }
  return inferSameAsOperand(op, results);
}

LogicalResult kgen::aten::inferScatterReduce(Operation *op, int64_t dim, StringRef reduce, ResultTypes &results) {
  bool known = llvm::StringSwitch<bool>(reduce).Cases({"sum", "prod", "mean", "amax", "amin"}, true).Default(false);
  if (!known || (reduce == "mean" && operandType(op, 0).getElementType().isInteger()))
    return op->emitOpError() << "expected reduce to be sum, prod, amax, amin or, of floats, mean but found \"" << reduce
                             << "\" [scatter_reduce_c1]";
  return inferScatter(op, dim, results);
}

LogicalResult kgen::aten::inferSliceScatter(Operation *op, int64_t dim, std::optional<int64_t> start,
                                            std::optional<int64_t> end, int64_t step, ResultTypes &results) {
  SmallVector<Type> slice;
  if (failed(inferSlice(op, dim, start, end, step, slice)))
    return failure();
  if (operandType(op, 1) != slice[0])
    return op->emitOpError() << "expected a source of type " << slice[0] << " but found " << operandType(op, 1)
                             << " [slice_scatter_c1]";
  return inferSameAsOperand(op, results);
}

LogicalResult kgen::aten::inferTopk(Operation *op, std::optional<int64_t> k, int64_t dim, ResultTypes &results) {
  auto self = operandType(op, 0);
  FailureOr<int64_t> position = normalizeDim(op, dim, self.getRank());
  if (failed(position))
    return failure();
  SmallVector<int64_t> shape(self.getShape());
  int64_t extent = shape.empty() ? 1 : shape[*position];
  if (k && (*k < 1 || *k > extent))
    return op->emitOpError() << "expected k from 1 to " << extent << " but found " << *k << " [topk_c1]";
  if (k && !shape.empty())
    shape[*position] = *k;
  results.push_back(self.clone(shape));
  results.push_back(RankedTensorType::get(shape, positionType(op)));
  return success();
}

LogicalResult kgen::aten::inferGroupedMm(Operation *op, ResultTypes &results) {
  auto self = operandType(op, 0), matrices = operandType(op, 1), ends = operandType(op, 2);
  if (self.getRank() != 2 || matrices.getRank() != 3)
    return op->emitOpError() << "expected operands of rank 2 and 3 but found " << self.getRank() << " and "
                             << matrices.getRank() << " [grouped_mm_c1]";
  if (self.getDimSize(1) != matrices.getDimSize(1) || self.getElementType() != matrices.getElementType())
    return op->emitOpError() << "expected matrices of " << self.getElementType() << " with " << self.getDimSize(1)
                             << " rows but found " << matrices << " [grouped_mm_c2]";
  if (ends.getShape() != ArrayRef<int64_t>(matrices.getDimSize(0)))
    return op->emitOpError() << "expected offs of shape [" << matrices.getDimSize(0) << "] but found "
                             << printShape(ends.getShape()) << " [grouped_mm_c3]";
  results.push_back(self.clone({self.getDimSize(0), matrices.getDimSize(2)}));
  return success();
}
