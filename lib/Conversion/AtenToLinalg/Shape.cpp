//===- Shape.cpp - Ops that move elements ---------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LinalgBuilder.h"
#include "kgen/Dialect/Aten/Aten.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kgen::conversion {
namespace {

/// The row-major order stays: view, reshape, flatten, squeeze, unsqueeze.
template <typename OpT>
SmallVector<Value> lowerReshape(OpT op, LinalgBuilder &b) {
  return {b.reshape(op.getSelf(), b.shape(op.getResult()))};
}

/// Dimension i of the result is dimension DIMS[i] of SELF.
Value permute(LinalgBuilder &b, Value self, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> read(dims.size());
  for (auto [i, dim] : llvm::enumerate(dims)) {
    shape.push_back(b.shape(self)[dim]);
    read[dim] = b.dim(i);
  }
  return b.map({{self, b.mapTo(dims.size(), read)}}, shape, b.element(self), [](ArrayRef<Scalar> x) { return x[0]; });
}

SmallVector<Value> lowerPermute(aten::PermuteOp op, LinalgBuilder &b) {
  SmallVector<int64_t> dims;
  for (int64_t dim : op.getDims())
    dims.push_back(wrapDim(dim, b.rank(op.getSelf())));
  return {permute(b, op.getSelf(), dims)};
}

SmallVector<Value> lowerTranspose(aten::TransposeIntOp op, LinalgBuilder &b) {
  int64_t rank = b.rank(op.getSelf());
  if (rank == 0)
    return {op.getSelf()};
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(dims[wrapDim(op.getDim0(), rank)], dims[wrapDim(op.getDim1(), rank)]);
  return {permute(b, op.getSelf(), dims)};
}

SmallVector<Value> lowerNumpyT(aten::NumpyTOp op, LinalgBuilder &b) {
  SmallVector<int64_t> dims = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, b.rank(op.getSelf()))));
  return {permute(b, op.getSelf(), dims)};
}

SmallVector<Value> lowerExpand(aten::ExpandOp op, LinalgBuilder &b) {
  ArrayRef<int64_t> shape = b.shape(op.getResult());
  return {b.map({b.broadcast(op.getSelf(), shape)}, shape, b.element(op.getResult()),
                [](ArrayRef<Scalar> x) { return x[0]; })};
}

/// SIZE positions of dimension DIM from START on, every STEP.
Value slice(LinalgBuilder &b, Value self, int64_t dim, int64_t start, int64_t size, int64_t step) {
  SmallVector<int64_t> starts(b.rank(self), 0), sizes(b.shape(self)), steps(b.rank(self), 1);
  starts[dim] = start;
  sizes[dim] = size;
  steps[dim] = step;
  return b.slice(self, starts, sizes, steps);
}

SmallVector<Value> lowerSelect(aten::SelectIntOp op, LinalgBuilder &b) {
  Value self = op.getSelf();
  int64_t dim = wrapDim(op.getDim(), b.rank(self)), index = wrapDim(op.getIndex(), b.shape(self)[dim]);
  return {b.reshape(slice(b, self, dim, index, 1, 1), b.shape(op.getResult()))};
}

SmallVector<Value> lowerSlice(aten::SliceTensorOp op, LinalgBuilder &b) {
  int64_t dim = wrapDim(op.getDim(), b.rank(op.getSelf()));
  return {slice(b, op.getSelf(), dim, op.getBounds().first, b.shape(op.getResult())[dim], op.getStep())};
}

SmallVector<Value> lowerNarrow(aten::NarrowOp op, LinalgBuilder &b) {
  Value self = op.getSelf();
  int64_t dim = wrapDim(op.getDim(), b.rank(self)), start = wrapDim(op.getStart(), b.shape(self)[dim]);
  return {slice(b, self, dim, start, op.getLength(), 1)};
}

/// PARTS one after the other along DIM.
Value join(LinalgBuilder &b, ValueRange parts, int64_t dim, ArrayRef<int64_t> shape) {
  Value result = b.empty(shape, b.element(parts.front()));
  SmallVector<int64_t> starts(shape.size(), 0);
  for (Value part : parts) {
    result = b.insert(part, result, starts);
    starts[dim] += b.shape(part)[dim];
  }
  return result;
}

SmallVector<Value> lowerCat(aten::CatOp op, LinalgBuilder &b) {
  ArrayRef<int64_t> shape = b.shape(op.getResult());
  // A part without elements adds nothing; it may also be the only one.
  SmallVector<Value> parts = llvm::to_vector(llvm::make_filter_range(
      op.getTensors(), [](Value part) { return cast<RankedTensorType>(part.getType()).getNumElements() > 0; }));
  if (parts.empty())
    return {b.empty(shape, b.element(op.getResult()))};
  return {join(b, parts, wrapDim(op.getDim(), shape.size()), shape)};
}

/// What is beyond the end, and then what is before it.
SmallVector<Value> lowerRoll(aten::RollOp op, LinalgBuilder &b) {
  Value result = op.getSelf();
  ArrayRef<int64_t> shape = b.shape(result);
  for (auto [dim, shift] : llvm::zip_equal(op.getDims(), op.getShifts())) {
    int64_t position = wrapDim(dim, shape.size()), extent = shape[position];
    int64_t count = extent == 0 ? 0 : (shift % extent + extent) % extent;
    if (count == 0)
      continue;
    Value last = slice(b, result, position, extent - count, count, 1);
    Value first = slice(b, result, position, 0, extent - count, 1);
    result = join(b, {last, first}, position, shape);
  }
  return {result};
}

/// A dimension in front of each one that is repeated, which is expanded and merged with it.
SmallVector<Value> lowerRepeat(aten::RepeatOp op, LinalgBuilder &b) {
  ArrayRef<int64_t> in = b.shape(op.getSelf()), repeats = op.getRepeats();
  SmallVector<int64_t> wide;
  SmallVector<AffineExpr> read;
  for (size_t i = 0, lead = repeats.size() - in.size(); i < repeats.size(); ++i) {
    wide.push_back(repeats[i]);
    if (i < lead)
      continue;
    read.push_back(b.dim(wide.size()));
    wide.push_back(in[i - lead]);
  }
  Value copies = b.map({{op.getSelf(), b.mapTo(wide.size(), read)}}, wide, b.element(op.getResult()),
                       [](ArrayRef<Scalar> x) { return x[0]; });
  return {b.reshape(copies, b.shape(op.getResult()))};
}

SmallVector<Value> lowerConstantPad(aten::ConstantPadNdOp op, LinalgBuilder &b) {
  Value self = op.getSelf();
  SmallVector<int64_t> starts(b.rank(self), 0), sizes(b.shape(self)), low(b.rank(self), 0), high(b.rank(self), 0);
  ArrayRef<int64_t> pad = op.getPad();
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    size_t dim = sizes.size() - 1 - i;
    low[dim] = std::max<int64_t>(pad[2 * i], 0);
    high[dim] = std::max<int64_t>(pad[2 * i + 1], 0);
    starts[dim] = std::max<int64_t>(-pad[2 * i], 0);
    sizes[dim] -= starts[dim] + std::max<int64_t>(-pad[2 * i + 1], 0);
  }
  return {b.pad(b.slice(self, starts, sizes), low, high, op.getValue())};
}

/// Element of the result from the element of SELF at INDEX, over the result's dimensions.
Value read(LinalgBuilder &b, Value self, ArrayRef<AffineExpr> index, Value result) {
  return b.map({{self, b.mapTo(b.rank(result), index)}}, b.shape(result), b.element(result),
               [](ArrayRef<Scalar> x) { return x[0]; });
}

SmallVector<Value> lowerUnfold(aten::UnfoldOp op, LinalgBuilder &b) {
  int64_t rank = b.rank(op.getSelf()), dim = wrapDim(op.getDimension(), rank);
  SmallVector<AffineExpr> index;
  for (int64_t i = 0; i < rank; ++i)
    index.push_back(i == dim ? b.dim(i) * op.getStep() + b.dim(rank) : b.dim(i));
  return {read(b, op.getSelf(), index, op.getResult())};
}

/// The diagonal of the square that it crosses.
SmallVector<Value> lowerDiagonal(aten::DiagonalOp op, LinalgBuilder &b) {
  Value self = op.getSelf();
  int64_t rank = b.rank(self), rows = wrapDim(op.getDim1(), rank), columns = wrapDim(op.getDim2(), rank);
  int64_t offset = op.getOffset(), length = b.shape(op.getResult()).back();
  SmallVector<int64_t> starts(rank, 0), sizes(b.shape(self));
  starts[rows] = std::max<int64_t>(-offset, 0);
  starts[columns] = std::max<int64_t>(offset, 0);
  sizes[rows] = sizes[columns] = length;
  SmallVector<AffineExpr> index;
  for (int64_t i = 0, next = 0; i < rank; ++i)
    index.push_back(b.dim(i == rows || i == columns ? rank - 2 : next++));
  return {read(b, b.slice(self, starts, sizes), index, op.getResult())};
}

SmallVector<Value> lowerAsStrided(aten::AsStridedOp op, LinalgBuilder &b) {
  AffineExpr position = b.zero();
  int64_t reach = 1;
  for (auto [i, extent, stride] : llvm::enumerate(op.getSize(), op.getStride())) {
    position = position + b.dim(i) * stride;
    reach += (extent - 1) * stride;
  }
  Value flat = b.reshape(op.getSelf(), {op.getSelf().getType().getNumElements()});
  return {read(b, b.slice(flat, op.getStorageOffset(), reach), position, op.getResult())};
}

SmallVector<Value> lowerFlip(aten::FlipOp op, LinalgBuilder &b) {
  ArrayRef<int64_t> shape = b.shape(op.getSelf());
  SmallVector<AffineExpr> read;
  for (unsigned i = 0; i < shape.size(); ++i)
    read.push_back(b.dim(i));
  for (int64_t dim : op.getDims()) {
    int64_t i = wrapDim(dim, shape.size());
    read[i] = shape[i] - 1 - b.dim(i);
  }
  return {b.map({{op.getSelf(), b.mapTo(shape.size(), read)}}, shape, b.element(op.getResult()),
                [](ArrayRef<Scalar> x) { return x[0]; })};
}

template <typename OpT, bool lower>
SmallVector<Value> lowerTriangle(OpT op, LinalgBuilder &b) {
  ArrayRef<int64_t> shape = b.shape(op.getResult());
  unsigned rank = shape.size();
  return {b.map({{op.getSelf(), b.identity(rank)}}, shape, b.element(op.getResult()), [&](ArrayRef<Scalar> x) {
    Scalar above = b.index(x[0], rank - 1) - b.index(x[0], rank - 2); // j - i
    double diagonal = op.getDiagonal();
    Scalar zeroed = lower ? greater(above, diagonal) : less(above, diagonal);
    return select(zeroed, x[0].constant(0), x[0]);
  })};
}

} // namespace

void populateShapePatterns(RewritePatternSet &patterns) {
  addLowering<aten::FlattenUsingIntsOp>(patterns, lowerReshape);
  addLowering<aten::ReshapeOp>(patterns, lowerReshape);
  addLowering<aten::SqueezeDimOp>(patterns, lowerReshape);
  addLowering<aten::UnsqueezeOp>(patterns, lowerReshape);
  addLowering<aten::ViewOp>(patterns, lowerReshape);
  addLowering<aten::PermuteOp>(patterns, lowerPermute);
  addLowering<aten::TransposeIntOp>(patterns, lowerTranspose);
  addLowering<aten::NumpyTOp>(patterns, lowerNumpyT);
  addLowering<aten::ExpandOp>(patterns, lowerExpand);
  addLowering<aten::SelectIntOp>(patterns, lowerSelect);
  addLowering<aten::SliceTensorOp>(patterns, lowerSlice);
  addLowering<aten::NarrowOp>(patterns, lowerNarrow);
  addLowering<aten::AsStridedOp>(patterns, lowerAsStrided);
  addLowering<aten::CatOp>(patterns, lowerCat);
  addLowering<aten::ConstantPadNdOp>(patterns, lowerConstantPad);
  addLowering<aten::DiagonalOp>(patterns, lowerDiagonal);
  addLowering<aten::RepeatOp>(patterns, lowerRepeat);
  addLowering<aten::RollOp>(patterns, lowerRoll);
  addLowering<aten::UnfoldOp>(patterns, lowerUnfold);
  addLowering<aten::FlipOp>(patterns, lowerFlip);
  addLowering<aten::TrilOp>(patterns, lowerTriangle<aten::TrilOp, true>);
  addLowering<aten::TriuOp>(patterns, lowerTriangle<aten::TriuOp, false>);
}

} // namespace kgen::conversion
