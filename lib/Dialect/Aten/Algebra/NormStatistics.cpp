//===- NormStatistics.cpp - Norms whose result nobody keeps ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group or instance norm is `(x - mean) * scale + bias` with three numbers for each sample and channel, once its
// statistics are known. Where what follows makes less of it (a pool, a reduction) that reads x instead, and the norm's
// result is never written; a mean or sum over all pixels is made of the numbers alone. Statistics are taken of each
// channel; a group's are made of those. The mean of a convolution's outputs is taken in front of it where that is less.
//
//===----------------------------------------------------------------------===//

#include "AlgebraBuilder.h"
#include "SumConvolution.h"
#include "kgen/Dialect/Aten/Algebra.h"

#include <numeric>

using namespace mlir;

namespace kgen::aten {

namespace {

/// A norm over the pixels of groups of channels, each sample by itself.
struct GroupedNorm {
  Value input, weight, bias;
  int64_t groups = 1;
  double eps = 0;

  static std::optional<GroupedNorm> of(Operation *op);
  SmallVector<int64_t> pixels() const {
    SmallVector<int64_t> dims(rankOf(input) - 2);
    std::iota(dims.begin(), dims.end(), 2);
    return dims;
  }
};

/// What the elements of each channel have in common: [samples, channels, 1, ...], the bias [channels, 1, ...] or null.
struct ChannelNumbers {
  Value mean;  ///< of the channel
  Value shift; ///< the group's mean
  Value scale, bias;

  /// VALUE, with the channel's extents or one element of each channel, normalised.
  Value apply(AlgebraBuilder &b, Value value) const {
    Value scaled = b.mul(b.sub(value, shift), scale);
    return bias ? b.add(scaled, bias) : scaled;
  }
};

} // namespace

std::optional<GroupedNorm> GroupedNorm::of(Operation *op) {
  GroupedNorm found;
  if (auto norm = dyn_cast<GroupNormOp>(op))
    found = {norm.getInput(), norm.getWeight(), norm.getBias(), int64_t(norm.getNumGroups()), norm.getEps()};
  else if (auto norm = dyn_cast<InstanceNormOp>(op); norm && norm.getUseInputStats())
    found = {norm.getInput(), norm.getWeight(), norm.getBias(), shapeOf(norm.getInput())[1], norm.getEps()};
  else
    return std::nullopt;
  // Numbers of 16 bits would be rounded once more.
  if (!typeOf(found.input).getElementType().isF32() || rankOf(found.input) < 3)
    return std::nullopt;
  return found;
}

/// The mean of each channel of X.
static Value channelMeans(AlgebraBuilder &b, Value x, ArrayRef<int64_t> pixels) {
  std::optional<Convolution> conv = x.getDefiningOp() ? Convolution::of(x.getDefiningOp()) : std::nullopt;
  SmallVector<int64_t> summed;
  for (int64_t dim : pixels)
    if (shapeOf(x)[dim] != 1)
      summed.push_back(dim);
  if (!conv || summed.empty() || !isSummable(*conv, summed))
    return b.mean(x, pixels);
  SmallVector<unsigned> spatial;
  double count = 1;
  for (int64_t dim : summed) {
    spatial.push_back(dim - 2);
    count *= double(shapeOf(x)[dim]);
  }
  Value mean = b.divide(sumConvolution(b, *conv, conv->input, /*channels=*/false, spatial), count);
  return conv->bias ? b.add(mean, b.ofChannels(conv->bias, rankOf(x))) : mean;
}

static ChannelNumbers findNumbers(AlgebraBuilder &b, PatternRewriter &rewriter, Location loc, const GroupedNorm &norm) {
  const SmallVector<int64_t> pixels = norm.pixels();
  SmallVector<int64_t> shape(shapeOf(norm.input));
  const int64_t samples = shape[0], channels = shape[1], each = channels / norm.groups;
  for (int64_t dim : pixels)
    shape[dim] = 1;
  ChannelNumbers numbers;
  Value variance = VarCorrectionOp::create(rewriter, loc, RankedTensorType::get(shape, rewriter.getF32Type()),
                                           norm.input, pixels, /*correction=*/0.0, /*keepdim=*/true);
  numbers.mean = numbers.shift = channelMeans(b, norm.input, pixels);
  if (each > 1) {
    const SmallVector<int64_t> parts = {samples, norm.groups, each};
    Value means = b.reshape(numbers.mean, parts), apart = b.sub(means, b.mean(means, {2}));
    Value group = b.mean(b.add(b.reshape(variance, parts), b.mul(apart, apart)), {2});
    // The same for each channel of a group.
    variance = b.reshape(b.add(group, b.full({norm.groups, each}, 0.0, rewriter.getF32Type())), shape);
    numbers.shift = b.reshape(b.sub(means, apart), shape);
  }
  Value widened = b.shift(variance, norm.eps);
  numbers.scale = RsqrtOp::create(rewriter, loc, widened.getType(), widened);
  if (norm.weight)
    numbers.scale = b.mul(numbers.scale, b.ofChannels(norm.weight, rankOf(norm.input)));
  if (norm.bias)
    numbers.bias = b.ofChannels(norm.bias, rankOf(norm.input));
  return numbers;
}

/// Whether OP makes at most half as many elements of those of VALUE.
static bool makesLess(Operation *op, Value value) {
  auto cost = dyn_cast<AtenCostOpInterface>(op);
  return cost && (cost.getKind() == OpKind::Window || cost.getKind() == OpKind::Reduction) &&
         op->getOperand(0) == value && typeOf(op->getResult(0)).getNumElements() * 2 <= typeOf(value).getNumElements();
}

/// Whether element-wise ops, and then one that makes less of them, are all that VALUE is for.
static bool isMadeLess(Value value) {
  while (value.hasOneUse()) {
    Operation *user = *value.getUsers().begin();
    if (makesLess(user, value))
      return true;
    auto cost = dyn_cast<AtenCostOpInterface>(user);
    if (!cost || cost.getKind() != OpKind::Elementwise || user->getNumResults() != 1 ||
        shapeOf(user->getResult(0)) != shapeOf(value))
      return false;
    value = user->getResult(0);
  }
  return false;
}

namespace {

struct NormThatIsMadeLess : RewritePattern {
  explicit NormThatIsMadeLess(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    std::optional<GroupedNorm> norm = GroupedNorm::of(op);
    if (!norm || !isMadeLess(op->getResult(0)))
      return rewriter.notifyMatchFailure(op, "no norm that a pool or reduction makes less of");
    AlgebraBuilder b(rewriter, op->getLoc());
    ChannelNumbers numbers = findNumbers(b, rewriter, op->getLoc(), *norm);
    rewriter.replaceOp(op, numbers.apply(b, norm->input));
    return success();
  }
};

/// A mean or sum of a norm over all pixels, and other dimensions besides.
struct MeanOfNorm : RewritePattern {
  explicit MeanOfNorm(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isa<MeanOp, MeanDimOp, SumOp, SumDimIntListOp>(op))
      return failure();
    Operation *made = op->getOperand(0).getDefiningOp();
    std::optional<GroupedNorm> norm = made && made->hasOneUse() ? GroupedNorm::of(made) : std::nullopt;
    if (!norm)
      return failure();
    const int64_t rank = rankOf(norm->input);
    SmallVector<int64_t> dims;
    if (auto mean = dyn_cast<MeanDimOp>(op))
      dims = llvm::to_vector(mean.getDim());
    else if (auto sum = dyn_cast<SumDimIntListOp>(op))
      dims = llvm::to_vector(sum.getDim());
    for (int64_t &dim : dims)
      dim += dim < 0 ? rank : 0;
    SmallVector<int64_t> others;
    double pixels = 1;
    for (int64_t dim = 0; dim < rank; ++dim) {
      const bool folded = dims.empty() || llvm::is_contained(dims, dim);
      if (dim >= 2 && !folded)
        return rewriter.notifyMatchFailure(op, "pixels are left");
      if (dim >= 2)
        pixels *= double(shapeOf(norm->input)[dim]);
      else if (folded)
        others.push_back(dim);
    }
    AlgebraBuilder b(rewriter, op->getLoc());
    ChannelNumbers numbers = findNumbers(b, rewriter, op->getLoc(), *norm);
    Value ofChannels = numbers.apply(b, numbers.mean);
    Value result = isa<MeanOp, MeanDimOp>(op) ? b.mean(ofChannels, others) : b.scale(b.sum(ofChannels, others), pixels);
    auto type = typeOf(op->getResult(0));
    rewriter.replaceOp(op, b.cast(b.reshape(result, type.getShape()), type.getElementType()));
    return success();
  }
};

} // namespace

void populateNormStatistics(RewritePatternSet &patterns) {
  patterns.add<NormThatIsMadeLess, MeanOfNorm>(patterns.getContext());
}

} // namespace kgen::aten
