//===- Scan.cpp - Running sums and products -------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dimension is cut into segments of kSegment elements. Within a segment, each
// element folds those before it; the segments' totals are scanned in turn, and
// what comes before a segment is folded in front of its elements. So an element
// costs kSegment steps for each level, and sums are as short as in a tree.
//
//===----------------------------------------------------------------------===//
#include "LinalgBuilder.h"
#include "kgen/Dialect/Aten/Aten.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kgen::conversion {
namespace {

constexpr int64_t kSegment = 32;

struct Scan {
  LinalgBuilder &b;
  double neutral;
  Scalar (*combine)(Scalar, Scalar);
  Type type;

  /// Along the second of three dimensions; the first and the third are kept.
  Value rows(Value tensor);
  /// Along the third of four dimensions, in kSegment steps for each element.
  Value segments(Value tensor);
  /// Positions [first, first + count) of dimension DIM.
  Value part(Value tensor, unsigned dim, int64_t first, int64_t count);
};

} // namespace

Value Scan::part(Value tensor, unsigned dim, int64_t first, int64_t count) {
  int64_t rank = b.rank(tensor);
  SmallVector<OpFoldResult> offsets(rank, b.b.getIndexAttr(0)), sizes, strides(rank, b.b.getIndexAttr(1));
  for (int64_t extent : b.shape(tensor))
    sizes.push_back(b.b.getIndexAttr(extent));
  if (first == 0 && count == b.shape(tensor)[dim])
    return tensor;
  offsets[dim] = b.b.getIndexAttr(first);
  sizes[dim] = b.b.getIndexAttr(count);
  return tensor::ExtractSliceOp::create(b.b, tensor, offsets, sizes, strides);
}

Value Scan::segments(Value tensor) {
  // Loops: outer, segment, position, inner, and the position that is folded.
  AffineMap read = b.along(5, {0, 1, 4, 3}), write = b.along(5, {0, 1, 2, 3});
  return b.fold({{tensor, read}}, write, b.shape(tensor), type, neutral, [&](ArrayRef<Scalar> x, Scalar folded) {
    Scalar behind = b.index(x[0], 4) - b.index(x[0], 2);
    Scalar value = x[0].to(type);
    return combine(folded, select(greater(behind, 0.0), value.constant(neutral), value));
  });
}

Value Scan::rows(Value tensor) {
  SmallVector<int64_t> shape(b.shape(tensor));
  int64_t outer = shape[0], extent = shape[1], inner = shape[2];
  int64_t length = std::min(kSegment, extent), count = llvm::divideCeil(extent, length), padded = count * length;
  Value cut = b.reshape(b.pad(tensor, {0, 0}, {padded - extent, 0}, neutral), {outer, count, length, inner});
  Value within = segments(cut);
  if (count > 1) {
    Value totals = b.reshape(part(within, 2, length - 1, 1), {outer, count, inner});
    // What comes before a segment: nothing before the first.
    Value before = part(b.pad(rows(totals), {1, 0}, {0, 0}, neutral), 1, 0, count);
    within = b.map({{before, b.along(4, {0, 1, 3})}, {within, b.identity(4)}}, b.shape(within), type,
                   [&](ArrayRef<Scalar> x) { return combine(x[0], x[1]); });
  }
  return part(b.reshape(within, {outer, padded, inner}), 1, 0, extent);
}

template <typename OpT>
static SmallVector<Value> lowerScan(OpT op, LinalgBuilder &b) {
  Type element = b.element(op.getResult());
  ArrayRef<int64_t> shape = b.shape(op.getSelf());
  if (shape.empty() || llvm::is_contained(shape, 0))
    return {b.convert(op.getSelf(), element)};
  int64_t dim = wrapDim(op.getDim(), shape.size()), outer = 1, inner = 1;
  for (auto [i, extent] : llvm::enumerate(shape))
    (static_cast<int64_t>(i) < dim ? outer : inner) *= static_cast<int64_t>(i) == dim ? 1 : extent;
  constexpr bool sums = std::is_same_v<OpT, aten::CumsumOp>;
  Scan scan{b, sums ? 0.0 : 1.0,
            sums ? +[](Scalar x, Scalar y) { return x + y; } : +[](Scalar x, Scalar y) { return x * y; },
            computeType(element)};
  Value rows = b.convert(b.reshape(op.getSelf(), {outer, shape[dim], inner}), scan.type);
  return {b.convert(b.reshape(scan.rows(rows), shape), element)};
}

void populateScanPatterns(RewritePatternSet &patterns) {
  addLowering<aten::CumsumOp>(patterns, lowerScan<aten::CumsumOp>);
  addLowering<aten::CumprodOp>(patterns, lowerScan<aten::CumprodOp>);
}

} // namespace kgen::conversion
