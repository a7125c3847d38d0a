//===- ComposeAttention.cpp - Attention that a graph spells out -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// softmax(q k^T * scale + mask) v as products and a softmax, as nn.MultiheadAttention with need_weights and most
// attention by hand reach a graph. Where nobody else reads scores and weights, it is one scaled_dot_product_attention,
// whose kernels keep neither.
//
// The two differ in rows that a mask hides whole: softmax has NaN there, scaled_dot_product_attention zeros. Where the
// graph does not show that each row sees a key, those rows are made NaN behind it.
//
//===----------------------------------------------------------------------===//

#include "AlgebraBuilder.h"
#include "ConstantElements.h"
#include "kgen/Dialect/Aten/Algebra.h"
#include "kgen/Dialect/Aten/Views.h"

#include "mlir/IR/IRMapping.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace kgen::aten {
namespace {

constexpr double kHidden = -std::numeric_limits<double>::infinity();

/// What scores are on their way from the product to the softmax: scale * product, and masked by one op at most.
struct Scores {
  Operation *product = nullptr;
  double scale = 1;
  Operation *masked = nullptr; ///< the op with the mask
  Value mask;                  ///< of a float type it is added, `times` this factor
  double times = 1;
  bool hides = false; ///< of a mask of type i1: whether true hides
};

bool isFloat(Value value) { return isa<FloatType>(typeOf(value).getElementType()); }

bool isProduct(Operation *op) { return isa<MmOp, BmmOp, MatmulOp>(op); }

/// Whether OP gives the elements of its operand in their order.
bool keepsOrder(Operation *op) {
  if (isReshape(op))
    return true;
  if (isa<ExpandOp>(op))
    return typeOf(op->getOperand(0)).getNumElements() == typeOf(op->getResult(0)).getNumElements();
  std::optional<SmallVector<int64_t>> dims = permutationOf(op);
  return dims && aten::keepsOrder(shapeOf(op->getOperand(0)), *dims);
}

/// A factor of all elements: by what OP multiplies its operand number 0, or 1 where it names that; none of other ops.
std::optional<double> factorOf(Operation *op, unsigned &operand) {
  operand = 0;
  std::optional<double> factor;
  if (auto mul = dyn_cast<MulScalarOp>(op))
    factor = double(mul.getOther());
  else if (auto div = dyn_cast<DivScalarOp>(op))
    factor = 1 / double(div.getOther());
  else if (isa<MulTensorOp>(op)) {
    for (unsigned number : {1, 0})
      if (std::optional<double> one = splatOf(op->getOperand(number)); one && !factor) {
        factor = one;
        operand = 1 - number;
      }
  } else if (isa<DivTensorOp>(op)) {
    if (std::optional<double> divisor = splatOf(op->getOperand(1)))
      factor = 1 / *divisor;
  }
  // Others would make infinities, or turn a mask round.
  if (!factor || !(*factor > 0) || !std::isfinite(*factor) ||
      typeOf(op->getOperand(operand)) != typeOf(op->getResult(0)))
    return std::nullopt;
  return factor;
}

bool isHidden(Value value) {
  std::optional<double> number = splatOf(value);
  return number && *number == kHidden;
}

/// Follows VALUE, which one op reads, back to a product. False where something else is on the way.
bool findProduct(Value value, Scores &scores) {
  Operation *op = value.getDefiningOp();
  if (!op || !value.hasOneUse() || isMarked(op))
    return false;
  if (isProduct(op)) {
    scores.product = op;
    return rankOf(op->getOperand(0)) >= 2 && rankOf(op->getOperand(1)) >= 2;
  }
  if (keepsOrder(op) || (isa<ToCopyOp>(op) && isFloat(op->getOperand(0))))
    return isFloat(value) && findProduct(op->getOperand(0), scores);
  unsigned operand;
  if (std::optional<double> factor = factorOf(op, operand)) {
    scores.scale *= *factor;
    return findProduct(op->getOperand(operand), scores);
  }
  if (scores.masked)
    return false;
  auto masks = [&](Value rest, Value mask, double times, bool hides) {
    if (typeOf(rest) != typeOf(value) || rankOf(mask) == 0)
      return false;
    Scores tried = scores;
    tried.masked = op;
    tried.mask = mask;
    tried.times = times * scores.scale;
    tried.hides = hides;
    if (!findProduct(rest, tried))
      return false;
    scores = tried;
    return true;
  };
  if (auto add = dyn_cast<AddTensorOp>(op)) {
    const double alpha = double(add.getAlpha());
    return std::isfinite(alpha) && (masks(add.getSelf(), add.getOther(), alpha, false) ||
                                    (alpha == 1 && masks(add.getOther(), add.getSelf(), 1, false)));
  }
  if (auto sub = dyn_cast<SubTensorOp>(op)) {
    const double alpha = double(sub.getAlpha());
    return std::isfinite(alpha) && masks(sub.getSelf(), sub.getOther(), -alpha, false);
  }
  if (auto fill = dyn_cast<MaskedFillScalarOp>(op))
    return double(fill.getValue()) == kHidden && masks(fill.getSelf(), fill.getMask(), 1, true);
  if (auto where = dyn_cast<WhereSelfOp>(op))
    return (isHidden(where.getOther()) && masks(where.getSelf(), where.getCondition(), 1, false)) ||
           (isHidden(where.getSelf()) && masks(where.getOther(), where.getCondition(), 1, true));
  return false;
}

/// Whether MASK, to which Scores' words apply, leaves a key to each of its rows, by what the graph says alone.
bool showsEachRow(const Scores &scores) {
  constexpr int64_t kMostRows = 1 << 16;
  ArrayRef<int64_t> shape = shapeOf(scores.mask);
  const int64_t rows = productOf(shape.drop_back()), keys = shape.back();
  if (rows > kMostRows || keys == 0)
    return false;
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t rest = row;
    for (size_t i = shape.size() - 1; i-- > 0; rest /= shape[i])
      index[i] = rest % shape[i];
    const int64_t own = shape.size() < 2 ? 0 : std::min(index[shape.size() - 2], keys - 1);
    if (llvm::none_of(ArrayRef<int64_t>{own, 0, keys - 1}, [&](int64_t key) {
          index.back() = key;
          std::optional<double> element = constantElement(scores.mask, index);
          if (element && !isFloat(scores.mask))
            return (*element != 0) != scores.hides;
          return element && std::isfinite(*element * scores.times);
        }))
      return false;
  }
  return true;
}

/// A factor of a product without numbers that multiply it and widenings, to which views lead.
struct Source {
  /// Of VALUE; widenings are those of ELEMENT.
  Source(Value value, Type element) : base(value) {
    SmallVector<Operation *> passed;
    double factors = 1;
    for (Value at = value; Operation *op = at.getDefiningOp();) {
      unsigned operand = 0;
      if (isMarked(op))
        break;
      const bool isWidening = isa<ToCopyOp>(op) && typeOf(op->getOperand(0)).getElementType() == element &&
                              isFloat(at) && typeOf(at).getElementTypeBitWidth() > element.getIntOrFloatBitWidth();
      if (isa<ReshapeOp, ViewOp, FlattenUsingIntsOp, UnsqueezeOp, SqueezeDimOp, TransposeIntOp, PermuteOp, ExpandOp,
              NarrowOp, SliceTensorOp, SelectIntOp>(op)) {
        passed.push_back(op);
        at = op->getOperand(0);
        continue;
      }
      std::optional<double> one = isWidening ? 1 : factorOf(op, operand);
      if (!one)
        break;
      factors *= *one;
      at = base = op->getOperand(operand);
      views = passed;
      factor = factors;
    }
  }

  /// The views again, on what is behind them.
  Value build(PatternRewriter &rewriter) const {
    Value value = base;
    for (Operation *view : llvm::reverse(views)) {
      IRMapping mapping;
      mapping.map(view->getOperand(0), value);
      Value copy = rewriter.clone(*view, mapping)->getResult(0);
      copy.setType(RankedTensorType::get(shapeOf(copy), typeOf(value).getElementType()));
      value = copy;
    }
    return value;
  }

  Value base;
  double factor = 1;
  SmallVector<Operation *> views; ///< from the last to the first
};

/// The rows of PRODUCT's left operand, its inner dimension and its columns.
struct Extents {
  explicit Extents(Operation *product)
      : rows(shapeOf(product->getOperand(0)).drop_back().back()), inner(shapeOf(product->getOperand(0)).back()),
        columns(shapeOf(product->getOperand(1)).back()) {}
  int64_t rows, inner, columns;
};

/// Whether kernels that keep no scores are worth it for heads of DEPTH and values of VALUE_DEPTH elements: those on
/// tensor cores, or few products for each score that is not stored.
bool pays(int64_t depth, int64_t valueDepth) {
  constexpr int64_t kMost = 128, kMostByThreads = 64, kStep = 16;
  return (depth == valueDepth && depth % kStep == 0 && depth <= kMost) || std::max(depth, valueDepth) <= kMostByThreads;
}

struct ComposeAttention : RewritePattern {
  explicit ComposeAttention(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isProduct(op) || isMarked(op) || !isa<func::FuncOp>(op->getParentOp()) || rankOf(op->getOperand(0)) < 2 ||
        rankOf(op->getOperand(1)) < 2)
      return failure();
    Value weights = op->getOperand(0);
    while (Operation *view = weights.getDefiningOp()) {
      const bool isCast = isa<ToCopyOp>(view) && isFloat(view->getOperand(0));
      if (!weights.hasOneUse() || isMarked(view) || !(keepsOrder(view) || isCast))
        break;
      weights = view->getOperand(0);
    }
    auto softmax = weights.getDefiningOp<SoftmaxIntOp>();
    if (!softmax || !weights.hasOneUse() || isMarked(softmax))
      return failure();
    const int64_t dim = int64_t(softmax.getDim()), rank = rankOf(weights);
    if (rank == 0 || (dim != -1 && dim != rank - 1))
      return rewriter.notifyMatchFailure(op, "weights are no softmax over keys");
    Scores scores;
    if (!findProduct(softmax.getSelf(), scores))
      return rewriter.notifyMatchFailure(op, "scores are no product with a scale and a mask");
    return compose(op, shapeOf(weights).back(), scores, rewriter);
  }

private:
  static LogicalResult compose(Operation *op, int64_t softmaxed, Scores &scores, PatternRewriter &rewriter) {
    Operation *product = scores.product;
    const Extents first(product), second(op);
    const int64_t queries = first.rows, keys = first.columns;
    if (second.rows != queries || second.inner != keys || softmaxed != keys || !pays(first.inner, second.columns))
      return rewriter.notifyMatchFailure(op, "extents are not those of attention, or of its kernels");
    // Heads are those of the op with the mask, which broadcasts to them.
    ArrayRef<int64_t> shape = shapeOf((scores.masked ? scores.masked : product)->getResult(0));
    if (shape.size() < 2 || shape.take_back(2) != ArrayRef<int64_t>{queries, keys})
      return rewriter.notifyMatchFailure(op, "a mask of rows in another order");
    SmallVector<int64_t> heads(shape.drop_back(2));
    ArrayRef<int64_t> out = shapeOf(op->getResult(0)), asked = shapeOf(product->getResult(0));
    if (productOf(out.drop_back(2)) != productOf(heads))
      return rewriter.notifyMatchFailure(op, "one head's weights are for many values");

    Type element = typeOf(op->getOperand(1)).getElementType();
    AlgebraBuilder b(rewriter, op->getLoc());
    const Source left(product->getOperand(0), element), right(product->getOperand(1), element);
    if (typeOf(left.base).getElementType() != element || typeOf(right.base).getElementType() != element)
      return rewriter.notifyMatchFailure(op, "queries and values of different types");
    if (scores.mask && isFloat(scores.mask) && typeOf(scores.mask).getElementType() != element)
      return rewriter.notifyMatchFailure(op, "a mask of a wider type");
    const bool sure = !scores.mask || showsEachRow(scores);
    if (!sure && 2 * typeOf(scores.mask).getNumElements() > productOf(shape))
      return rewriter.notifyMatchFailure(op, "a mask as large as the scores, which may hide rows");

    const double scale = scores.scale * left.factor * right.factor;
    if (!(scale > 0) || !std::isfinite(scale))
      return rewriter.notifyMatchFailure(op, "factors that no number holds");

    Value query = left.build(rewriter), key = transposed(b, right.build(rewriter));
    auto withHeads = [&](Value value, ArrayRef<int64_t> lead) {
      SmallVector<int64_t> wide(lead), all(heads);
      llvm::append_range(wide, shapeOf(value).take_back(2));
      llvm::append_range(all, shapeOf(value).take_back(2));
      if (shapeOf(value) != ArrayRef(wide))
        value = ExpandOp::create(rewriter, op->getLoc(), typeOf(value).clone(wide), value, wide);
      return b.reshape(value, all);
    };
    SmallVector<Value> operands = {withHeads(query, asked.drop_back(2)), withHeads(key, asked.drop_back(2)),
                                   withHeads(op->getOperand(1), out.drop_back(2))};
    if (scores.mask)
      operands.push_back(maskOf(b, rewriter, scores));
    SmallVector<int64_t> result(heads);
    llvm::append_range(result, ArrayRef<int64_t>{queries, second.columns});
    Value attention = ScaledDotProductAttentionOp::create(
        rewriter, op->getLoc(), TypeRange{RankedTensorType::get(result, element)}, operands,
        {NamedAttribute(rewriter.getStringAttr("scale"), rewriter.getF64FloatAttr(scale))});
    if (!sure)
      attention = withoutHiddenRows(b, rewriter, attention, scores);
    rewriter.replaceOp(op, b.reshape(attention, out));
    return success();
  }

  /// VALUE, whose last two dimensions are exchanged.
  static Value transposed(AlgebraBuilder &b, Value value) {
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(value)));
    std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
    if (Operation *op = value.getDefiningOp())
      if (std::optional<SmallVector<int64_t>> order = permutationOf(op)) {
        for (int64_t &dim : dims)
          dim = (*order)[dim];
        value = op->getOperand(0);
      }
    return b.permute(value, dims);
  }

  /// The mask as scaled_dot_product_attention takes it: true shows.
  static Value maskOf(AlgebraBuilder &b, PatternRewriter &rewriter, const Scores &scores) {
    if (isFloat(scores.mask))
      return scores.times == 1 ? scores.mask : b.scale(scores.mask, scores.times);
    if (!scores.hides)
      return scores.mask;
    return LogicalNotOp::create(rewriter, scores.masked->getLoc(), scores.mask.getType(), scores.mask);
  }

  /// ATTENTION with NaN in rows of which the mask hides all keys.
  static Value withoutHiddenRows(AlgebraBuilder &b, PatternRewriter &rewriter, Value attention, const Scores &scores) {
    Location loc = attention.getLoc();
    Value mask = maskOf(b, rewriter, scores), hidden = mask;
    Type truth = typeOf(mask).clone(rewriter.getI1Type());
    if (isFloat(mask))
      hidden = EqScalarOp::create(rewriter, loc, TypeRange{truth}, mask,
                                  {NamedAttribute(rewriter.getStringAttr("other"), rewriter.getF64FloatAttr(kHidden))});
    else
      hidden = scores.hides ? scores.mask : LogicalNotOp::create(rewriter, loc, truth, mask).getResult();
    SmallVector<int64_t> rows(shapeOf(mask));
    rows.back() = 1;
    hidden = AllDimsOp::create(rewriter, loc, RankedTensorType::get(rows, rewriter.getI1Type()), hidden,
                               ArrayRef<int64_t>{int64_t(rows.size()) - 1}, true);
    return MaskedFillScalarOp::create(
        rewriter, loc, TypeRange{attention.getType()}, ValueRange{attention, hidden},
        {NamedAttribute(rewriter.getStringAttr("value"),
                        rewriter.getF64FloatAttr(std::numeric_limits<double>::quiet_NaN()))});
  }
};

} // namespace

void populateComposeAttention(RewritePatternSet &patterns) { patterns.add<ComposeAttention>(patterns.getContext()); }

bool composeAttention(func::FuncOp func) {
  if (func.getOps<SoftmaxIntOp>().empty())
    return false;
  return applyRewrite(func, {"compose_attention", populateComposeAttention});
}

} // namespace kgen::aten
