//===- Index.cpp - Positions that are read at run time --------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading extracts an element in the body. Writing is turned round: each element of the result folds over everything
// that may be written and takes what names its own position, so that no two iterations write one element.
//
//===----------------------------------------------------------------------===//
#include "LinalgBuilder.h"
#include "kgen/Dialect/Aten/Aten.h"

#include <cmath>

using namespace mlir;

namespace kgen::conversion {
namespace {

/// POSITION as an i64 within a dimension of EXTENT, the nearest one if it is outside.
Scalar within(Scalar position, int64_t extent) {
  return max(min(position.to(position.b().getI64Type()), extent - 1), 0);
}

/// A negative POSITION counted from the end of EXTENT.
Scalar fromEnd(Scalar position, int64_t extent) {
  Scalar wide = position.to(position.b().getI64Type());
  return select(less(wide, 0), wide + extent, wide);
}

AffineMap range(LinalgBuilder &b, unsigned loops, int64_t first, int64_t count) {
  return b.along(loops, llvm::to_vector(llvm::seq<int64_t>(first, first + count)));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

SmallVector<Value> lowerEmbedding(aten::EmbeddingOp op, LinalgBuilder &b) {
  ArrayRef<int64_t> shape = b.shape(op.getResult());
  unsigned rank = shape.size();
  int64_t rows = b.shape(op.getWeight())[0];
  return {b.map(
      {{op.getIndices(), range(b, rank, 0, rank - 1)}}, shape, b.element(op.getResult()),
      [&](ArrayRef<Scalar> x) { return b.extract(op.getWeight(), {within(x[0], rows), b.index(x[0], rank - 1)}); })};
}

/// The element of SELF at the loops' own position, but POSITION in dimension DIM.
Scalar extractAlong(LinalgBuilder &b, Value self, int64_t dim, Scalar position) {
  SmallVector<Scalar> at;
  for (int64_t i = 0; i < b.rank(self); ++i)
    at.push_back(i == dim ? within(position, b.shape(self)[dim]) : b.index(position, i));
  return b.extract(self, at);
}

SmallVector<Value> lowerIndexSelect(aten::IndexSelectOp op, LinalgBuilder &b) {
  Value self = op.getSelf();
  if (b.rank(self) == 0)
    return {self};
  ArrayRef<int64_t> shape = b.shape(op.getResult());
  int64_t dim = wrapDim(op.getDim(), shape.size());
  Value index = b.reshape(op.getIndex(), {shape[dim]});
  return {b.map({{index, b.along(shape.size(), {dim})}}, shape, b.element(op.getResult()),
                [&](ArrayRef<Scalar> x) { return extractAlong(b, self, dim, x[0]); })};
}

SmallVector<Value> lowerGather(aten::GatherOp op, LinalgBuilder &b) {
  Value self = op.getSelf();
  if (b.rank(self) == 0)
    return {self};
  ArrayRef<int64_t> shape = b.shape(op.getResult());
  int64_t dim = wrapDim(op.getDim(), shape.size());
  return {b.map({{op.getIndex(), b.identity(shape.size())}}, shape, b.element(op.getResult()),
                [&](ArrayRef<Scalar> x) { return extractAlong(b, self, dim, x[0]); })};
}

/// How INDICES over DIMS of SELF lay out the elements that they name.
aten::IndexedShape indexedBy(LinalgBuilder &b, Value self, ArrayRef<int64_t> dims, ValueRange indices) {
  SmallVector<ArrayRef<int64_t>> shapes;
  for (Value index : indices)
    shapes.push_back(b.shape(index));
  return *aten::indexedShape(b.shape(self), dims, shapes);
}

/// Reads TENSOR, which broadcasts to the shape EXTENTS that the loops ALONG have.
Operand readAlong(LinalgBuilder &b, Value tensor, unsigned loops, ArrayRef<int64_t> along, ArrayRef<int64_t> extents) {
  SmallVector<AffineExpr> results;
  ArrayRef<int64_t> shape = b.shape(tensor);
  for (auto [i, extent] : llvm::enumerate(shape)) {
    size_t at = extents.size() - shape.size() + i;
    results.push_back(extent == extents[at] ? b.dim(along[at]) : b.zero());
  }
  return {tensor, b.mapTo(loops, results)};
}

SmallVector<Value> lowerIndexTensor(aten::IndexTensorOp op, LinalgBuilder &b) {
  Value self = op.getSelf();
  ArrayRef<int64_t> dims = op.getDims(), shape = b.shape(op.getResult());
  aten::IndexedShape layout = indexedBy(b, self, dims, op.getIndices());
  unsigned rank = shape.size();
  SmallVector<int64_t> common = llvm::to_vector(llvm::seq<int64_t>(layout.start, layout.start + layout.rank));
  SmallVector<Operand> inputs;
  for (Value index : op.getIndices())
    inputs.push_back(readAlong(b, index, rank, common, shape.slice(layout.start, layout.rank)));
  return {b.map(inputs, shape, b.element(op.getResult()), [&](ArrayRef<Scalar> x) {
    SmallVector<Scalar> at;
    unsigned loop = 0, next = 0;
    for (int64_t i = 0; i < b.rank(self); ++i) {
      int64_t extent = b.shape(self)[i];
      if (next < dims.size() && dims[next] == i) {
        at.push_back(within(fromEnd(x[next++], extent), extent));
        continue;
      }
      if (loop == layout.start)
        loop += layout.rank;
      at.push_back(b.index(x[0], loop++));
    }
    return b.extract(self, at);
  })};
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

SmallVector<Value> lowerIndexPut(aten::IndexPutOp op, LinalgBuilder &b) {
  Value self = op.getSelf();
  ArrayRef<int64_t> dims = op.getDims(), shape = b.shape(self);
  aten::IndexedShape layout = indexedBy(b, self, dims, op.getIndices());
  // Loops: the dimensions of `self`, then the common shape of the indices.
  unsigned rank = shape.size(), loops = rank + layout.rank;
  SmallVector<int64_t> common = llvm::to_vector(llvm::seq<int64_t>(rank, loops)), written;
  for (unsigned i = 0; i < rank; ++i)
    if (!llvm::is_contained(dims, i))
      written.push_back(i);
  written.insert(written.begin() + layout.start, common.begin(), common.end());
  SmallVector<Operand> inputs;
  for (Value index : op.getIndices())
    inputs.push_back(readAlong(b, index, loops, common, ArrayRef(layout.shape).slice(layout.start, layout.rank)));
  inputs.push_back(readAlong(b, op.getValues(), loops, written, layout.shape));
  // The bounds of a common shape of which no index has all extents still come from the maps of those that have them.
  return b.foldInto(inputs, {{self, range(b, loops, 0, rank)}}, [&](ArrayRef<Scalar> x, ArrayRef<Scalar> sums) {
    std::optional<Scalar> named;
    for (auto [position, dim] : llvm::zip_equal(x.drop_back(), dims)) {
      Scalar here = equal(fromEnd(position, shape[dim]), b.index(position, dim));
      named = named ? *named & here : here;
    }
    Scalar value = x.back().to(sums[0].type());
    if (op.getAccumulate())
      return SmallVector<Scalar>{
          (sums[0].to(x.back().type()) + select(*named, x.back(), x.back().constant(0))).to(sums[0].type())};
    return SmallVector<Scalar>{select(*named, value, sums[0])};
  });
}

/// The loops of a scatter: the dimensions of `self`, then the positions of `index` along DIM.
struct Scatter {
  Value self;
  int64_t dim;
  unsigned rank;
  SmallVector<int64_t> length; ///< of `index`

  Scatter(LinalgBuilder &b, Value tensor, Value index, int64_t d)
      : self(tensor), dim(wrapDim(d, std::max<int64_t>(b.rank(tensor), 1))), rank(b.rank(tensor)),
        length(b.shape(index)) {}

  AffineMap written(LinalgBuilder &b) const { return range(b, rank + 1, 0, rank); }
  /// TENSOR, of which the part in the shape of `index` counts, where VALUE surrounds it.
  Operand read(LinalgBuilder &b, Value tensor, double value) const {
    SmallVector<int64_t> none(rank, 0), high(rank, 0), loops;
    for (unsigned i = 0; i < rank; ++i) {
      if (int64_t(i) != dim)
        high[i] = b.shape(self)[i] - length[i];
      loops.push_back(int64_t(i) == dim ? rank : i);
    }
    return {b.pad(b.slice(tensor, none, length), none, high, value), b.along(rank + 1, loops)};
  }
  /// Whether POSITION, an element of `index`, names the result's element of this iteration.
  Scalar names(LinalgBuilder &b, Scalar position) const {
    return equal(position.to(position.b().getI64Type()), b.index(position, dim));
  }
};

/// A scalar has one element, which a scatter along "dimension 0" writes.
Value atLeast1d(LinalgBuilder &b, Value tensor) { return b.rank(tensor) == 0 ? b.reshape(tensor, {1}) : tensor; }

template <typename OpT>
SmallVector<Value> lowerScatter(OpT op, LinalgBuilder &b) {
  Value self = atLeast1d(b, op.getSelf()), index = atLeast1d(b, op.getIndex());
  Scatter scatter(b, self, index, op.getDim());
  SmallVector<Operand> inputs = {scatter.read(b, index, -1)};
  if constexpr (!std::is_same_v<OpT, aten::ScatterValueOp>)
    inputs.push_back(scatter.read(b, atLeast1d(b, op.getSrc()), 0));
  Value result = b.foldInto(inputs, {{self, scatter.written(b)}}, [&](ArrayRef<Scalar> x, ArrayRef<Scalar> sums) {
    Scalar named = scatter.names(b, x[0]), sum = sums[0];
    if constexpr (std::is_same_v<OpT, aten::ScatterValueOp>)
      return SmallVector<Scalar>{select(named, sum.constant(op.getValue()), sum)};
    else if constexpr (std::is_same_v<OpT, aten::ScatterAddOp>)
      return SmallVector<Scalar>{sum.to(x[1].type()) + select(named, x[1], x[1].constant(0))};
    else
      return SmallVector<Scalar>{select(named, x[1].to(sum.type()), sum)};
  })[0];
  return {b.reshape(result, b.shape(op.getResult()))};
}

SmallVector<Value> lowerScatterReduce(aten::ScatterReduceTwoOp op, LinalgBuilder &b) {
  Value self = atLeast1d(b, op.getSelf()), index = atLeast1d(b, op.getIndex());
  Scatter scatter(b, self, index, op.getDim());
  StringRef reduce = op.getReduce();
  Type element = b.element(self), type = computeType(element), i64 = b.b.getI64Type();
  auto combine = [&](Scalar x, Scalar y) {
    return reduce == "amax" ? max(x, y) : reduce == "amin" ? min(x, y) : reduce == "prod" ? x * y : x + y;
  };
  double neutral = reduce == "amax" ? -INFINITY : reduce == "amin" ? INFINITY : reduce == "prod" ? 1 : 0;
  Operand positions = scatter.read(b, index, -1), source = scatter.read(b, atLeast1d(b, op.getSrc()), 0);
  ArrayRef<int64_t> shape = b.shape(self);
  AffineMap written = scatter.written(b);
  Value none = b.filled(shape, type, neutral);
  Value folded = b.foldInto({positions, source}, {{none, written}}, [&](ArrayRef<Scalar> x, ArrayRef<Scalar> sums) {
    Scalar nothing = Scalar(x[1].b(), x[1].get()).constant(neutral);
    if (!x[1].isFloat() && std::isinf(neutral)) {
      APInt extreme = neutral < 0 ? APInt::getSignedMinValue(x[1].type().getIntOrFloatBitWidth())
                                  : APInt::getSignedMaxValue(x[1].type().getIntOrFloatBitWidth());
      nothing = {x[1].b(), arith::ConstantOp::create(x[1].b(), x[1].b().getIntegerAttr(x[1].type(), extreme))};
    }
    return SmallVector<Scalar>{combine(sums[0], select(scatter.names(b, x[0]), x[1], nothing))};
  })[0];
  Value zero = b.filled(shape, i64, 0);
  Value count = b.foldInto(positions, {{zero, written}}, [&](ArrayRef<Scalar> x, ArrayRef<Scalar> sums) {
    return SmallVector<Scalar>{sums[0] + scatter.names(b, x[0]).to(i64)};
  })[0];
  AffineMap identity = b.identity(shape.size());
  Value result =
      b.map({{self, identity}, {folded, identity}, {count, identity}}, shape, element, [&](ArrayRef<Scalar> x) {
        bool include = op.getIncludeSelf();
        Scalar value = include ? combine(x[0], x[1]) : x[1];
        if (reduce == "mean")
          value = value / (x[2] + (include ? 1 : 0)).to(value.type());
        return select(equal(x[2], 0), x[0], value);
      });
  return {b.reshape(result, b.shape(op.getResult()))};
}

SmallVector<Value> lowerSliceScatter(aten::SliceScatterOp op, LinalgBuilder &b) {
  int64_t rank = b.rank(op.getSelf()), dim = wrapDim(op.getDim(), rank);
  SmallVector<int64_t> starts(rank, 0), steps(rank, 1);
  starts[dim] = aten::clampSlice(op.getStart(), op.getEnd(), b.shape(op.getSelf())[dim]).first;
  steps[dim] = op.getStep();
  return {b.insert(op.getSrc(), op.getSelf(), starts, steps)};
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Whether X stands before Y: smaller, or greater if DESCENDING; NaN is the greatest.
Scalar before(Scalar x, Scalar y, bool descending) {
  if (descending)
    std::swap(x, y);
  Scalar smaller = less(x, y);
  return x.isFloat() ? smaller | (notEqual(y, y) & equal(x, x)) : smaller;
}

/// The first COUNT elements of SELF in order along DIM, and where they were. An element's place is the number of those
/// before it; each place then looks for its element.
std::pair<Value, Value> order(LinalgBuilder &b, Value self, int64_t dim, int64_t count, bool descending) {
  ArrayRef<int64_t> shape = b.shape(self);
  int64_t extent = shape[dim], outer = 1, inner = 1;
  for (auto [i, size] : llvm::enumerate(shape))
    if (int64_t(i) != dim)
      (int64_t(i) < dim ? outer : inner) *= size;
  Value rows = b.reshape(self, {outer, extent, inner});
  Type i64 = b.b.getI64Type();
  // Loops: outer, element or place, inner, and the other element.
  AffineMap own = b.along(4, {0, 1, 2}), other = b.along(4, {0, 3, 2});
  Value places =
      b.fold({{rows, own}, {rows, other}}, own, {outer, extent, inner}, i64, 0, [&](ArrayRef<Scalar> x, Scalar sum) {
        Scalar first = less(b.index(x[0], 3), b.index(x[0], 1));
        Scalar ahead = before(x[1], x[0], descending) | (~before(x[0], x[1], descending) & first);
        return sum + ahead.to(i64);
      });
  SmallVector<int64_t> taken = {outer, count, inner};
  SmallVector<Value> found = b.foldInto({{rows, other}, {places, other}},
                                        {{b.filled(taken, b.element(self), 0), own}, {b.filled(taken, i64, 0), own}},
                                        [&](ArrayRef<Scalar> x, ArrayRef<Scalar> sums) {
                                          Scalar here = equal(x[1], b.index(x[1], 1));
                                          return SmallVector<Scalar>{select(here, x[0].to(sums[0].type()), sums[0]),
                                                                     select(here, b.index(x[1], 3), sums[1])};
                                        });
  return {found[0], found[1]};
}

template <typename OpT>
SmallVector<Value> lowerOrder(OpT op, LinalgBuilder &b) {
  Value self = atLeast1d(b, op.getSelf());
  int64_t dim = wrapDim(op.getDim(), b.rank(self)), count = b.shape(self)[dim];
  bool descending;
  if constexpr (std::is_same_v<OpT, aten::TopkOp>) {
    count = op.getK();
    descending = op.getLargest();
  } else {
    descending = op.getDescending();
  }
  auto [values, positions] = order(b, self, dim, count, descending);
  return {b.reshape(values, b.shape(op.getValues())), b.reshape(positions, b.shape(op.getIndices()))};
}

//===----------------------------------------------------------------------===//
// A product whose weight is picked at run time
//===----------------------------------------------------------------------===//

SmallVector<Value> lowerGroupedMm(aten::GroupedMmOp op, LinalgBuilder &b) {
  Value self = op.getSelf(), matrices = op.getMat2(), ends = op.getOffs();
  ArrayRef<int64_t> shape = b.shape(op.getResult());
  Type element = b.element(self), type = computeType(element), i64 = b.b.getI64Type();
  int64_t groups = b.shape(matrices)[0];
  // Loops: row and group.
  Value group =
      b.fold({{ends, b.along(2, {1})}}, b.along(2, {0}), shape.take_front(), i64, 0,
             [&](ArrayRef<Scalar> x, Scalar sum) { return sum + lessEqual(x[0].to(i64), b.index(x[0], 0)).to(i64); });
  // Loops: row, column and inner.
  Value product = b.fold({{self, b.along(3, {0, 2})}, {group, b.along(3, {0})}}, b.along(3, {0, 1}), shape, type, 0,
                         [&](ArrayRef<Scalar> x, Scalar sum) {
                           Scalar weight =
                               b.extract(matrices, {within(x[1], groups), b.index(x[1], 2), b.index(x[1], 1)});
                           return sum + x[0] * weight;
                         });
  return {b.convert(product, element)};
}

} // namespace

void populateIndexPatterns(RewritePatternSet &patterns) {
  addLowering<aten::EmbeddingOp>(patterns, lowerEmbedding);
  addLowering<aten::GatherOp>(patterns, lowerGather);
  addLowering<aten::GroupedMmOp>(patterns, lowerGroupedMm);
  addLowering<aten::IndexPutOp>(patterns, lowerIndexPut);
  addLowering<aten::IndexSelectOp>(patterns, lowerIndexSelect);
  addLowering<aten::IndexTensorOp>(patterns, lowerIndexTensor);
  addLowering<aten::ScatterAddOp>(patterns, lowerScatter);
  addLowering<aten::ScatterReduceTwoOp>(patterns, lowerScatterReduce);
  addLowering<aten::ScatterSrcOp>(patterns, lowerScatter);
  addLowering<aten::ScatterValueOp>(patterns, lowerScatter);
  addLowering<aten::SliceScatterOp>(patterns, lowerSliceScatter);
  addLowering<aten::SortOp>(patterns, lowerOrder);
  addLowering<aten::TopkOp>(patterns, lowerOrder);
}

} // namespace kgen::conversion
