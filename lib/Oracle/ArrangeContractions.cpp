//===- ArrangeContractions.cpp - kgen-oracle-arrange-contractions ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses, for each contraction, the loop that LLVM can vectorize, and moves it
// innermost; operands that do not have it as their last dimension are transposed.
//
//===----------------------------------------------------------------------===//
#include "Contractions.h"
#include "kgen/Oracle/OracleLowering.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"

namespace kgen::oracle {
#define GEN_PASS_DEF_ORACLEARRANGECONTRACTIONSPASS
#include "kgen/Oracle/Passes.h.inc"
} // namespace kgen::oracle

using namespace mlir;

namespace kgen::oracle {

bool isContraction(linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1 || op.getNumDpsInputs() < 2 || op.hasIndexSemantics())
    return false;
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  auto add = yield.getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  return add.getLhs().getDefiningOp<arith::MulFOp>() || add.getRhs().getDefiningOp<arith::MulFOp>();
}

} // namespace kgen::oracle

namespace {

/// How an operand's indexing map meets the loop that is to become innermost.
enum class Access { Constant, UnitStride, Transpose, Strided };

Access classify(AffineMap map, unsigned dim) {
  int uses = 0, position = -1;
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (expr.isFunctionOfDim(dim)) {
      ++uses;
      position = i;
    }
  if (uses == 0)
    return Access::Constant;
  if (uses > 1)
    return Access::Strided;
  AffineExpr expr = map.getResult(position);
  bool last = position == int(map.getNumResults()) - 1;
  if (auto plain = dyn_cast<AffineDimExpr>(expr))
    return last ? Access::UnitStride : Access::Transpose;
  // d + rest, with d in no other term: walks with unit stride where it stands last.
  AffineExpr d = getAffineDimExpr(dim, map.getContext());
  AffineExpr rest = simplifyAffineExpr(expr - d, map.getNumDims(), 0);
  return last && !rest.isFunctionOfDim(dim) ? Access::UnitStride : Access::Strided;
}

/// Estimated cost, in element operations, of running OP with DIM innermost.
double cost(linalg::GenericOp op, ArrayRef<int64_t> loops, unsigned dim) {
  constexpr double vectorLanes = 8, perTransposedElement = 6;
  double iterations = 1;
  for (int64_t size : loops)
    iterations *= size;
  double result = iterations / std::min<double>(vectorLanes, loops[dim]) + iterations / loops[dim];
  for (OpOperand &operand : op->getOpOperands()) {
    Access access = classify(op.getMatchingIndexingMap(&operand), dim);
    bool isOutput = op.isDpsInit(&operand);
    if (access == Access::Strided || (isOutput && access == Access::Constant))
      return std::numeric_limits<double>::infinity();
    if (access == Access::Transpose)
      result += perTransposedElement * cast<RankedTensorType>(operand.get().getType()).getNumElements();
  }
  return result;
}

/// The permutation that moves dimension POSITION of RANK last.
SmallVector<int64_t> moveLast(int64_t rank, int64_t position) {
  SmallVector<int64_t> permutation;
  for (int64_t i = 0; i < rank; ++i)
    if (i != position)
      permutation.push_back(i);
  permutation.push_back(position);
  return permutation;
}

Value transpose(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape = applyPermutation(type.getShape(), permutation);
  Value empty = tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return linalg::FillOp::create(builder, loc, fill.getInputs(), ValueRange{empty}).getResult(0);
  return linalg::TransposeOp::create(builder, loc, value, empty, permutation)->getResult(0);
}

/// Transposes what stands in the way of DIM as a unit-stride loop and interchanges it innermost.
void arrange(RewriterBase &rewriter, linalg::GenericOp op, unsigned dim) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  SmallVector<int64_t> undo;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    Value value = operand.get();
    if (classify(map, dim) == Access::Transpose) {
      int64_t position = *map.getResultPosition(rewriter.getAffineDimExpr(dim));
      SmallVector<int64_t> permutation = moveLast(map.getNumResults(), position);
      value = transpose(rewriter, loc, value, permutation);
      map = AffineMap::get(map.getNumDims(), 0, applyPermutation(map.getResults(), permutation), rewriter.getContext());
      if (op.isDpsInit(&operand))
        undo = invertPermutationVector(permutation);
    }
    operands.push_back(value);
    maps.push_back(map);
  }
  ValueRange inputs = ValueRange(operands).drop_back();
  auto arranged = linalg::GenericOp::create(rewriter, loc, TypeRange{operands.back().getType()}, inputs,
                                            ValueRange{operands.back()}, maps, op.getIteratorTypesArray());
  rewriter.inlineRegionBefore(op.getRegion(), arranged.getRegion(), arranged.getRegion().begin());
  Value result = arranged.getResult(0);
  if (!undo.empty())
    result = transpose(rewriter, loc, result, undo);
  rewriter.replaceOp(op, result);

  // Parallel loops, then reductions, then the vector loop: the innermost then reads one value of
  // the constant input and walks the two others.
  SmallVector<unsigned> order;
  for (utils::IteratorType kind : {utils::IteratorType::parallel, utils::IteratorType::reduction})
    for (auto [i, iterator] : llvm::enumerate(arranged.getIteratorTypesArray()))
      if (iterator == kind && i != dim)
        order.push_back(i);
  order.push_back(dim);
  (void)linalg::interchangeGenericOp(rewriter, arranged, order);
}

struct ArrangeContractions : public kgen::oracle::impl::OracleArrangeContractionsPassBase<ArrangeContractions> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> named;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isa<linalg::ContractionOpInterface, linalg::ConvolutionOpInterface>(op.getOperation()))
        named.push_back(op);
    });
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      (void)linalg::generalizeNamedOp(rewriter, op); // fails on what is generic already
    }
    SmallVector<linalg::GenericOp> contractions;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op.hasPureTensorSemantics() && kgen::oracle::isContraction(op))
        contractions.push_back(op);
    });
    for (linalg::GenericOp op : contractions) {
      SmallVector<int64_t> loops = op.getStaticLoopRanges();
      double best = std::numeric_limits<double>::infinity();
      unsigned bestDim = 0;
      for (auto [i, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
        if (iterator == utils::IteratorType::parallel)
          if (double c = cost(op, loops, i); c < best) {
            best = c;
            bestDim = i;
          }
      if (best < std::numeric_limits<double>::infinity())
        arrange(rewriter, op, bestDim);
    }
  }
};

} // namespace
