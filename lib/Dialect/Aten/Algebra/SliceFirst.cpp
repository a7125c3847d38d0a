//===- SliceFirst.cpp - Slices in front of products -----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of a product only what somebody reads has to be computed: rows of it are a product of rows, columns one of columns. A
// slice is followed back through views and element-wise ops until it meets a product whose result nobody else reads. A
// slice of a concatenation that lies in one part is a slice of that part. The elements that are left are the same ones.
//
//===----------------------------------------------------------------------===//

#include "AlgebraBuilder.h"
#include "kgen/Dialect/Aten/Algebra.h"
#include "kgen/Dialect/Aten/Views.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace kgen::aten {
namespace {

/// Positions BEGIN up to, not including, END of dimension DIM.
struct Range {
  int64_t dim, begin, end;

  int64_t count() const { return end - begin; }
};

/// What OP, a slice without steps, leaves of its operand; nothing where it is none, or leaves all.
std::optional<Range> rangeOf(Operation *op) {
  auto wrap = [](int64_t number, int64_t extent) { return number < 0 ? number + extent : number; };
  auto range = llvm::TypeSwitch<Operation *, std::optional<Range>>(op)
                   .Case([&](SelectIntOp select) {
                     const int64_t dim = wrap(select.getDim(), rankOf(select.getSelf()));
                     const int64_t index = wrap(select.getIndex(), shapeOf(select.getSelf())[dim]);
                     return Range{dim, index, index + 1};
                   })
                   .Case([&](NarrowOp narrow) {
                     const int64_t dim = wrap(narrow.getDim(), rankOf(narrow.getSelf()));
                     const int64_t begin = wrap(narrow.getStart(), shapeOf(narrow.getSelf())[dim]);
                     return Range{dim, begin, begin + int64_t(narrow.getLength())};
                   })
                   .Case([&](SliceTensorOp slice) -> std::optional<Range> {
                     if (slice.getStep() != 1)
                       return std::nullopt;
                     auto [begin, end] = slice.getBounds();
                     return Range{wrap(slice.getDim(), rankOf(slice.getSelf())), begin, end};
                   })
                   .Default([](Operation *) { return std::nullopt; });
  if (range && range->count() == shapeOf(op->getOperand(0))[range->dim])
    return std::nullopt;
  return range;
}

/// RANGE of RESULT in SOURCE, of which it is a reshape; nothing where the dimension is no whole one there.
std::optional<Range> rangeBeforeReshape(Value result, Range range, Value source) {
  const int64_t before = productOf(shapeOf(result).take_front(range.dim)), extent = shapeOf(result)[range.dim];
  int64_t outer = 1;
  for (auto [dim, size] : llvm::enumerate(shapeOf(source))) {
    if (outer == before && size == extent)
      return Range{int64_t(dim), range.begin, range.end};
    outer *= size;
  }
  return std::nullopt;
}

/// RANGE of an element-wise RESULT in OPERAND, which is broadcast; nothing where the operand is the same all along it.
std::optional<Range> rangeOfOperand(Value result, Range range, Value operand) {
  const int64_t dim = range.dim - (rankOf(result) - rankOf(operand));
  if (dim < 0 || shapeOf(operand)[dim] == 1)
    return std::nullopt;
  return Range{dim, range.begin, range.end};
}

/// Whether OP is element-wise and has no attribute that names dimensions or sizes.
bool isPlainElementwise(Operation *op) {
  auto cost = dyn_cast<AtenCostOpInterface>(op);
  return cost && cost.getKind() == OpKind::Elementwise && op->getNumResults() == 1 && op->getNumOperands() > 0;
}

bool isProduct(Operation *op) { return isa<MmOp, BmmOp, MatmulOp, LinearOp>(op); }

/// What RANGE of the result of PRODUCT is in each of its operands; nothing in one that is needed whole.
SmallVector<std::optional<Range>> rangesOfFactors(Operation *product, Range range) {
  SmallVector<std::optional<Range>> ranges(product->getNumOperands());
  Value result = product->getResult(0), left = product->getOperand(0), right = product->getOperand(1);
  const bool isLinear = isa<LinearOp>(product);
  const bool hasColumns = isLinear || rankOf(right) > 1, hasRows = rankOf(left) > 1;
  if (hasColumns && range.dim == rankOf(result) - 1) {
    ranges[1] = Range{rankOf(right) - (isLinear ? 2 : 1), range.begin, range.end};
    if (ranges.size() == 3)
      ranges[2] = Range{0, range.begin, range.end};
    return ranges;
  }
  if (isLinear) {
    ranges[0] = range;
    return ranges;
  }
  // Rows and batches; a dimension counts from the end of those that the result has of either.
  const int64_t fromEnd = rankOf(result) - (hasColumns ? 1 : 0) - range.dim; // 1: the last in front of the columns
  if (const int64_t dim = rankOf(left) - 1 - fromEnd; dim >= 0 && shapeOf(left)[dim] != 1)
    ranges[0] = Range{dim, range.begin, range.end};
  if (const int64_t dim = rankOf(right) - 1 - (fromEnd - (hasRows ? 1 : 0)) - (hasColumns ? 1 : 0);
      (!hasRows || fromEnd > 1) && dim >= 0 && shapeOf(right)[dim] != 1)
    ranges[1] = Range{dim, range.begin, range.end};
  return ranges;
}

/// Whether RANGE of PRODUCT's result takes less time as a product of parts. Parts are copied, but for outermost ones.
bool isWorthIt(Operation *product, Range range) {
  const int64_t all = typeOf(product->getResult(0)).getNumElements();
  const int64_t left = all / shapeOf(product->getResult(0))[range.dim] * range.count();
  double before = double(all) + 2 * double(left), after = double(left); // elements read and written
  for (auto [operand, part] : llvm::zip_equal(product->getOperands(), rangesOfFactors(product, range))) {
    const double whole = double(typeOf(operand).getNumElements());
    const double rest = part ? whole / double(shapeOf(operand)[part->dim]) * double(part->count()) : whole;
    const bool isCopied =
        part && llvm::any_of(shapeOf(operand).take_front(part->dim), [](int64_t extent) { return extent != 1; });
    before += whole;
    after += isCopied ? 3 * rest : rest;
  }
  return after < before;
}

/// Follows a slice back.
class Slices {
public:
  Slices(PatternRewriter &rewriter, Location loc) : b(rewriter, loc) {}

  /// Whether RANGE of VALUE meets a product that becomes smaller by it, or a concatenation of which it needs one part.
  static bool meetLess(Value value, Range range);

  /// RANGE of VALUE.
  Value of(Value value, Range range);

  AlgebraBuilder b;

private:
  /// Of which concatenated part RANGE is all; its number, and the range in it.
  static std::optional<std::pair<unsigned, Range>> partOf(CatOp cat, Range range);
};

} // namespace

std::optional<std::pair<unsigned, Range>> Slices::partOf(CatOp cat, Range range) {
  const int64_t rank = rankOf(cat.getResult());
  if ((int64_t(cat.getDim()) + rank) % rank != range.dim)
    return std::nullopt;
  int64_t begin = 0;
  for (auto [number, part] : llvm::enumerate(cat->getOperands())) {
    if (rankOf(part) != rank)
      return std::nullopt;
    const int64_t end = begin + shapeOf(part)[range.dim];
    if (range.begin >= begin && range.end <= end)
      return std::pair(unsigned(number), Range{range.dim, range.begin - begin, range.end - begin});
    begin = end;
  }
  return std::nullopt;
}

bool Slices::meetLess(Value value, Range range) {
  Operation *op = value.getDefiningOp();
  if (!op || isMarked(op))
    return false;
  if (auto cat = dyn_cast<CatOp>(op))
    return partOf(cat, range).has_value();
  if (isReshape(op)) {
    std::optional<Range> before = rangeBeforeReshape(value, range, op->getOperand(0));
    return before && meetLess(op->getOperand(0), *before);
  }
  if (std::optional<SmallVector<int64_t>> dims = permutationOf(op))
    return meetLess(op->getOperand(0), {(*dims)[range.dim], range.begin, range.end});
  // What computes something computes no less where somebody else reads it.
  if (!value.hasOneUse())
    return false;
  if (isProduct(op))
    return isWorthIt(op, range);
  if (!isPlainElementwise(op))
    return false;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    std::optional<Range> own = rangeOfOperand(value, range, operand);
    return own && operand.hasOneUse() && meetLess(operand, *own);
  });
}

Value Slices::of(Value value, Range range) {
  Operation *op = value.getDefiningOp();
  if (!meetLess(value, range))
    return b.slice(value, range.dim, range.begin, range.end);
  SmallVector<int64_t> shape(shapeOf(value));
  shape[range.dim] = range.count();
  if (auto cat = dyn_cast<CatOp>(op)) {
    auto [number, own] = *partOf(cat, range);
    return of(cat->getOperand(number), own);
  }
  if (isReshape(op))
    return b.reshape(of(op->getOperand(0), *rangeBeforeReshape(value, range, op->getOperand(0))), shape);
  if (std::optional<SmallVector<int64_t>> dims = permutationOf(op))
    return b.permute(of(op->getOperand(0), {(*dims)[range.dim], range.begin, range.end}), *dims);
  SmallVector<Value> operands;
  SmallVector<std::optional<Range>> ranges;
  if (isProduct(op))
    ranges = rangesOfFactors(op, range);
  else
    for (Value operand : op->getOperands())
      ranges.push_back(rangeOfOperand(value, range, operand));
  for (auto [operand, own] : llvm::zip_equal(op->getOperands(), ranges))
    operands.push_back(own ? of(operand, *own) : operand);
  return b.copy(op, operands, shape);
}

namespace {

/// Whether VALUE is a view of a concatenation.
bool isPartOfCat(Value value) {
  Operation *op = value.getDefiningOp();
  while (isReshape(op) || permutationOf(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<CatOp>(op);
}

/// Whether VALUE, or a view of it, is a result of the graph, which has to be computed: it cannot be what it is part of.
bool isReturned(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>() ||
           ((isReshape(user) || permutationOf(user)) && isReturned(user->getResult(0)));
  });
}

struct SliceFirst : RewritePattern {
  explicit SliceFirst(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    std::optional<Range> range = rangeOf(op);
    if (!range || isMarked(op) || !Slices::meetLess(op->getOperand(0), *range) ||
        (isPartOfCat(op->getOperand(0)) && isReturned(op->getResult(0))))
      return rewriter.notifyMatchFailure(op, "no slice of what is less for it");
    Slices slices(rewriter, op->getLoc());
    Value part = slices.of(op->getOperand(0), *range);
    rewriter.replaceOp(op, slices.b.reshape(part, shapeOf(op->getResult(0)))); // select drops the dimension
    return success();
  }
};

/// Products of one row with so few terms are sums of as many element-wise products.
constexpr int64_t mostTerms = 8;

/// Whether OP is a batch of such rows times matrices. Terms of 16 bits would be rounded each.
bool isShortProduct(Operation *op) {
  auto product = dyn_cast<BmmOp>(op);
  return product && !isMarked(product) && shapeOf(product.getSelf())[1] == 1 && shapeOf(product.getSelf())[2] > 0 &&
         shapeOf(product.getSelf())[2] <= mostTerms && typeOf(product.getResult()).getElementTypeBitWidth() >= 32;
}

/// What gives every element of VALUE, a view of it, the same number.
FullOp sameOf(Value value) {
  Operation *op = value.getDefiningOp();
  while (isReshape(op) || permutationOf(op))
    op = op->getOperand(0).getDefiningOp();
  return dyn_cast_or_null<FullOp>(op);
}

/// A batch of rows times matrices, as a sum: no kernel for products has use for rows of so few elements.
struct ShortProduct : OpRewritePattern<BmmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BmmOp product, PatternRewriter &rewriter) const override {
    if (!isShortProduct(product))
      return failure();
    Value left = product.getSelf(), right = product.getMat2();
    const int64_t terms = shapeOf(left)[2];
    Slices slices(rewriter, product.getLoc());
    Value sum;
    for (int64_t k = 0; k < terms; ++k) {
      Value factor = slices.of(left, {2, k, k + 1}), row = slices.of(right, {1, k, k + 1});
      // A row of one number, as a padding is, leaves a number for each matrix; some term has the result's shape.
      FullOp same = k + 1 < terms || (sum && shapeOf(sum)[2] != 1) ? sameOf(row) : FullOp();
      Value term = same ? slices.b.scale(factor, double(same.getFillValue())) : slices.b.mul(factor, row);
      sum = sum ? slices.b.add(sum, term) : term;
    }
    rewriter.replaceOp(product, sum);
    return success();
  }
};

} // namespace

void populateSliceFirst(RewritePatternSet &patterns) { patterns.add<SliceFirst, ShortProduct>(patterns.getContext()); }

bool hasSlicedProducts(func::FuncOp func) {
  return llvm::any_of(func.getBody().front(), [](Operation &op) {
    std::optional<Range> range = rangeOf(&op);
    return (range && Slices::meetLess(op.getOperand(0), *range)) || isShortProduct(&op);
  });
}

bool sliceFirst(func::FuncOp func) {
  return hasSlicedProducts(func) && applyRewrite(func, {"slice_first", populateSliceFirst});
}

} // namespace kgen::aten
