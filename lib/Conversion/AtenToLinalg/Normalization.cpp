//===- Normalization.cpp - Normalisation and softmax ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Rows.h"
#include "kgen/Dialect/Aten/Aten.h"

using namespace mlir;

namespace kgen::conversion {
namespace {

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// Both forms evaluate the exponential again instead of keeping it: a row of 65536 doubles by 4096 rows is
/// 2 GiB, and on a card the second evaluation costs less than the traffic.
template <typename OpT, bool logarithm>
SmallVector<Value> lowerSoftmax(OpT op, LinalgBuilder &b) {
  Value self = op.getSelf();
  int64_t rank = b.rank(self);
  Rows rows(b, self, Rows::dims({static_cast<int64_t>(op.getDim())}, rank));
  Value max = rows.max();
  Value sum = rows.sum({rows.self(), rows.read(max)}, [](ArrayRef<Scalar> x) { return exp(x[0] - x[1]); });
  return {b.map({rows.self(), rows.read(max), rows.read(sum)}, b.shape(self), b.element(self), [](ArrayRef<Scalar> x) {
    Scalar shifted = x[0] - x[1];
    return logarithm ? shifted - log(x[2]) : exp(shifted) / x[2];
  })};
}

//===----------------------------------------------------------------------===//
// (x - mean) / sqrt(variance + eps) * weight + bias
//===----------------------------------------------------------------------===//

/// WEIGHT and BIAS, each absent or with its own map into the iteration space of X.
struct Affine {
  Operand weight, bias;
};

/// Normalizes X given its MEAN and reciprocal deviation SCALE.
Value normalize(LinalgBuilder &b, Operand x, Operand mean, Operand scale, const Affine &affine) {
  SmallVector<Operand> inputs = {x, mean, scale};
  for (const Operand &operand : {affine.weight, affine.bias})
    if (operand.tensor)
      inputs.push_back(operand);
  return b.map(inputs, b.shape(x.tensor), b.element(x.tensor), [&](ArrayRef<Scalar> in) {
    Scalar result = (in[0] - in[1]) * in[2];
    if (affine.weight.tensor)
      result = result * in[3];
    return affine.bias.tensor ? result + in.back() : result;
  });
}

/// Over ROWS with their own statistics, in two passes: the mean, then the centred squares. One pass over x and
/// x * x loses every digit when the mean is large against the deviation.
Value normalizeRows(LinalgBuilder &b, Rows &rows, double eps, const Affine &affine) {
  Value mean = rows.mean();
  Value squares = rows.sum({rows.self(), rows.read(mean)}, [](ArrayRef<Scalar> x) {
    Scalar centred = x[0] - x[1];
    return centred * centred;
  });
  Value scale = b.map({{squares, b.identity(rows.keptShape.size())}}, rows.keptShape, rows.type,
                      [&](ArrayRef<Scalar> x) { return rsqrt(x[0] / rows.count + eps); });
  return normalize(b, rows.self(), rows.read(mean), rows.read(scale), affine);
}

/// Over channels, dimension 1 of INPUT, with given statistics.
Value normalizeChannels(LinalgBuilder &b, Value input, Value mean, Value variance, double eps, Value weight,
                        Value bias) {
  AffineMap channel = b.along(b.rank(input), {1});
  Value scale = b.map({{variance, b.identity(1)}}, b.shape(variance), computeType(b.element(input)),
                      [&](ArrayRef<Scalar> x) { return rsqrt(x[0] + eps); });
  return normalize(b, {input, b.identity(b.rank(input))}, {mean, channel}, {scale, channel},
                   {{weight, channel}, {bias, channel}});
}

SmallVector<Value> lowerBatchNorm(aten::BatchNormOp op, LinalgBuilder &b) {
  return {normalizeChannels(b, op.getInput(), op.getRunningMean(), op.getRunningVar(), op.getEps(), op.getWeight(),
                            op.getBias())};
}

SmallVector<Value> lowerInstanceNorm(aten::InstanceNormOp op, LinalgBuilder &b) {
  Value input = op.getInput();
  double eps = op.getEps();
  if (!op.getUseInputStats())
    return {normalizeChannels(b, input, op.getRunningMean(), op.getRunningVar(), eps, op.getWeight(), op.getBias())};
  llvm::SmallBitVector spatial(b.rank(input), true);
  spatial.reset(0, 2);
  Rows rows(b, input, spatial);
  AffineMap channel = b.along(b.rank(input), {1});
  return {normalizeRows(b, rows, eps, {{op.getWeight(), channel}, {op.getBias(), channel}})};
}

SmallVector<Value> lowerGroupNorm(aten::GroupNormOp op, LinalgBuilder &b) {
  ArrayRef<int64_t> shape = b.shape(op.getInput());
  int64_t groups = op.getNumGroups(), perGroup = shape[1] / groups;
  // (N, C, ...) as (N, group, channel of the group, ...); channel vectors as (group, channel).
  SmallVector<int64_t> grouped = {shape[0], groups, perGroup};
  llvm::append_range(grouped, shape.drop_front(2));
  llvm::SmallBitVector folded(grouped.size(), true);
  folded.reset(0, 2);
  Rows rows(b, b.reshape(op.getInput(), grouped), folded);
  AffineMap channel = b.along(grouped.size(), {1, 2});
  auto perChannel = [&](Value vector) {
    return Operand{vector ? b.reshape(vector, {groups, perGroup}) : vector, channel};
  };
  Affine affine = {perChannel(op.getWeight()), perChannel(op.getBias())};
  return {b.reshape(normalizeRows(b, rows, op.getEps(), affine), shape)};
}

SmallVector<Value> lowerLayerNorm(aten::LayerNormOp op, LinalgBuilder &b) {
  Value input = op.getInput();
  int64_t rank = b.rank(input), leading = rank - op.getNormalizedShape().size();
  llvm::SmallBitVector folded(rank);
  folded.set(leading, rank);
  Rows rows(b, input, folded);
  AffineMap last = b.along(rank, llvm::to_vector(llvm::seq<int64_t>(leading, rank)));
  return {normalizeRows(b, rows, op.getEps(), {{op.getWeight(), last}, {op.getBias(), last}})};
}

} // namespace

void populateNormalizationPatterns(RewritePatternSet &patterns) {
  addLowering<aten::SoftmaxIntOp>(patterns, lowerSoftmax<aten::SoftmaxIntOp, false>);
  addLowering<aten::LogSoftmaxIntOp>(patterns, lowerSoftmax<aten::LogSoftmaxIntOp, true>);
  addLowering<aten::BatchNormOp>(patterns, lowerBatchNorm);
  addLowering<aten::GroupNormOp>(patterns, lowerGroupNorm);
  addLowering<aten::InstanceNormOp>(patterns, lowerInstanceNorm);
  addLowering<aten::LayerNormOp>(patterns, lowerLayerNorm);
}

} // namespace kgen::conversion
