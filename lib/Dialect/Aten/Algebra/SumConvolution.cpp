//===- SumConvolution.cpp - Sums of a convolution's outputs ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each tap of a filter meets a run of input positions (all but some at the borders, or every stride-th of them), and
// the sum over outputs is the sum over taps of the tap's weight times the sum of those. So along each summed dimension
// input positions are folded into taps. Taps that all meet the same positions are one, whose weight is the sum of
// theirs. Where only borders differ, the sum of all positions is taken once and what a tap does not meet is taken from
// it: the input is read once.
//
//===----------------------------------------------------------------------===//

#include "SumConvolution.h"

using namespace mlir;

namespace kgen::aten {

namespace {

/// The input positions that a tap meets: BEGIN, BEGIN + step, ... in front of END.
struct Run {
  int64_t begin, end;
  bool operator==(const Run &other) const { return begin == other.begin && end == other.end; }
};

/// The runs of all taps along one dimension.
struct Runs {
  SmallVector<Run> taps;
  int64_t step = 1, positions = 0;

  bool alike() const { return step == 1 && llvm::all_equal(taps); }
  bool meets(size_t tap, int64_t position) const {
    const Run &run = taps[tap];
    return position >= run.begin && position < run.end && (position - run.begin) % step == 0;
  }
  /// How many positions at the begin and at the end some tap does not meet.
  std::pair<int64_t, int64_t> borders() const {
    int64_t front = 0, back = 0;
    for (const Run &run : taps) {
      front = std::max(front, std::min(run.begin, positions));
      back = std::max(back, positions - run.end);
    }
    return {front, back};
  }
  /// Whether taps differ at the borders only, and little is left out there: all positions are summed once then.
  bool differAtBorders() const {
    constexpr int64_t fewest = 4; // positions for each at a border
    auto [front, back] = borders();
    return step == 1 && fewest * (front + back) <= positions;
  }
  /// The numbers of a mask that says which of all positions a tap meets.
  int64_t numbers() const { return int64_t(taps.size()) * positions; }
};

} // namespace

static int64_t ceilDiv(int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -((-a) / b); }
static int64_t floorDiv(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

static Runs runsOf(const Convolution &conv, unsigned dim) {
  Runs runs;
  const int64_t in = conv.in(dim), out = conv.out(dim), stride = conv.stride[dim];
  runs.positions = in;
  runs.step = conv.transposed ? 1 : stride;
  for (int64_t tap = 0; tap < conv.taps(dim); ++tap) {
    const int64_t shift = tap * conv.dilation[dim] - conv.padding[dim];
    Run run;
    if (conv.transposed) { // output = input * stride + shift
      run.begin = std::max<int64_t>(0, ceilDiv(-shift, stride));
      run.end = std::min(in - 1, floorDiv(out - 1 - shift, stride)) + 1;
    } else { // input = output * stride + shift
      const int64_t first = std::max<int64_t>(0, ceilDiv(-shift, stride));
      const int64_t last = std::min(out - 1, floorDiv(in - 1 - shift, stride));
      run.begin = first * stride + shift;
      run.end = last < first ? run.begin : last * stride + shift + 1;
    }
    if (run.end <= run.begin)
      run = {0, 0};
    runs.taps.push_back(run);
  }
  return runs;
}

constexpr int64_t mostNumbers = 1 << 14; // of a mask, which stands in the text

bool isSummable(const Convolution &conv, ArrayRef<int64_t> dims) {
  for (int64_t dim : dims) {
    if (dim < 2)
      continue;
    const Runs runs = runsOf(conv, dim - 2);
    if (runs.alike() && runs.taps[0].begin == runs.taps[0].end)
      return false; // no output sees an input
    if (!runs.alike() &&
        (conv.taps(dim - 2) >= runs.positions || (runs.numbers() > mostNumbers && !runs.differAtBorders())))
      return false;
  }
  return !dims.empty();
}

/// Folds positions of VALUE's dimension DIM into taps, the sum of those that each meets.
static Value foldPositions(AlgebraBuilder &b, Value value, int64_t dim, const Runs &runs) {
  const int64_t taps = runs.taps.size();
  auto masked = [&](Value part, ArrayRef<int64_t> positions, bool met) {
    SmallVector<bool> others;
    for (int64_t tap = 0; tap < taps; ++tap)
      for (int64_t position : positions)
        others.push_back(runs.meets(tap, position) != met);
    SmallVector<int64_t> shape(shapeOf(part)), maskShape(shape.size() - dim + 1, 1);
    if (positions.size() == 1) { // nothing to add up
      maskShape.pop_back();
      maskShape[0] = taps;
      return b.zeroWhere(part, maskShape, others);
    }
    maskShape[0] = taps;
    maskShape[1] = shape[dim];
    shape.insert(shape.begin() + dim, 1);
    return b.sumAway(b.zeroWhere(b.reshape(part, shape), maskShape, others), dim + 1);
  };
  auto [front, back] = runs.borders();
  constexpr int64_t little = 1 << 22; // products, which take less time than another kernel
  const bool isLittle = typeOf(value).getNumElements() * taps <= little && runs.numbers() <= mostNumbers;
  if (isLittle || !runs.differAtBorders()) {
    SmallVector<int64_t> all;
    for (int64_t position = 0; position < runs.positions; ++position)
      all.push_back(position);
    return masked(value, all, true);
  }
  SmallVector<int64_t> positions;
  SmallVector<Value> parts;
  for (int64_t position = 0; position < front; ++position)
    positions.push_back(position);
  for (int64_t position = runs.positions - back; position < runs.positions; ++position)
    positions.push_back(position);
  if (front)
    parts.push_back(b.slice(value, dim, 0, front));
  if (back)
    parts.push_back(b.slice(value, dim, runs.positions - back, runs.positions));
  return b.sub(b.sum(value, {dim}), masked(b.cat(parts, dim), positions, false));
}

Value sumConvolution(AlgebraBuilder &b, const Convolution &conv, Value input, bool channels,
                     ArrayRef<unsigned> spatial) {
  const unsigned dims = conv.dims();
  const int64_t images = shapeOf(input)[0], inputs = shapeOf(input)[1], groups = conv.groups;
  int64_t filters = conv.filters() / groups; // of a group
  // [group][filter][channel][taps]
  Value weight = b.widen(conv.weight);
  SmallVector<int64_t> taps(shapeOf(weight).drop_front(2));
  auto withTaps = [&](ArrayRef<int64_t> front) {
    SmallVector<int64_t> shape(front);
    shape.append(taps);
    return shape;
  };
  // Taps that are alike are one, before anything is moved.
  SmallVector<int64_t> alike;
  for (unsigned dim : spatial)
    if (runsOf(conv, dim).alike()) {
      alike.push_back(dim + 2);
      taps[dim] = 1;
    }
  weight = b.sum(weight, alike);
  if (conv.transposed) {
    SmallVector<int64_t> order = {0, 2, 1};
    for (unsigned i = 0; i < dims; ++i)
      order.push_back(3 + i);
    weight = b.permute(b.reshape(weight, withTaps({groups, inputs / groups, filters})), order);
  } else {
    weight = b.reshape(weight, withTaps({groups, filters, inputs / groups}));
  }
  int64_t sections = groups;
  if (channels) { // every filter sees its group's channels, so that the sum of all sees every one
    weight = b.reshape(b.sum(weight, {1}), withTaps({1, 1, inputs}));
    sections = filters = 1;
  }

  // Dimensions of which all taps meet the same: one sum. Then the longest, and the contiguous one at the end.
  SmallVector<unsigned> order;
  SmallVector<int64_t> whole;
  Value sums = input;
  for (unsigned dim : spatial) {
    const Runs runs = runsOf(conv, dim);
    if (!runs.alike()) {
      order.push_back(dim);
      continue;
    }
    sums = b.slice(sums, dim + 2, runs.taps[0].begin, runs.taps[0].end);
    whole.push_back(dim + 2);
  }
  sums = b.sum(sums, whole);
  llvm::sort(order, [&](unsigned left, unsigned right) {
    if ((left + 1 == dims) != (right + 1 == dims))
      return right + 1 == dims;
    const int64_t first = conv.in(left)*conv.taps(right);
    const int64_t second = conv.in(right)*conv.taps(left);
    return first != second ? first > second : left < right;
  });
  for (unsigned dim : order)
    sums = foldPositions(b, sums, dim + 2, runsOf(conv, dim));

  SmallVector<unsigned> rest;
  for (unsigned dim = 0; dim < dims; ++dim)
    if (!llvm::is_contained(spatial, dim))
      rest.push_back(dim);
  int64_t folded = 1; // taps that are channels now
  for (unsigned dim : spatial)
    folded *= taps[dim];
  SmallVector<int64_t> shape = {images, sections * filters};
  if (rest.empty()) {
    const int64_t depth = inputs / sections * folded;
    constexpr int64_t fewProducts = 1 << 25;
    if (sections == 1 && images * filters * depth > fewProducts) {
      Value product = b.linear(b.reshape(sums, {images, depth}), b.reshape(weight, {filters, depth}));
      shape.append(dims, 1);
      return b.reshape(product, shape);
    }
    shape.append(dims, 1);
    if (sections == 1) { // as the outputs lie, so that what follows joins the kernel
      SmallVector<int64_t> left = {images, 1}, right = {filters};
      left.append(dims - 1, 1), right.append(dims - 1, 1);
      left.push_back(depth), right.push_back(depth);
      return b.sum(b.mul(b.reshape(sums, left), b.reshape(weight, right)), {int64_t(dims) + 1});
    }
    Value product = b.mul(b.reshape(sums, {images, sections, 1, depth}), b.reshape(weight, {sections, filters, depth}));
    return b.reshape(b.sumAway(product, 3), shape);
  }

  // A convolution of what is left, with the folded taps as channels.
  SmallVector<int64_t> inputOrder = {0, 1}, weightOrder = {0, 1, 2};
  SmallVector<int64_t> inputShape = {images, inputs * folded}, weightShape;
  if (conv.transposed) // [channel][filter of a group]
    weightOrder = {0, 2};
  for (unsigned dim : spatial)
    inputOrder.push_back(dim + 2), weightOrder.push_back(dim + 3);
  if (conv.transposed) {
    weightOrder.push_back(1);
    weightShape = {inputs * folded, filters};
  } else {
    weightShape = {sections * filters, inputs / sections * folded};
  }
  Convolution left = conv;
  left.groups = sections;
  left.stride.clear(), left.padding.clear(), left.dilation.clear(), left.outputPadding.clear();
  for (unsigned dim : rest) {
    inputOrder.push_back(dim + 2), weightOrder.push_back(dim + 3);
    inputShape.push_back(shapeOf(sums)[dim + 2]), weightShape.push_back(taps[dim]);
    left.stride.push_back(conv.stride[dim]), left.padding.push_back(conv.padding[dim]);
    left.dilation.push_back(conv.dilation[dim]);
    if (conv.transposed)
      left.outputPadding.push_back(conv.outputPadding[dim]);
  }
  Value result = b.convolve(b.reshape(b.permute(sums, inputOrder), inputShape),
                            b.reshape(b.permute(weight, weightOrder), weightShape), Value(), left);
  for (unsigned dim = 0, next = 2; dim < dims; ++dim)
    shape.push_back(llvm::is_contained(spatial, dim) ? 1 : shapeOf(result)[next++]);
  return b.reshape(result, shape);
}

} // namespace kgen::aten
