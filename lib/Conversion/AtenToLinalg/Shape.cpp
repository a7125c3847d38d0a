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
  SmallVector<OpFoldResult> offsets, sizes, strides;
  for (auto [i, extent] : llvm::enumerate(b.shape(self))) {
    bool sliced = static_cast<int64_t>(i) == dim;
    offsets.push_back(b.b.getIndexAttr(sliced ? start : 0));
    sizes.push_back(b.b.getIndexAttr(sliced ? size : extent));
    strides.push_back(b.b.getIndexAttr(sliced ? step : 1));
  }
  return tensor::ExtractSliceOp::create(b.b, self, offsets, sizes, strides);
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

SmallVector<Value> lowerCat(aten::CatOp op, LinalgBuilder &b) {
  ArrayRef<int64_t> shape = b.shape(op.getResult());
  int64_t dim = wrapDim(op.getDim(), shape.size()), start = 0;
  Value result = b.empty(shape, b.element(op.getResult()));
  SmallVector<OpFoldResult> strides(shape.size(), b.b.getIndexAttr(1));
  for (Value part : op.getTensors()) {
    SmallVector<OpFoldResult> offsets(shape.size(), b.b.getIndexAttr(0)), sizes;
    offsets[dim] = b.b.getIndexAttr(start);
    for (int64_t extent : b.shape(part))
      sizes.push_back(b.b.getIndexAttr(extent));
    result = tensor::InsertSliceOp::create(b.b, part, result, offsets, sizes, strides);
    start += b.shape(part)[dim];
  }
  return {result};
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
  addLowering<aten::CatOp>(patterns, lowerCat);
  addLowering<aten::FlipOp>(patterns, lowerFlip);
  addLowering<aten::TrilOp>(patterns, lowerTriangle<aten::TrilOp, true>);
  addLowering<aten::TriuOp>(patterns, lowerTriangle<aten::TriuOp, false>);
}

} // namespace kgen::conversion
