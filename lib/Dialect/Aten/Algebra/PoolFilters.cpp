//===- PoolFilters.cpp - Average pools as a part of filters ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An average over windows of a convolution is a convolution with a wider filter and a larger stride: outputs that the
// pool would add up are never computed. Behind a transposed convolution whose stride divides the pool's it is a plain
// one. What scales and shifts channels between the two commutes with the average.
//
//===----------------------------------------------------------------------===//

#include "AlgebraBuilder.h"
#include "kgen/Dialect/Aten/Algebra.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace kgen::aten {

namespace {

/// An average over whole windows inside of the input.
struct AveragePool {
  Value input;
  SmallVector<int64_t> window, stride;

  static std::optional<AveragePool> of(Operation *op);
  unsigned first() const { return rankOf(input) - window.size(); } ///< spatial dimension
};

} // namespace

std::optional<AveragePool> AveragePool::of(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<AveragePool>>(op)
      .Case<AvgPool1dOp, AvgPool2dOp, AvgPool3dOp>([](auto pool) -> std::optional<AveragePool> {
        if (pool.getCeilMode() || pool->hasAttr("divisor_override") ||
            llvm::any_of(pool.getPadding(), [](int64_t padding) { return padding != 0; }))
          return std::nullopt;
        return AveragePool{pool.getSelf(), llvm::to_vector(pool.getKernelSize()),
                           llvm::to_vector(pool.getEffectiveStride())};
      })
      .Case<AdaptiveAvgPool1dOp, AdaptiveAvgPool2dOp, AdaptiveAvgPool3dOp>([](auto pool) -> std::optional<AveragePool> {
        AveragePool read{pool.getSelf(), {}, {}};
        ArrayRef<int64_t> in = shapeOf(read.input).take_back(pool.getOutputSize().size());
        for (auto [from, to] : llvm::zip_equal(in, pool.getOutputSize())) {
          if (from % to != 0)
            return std::nullopt;
          read.window.push_back(from / to);
        }
        read.stride = read.window;
        return read;
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// Whether OP multiplies and shifts its operand LINEAR by what is the same in all of a channel's pixels, SPATIAL being
/// the first dimension of these.
static bool keepsAverages(Operation *op, Value linear, unsigned spatial) {
  if (isa<MulScalarOp, DivScalarOp, AddScalarOp, SubScalarOp, RsubScalarOp, NegOp, BatchNormOp>(op))
    return op->getOperand(0) == linear;
  if (!isa<MulTensorOp, DivTensorOp, AddTensorOp, SubTensorOp>(op) || linear.getType() != op->getResult(0).getType())
    return false;
  if (isa<DivTensorOp>(op) && op->getOperand(0) != linear)
    return false;
  Value other = op->getOperand(op->getOperand(0) == linear ? 1 : 0);
  const int64_t pixels = rankOf(linear) - int64_t(spatial);
  return other != linear && llvm::all_of(shapeOf(other).take_back(std::min(pixels, rankOf(other))),
                                         [](int64_t extent) { return extent == 1; });
}

namespace {

/// A convolution, what scales and shifts its channels (nearest to it first), and the pool behind.
struct PooledConvolution {
  Convolution conv;
  SmallVector<Operation *> between;
  AveragePool pool;

  static std::optional<PooledConvolution> of(Operation *op);
};

int64_t ceilDiv(int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -((-a) / b); }
int64_t floorDiv(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/// The taps of a plain convolution in the place of a transposed one and its pool, along one dimension.
struct Taps {
  int64_t first, count; ///< input positions, from that of the window's output times `step` on
  int64_t step;
  int64_t padding = 0, skipped = 0; ///< of the input, and outputs that it adds in front

  Taps(const Convolution &conv, const AveragePool &pool, unsigned i) {
    const int64_t reach = (conv.taps(i) - 1) * conv.dilation[i];
    first = ceilDiv(conv.padding[i] - reach, conv.stride[i]);
    count = floorDiv(pool.window[i] - 1 + conv.padding[i], conv.stride[i]) - first + 1;
    step = pool.stride[i] / conv.stride[i];
  }
  /// Pads until there are OUT outputs of IN positions.
  bool reach(int64_t in, int64_t out) {
    constexpr int64_t mostSkipped = 4;
    for (skipped = 0; skipped <= mostSkipped; ++skipped) {
      padding = -first + skipped * step;
      if (padding >= 0 && (in + 2 * padding - count) / step + 1 >= out + skipped)
        return true;
    }
    return false;
  }
};

} // namespace

std::optional<PooledConvolution> PooledConvolution::of(Operation *op) {
  std::optional<AveragePool> pool = AveragePool::of(op);
  if (!pool)
    return std::nullopt;
  PooledConvolution found{{}, {}, *pool};
  Value value = pool->input;
  while (value.getDefiningOp() && value.hasOneUse()) {
    Operation *def = value.getDefiningOp();
    if (std::optional<Convolution> conv = Convolution::of(def)) {
      if (conv->dims() != pool->window.size())
        return std::nullopt;
      found.conv = *conv;
      std::reverse(found.between.begin(), found.between.end());
      return found;
    }
    Value next;
    for (Value operand : def->getOperands())
      if (!next && def->getNumResults() == 1 && operand.getDefiningOp() && keepsAverages(def, operand, pool->first()))
        next = operand;
    if (!next)
      return std::nullopt;
    found.between.push_back(def);
    value = next;
  }
  return std::nullopt;
}

/// What each tap of the filter counts in each of the wider one, along dimension I: how many of the window's outputs
/// have it there.
static SmallVector<SmallVector<double>> spreadOf(const PooledConvolution &pooled, ArrayRef<Taps> taps, unsigned i) {
  const Convolution &conv = pooled.conv;
  const int64_t window = pooled.pool.window[i], stride = conv.stride[i], dilation = conv.dilation[i];
  const int64_t wide = conv.transposed ? taps[i].count : (window - 1) * stride + (conv.taps(i) - 1) * dilation + 1;
  SmallVector<SmallVector<double>> counts(wide, SmallVector<double>(conv.taps(i), 0.0));
  for (int64_t output = 0; output < window; ++output)
    for (int64_t tap = 0; tap < conv.taps(i); ++tap) {
      if (!conv.transposed) {
        counts[output * stride + tap * dilation][tap] += 1;
        continue;
      }
      const int64_t input = output + conv.padding[i] - tap * dilation;
      if (input % stride == 0)
        counts[input / stride - taps[i].first][tap] += 1;
    }
  return counts;
}

/// [filters][channels of a group][taps] of the plain convolution LIKE, which computes the pooled one at once.
static Value poolFilters(AlgebraBuilder &b, const PooledConvolution &pooled, ArrayRef<Taps> taps, Convolution &like) {
  const Convolution &conv = pooled.conv;
  const unsigned dims = conv.dims();
  ArrayRef<int64_t> shape = shapeOf(conv.weight);
  SmallVector<int64_t> whole = {shape[0], shape[1]};
  Value weight = conv.weight;
  like = conv;
  like.transposed = false;
  like.outputPadding.clear();
  like.dilation.assign(dims, 1);
  if (conv.transposed) { // [group][channel][filter] to [group][filter][channel]
    SmallVector<int64_t> grouped = {conv.groups, shape[0] / conv.groups, shape[1]}, order = {0, 2, 1};
    for (unsigned i = 0; i < dims; ++i) {
      grouped.push_back(conv.taps(i));
      order.push_back(i + 3);
    }
    whole = {conv.groups * shape[1], shape[0] / conv.groups};
    weight = b.permute(b.reshape(weight, grouped), order);
  }
  // The product over dimensions of what taps count, as one matrix.
  SmallVector<double> matrix = {1.0};
  int64_t rows = 1, columns = 1;
  for (unsigned i = 0; i < dims; ++i) {
    SmallVector<SmallVector<double>> counts = spreadOf(pooled, taps, i);
    const int64_t wide = counts.size(), narrow = conv.taps(i);
    SmallVector<double> next(rows * wide * columns * narrow);
    for (int64_t row = 0; row < rows * wide; ++row)
      for (int64_t column = 0; column < columns * narrow; ++column)
        next[row * columns * narrow + column] =
            matrix[row / wide * columns + column / narrow] * counts[row % wide][column % narrow];
    matrix = std::move(next);
    rows *= wide;
    columns *= narrow;
    whole.push_back(wide);
    like.stride[i] = conv.transposed ? taps[i].step : conv.stride[i] * pooled.pool.stride[i];
    if (conv.transposed)
      like.padding[i] = taps[i].padding;
  }
  Value spread = b.constant({rows, columns}, matrix, typeOf(weight).getElementType());
  Value products = b.mul(b.reshape(weight, {whole[0] * whole[1], 1, columns}), spread);
  return b.reshape(b.divide(b.sumAway(products, 2), double(productOf(pooled.pool.window))), whole);
}

namespace {

struct PoolBehindConvolution : RewritePattern {
  explicit PoolBehindConvolution(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    std::optional<PooledConvolution> pooled = PooledConvolution::of(op);
    if (!pooled)
      return rewriter.notifyMatchFailure(op, "no average of a convolution");
    const Convolution &conv = pooled->conv;
    const AveragePool &pool = pooled->pool;
    // A filter of 16-bit floats would be rounded once more.
    if (typeOf(conv.weight).getElementTypeBitWidth() < 32)
      return rewriter.notifyMatchFailure(op, "16-bit weights");
    ArrayRef<int64_t> out = shapeOf(op->getResult(0)).drop_front(2);
    constexpr double mostOfBefore = 0.75; // what is gained has to be worth another kernel for the filters
    SmallVector<Taps> taps;
    constexpr double mostNumbers = 1 << 14; // of a matrix in the text; an average of all outputs is no filter's
    double before = 1, after = 1, wide = 1;
    for (unsigned i = 0; i < conv.dims(); ++i) {
      before *= double(conv.taps(i)) * double(conv.transposed ? conv.in(i) : conv.out(i));
      if (!conv.transposed) {
        const int64_t reach = (pool.window[i] - 1) * conv.stride[i] + (conv.taps(i) - 1) * conv.dilation[i] + 1;
        after *= double(reach) * double(out[i]);
        wide *= double(reach);
        continue;
      }
      if (pool.stride[i] % conv.stride[i] != 0)
        return rewriter.notifyMatchFailure(op, "the convolution's stride does not divide the pool's");
      taps.emplace_back(conv, pool, i);
      if (taps.back().count < 1 || !taps.back().reach(conv.in(i), out[i]))
        return rewriter.notifyMatchFailure(op, "positions in front of the input's begin");
      after *= double(taps.back().count) * double(out[i]);
      wide *= double(taps.back().count);
    }
    const double narrow = double(productOf(shapeOf(conv.weight).drop_front(2)));
    if (after > mostOfBefore * before || wide * narrow > mostNumbers)
      return rewriter.notifyMatchFailure(op, "the wider filter costs as much");

    AlgebraBuilder b(rewriter, op->getLoc());
    Convolution like;
    Value weight = poolFilters(b, *pooled, taps, like);
    Value value = b.convolve(conv.input, weight, conv.bias, like);
    for (unsigned i = 0; i < taps.size(); ++i)
      value = b.slice(value, i + 2, taps[i].skipped, taps[i].skipped + out[i]);
    Value inner = conv.op->getResult(0);
    for (Operation *each : pooled->between) {
      SmallVector<Value> operands(each->getOperands());
      for (Value &operand : operands)
        operand = operand == inner ? value : operand;
      inner = each->getResult(0);
      value = b.copy(each, operands, shapeOf(op->getResult(0)));
    }
    rewriter.replaceOp(op, value);
    return success();
  }
};

/// Pools of neighbouring windows in series are one.
struct PoolBehindPool : RewritePattern {
  explicit PoolBehindPool(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    std::optional<AveragePool> outer = AveragePool::of(op);
    if (!outer || !outer->input.hasOneUse() || !outer->input.getDefiningOp() ||
        !isa<AvgPool1dOp, AvgPool2dOp, AvgPool3dOp>(outer->input.getDefiningOp()))
      return failure();
    std::optional<AveragePool> inner = AveragePool::of(outer->input.getDefiningOp());
    if (!inner || inner->window != inner->stride || inner->window.size() != outer->window.size())
      return rewriter.notifyMatchFailure(op, "no pool of neighbouring windows in front");
    SmallVector<int64_t> window, stride;
    for (auto [ours, theirs, step] : llvm::zip_equal(outer->window, inner->window, outer->stride)) {
      window.push_back(ours * theirs);
      stride.push_back(step * theirs);
    }
    Operation *pool = rewriter.clone(*outer->input.getDefiningOp());
    pool->setAttr("kernel_size", rewriter.getDenseI64ArrayAttr(window));
    pool->setAttr("stride", rewriter.getDenseI64ArrayAttr(stride));
    pool->getResult(0).setType(op->getResult(0).getType());
    rewriter.replaceOp(op, pool->getResult(0));
    return success();
  }
};

} // namespace

void populatePoolFilters(RewritePatternSet &patterns) {
  patterns.add<PoolBehindConvolution, PoolBehindPool>(patterns.getContext());
}

} // namespace kgen::aten
