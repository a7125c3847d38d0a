//===- Reduction.cpp - Ops that fold dimensions away ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Rows.h"
#include "kgen/Dialect/Aten/Aten.h"

#include <cmath>

using namespace mlir;

namespace kgen::conversion {

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

Rows::Rows(LinalgBuilder &b, Value tensor, const llvm::SmallBitVector &folded)
    : tensor(tensor), type(computeType(b.element(tensor))), b(b) {
  SmallVector<int64_t> loops;
  for (auto [i, extent] : llvm::enumerate(b.shape(tensor))) {
    if (folded[i]) {
      count *= extent;
      continue;
    }
    loops.push_back(i);
    keptShape.push_back(extent);
  }
  kept = b.along(folded.size(), loops);
  identity = b.identity(folded.size());
}

llvm::SmallBitVector Rows::dims(ArrayRef<int64_t> dims, int64_t rank) {
  llvm::SmallBitVector result(rank, dims.empty());
  for (int64_t dim : dims)
    if (rank > 0)
      result.set(wrapDim(dim, rank));
  return result;
}

Value Rows::max() {
  return b.fold({self()}, kept, keptShape, type, -INFINITY,
                [](ArrayRef<Scalar> x, Scalar best) { return kgen::conversion::max(best, x[0]); });
}

Value Rows::sum(ArrayRef<Operand> inputs, LinalgBuilder::Formula term) {
  return b.fold(inputs, kept, keptShape, type, 0.0,
                [&](ArrayRef<Scalar> x, Scalar sum) { return sum + term(x).to(type); });
}

Value Rows::mean() {
  Value total = sum({self()}, [](ArrayRef<Scalar> x) { return x[0]; });
  return b.map({{total, b.identity(keptShape.size())}}, keptShape, type,
               [&](ArrayRef<Scalar> x) { return x[0] / count; });
}

Value Rows::shift() {
  return b.map({{max(), b.identity(keptShape.size())}}, keptShape, type,
               [](ArrayRef<Scalar> x) { return select(equal(abs(x[0]), INFINITY), x[0].constant(0), x[0]); });
}

namespace {

//===----------------------------------------------------------------------===//
// Sums, products, extrema
//===----------------------------------------------------------------------===//

using Statistic = function_ref<Value(Rows &, Type result)>;

/// Folds DIMS of SELF by STATISTIC and gives the result RESULT's type, kept dimensions and all.
Value reduce(LinalgBuilder &b, Value self, ArrayRef<int64_t> dims, Value result, Statistic statistic) {
  Rows rows(b, self, Rows::dims(dims, b.rank(self)));
  Value folded = b.convert(statistic(rows, b.element(result)), b.element(result));
  return b.reshape(folded, b.shape(result));
}

Value sumOf(LinalgBuilder &b, Rows &rows, Type result) {
  rows.type = computeType(result); // integers and booleans add up in i64
  return rows.sum({rows.self()}, [](ArrayRef<Scalar> x) { return x[0]; });
}

Value productOf(LinalgBuilder &b, Rows &rows, Type result) {
  Type type = computeType(result);
  return b.fold({rows.self()}, rows.kept, rows.keptShape, type, 1.0,
                [&](ArrayRef<Scalar> x, Scalar product) { return product * x[0].to(type); });
}

Value minOf(LinalgBuilder &b, Rows &rows) {
  return b.fold({rows.self()}, rows.kept, rows.keptShape, rows.type, INFINITY,
                [](ArrayRef<Scalar> x, Scalar best) { return min(best, x[0]); });
}

template <typename OpT>
SmallVector<int64_t> foldedDims(OpT op) {
  if constexpr (std::is_same_v<OpT, aten::ProdDimIntOp>)
    return {static_cast<int64_t>(op.getDim())};
  else
    return llvm::to_vector(op.getDim());
}
template <>
SmallVector<int64_t> foldedDims(aten::SumOp) {
  return {};
}
template <>
SmallVector<int64_t> foldedDims(aten::ProdOp) {
  return {};
}
template <>
SmallVector<int64_t> foldedDims(aten::MeanOp) {
  return {};
}
template <>
SmallVector<int64_t> foldedDims(aten::MaxOp) {
  return {};
}
template <>
SmallVector<int64_t> foldedDims(aten::MinOp) {
  return {};
}

template <typename OpT>
SmallVector<Value> lowerSum(OpT op, LinalgBuilder &b) {
  return {reduce(b, op.getSelf(), foldedDims(op), op.getResult(),
                 [&](Rows &rows, Type result) { return sumOf(b, rows, result); })};
}
template <typename OpT>
SmallVector<Value> lowerProd(OpT op, LinalgBuilder &b) {
  return {reduce(b, op.getSelf(), foldedDims(op), op.getResult(),
                 [&](Rows &rows, Type result) { return productOf(b, rows, result); })};
}
template <typename OpT>
SmallVector<Value> lowerMean(OpT op, LinalgBuilder &b) {
  return {reduce(b, op.getSelf(), foldedDims(op), op.getResult(), [](Rows &rows, Type) { return rows.mean(); })};
}
template <typename OpT>
SmallVector<Value> lowerMax(OpT op, LinalgBuilder &b) {
  return {reduce(b, op.getSelf(), foldedDims(op), op.getResult(), [](Rows &rows, Type) { return rows.max(); })};
}
template <typename OpT>
SmallVector<Value> lowerMin(OpT op, LinalgBuilder &b) {
  return {reduce(b, op.getSelf(), foldedDims(op), op.getResult(), [&](Rows &rows, Type) { return minOf(b, rows); })};
}

SmallVector<Value> lowerLogsumexp(aten::LogsumexpOp op, LinalgBuilder &b) {
  auto statistic = [&](Rows &rows, Type) {
    Value shift = rows.shift();
    Value sum = rows.sum({rows.self(), rows.read(shift)}, [](ArrayRef<Scalar> x) { return exp(x[0] - x[1]); });
    AffineMap identity = b.identity(rows.keptShape.size());
    return b.map({{sum, identity}, {shift, identity}}, rows.keptShape, rows.type,
                 [](ArrayRef<Scalar> x) { return log(x[0]) + x[1]; });
  };
  return {reduce(b, op.getSelf(), op.getDim(), op.getResult(), statistic)};
}

/// Whether all elements of a row, or any, are not zero.
template <typename OpT, bool all>
SmallVector<Value> lowerTruth(OpT op, LinalgBuilder &b) {
  return {reduce(b, op.getSelf(), op.getDim(), op.getResult(), [&](Rows &rows, Type type) {
    return b.fold({rows.self()}, rows.kept, rows.keptShape, type, all, [](ArrayRef<Scalar> x, Scalar sum) {
      Scalar isTrue = notEqual(x[0], 0);
      return all ? sum & isTrue : sum | isTrue;
    });
  })};
}

SmallVector<Value> lowerVariance(aten::VarCorrectionOp op, LinalgBuilder &b) {
  auto statistic = [&](Rows &rows, Type) {
    Value squares = rows.sum({rows.self(), rows.read(rows.mean())}, [](ArrayRef<Scalar> x) {
      Scalar distance = x[0] - x[1];
      return distance * distance;
    });
    double freedom = std::max(rows.count - op.getCorrection(), 0.0);
    return b.map({{squares, b.identity(rows.keptShape.size())}}, rows.keptShape, rows.type,
                 [&](ArrayRef<Scalar> x) { return x[0] / freedom; });
  };
  return {reduce(b, op.getSelf(), op.getDim(), op.getResult(), statistic)};
}

SmallVector<Value> lowerVectorNorm(aten::LinalgVectorNormOp op, LinalgBuilder &b) {
  double ord = op.getOrd();
  auto statistic = [&](Rows &rows, Type) -> Value {
    if (std::isinf(ord)) {
      auto extremum = [&](ArrayRef<Scalar> x, Scalar best) {
        return ord > 0 ? max(best, abs(x[0])) : min(best, abs(x[0]));
      };
      return b.fold({rows.self()}, rows.kept, rows.keptShape, rows.type, ord > 0 ? 0.0 : INFINITY, extremum);
    }
    Value sum = rows.sum({rows.self()}, [&](ArrayRef<Scalar> x) {
      if (ord == 0)
        return notEqual(x[0], 0.0).to(x[0].type());
      if (ord == 1)
        return abs(x[0]);
      return ord == 2 ? x[0] * x[0] : pow(abs(x[0]), x[0].constant(ord));
    });
    if (ord == 0 || ord == 1)
      return sum;
    return b.map({{sum, b.identity(rows.keptShape.size())}}, rows.keptShape, rows.type,
                 [&](ArrayRef<Scalar> x) { return ord == 2 ? sqrt(x[0]) : pow(x[0], x[0].constant(1 / ord)); });
  };
  return {reduce(b, op.getSelf(), op.getDim(), op.getResult(), statistic)};
}

//===----------------------------------------------------------------------===//
// Extrema with their positions
//===----------------------------------------------------------------------===//

/// Whether X replaces BEST: strictly better, so that the first of equal ones stays; a NaN beats numbers.
Scalar better(Scalar x, Scalar best, bool wantMax) {
  Scalar wins = wantMax ? greater(x, best) : less(x, best);
  return x.isFloat() ? wins | (notEqual(x, x) & equal(best, best)) : wins;
}

/// The extremum of SELF along DIM and its position, both without that dimension.
std::pair<Value, Value> extremum(LinalgBuilder &b, Value self, int64_t dim, bool wantMax) {
  int64_t rank = b.rank(self);
  Rows rows(b, self, Rows::dims({dim}, rank));
  Type type = b.element(self), i64 = b.b.getI64Type();
  Value values = b.filled(rows.keptShape, type, wantMax ? -INFINITY : INFINITY);
  Value positions = b.filled(rows.keptShape, i64, 0);
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators[dim] = utils::IteratorType::reduction;
  auto op = linalg::GenericOp::create(
      b.b, TypeRange{values.getType(), positions.getType()}, ValueRange{self}, ValueRange{values, positions},
      ArrayRef<AffineMap>{b.identity(rank), rows.kept, rows.kept}, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        ImplicitLocOpBuilder body(loc, builder);
        Scalar x(body, args[0]), best(body, args[1]), position(body, args[2]);
        Scalar wins = better(x.to(rows.type), best.to(rows.type), wantMax);
        linalg::YieldOp::create(body,
                                ValueRange{select(wins, x, best).get(), select(wins, b.index(x, dim), position).get()});
      });
  return {op.getResult(0), op.getResult(1)};
}

template <typename OpT, bool wantMax>
SmallVector<Value> lowerExtremumDim(OpT op, LinalgBuilder &b) {
  Value self = op.getSelf();
  int64_t dim = op.getDim();
  if (b.rank(self) == 0) { // torch lets a scalar be reduced over dimension 0
    self = b.reshape(self, {1});
    dim = 0;
  }
  auto [values, positions] = extremum(b, self, wrapDim(dim, b.rank(self)), wantMax);
  return {b.reshape(values, b.shape(op.getValues())), b.reshape(positions, b.shape(op.getIndices()))};
}

template <typename OpT, bool wantMax>
SmallVector<Value> lowerArgExtremum(OpT op, LinalgBuilder &b) {
  Value self = op.getSelf();
  int64_t dim = 0;
  if (op.getDim() && b.rank(self) > 0) {
    dim = wrapDim(*op.getDim(), b.rank(self));
  } else {
    int64_t elements = cast<RankedTensorType>(self.getType()).getNumElements();
    self = b.reshape(self, {elements});
  }
  return {b.reshape(extremum(b, self, dim, wantMax).second, b.shape(op.getResult()))};
}

} // namespace

void populateReductionPatterns(RewritePatternSet &patterns) {
  addLowering<aten::SumOp>(patterns, lowerSum);
  addLowering<aten::SumDimIntListOp>(patterns, lowerSum);
  addLowering<aten::ProdOp>(patterns, lowerProd);
  addLowering<aten::ProdDimIntOp>(patterns, lowerProd);
  addLowering<aten::MeanOp>(patterns, lowerMean);
  addLowering<aten::MeanDimOp>(patterns, lowerMean);
  addLowering<aten::MaxOp>(patterns, lowerMax);
  addLowering<aten::AmaxOp>(patterns, lowerMax);
  addLowering<aten::MinOp>(patterns, lowerMin);
  addLowering<aten::AminOp>(patterns, lowerMin);
  addLowering<aten::AllDimsOp>(patterns, lowerTruth<aten::AllDimsOp, true>);
  addLowering<aten::AnyDimsOp>(patterns, lowerTruth<aten::AnyDimsOp, false>);
  addLowering<aten::VarCorrectionOp>(patterns, lowerVariance);
  addLowering<aten::LogsumexpOp>(patterns, lowerLogsumexp);
  addLowering<aten::LinalgVectorNormOp>(patterns, lowerVectorNorm);
  addLowering<aten::MaxDimOp>(patterns, lowerExtremumDim<aten::MaxDimOp, true>);
  addLowering<aten::MinDimOp>(patterns, lowerExtremumDim<aten::MinDimOp, false>);
  addLowering<aten::ArgmaxOp>(patterns, lowerArgExtremum<aten::ArgmaxOp, true>);
  addLowering<aten::ArgminOp>(patterns, lowerArgExtremum<aten::ArgminOp, false>);
}

} // namespace kgen::conversion
