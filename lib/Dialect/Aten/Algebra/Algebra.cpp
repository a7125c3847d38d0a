//===- Algebra.cpp - The same answer for less work ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Dialect/Aten/Algebra.h"
#include "AlgebraBuilder.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace kgen::aten {

ArrayRef<Rewrite> rewrites() {
  static const Rewrite all[] = {
      {"reduce_first", populateReduceFirst},           {"pool_filters", populatePoolFilters},
      {"norm_statistics", populateNormStatistics},     {"diagonal_products", populateDiagonalProducts},
      {"compose_attention", populateComposeAttention}, {"slice_first", populateSliceFirst},
      {"move_factors", populateMoveFactors},           {"split_attention", populateSplitAttention},
  };
  return all;
}

namespace {
/// Whether a pattern applied: dead ops that the driver takes away are no rewrite.
struct Applied : RewriterBase::Listener {
  void notifyPatternEnd(const Pattern &, LogicalResult status) override { any |= succeeded(status); }
  bool any = false;
};
} // namespace

/// Whether FUNC has tensors without elements. A mean of none is NaN, whatever is in front of it.
static bool hasEmptyTensors(func::FuncOp func) {
  return func
      .walk([](Operation *op) {
        auto isEmpty = [](Type type) {
          auto tensor = dyn_cast<RankedTensorType>(type);
          return tensor && llvm::is_contained(tensor.getShape(), 0);
        };
        return llvm::any_of(op->getOperandTypes(), isEmpty) || llvm::any_of(op->getResultTypes(), isEmpty)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool applyRewrite(func::FuncOp func, const Rewrite &rewrite) {
  if (hasEmptyTensors(func))
    return false;
  RewritePatternSet patterns(func.getContext());
  rewrite.populate(patterns);
  OwningOpRef<func::FuncOp> copy = func.clone();
  Applied applied;
  GreedyRewriteConfig config;
  config.setListener(&applied);
  if (failed(applyPatternsGreedily(*copy, std::move(patterns), config)) || !applied.any)
    return false;
  func.getBody().takeBody(copy->getBody());
  return true;
}

/// The diagonal of VALUE, where it is the lower (or upper) triangle of a matrix that is zero beyond it.
static std::optional<int64_t> diagonalOf(Operation *op, bool lower) {
  if (auto triangle = dyn_cast_or_null<TrilOp>(op); triangle && lower)
    return int64_t(triangle.getDiagonal());
  if (auto triangle = dyn_cast_or_null<TriuOp>(op); triangle && !lower)
    return int64_t(triangle.getDiagonal());
  return std::nullopt;
}

/// The part of the multiplications of a product that triangles leave: of its operands, or of the result, where nobody
/// sees more of it.
static double leftByTriangles(Operation *op) {
  const bool isLinear = isa<LinearOp>(op); // whose weight is transposed
  if (!isLinear && !isa<MmOp, BmmOp, MatmulOp>(op))
    return 1;
  Value a = op->getOperand(0), b = op->getOperand(1), c = op->getResult(0);
  if (rankOf(a) < 2 || rankOf(b) < 2 || rankOf(c) < 2)
    return 1;
  Operation *seen = c.hasOneUse() ? *c.getUsers().begin() : nullptr;
  std::optional<int64_t> bounds[3][2]; // column - row is at most, and at least, of a, b and c
  bool any = false;
  Operation *makers[] = {a.getDefiningOp(), b.getDefiningOp(), seen};
  for (auto [i, made] : llvm::enumerate(makers))
    for (bool lower : {true, false}) {
      bounds[i][!lower] = diagonalOf(made, lower);
      any |= bounds[i][!lower].has_value();
    }
  if (!any)
    return 1;
  const int64_t m = shapeOf(a)[rankOf(a) - 2], k = shapeOf(a).back(), n = shapeOf(b)[rankOf(b) - (isLinear ? 2 : 1)];
  double left = 0;
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < n; ++column) {
      if ((bounds[2][0] && column - row > *bounds[2][0]) || (bounds[2][1] && column - row < *bounds[2][1]))
        continue;
      int64_t begin = 0, end = k;
      if (bounds[0][0])
        end = std::min(end, row + *bounds[0][0] + 1);
      if (bounds[0][1])
        begin = std::max(begin, row + *bounds[0][1]);
      if (bounds[1][0]) {
        if (isLinear)
          end = std::min(end, column + *bounds[1][0] + 1);
        else
          begin = std::max(begin, column - *bounds[1][0]);
      }
      if (bounds[1][1]) {
        if (isLinear)
          begin = std::max(begin, column + *bounds[1][1]);
        else
          end = std::min(end, column - *bounds[1][1] + 1);
      }
      left += double(std::max<int64_t>(end - begin, 0));
    }
  return left / (double(m) * double(n) * double(k));
}

/// The FLOPs of FUNC without the products of what is known to be zero, and without results that nobody needs.
static double flopsOf(func::FuncOp func) {
  double flops = 0;
  const NeededElements needed(func);
  func.walk([&](AtenCostOpInterface op) {
    flops += op.getFlops() * std::min(leftByTriangles(op), needed.partOf(op)); // a triangle behind OP is in both
  });
  return flops;
}

double leastFlops(func::FuncOp func) {
  double least = flopsOf(func);
  OwningOpRef<func::FuncOp> all = func.clone();
  for (const Rewrite &rewrite : rewrites()) {
    OwningOpRef<func::FuncOp> alone = func.clone();
    if (applyRewrite(*alone, rewrite))
      least = std::min(least, flopsOf(*alone));
    if (applyRewrite(*all, rewrite))
      least = std::min(least, flopsOf(*all));
  }
  return least;
}

} // namespace kgen::aten
