//===- Window.cpp - Pooling -----------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LinalgBuilder.h"
#include "kgen/Dialect/Aten/Aten.h"

#include <cmath>

using namespace mlir;

namespace kgen::conversion {
namespace {

/// Sliding windows over the last dimensions of a tensor.
struct Windows {
  SmallVector<int64_t> kernel, stride, padding, dilation;
};

/// The operand that gives the window loops their extents; its elements are never read.
Operand windowShape(LinalgBuilder &b, unsigned loops, ArrayRef<int64_t> kernel, Type element) {
  SmallVector<int64_t> inner;
  for (unsigned i = 0; i < kernel.size(); ++i)
    inner.push_back(loops - kernel.size() + i);
  return {b.empty(kernel, element), b.along(loops, inner)};
}

/// Loops: the result's dimensions, then the window's.
AffineMap resultMap(LinalgBuilder &b, unsigned loops, unsigned rank) {
  return b.along(loops, llvm::to_vector(llvm::seq<int64_t>(0, rank)));
}

/// Folds each window of SELF into an element of SHAPE, padding with INIT, in the compute type.
Value foldWindows(LinalgBuilder &b, Value self, const Windows &windows, ArrayRef<int64_t> shape, double init,
                  LinalgBuilder::FoldFormula formula) {
  unsigned rank = shape.size(), spatial = windows.kernel.size(), leading = rank - spatial, loops = rank + spatial;
  SmallVector<int64_t> high;
  SmallVector<AffineExpr> access;
  for (unsigned i = 0; i < leading; ++i)
    access.push_back(b.dim(i));
  for (unsigned i = 0; i < spatial; ++i) {
    access.push_back(b.dim(leading + i) * windows.stride[i] + b.dim(rank + i) * windows.dilation[i]);
    // With ceil_mode the last window may reach beyond the padding.
    int64_t reach = (shape[leading + i] - 1) * windows.stride[i] + windows.dilation[i] * (windows.kernel[i] - 1) + 1;
    high.push_back(std::max<int64_t>(0, reach - b.shape(self)[leading + i] - windows.padding[i]));
  }
  Type element = b.element(self);
  Value padded = b.pad(self, windows.padding, high, init);
  return b.fold({{padded, b.mapTo(loops, access)}, windowShape(b, loops, windows.kernel, element)},
                resultMap(b, loops, rank), shape, computeType(element), init, formula);
}

template <typename OpT>
SmallVector<Value> lowerMaxPool(OpT op, LinalgBuilder &b) {
  Windows windows = {llvm::to_vector(op.getKernelSize()), llvm::to_vector(op.getEffectiveStride()),
                     llvm::to_vector(op.getPadding()), llvm::to_vector(op.getDilation())};
  Value result = foldWindows(b, op.getSelf(), windows, b.shape(op.getResult()), -INFINITY,
                             [](ArrayRef<Scalar> x, Scalar best) { return max(best, x[0]); });
  return {b.convert(result, b.element(op.getResult()))};
}

template <typename OpT>
std::optional<int64_t> divisorOverride(OpT op) {
  if constexpr (std::is_same_v<OpT, aten::AvgPool1dOp>)
    return std::nullopt;
  else
    return op.getDivisorOverride();
}

template <typename OpT>
SmallVector<Value> lowerAvgPool(OpT op, LinalgBuilder &b) {
  Value self = op.getSelf();
  ArrayRef<int64_t> shape = b.shape(op.getResult()), kernel = op.getKernelSize(), stride = op.getEffectiveStride(),
                    padding = op.getPadding();
  unsigned leading = shape.size() - kernel.size();
  Windows windows = {llvm::to_vector(kernel), llvm::to_vector(stride), llvm::to_vector(padding),
                     SmallVector<int64_t>(kernel.size(), 1)};
  Value sum =
      foldWindows(b, self, windows, shape, 0, [](ArrayRef<Scalar> x, Scalar sum) { return sum + x[0].to(sum.type()); });

  std::optional<int64_t> divisor = divisorOverride(op);
  bool include = op.getCountIncludePad();
  return {b.map({{sum, b.identity(shape.size())}}, shape, b.element(self), [&](ArrayRef<Scalar> x) {
    if (divisor)
      return x[0] / *divisor;
    double constant = 1;
    std::optional<Scalar> varying;
    for (unsigned i = 0; i < kernel.size(); ++i) {
      // The window covers [start, end) of the input; what counts of it is inside [low, high).
      int64_t extent = b.shape(self)[leading + i], low = include ? -padding[i] : 0,
              high = extent + (include ? padding[i] : 0);
      int64_t lastEnd = (shape[leading + i] - 1) * stride[i] - padding[i] + kernel[i];
      if (low <= -padding[i] && lastEnd <= high) {
        constant *= kernel[i];
        continue;
      }
      Scalar start = b.index(x[0], leading + i) * stride[i] - padding[i];
      Scalar size = min(start + kernel[i], high) - max(start, low);
      varying = varying ? *varying * size : size;
    }
    return varying ? x[0] / (varying->to(x[0].type()) * constant) : x[0] / constant;
  })};
}

/// Output i along a dimension averages the inputs from floor(i * in / out) up to ceil((i + 1) * in / out): windows of
/// two or three different lengths. Loops run over the longest, and shorter windows count only their own.
template <typename OpT>
SmallVector<Value> lowerAdaptiveAvgPool(OpT op, LinalgBuilder &b) {
  Value self = op.getSelf();
  Type element = b.element(self), type = computeType(element);
  ArrayRef<int64_t> shape = b.shape(op.getResult()), outs = op.getOutputSize();
  unsigned rank = shape.size(), spatial = outs.size(), leading = rank - spatial, loops = rank + spatial;
  SmallVector<int64_t> kernel, high;
  SmallVector<AffineExpr> access;
  for (unsigned i = 0; i < leading; ++i)
    access.push_back(b.dim(i));
  for (unsigned i = 0; i < spatial; ++i) {
    int64_t in = b.shape(self)[leading + i], out = outs[i], longest = 0, reach = in;
    for (int64_t o = 0; o < out; ++o)
      longest = std::max(longest, ((o + 1) * in + out - 1) / out - o * in / out);
    for (int64_t o = 0; o < out; ++o)
      reach = std::max(reach, o * in / out + longest);
    kernel.push_back(longest);
    high.push_back(reach - in);
    AffineExpr start = in % out == 0 ? b.dim(leading + i) * (in / out) : (b.dim(leading + i) * in).floorDiv(out);
    access.push_back(start + b.dim(rank + i));
  }
  /// Length of the window of output position O along spatial dimension I.
  auto length = [&](Scalar o, unsigned i) {
    int64_t in = b.shape(self)[leading + i], out = outs[i];
    return (o * in + (in + out - 1)) / out - o * in / out; // o is not negative: division rounds down
  };
  auto isUniform = [&](unsigned i) { return b.shape(self)[leading + i] % outs[i] == 0; };

  Value padded = b.pad(self, SmallVector<int64_t>(spatial, 0), high, 0);
  Value sum = b.fold({{padded, b.mapTo(loops, access)}, windowShape(b, loops, kernel, element)},
                     resultMap(b, loops, rank), shape, type, 0, [&](ArrayRef<Scalar> x, Scalar sum) {
                       Scalar value = x[0];
                       for (unsigned i = 0; i < spatial; ++i)
                         if (!isUniform(i)) {
                           Scalar inside = less(b.index(value, rank + i), length(b.index(value, leading + i), i));
                           value = select(inside, value, value.constant(0));
                         }
                       return sum + value;
                     });
  return {b.map({{sum, b.identity(rank)}}, shape, element, [&](ArrayRef<Scalar> x) {
    Scalar result = x[0];
    double uniform = 1;
    for (unsigned i = 0; i < spatial; ++i) {
      if (isUniform(i))
        uniform *= kernel[i];
      else
        result = result / length(b.index(result, leading + i), i).to(result.type());
    }
    return uniform == 1 ? result : result / uniform;
  })};
}

} // namespace

void populateWindowPatterns(RewritePatternSet &patterns) {
  addLowering<aten::MaxPool1dOp>(patterns, lowerMaxPool);
  addLowering<aten::MaxPool2dOp>(patterns, lowerMaxPool);
  addLowering<aten::MaxPool3dOp>(patterns, lowerMaxPool);
  addLowering<aten::AvgPool1dOp>(patterns, lowerAvgPool);
  addLowering<aten::AvgPool2dOp>(patterns, lowerAvgPool);
  addLowering<aten::AvgPool3dOp>(patterns, lowerAvgPool);
  addLowering<aten::AdaptiveAvgPool1dOp>(patterns, lowerAdaptiveAvgPool);
  addLowering<aten::AdaptiveAvgPool2dOp>(patterns, lowerAdaptiveAvgPool);
  addLowering<aten::AdaptiveAvgPool3dOp>(patterns, lowerAdaptiveAvgPool);
}

} // namespace kgen::conversion
