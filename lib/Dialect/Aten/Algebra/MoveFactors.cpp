//===- MoveFactors.cpp - Factors of a product's operands ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// (x diag(d)) y = x (diag(d) y): a factor for each position along k may scale either operand. Where it scales one that
// the graph is given, which takes a pass over it, it scales the smaller one instead.
//
//===----------------------------------------------------------------------===//

#include "AlgebraBuilder.h"
#include "kgen/Dialect/Aten/Algebra.h"
#include "kgen/Dialect/Aten/Views.h"

using namespace mlir;

namespace kgen::aten {
namespace {

/// How many times the elements of the operand that is scaled then the other one has to have.
constexpr int64_t leastGain = 2;

/// Whether VALUE is a view of an argument of the graph, which nothing that computes it can scale on the way, and no
/// weight, which is scaled once and for all.
bool isGiven(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isReshape(op) && !permutationOf(op))
      return false;
    value = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(value);
  auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return func && !func.getArgAttr(argument.getArgNumber(), "kgen.parameter");
}

/// Calls VISIT(from dims, to dims) for the smallest runs of dimensions of the shapes FROM and TO that have as many
/// elements, without dimensions of one element; false where it does.
template <typename Visit>
bool visitRuns(ArrayRef<int64_t> from, ArrayRef<int64_t> to, Visit visit) {
  size_t i = 0, j = 0;
  while (true) {
    SmallVector<int64_t> before, after;
    int64_t left = 1, right = 1;
    do {
      // The side that has fewer elements grows; none grows by a dimension of one element.
      const bool growFrom = left <= right;
      ArrayRef<int64_t> shape = growFrom ? from : to;
      size_t &at = growFrom ? i : j;
      while (at < shape.size() && shape[at] == 1)
        ++at;
      if (at == shape.size())
        return left == right && before.empty() && after.empty();
      (growFrom ? before : after).push_back(int64_t(at));
      (growFrom ? left : right) *= shape[at++];
    } while (left != right);
    if (!visit(before, after))
      return false;
  }
}

/// A batch of matrices as views of a product of two tensors, of which one is the same all along the rows (or columns).
struct Factor {
  MulTensorOp mul;
  unsigned number;                          ///< of mul's operand
  SmallVector<Operation *> views;           ///< between mul and the matrices, the first one first
  SmallVector<SmallVector<int64_t>> shapes; ///< the factor's in front of the first view, and behind each
};

/// The factor of MATRIX, an operand of a bmm whose dimension ACROSS (1 or 2) is not k; nothing where there is none.
std::optional<Factor> factorOf(Value matrix, int64_t across) {
  Factor found;
  Value value = matrix;
  while (Operation *op = value.getDefiningOp()) {
    if (!value.hasOneUse() || isMarked(op) || (!isReshape(op) && !permutationOf(op)))
      break;
    found.views.insert(found.views.begin(), op);
    value = op->getOperand(0);
  }
  found.mul = value.getDefiningOp<MulTensorOp>();
  if (!found.mul || !value.hasOneUse() || isMarked(found.mul))
    return std::nullopt;
  for (unsigned number : {0, 1}) {
    Value given = found.mul->getOperand(1 - number), factor = found.mul->getOperand(number);
    if (!isGiven(given) || shapeOf(given) != shapeOf(value))
      continue;
    found.number = number;
    found.shapes.assign(1, SmallVector<int64_t>(rankOf(value) - rankOf(factor), 1));
    llvm::append_range(found.shapes.front(), shapeOf(factor));
    bool fits = true;
    for (Operation *view : found.views) {
      ArrayRef<int64_t> own = found.shapes.back();
      ArrayRef<int64_t> from = shapeOf(view->getOperand(0)), to = shapeOf(view->getResult(0));
      SmallVector<int64_t> after(to.size(), 1);
      if (std::optional<SmallVector<int64_t>> dims = permutationOf(view)) {
        for (auto [extent, dim] : llvm::zip_equal(after, *dims))
          extent = own[dim];
      } else {
        // Where it is not repeated it has the tensor's extents; a dimension of both sorts it cannot have.
        fits = fits && visitRuns(from, to, [&](ArrayRef<int64_t> before, ArrayRef<int64_t> behind) {
                 const int64_t kept = llvm::count_if(before, [&](int64_t dim) { return own[dim] != 1; });
                 if (kept == int64_t(before.size()))
                   for (int64_t dim : behind)
                     after[dim] = to[dim];
                 return kept == 0 || kept == int64_t(before.size());
               });
      }
      found.shapes.push_back(std::move(after));
    }
    if (fits && found.shapes.back()[across] == 1)
      return found;
  }
  return std::nullopt;
}

struct MoveFactor : OpRewritePattern<BmmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BmmOp product, PatternRewriter &rewriter) const override {
    if (isMarked(product) || typeOf(product.getResult()).getElementTypeBitWidth() < 32) // rounded once more
      return failure();
    for (unsigned number : {0, 1}) {
      Value matrix = product->getOperand(number), other = product->getOperand(1 - number);
      if (typeOf(matrix).getNumElements() < leastGain * typeOf(other).getNumElements())
        continue;
      std::optional<Factor> found = factorOf(matrix, /*across=*/number == 0 ? 1 : 2);
      if (!found)
        continue;
      AlgebraBuilder b(rewriter, product.getLoc());
      Value factor = b.reshape(found->mul->getOperand(found->number), found->shapes.front());
      for (auto [view, shape] : llvm::zip_equal(found->views, ArrayRef(found->shapes).drop_front())) {
        std::optional<SmallVector<int64_t>> dims = permutationOf(view);
        factor = dims ? b.permute(factor, *dims) : b.reshape(factor, shape);
      }
      // k is the other operand's other dimension.
      ArrayRef<int64_t> last = found->shapes.back();
      factor = b.reshape(factor, number == 0 ? SmallVector<int64_t>{last[0], last[2], 1}
                                             : SmallVector<int64_t>{last[0], 1, last[1]});
      Value scaled = b.mul(other, factor);
      rewriter.replaceOp(found->mul, found->mul->getOperand(1 - found->number));
      Value left = number == 0 ? product.getSelf() : scaled, right = number == 0 ? scaled : product.getMat2();
      rewriter.replaceOp(product, b.copy(product, {left, right}, shapeOf(product.getResult())));
      return success();
    }
    return failure();
  }
};

} // namespace

void populateMoveFactors(RewritePatternSet &patterns) { patterns.add<MoveFactor>(patterns.getContext()); }

bool moveFactors(func::FuncOp func) {
  if (func.getOps<BmmOp>().empty())
    return false;
  return applyRewrite(func, {"move_factors", populateMoveFactors});
}

} // namespace kgen::aten
