//===- DiagonalProducts.cpp - Products with diagonal matrices -------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// torch.diag(v), diag_embed(v) and v * eye(n) reach a graph as a comparison of positions. A product with such a matrix
// scales rows or columns.
//
//===----------------------------------------------------------------------===//

#include "AlgebraBuilder.h"
#include "kgen/Dialect/Aten/Algebra.h"
#include "kgen/Dialect/Aten/Views.h"

using namespace mlir;

namespace kgen::aten {

/// VALUE without reshapes that keep its shape's order and without casts.
static Value stripped(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    std::optional<SmallVector<int64_t>> dims = permutationOf(op);
    if (!isReshape(op) && !isa<ToCopyOp>(op) && !(dims && keepsOrder(shapeOf(op->getOperand(0)), *dims)))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Whether VALUE is 0, 1, ... along its only dimension of N positions.
static bool countsUp(Value value, int64_t n) {
  auto range = stripped(value).getDefiningOp<ArangeStartStepOp>();
  return range && range.getStart() == 0 && range.getStep() == 1 && typeOf(range).getNumElements() == n;
}

/// Whether VALUE, N x N, is true (or one) on its diagonal and false (or zero) elsewhere.
static bool isIdentity(Value value, int64_t n) {
  auto equal = stripped(value).getDefiningOp<EqTensorOp>();
  if (!equal || shapeOf(equal) != ArrayRef<int64_t>{n, n})
    return false;
  Value a = equal.getSelf(), b = equal.getOther();
  auto isColumn = [&](Value side) { return shapeOf(side) == ArrayRef<int64_t>{n, 1}; };
  return countsUp(a, n) && countsUp(b, n) && isColumn(a) != isColumn(b);
}

static bool isZero(Value value) {
  if (auto full = stripped(value).getDefiningOp<FullOp>())
    return full.getFillValue() == 0;
  auto constant = stripped(value).getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : DenseFPElementsAttr();
  return elements && elements.isSplat() && elements.getSplatValue<APFloat>().isZero();
}

/// What stands on the diagonal of MATRIX, as N numbers in a tensor of any shape, or as one; null where MATRIX is no
/// diagonal one.
static Value diagonalOf(Value matrix) {
  ArrayRef<int64_t> shape = shapeOf(matrix);
  if (shape.size() != 2 || shape[0] != shape[1] || shape[0] == 1)
    return Value();
  const int64_t n = shape[0];
  auto fits = [&](Value value) {
    const int64_t count = typeOf(value).getNumElements();
    return (count == n || count == 1) && typeOf(value).getElementType() == typeOf(matrix).getElementType();
  };
  if (auto where = matrix.getDefiningOp<WhereSelfOp>())
    return isIdentity(where.getCondition(), n) && isZero(where.getOther()) && fits(where.getSelf()) ? where.getSelf()
                                                                                                    : Value();
  if (auto mul = matrix.getDefiningOp<MulTensorOp>())
    for (unsigned i : {0, 1})
      if (isIdentity(mul->getOperand(i), n) && fits(mul->getOperand(1 - i)))
        return mul->getOperand(1 - i);
  return Value();
}

namespace {

struct ScaleByDiagonal : RewritePattern {
  explicit ScaleByDiagonal(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isa<MmOp, MatmulOp>(op) || rankOf(op->getOperand(0)) < 2 || rankOf(op->getOperand(1)) < 2)
      return failure();
    AlgebraBuilder b(rewriter, op->getLoc());
    for (bool right : {false, true}) {
      Value diagonal = diagonalOf(op->getOperand(right)), other = op->getOperand(!right);
      if (!diagonal || shapeOf(other) != shapeOf(op->getResult(0)))
        continue;
      const int64_t n = typeOf(diagonal).getNumElements();
      diagonal = b.reshape(diagonal, right ? SmallVector<int64_t>{n} : SmallVector<int64_t>{n, 1});
      rewriter.replaceOp(op, b.mul(other, diagonal));
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no diagonal matrix");
  }
};

} // namespace

void populateDiagonalProducts(RewritePatternSet &patterns) { patterns.add<ScaleByDiagonal>(patterns.getContext()); }

} // namespace kgen::aten
