//===- ReduceFirst.cpp - Sums in front of what is linear ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sum over outputs of x * W^T + b is x times the sum of W's rows, plus the sum of b: a product of two matrices
// becomes one with a vector. A sum is followed back through what is linear in its operand until it meets a product;
// nothing is rewritten where it meets none, or where somebody else needs the product's result.
//
//===----------------------------------------------------------------------===//

#include "AlgebraBuilder.h"
#include "SumConvolution.h"
#include "kgen/Dialect/Aten/Algebra.h"
#include "kgen/Dialect/Aten/Views.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace kgen::aten {

using Dims = SmallVector<int64_t>;

/// DIMS of VALUE, counted from the front and ascending, without those of extent 1; an empty list means all.
static Dims normalized(Value value, ArrayRef<int64_t> dims) {
  Dims list;
  const int64_t rank = rankOf(value);
  for (int64_t dim = 0; dim < rank; ++dim)
    if (shapeOf(value)[dim] != 1 &&
        (dims.empty() || llvm::is_contained(dims, dim) || llvm::is_contained(dims, dim - rank)))
      list.push_back(dim);
  return list;
}

static int64_t countOf(Value value, ArrayRef<int64_t> dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= shapeOf(value)[dim];
  return count;
}

static SmallVector<int64_t> keptShape(Value value, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape(shapeOf(value));
  for (int64_t dim : dims)
    shape[dim] = 1;
  return shape;
}

/// What DIMS of an element-wise RESULT are in OPERAND, which is broadcast; COUNT is how often it is repeated along the
/// others.
static Dims dimsOfOperand(Value result, ArrayRef<int64_t> dims, Value operand, int64_t &count) {
  Dims own;
  count = 1;
  for (int64_t dim : dims) {
    const int64_t place = dim - (rankOf(result) - rankOf(operand));
    if (place >= 0 && shapeOf(operand)[place] != 1)
      own.push_back(place);
    else
      count *= shapeOf(result)[dim];
  }
  return own;
}

static bool isConstantOver(Value result, ArrayRef<int64_t> dims, Value operand) {
  int64_t count;
  return dimsOfOperand(result, dims, operand, count).empty();
}

/// What DIMS of RESULT, a view of SOURCE with its order, are in SOURCE; nothing where they are parts of dimensions.
static std::optional<Dims> dimsBeforeReshape(Value result, ArrayRef<int64_t> dims, Value source) {
  ArrayRef<int64_t> from = shapeOf(source), to = shapeOf(result);
  Dims own;
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    const size_t firstFrom = i, firstTo = j;
    int64_t left = from[i++], right = to[j++];
    while (left != right)
      if (left < right && i < from.size())
        left *= from[i++];
      else if (j < to.size())
        right *= to[j++];
      else
        return std::nullopt;
    size_t folded = 0, all = 0;
    for (size_t dim = firstTo; dim < j; ++dim)
      if (to[dim] != 1) {
        ++all;
        folded += llvm::is_contained(dims, int64_t(dim));
      }
    if (folded != 0 && folded != all)
      return std::nullopt;
    for (size_t dim = firstFrom; folded && dim < i; ++dim)
      if (from[dim] != 1)
        own.push_back(dim);
  }
  return own;
}

static bool isFloat(Value value) { return isa<FloatType>(typeOf(value).getElementType()); }

namespace {

/// Follows sums, or means, back. A mean stays one on its way, so that what is shifted is shifted once; a sum is never
/// divided, so that integers stay exact.
class Sums {
public:
  Sums(PatternRewriter &rewriter, Location loc, bool mean) : b(rewriter, loc), mean(mean) {}

  /// Whether the sum of VALUE over DIMS meets a product that becomes smaller by it.
  static bool meetProduct(Value value, ArrayRef<int64_t> dims);

  /// The sum or mean of VALUE over DIMS, which stay with extent 1, in the type in which its elements are summed.
  Value of(Value value, ArrayRef<int64_t> dims);

  AlgebraBuilder b;

private:
  Value fold(Value value, ArrayRef<int64_t> dims) { return mean ? b.mean(value, dims) : b.sum(value, dims); }
  /// How often what is the same along DIMS of VALUE counts.
  double weightOf(Value value, ArrayRef<int64_t> dims) const { return mean ? 1.0 : double(countOf(value, dims)); }

  /// The operand that OP, of one element in and out, is linear in, and the dims of the sum there; nothing where it is
  /// none of those.
  static std::optional<std::pair<Value, Dims>> throughOne(Operation *op, ArrayRef<int64_t> dims);

  Value ofElementwise(Operation *op, ArrayRef<int64_t> dims);
  Value ofNorm(BatchNormOp norm, ArrayRef<int64_t> dims);
  Value ofLinear(LinearOp linear, Dims dims);
  Value ofProduct(Operation *op, Dims dims);
  Value ofConvolution(const Convolution &conv, ArrayRef<int64_t> dims);

  bool mean;
};

} // namespace

std::optional<std::pair<Value, Dims>> Sums::throughOne(Operation *op, ArrayRef<int64_t> dims) {
  Value result = op->getResult(0);
  if (isa<MulScalarOp, DivScalarOp, AddScalarOp, SubScalarOp, RsubScalarOp, NegOp, ToCopyOp>(op) &&
      isFloat(op->getOperand(0)) && isFloat(result))
    return std::pair(op->getOperand(0), Dims(dims));
  if (auto norm = dyn_cast<BatchNormOp>(op); norm && !llvm::is_contained(dims, 1))
    return std::pair(Value(norm.getInput()), Dims(dims));
  if (isReshape(op)) {
    if (std::optional<Dims> own = dimsBeforeReshape(result, dims, op->getOperand(0)))
      return std::pair(op->getOperand(0), *own);
    return std::nullopt;
  }
  if (std::optional<Dims> permutation = permutationOf(op)) {
    Dims own;
    for (int64_t dim : dims)
      own.push_back((*permutation)[dim]);
    llvm::sort(own);
    return std::pair(op->getOperand(0), own);
  }
  return std::nullopt;
}

/// The operand that a product or quotient of two tensors is linear in where the other one is the same all along DIMS.
static std::optional<unsigned> factorOver(Operation *op, ArrayRef<int64_t> dims) {
  if (!isFloat(op->getResult(0)))
    return std::nullopt;
  for (unsigned linear : {0, 1}) {
    if (isa<DivTensorOp>(op) && linear == 1)
      break;
    if (isConstantOver(op->getResult(0), dims, op->getOperand(1 - linear)))
      return linear;
  }
  return std::nullopt;
}

bool Sums::meetProduct(Value value, ArrayRef<int64_t> all) {
  Dims dims;
  for (int64_t dim : all)
    if (shapeOf(value)[dim] != 1)
      dims.push_back(dim);
  Operation *op = value.getDefiningOp();
  if (dims.empty() || !op || !value.hasOneUse())
    return false;
  if (auto next = throughOne(op, dims))
    return meetProduct(next->first, next->second);
  auto meetsIn = [&](unsigned operand) {
    int64_t count;
    Dims own = dimsOfOperand(value, dims, op->getOperand(operand), count);
    return meetProduct(op->getOperand(operand), own);
  };
  if (isa<AddTensorOp, SubTensorOp>(op))
    return isFloat(value) && (meetsIn(0) || meetsIn(1));
  if (isa<MulTensorOp, DivTensorOp>(op)) {
    std::optional<unsigned> linear = factorOver(op, dims);
    return linear && meetsIn(*linear);
  }
  if (isa<LinearOp>(op))
    return rankOf(value) >= 2 || dims.back() == 0;
  if (isa<MmOp, BmmOp, MatmulOp>(op))
    return rankOf(op->getOperand(0)) >= 2 && rankOf(op->getOperand(1)) >= 2 && dims.back() >= rankOf(value) - 2;
  if (auto conv = Convolution::of(op))
    return isSummable(*conv, dims);
  return false;
}

Value Sums::ofElementwise(Operation *op, ArrayRef<int64_t> dims) {
  Value result = op->getResult(0);
  const double count = weightOf(result, dims);
  auto part = [&](unsigned operand) {
    int64_t repeated;
    Dims own = dimsOfOperand(result, dims, op->getOperand(operand), repeated);
    return b.scale(of(op->getOperand(operand), own), mean ? 1.0 : double(repeated));
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<MulScalarOp>([&](auto mul) { return b.scale(part(0), mul.getOther()); })
      .Case<DivScalarOp>([&](auto div) { return b.divide(part(0), div.getOther()); })
      .Case<AddScalarOp>([&](auto add) { return b.shift(part(0), count * add.getAlpha() * add.getOther()); })
      .Case<SubScalarOp>([&](auto sub) { return b.shift(part(0), -count * sub.getAlpha() * sub.getOther()); })
      .Case<RsubScalarOp>([&](auto sub) { return b.shift(b.scale(part(0), -sub.getAlpha()), count * sub.getOther()); })
      .Case<NegOp>([&](auto) { return b.neg(part(0)); })
      .Case<ToCopyOp>([&](auto copy) {
        Type element = typeOf(copy).getElementType();
        return b.cast(part(0), element.getIntOrFloatBitWidth() < 32 ? Float32Type::get(op->getContext()) : element);
      })
      .Case<AddTensorOp>([&](auto add) { return b.add(part(0), part(1), add.getAlpha()); })
      .Case<SubTensorOp>([&](auto sub) { return b.sub(part(0), part(1), sub.getAlpha()); })
      .Case<MulTensorOp, DivTensorOp>([&](auto) {
        const unsigned linear = *factorOver(op, dims);
        Value sum = part(linear), factor = b.widen(op->getOperand(1 - linear));
        return isa<DivTensorOp>(op) ? b.div(sum, factor) : b.mul(sum, factor);
      })
      .Default([](Operation *) { return Value(); });
}

Value Sums::ofNorm(BatchNormOp norm, ArrayRef<int64_t> dims) {
  const double count = weightOf(norm.getInput(), dims);
  SmallVector<Value> operands = {b.divide(of(norm.getInput(), dims), count)};
  for (Value vector : llvm::drop_begin(norm->getOperands()))
    operands.push_back(b.widen(vector));
  return b.scale(b.copy(norm, operands, shapeOf(operands[0])), count);
}

Value Sums::ofLinear(LinearOp linear, Dims dims) {
  const int64_t last = rankOf(linear) - 1;
  const bool outputs = dims.back() == last;
  if (outputs)
    dims.pop_back();
  const double count = weightOf(linear, dims);
  Value input = of(linear.getInput(), dims), weight = b.widen(linear.getWeight()), sum;
  Value bias = linear.getBias() ? b.widen(linear.getBias()) : Value();
  const int64_t rows = productOf(shapeOf(input).drop_back());
  if (outputs) {
    Value row = b.reshape(fold(weight, {0}), {shapeOf(weight)[1]});
    sum = b.sum(b.mul(input, row), {last});
    bias = bias ? fold(bias, {0}) : bias;
  } else if (rows == 1) {
    SmallVector<int64_t> shape(last + 1, 1);
    shape.back() = shapeOf(weight)[0];
    Value row = b.reshape(input, {1, shapeOf(weight)[1]});
    sum = b.reshape(b.sum(b.mul(weight, row), {1}), shape);
  } else {
    sum = b.linear(input, weight);
  }
  return bias ? b.add(sum, bias, count) : sum;
}

Value Sums::ofProduct(Operation *op, Dims dims) {
  Value result = op->getResult(0), left = op->getOperand(0), right = op->getOperand(1);
  const int64_t rank = rankOf(result);
  const bool columns = llvm::is_contained(dims, rank - 1), rows = llvm::is_contained(dims, rank - 2);
  left = rows ? of(left, {rankOf(left) - 2}) : b.widen(left);
  right = columns ? of(right, {rankOf(right) - 1}) : b.widen(right);
  auto swapped = [&](Value value) {
    SmallVector<int64_t> shape(shapeOf(value));
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    return b.reshape(value, shape); // one of the two extents is 1
  };
  Value sum;
  if (columns)
    sum = b.sum(b.mul(left, swapped(right)), {rank - 1});
  else
    sum = b.sum(b.mul(swapped(left), right), {rank - 2});
  llvm::erase_if(dims, [&](int64_t dim) { return dim >= rank - 2; });
  return fold(sum, dims);
}

Value Sums::ofConvolution(const Convolution &conv, ArrayRef<int64_t> dims) {
  Value result = conv.op->getResult(0);
  const bool images = dims.front() == 0, channels = llvm::is_contained(dims, 1);
  SmallVector<unsigned> spatial;
  double outputs = 1, count = weightOf(result, dims);
  for (int64_t dim : dims) {
    outputs *= dim == 0 ? 1.0 : double(shapeOf(result)[dim]);
    if (dim >= 2)
      spatial.push_back(dim - 2);
  }
  Value input = images ? of(conv.input, {0}) : b.widen(conv.input);
  Value sum = sumConvolution(b, conv, input, channels, spatial);
  if (mean)
    sum = b.divide(sum, outputs);
  if (!conv.bias)
    return sum;
  Value bias = b.ofChannels(conv.bias, rankOf(result));
  if (!channels)
    return b.add(sum, bias, count);
  return b.add(sum, fold(bias, {0}), mean ? 1.0 : count / double(conv.filters()));
}

Value Sums::of(Value value, ArrayRef<int64_t> all) {
  Dims dims;
  for (int64_t dim : all)
    if (shapeOf(value)[dim] != 1)
      dims.push_back(dim);
  if (!meetProduct(value, dims))
    return fold(b.widen(value), dims);
  Operation *op = value.getDefiningOp();
  if (auto linear = dyn_cast<LinearOp>(op))
    return ofLinear(linear, dims);
  if (isa<MmOp, BmmOp, MatmulOp>(op))
    return ofProduct(op, dims);
  if (auto conv = Convolution::of(op))
    return ofConvolution(*conv, dims);
  if (auto norm = dyn_cast<BatchNormOp>(op))
    return ofNorm(norm, dims);
  if (Value sum = ofElementwise(op, dims))
    return sum;
  auto [source, own] = *throughOne(op, dims);
  Value sum = of(source, own);
  if (std::optional<Dims> permutation = permutationOf(op))
    return b.permute(sum, *permutation);
  return b.reshape(sum, keptShape(value, dims));
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// What OP, a sum or a mean, is taken over; nothing where it is neither. MEAN says which.
static std::optional<Dims> readSum(Operation *op, bool &mean) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return std::nullopt;
  Value value = op->getOperand(0);
  mean = isa<MeanOp, MeanDimOp>(op);
  return llvm::TypeSwitch<Operation *, std::optional<Dims>>(op)
      .Case<SumOp, MeanOp>([&](auto) { return normalized(value, {}); })
      .Case<SumDimIntListOp, MeanDimOp>([&](auto sum) { return normalized(value, sum.getDim()); })
      .Case<AdaptiveAvgPool1dOp, AdaptiveAvgPool2dOp, AdaptiveAvgPool3dOp>([&](auto pool) -> std::optional<Dims> {
        mean = true;
        if (llvm::any_of(pool.getOutputSize(), [](int64_t extent) { return extent != 1; }))
          return std::nullopt;
        Dims dims;
        for (int64_t dim = rankOf(value) - int64_t(pool.getOutputSize().size()); dim < rankOf(value); ++dim)
          dims.push_back(dim);
        return normalized(value, dims);
      })
      .Case<AvgPool1dOp, AvgPool2dOp, AvgPool3dOp>([&](auto pool) -> std::optional<Dims> {
        mean = true;
        ArrayRef<int64_t> window = pool.getKernelSize();
        const int64_t first = rankOf(value) - int64_t(window.size());
        if (window != shapeOf(value).drop_front(first) || pool->hasAttr("divisor_override") ||
            llvm::any_of(pool.getPadding(), [](int64_t padding) { return padding != 0; }))
          return std::nullopt;
        Dims dims;
        for (int64_t dim = first; dim < rankOf(value); ++dim)
          dims.push_back(dim);
        return normalized(value, dims);
      })
      .Default([](Operation *) { return std::nullopt; });
}

namespace {

struct ReduceBeforeProduct : RewritePattern {
  explicit ReduceBeforeProduct(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    bool mean = false;
    std::optional<Dims> dims = readSum(op, mean);
    if (!dims || !isFloat(op->getOperand(0)) || !isFloat(op->getResult(0)))
      return failure();
    Value value = op->getOperand(0);
    if (!Sums::meetProduct(value, *dims))
      return rewriter.notifyMatchFailure(op, "no product in front that the sum makes smaller");
    Sums sums(rewriter, op->getLoc(), mean);
    Value sum = sums.of(value, *dims);
    auto type = typeOf(op->getResult(0));
    rewriter.replaceOp(op, sums.b.cast(sums.b.reshape(sum, type.getShape()), type.getElementType()));
    return success();
  }
};

/// What folds dimensions of extent 1 changes nothing but the shape. An adaptive pool may make as many elements of
/// others.
struct FoldOne : RewritePattern {
  explicit FoldOne(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isa<SumOp, MeanOp, MaxOp, MinOp, ProdOp, SumDimIntListOp, MeanDimOp, AmaxOp, AminOp, LogsumexpOp, ProdDimIntOp,
             MaxDimOp, MinDimOp, AdaptiveAvgPool1dOp, AdaptiveAvgPool2dOp, AdaptiveAvgPool3dOp>(op))
      return failure();
    Value value = op->getOperand(0), result = op->getResult(0);
    if (typeOf(value).getNumElements() != typeOf(result).getNumElements() ||
        typeOf(value).getElementType() != typeOf(result).getElementType())
      return rewriter.notifyMatchFailure(op, "folds more than one element");
    if (isa<AdaptiveAvgPool1dOp, AdaptiveAvgPool2dOp, AdaptiveAvgPool3dOp>(op) && shapeOf(value) != shapeOf(result))
      return rewriter.notifyMatchFailure(op, "its elements are means of several");
    if (op->getNumResults() > 1 && !op->getResult(1).use_empty())
      return rewriter.notifyMatchFailure(op, "its positions are used");
    Value same = AlgebraBuilder(rewriter, op->getLoc()).reshape(value, shapeOf(result));
    rewriter.replaceAllUsesWith(result, same);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateReduceFirst(RewritePatternSet &patterns) {
  patterns.add<ReduceBeforeProduct, FoldOne>(patterns.getContext());
}

} // namespace kgen::aten
