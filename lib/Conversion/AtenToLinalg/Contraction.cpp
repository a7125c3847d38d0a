//===- Contraction.cpp - Matrix products and convolutions ----------------===//
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

/// SUM, in the compute type, plus BIAS along dimension DIM, stored as ELEMENT.
Value finish(LinalgBuilder &b, Value sum, Value bias, int64_t dim, Type element) {
  if (!bias)
    return b.convert(sum, element);
  int64_t rank = b.rank(sum);
  return b.map({{sum, b.identity(rank)}, {bias, b.along(rank, {dim})}}, b.shape(sum), element,
               [](ArrayRef<Scalar> x) { return x[0] + x[1].to(x[0].type()); });
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// X (..., m, k) times Y (..., k, n); a vector lacks m or n. Loops are the result's dimensions, then k.
Value product(LinalgBuilder &b, Value x, Value y, Value result) {
  ArrayRef<int64_t> shape = b.shape(result);
  bool hasRow = b.rank(x) > 1, hasColumn = b.rank(y) > 1;
  unsigned batch = shape.size() - hasRow - hasColumn, k = shape.size();
  auto access = [&](Value operand, SmallVector<int64_t> inner) {
    ArrayRef<int64_t> extents = b.shape(operand).drop_back(inner.size());
    SmallVector<AffineExpr> results;
    for (auto [i, extent] : llvm::enumerate(extents)) {
      unsigned loop = batch - extents.size() + i;
      results.push_back(extent == shape[loop] ? b.dim(loop) : b.zero());
    }
    for (int64_t loop : inner)
      results.push_back(b.dim(loop));
    return Operand{operand, b.mapTo(k + 1, results)};
  };
  Operand left = hasRow ? access(x, {batch, k}) : access(x, {k});
  Operand right = hasColumn ? access(y, {k, batch + hasRow}) : access(y, {k});
  AffineMap out = b.along(k + 1, llvm::to_vector(llvm::seq<int64_t>(0, k)));
  Type element = b.element(result);
  return b.convert(b.contract(left, right, out, shape, computeType(element)), element);
}

SmallVector<Value> lowerMatmul(aten::MatmulOp op, LinalgBuilder &b) {
  return {product(b, op.getSelf(), op.getOther(), op.getResult())};
}
template <typename OpT>
SmallVector<Value> lowerMm(OpT op, LinalgBuilder &b) {
  return {product(b, op.getSelf(), op.getMat2(), op.getResult())};
}

SmallVector<Value> lowerLinear(aten::LinearOp op, LinalgBuilder &b) {
  ArrayRef<int64_t> shape = b.shape(op.getResult());
  int64_t n = shape.size() - 1, k = shape.size();
  SmallVector<int64_t> leading = llvm::to_vector(llvm::seq<int64_t>(0, n));
  SmallVector<int64_t> in = leading, out = leading;
  in.push_back(k);
  out.push_back(n);
  Type element = b.element(op.getResult());
  Value sum = b.contract({op.getInput(), b.along(k + 1, in)}, {op.getWeight(), b.along(k + 1, {n, k})},
                         b.along(k + 1, out), shape, computeType(element));
  return {finish(b, sum, op.getBias(), n, element)};
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// Cross-correlation of INPUT (N, C, spatial), already padded, with WEIGHT (F, C / groups, kernel). SHAPE is the
/// result's. Loops are (n, [group,] f, output positions, c, kernel positions).
Value correlate(LinalgBuilder &b, Value input, Value weight, ArrayRef<int64_t> stride, ArrayRef<int64_t> dilation,
                int64_t groups, ArrayRef<int64_t> shape, Type element) {
  int64_t spatial = stride.size(), filters = b.shape(weight)[0] / groups, channels = b.shape(weight)[1];
  bool grouped = groups > 1;
  SmallVector<int64_t> outShape(shape);
  if (grouped) {
    auto regroup = [&](Value tensor, int64_t dim, int64_t perGroup) {
      SmallVector<int64_t> to(b.shape(tensor));
      to[dim] = perGroup;
      to.insert(to.begin() + dim, groups);
      return b.reshape(tensor, to);
    };
    input = regroup(input, 1, channels);
    weight = regroup(weight, 0, filters);
    outShape[1] = filters;
    outShape.insert(outShape.begin() + 1, groups);
  }
  unsigned f = 1 + grouped, o = f + 1, c = o + spatial, k = c + 1, loops = k + spatial;
  SmallVector<AffineExpr> in = {b.dim(0)}, w, out;
  if (grouped) {
    in.push_back(b.dim(1));
    w.push_back(b.dim(1));
  }
  in.push_back(b.dim(c));
  w.append({b.dim(f), b.dim(c)});
  for (int64_t i = 0; i < spatial; ++i) {
    in.push_back(b.dim(o + i) * stride[i] + b.dim(k + i) * dilation[i]);
    w.push_back(b.dim(k + i));
  }
  for (unsigned i = 0; i < c; ++i)
    out.push_back(b.dim(i));
  Value sum = b.contract({input, b.mapTo(loops, in)}, {weight, b.mapTo(loops, w)}, b.mapTo(loops, out), outShape,
                         computeType(element));
  return b.reshape(sum, shape);
}

template <typename OpT>
SmallVector<Value> lowerConv(OpT op, LinalgBuilder &b) {
  Type element = b.element(op.getResult());
  Value padded = b.pad(op.getInput(), op.getPadding(), op.getPadding(), 0);
  Value sum = correlate(b, padded, op.getWeight(), op.getStride(), op.getDilation(), op.getGroups(),
                        b.shape(op.getResult()), element);
  return {finish(b, sum, op.getBias(), 1, element)};
}

/// WEIGHT (C, F / groups, kernel) of a transposed convolution as that of a plain one, (F, C / groups, kernel) with the
/// kernel reversed.
Value transposeWeight(LinalgBuilder &b, Value weight, int64_t groups) {
  ArrayRef<int64_t> shape = b.shape(weight);
  int64_t channels = shape[0] / groups, filters = shape[1];
  SmallVector<int64_t> from = {groups, channels, filters}, to = {groups, filters, channels};
  SmallVector<AffineExpr> read = {b.dim(0), b.dim(2), b.dim(1)};
  for (auto [i, extent] : llvm::enumerate(shape.drop_front(2))) {
    from.push_back(extent);
    to.push_back(extent);
    read.push_back(b.b.getAffineConstantExpr(extent - 1) - b.dim(3 + i));
  }
  Value turned = b.map({{b.reshape(weight, from), b.mapTo(to.size(), read)}}, to, b.element(weight),
                       [](ArrayRef<Scalar> x) { return x[0]; });
  SmallVector<int64_t> merged(to);
  merged.erase(merged.begin());
  merged[0] *= groups;
  return b.reshape(turned, merged);
}

/// The gather form: a plain convolution of stride 1 over the input spread out by the stride with zeros between.
/// Output o takes input i with weight k where o + padding = i * stride + k * dilation.
template <typename OpT>
SmallVector<Value> lowerConvTranspose(OpT op, LinalgBuilder &b) {
  Value input = op.getInput();
  Type element = b.element(op.getResult());
  ArrayRef<int64_t> shape = b.shape(op.getResult()), kernel = b.shape(op.getWeight()).drop_front(2);
  ArrayRef<int64_t> stride = op.getStride(), padding = op.getPadding(), dilation = op.getDilation();
  int64_t rank = b.rank(input), spatial = rank - 2;
  // In the spread input, element i stands at before + i * stride. A padding beyond the kernel's reach crops instead.
  SmallVector<int64_t> spread(b.shape(input)), cropped(b.shape(input));
  SmallVector<OpFoldResult> offsets(2, b.b.getIndexAttr(0)), steps(2, b.b.getIndexAttr(1)), sizes, starts = offsets,
                                                                                                   ones, window;
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t reach = dilation[i] * (kernel[i] - 1), before = std::max<int64_t>(0, reach - padding[i]);
    int64_t start = before + padding[i] - reach, needed = shape[2 + i] + reach;
    int64_t extent = (b.shape(input)[2 + i] - 1) * stride[i] + 1;
    spread[2 + i] = std::max(before + extent, start + needed);
    cropped[2 + i] = needed;
    offsets.push_back(b.b.getIndexAttr(before));
    steps.push_back(b.b.getIndexAttr(stride[i]));
    starts.push_back(b.b.getIndexAttr(start));
  }
  for (int64_t i = 0; i < rank; ++i) {
    sizes.push_back(b.b.getIndexAttr(b.shape(input)[i]));
    ones.push_back(b.b.getIndexAttr(1));
    window.push_back(b.b.getIndexAttr(cropped[i]));
  }
  Value zeros = b.filled(spread, b.element(input), 0);
  Value spreadInput = zeros;
  if (!llvm::is_contained(b.shape(input), 0))
    spreadInput = tensor::InsertSliceOp::create(b.b, input, zeros, offsets, sizes, steps);
  if (llvm::is_contained(cropped, 0))
    spreadInput = b.empty(cropped, b.element(input));
  else if (cropped != spread)
    spreadInput = tensor::ExtractSliceOp::create(b.b, spreadInput, starts, window, ones);
  Value sum = correlate(b, spreadInput, transposeWeight(b, op.getWeight(), op.getGroups()),
                        SmallVector<int64_t>(spatial, 1), dilation, op.getGroups(), shape, element);
  return {finish(b, sum, op.getBias(), 1, element)};
}

} // namespace

void populateContractionPatterns(RewritePatternSet &patterns) {
  addLowering<aten::BmmOp>(patterns, lowerMm);
  addLowering<aten::MmOp>(patterns, lowerMm);
  addLowering<aten::MatmulOp>(patterns, lowerMatmul);
  addLowering<aten::LinearOp>(patterns, lowerLinear);
  addLowering<aten::Conv1dOp>(patterns, lowerConv);
  addLowering<aten::Conv2dOp>(patterns, lowerConv);
  addLowering<aten::Conv3dOp>(patterns, lowerConv);
  addLowering<aten::ConvTranspose1dOp>(patterns, lowerConvTranspose);
  addLowering<aten::ConvTranspose2dInputOp>(patterns, lowerConvTranspose);
  addLowering<aten::ConvTranspose3dInputOp>(patterns, lowerConvTranspose);
}

} // namespace kgen::conversion
