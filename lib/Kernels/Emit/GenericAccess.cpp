//===- GenericAccess.cpp - Where an element of a tensor value comes from --===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Emit/GenericAccess.h"

#include "kgen/Dialect/KGen/KGen.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace kgen::kernels {

Value stripReshapes(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool isBuffer(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return true;
  if (isa<LaunchOp, DispatchOp>(op) || op->hasAttr(kPartAttr))
    return true;
  auto constant = dyn_cast<arith::ConstantOp>(op);
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  return elements && !elements.isSplat();
}

bool isViewGeneric(linalg::GenericOp op) {
  if (op->hasAttr(kCopyAttr) || op.getNumResults() != 1 || op.getNumParallelLoops() != op.getNumLoops() ||
      !op.getIndexingMapsArray().back().isPermutation())
    return false;
  Block *body = op.getBody();
  Value yielded = body->getTerminator()->getOperand(0);
  if (!llvm::hasSingleElement(*body))
    // A constant may stand inside the body.
    return llvm::all_of(body->without_terminator(), [](Operation &o) { return isa<arith::ConstantOp>(o); });
  return isa<BlockArgument>(yielded) || matchPattern(yielded, m_Constant());
}

AccessTracer::AccessTracer(MLIRContext *context, ArrayRef<int64_t> extents)
    : context(context), numLoops(extents.size()) {
  for (int64_t extent : extents)
    ranges.push_back({0, extent - 1});
  natural = ranges;
}

//===----------------------------------------------------------------------===//
// Index arithmetic with known ranges
//===----------------------------------------------------------------------===//

AccessTracer::Range AccessTracer::rangeOf(AffineExpr expr) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return {constant.getValue(), constant.getValue()};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return ranges[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Range left = rangeOf(binary.getLHS()), right = rangeOf(binary.getRHS());
  int64_t factor = right.low; // a constant, but for sums
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return {left.low + right.low, left.high + right.high};
  case AffineExprKind::Mul:
    return factor >= 0 ? Range{left.low * factor, left.high * factor} : Range{left.high * factor, left.low * factor};
  case AffineExprKind::FloorDiv:
    return {llvm::divideFloorSigned(left.low, factor), llvm::divideFloorSigned(left.high, factor)};
  case AffineExprKind::CeilDiv:
    return {llvm::divideCeilSigned(left.low, factor), llvm::divideCeilSigned(left.high, factor)};
  default:
    return left.low >= 0 && left.high < factor ? left : Range{0, factor - 1};
  }
}

/// Splits a sum into the part whose coefficients are multiples of DIVISOR, divided by it, and the rest.
static void splitMultiples(AffineExpr expr, int64_t divisor, AffineExpr &quotient, AffineExpr &rest) {
  if (auto sum = dyn_cast<AffineBinaryOpExpr>(expr); sum && sum.getKind() == AffineExprKind::Add) {
    splitMultiples(sum.getLHS(), divisor, quotient, rest);
    splitMultiples(sum.getRHS(), divisor, quotient, rest);
    return;
  }
  if (expr.isMultipleOf(divisor))
    quotient = quotient + expr.floorDiv(divisor);
  else
    rest = rest + expr;
}

AffineExpr AccessTracer::simplify(AffineExpr expr) const {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return expr;
  AffineExpr left = simplify(binary.getLHS()), right = simplify(binary.getRHS());
  AffineExpr zero = getAffineConstantExpr(0, context);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return left + right;
  case AffineExprKind::Mul:
    return left * right;
  case AffineExprKind::CeilDiv:
    return left.ceilDiv(right);
  default:
    break;
  }
  int64_t divisor = cast<AffineConstantExpr>(right).getValue();
  AffineExpr quotient = zero, rest = zero;
  splitMultiples(left, divisor, quotient, rest);
  bool isMod = expr.getKind() == AffineExprKind::Mod;
  Range range = rangeOf(rest);
  if (range.low >= 0 && range.high < divisor)
    return isMod ? rest : quotient;
  if (range.low >= 0)
    return isMod ? rest % divisor : quotient + rest.floorDiv(divisor);
  return isMod ? left % divisor : left.floorDiv(divisor);
}

AffineExpr AccessTracer::nameCoordinate(AffineExpr expr) {
  if (isa<AffineDimExpr, AffineConstantExpr>(expr))
    return expr;
  for (auto [i, definition] : llvm::enumerate(named))
    if (definition == expr)
      return getAffineDimExpr(numLoops + i, context);
  // The name outlives the branch that asks for it, so its range must not depend on the branch.
  std::swap(ranges, natural);
  Range range = rangeOf(expr);
  std::swap(ranges, natural);
  ranges.push_back(range);
  natural.push_back(range);
  named.push_back(expr);
  return getAffineDimExpr(numLoops + named.size() - 1, context);
}

//===----------------------------------------------------------------------===//
// Tracing
//===----------------------------------------------------------------------===//

static FailureOr<Access> makeLiteral(Attribute value) {
  Access access;
  access.kind = Access::Kind::Literal;
  access.literal = value;
  return FailureOr<Access>(std::move(access));
}

FailureOr<Access> AccessTracer::choose(Operation *user, ArrayRef<AccessCondition> conditions,
                                       llvm::function_ref<FailureOr<Access>()> inside,
                                       llvm::function_ref<FailureOr<Access>()> outside) {
  Access access;
  access.kind = Access::Kind::Choice;
  SmallVector<Range> savedRanges = ranges;
  for (AccessCondition condition : conditions) {
    Range range = rangeOf(condition.expr);
    if (range.high < condition.low || range.low >= condition.high)
      return outside();
    condition.checkLow = range.low < condition.low;
    condition.checkHigh = range.high >= condition.high;
    if (!condition.checkLow && !condition.checkHigh && condition.multipleOf == 1)
      continue;
    access.conditions.push_back(condition);
    if (auto dim = dyn_cast<AffineDimExpr>(condition.expr)) {
      Range &known = ranges[dim.getPosition()];
      known = {std::max(known.low, condition.low), std::min(known.high, condition.high - 1)};
    }
  }
  FailureOr<Access> taken = inside();
  // Coordinates named meanwhile keep their own ranges.
  std::copy(savedRanges.begin(), savedRanges.end(), ranges.begin());
  if (failed(taken) || access.conditions.empty())
    return taken;
  FailureOr<Access> other = outside();
  if (failed(other))
    return other;
  access.inside = std::make_unique<Access>(std::move(*taken));
  access.outside = std::make_unique<Access>(std::move(*other));
  return FailureOr<Access>(std::move(access));
}

/// Row-major position of COORDINATES in a tensor of SHAPE.
static AffineExpr linearize(ArrayRef<AffineExpr> coordinates, ArrayRef<int64_t> shape, MLIRContext *context) {
  AffineExpr index = getAffineConstantExpr(0, context);
  for (auto [coordinate, size] : llvm::zip_equal(coordinates, shape))
    index = index * size + coordinate;
  return index;
}

static FailureOr<SmallVector<int64_t>> getConstants(ArrayRef<OpFoldResult> values) {
  std::optional<SmallVector<int64_t>> constants = getConstantIntValues(values);
  if (!constants)
    return failure();
  return *constants;
}

FailureOr<Access> AccessTracer::trace(Operation *user, Value value, ArrayRef<AffineExpr> coordinates) {
  auto type = cast<RankedTensorType>(value.getType());
  Value root = stripReshapes(value);
  if (isBuffer(root)) {
    Access access;
    access.kind = Access::Kind::Load;
    access.buffer = root;
    access.index = simplify(linearize(coordinates, type.getShape(), context));
    return FailureOr<Access>(std::move(access));
  }

  Operation *op = value.getDefiningOp();
  auto unsupported = [&]() -> FailureOr<Access> {
    InFlightDiagnostic diagnostic = user->emitOpError("operand cannot be read by a generic kernel");
    diagnostic.attachNote(op->getLoc()) << "it comes from " << op->getName();
    return failure();
  };
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant))) {
    auto elements = dyn_cast<DenseElementsAttr>(constant);
    return elements && elements.isSplat() ? makeLiteral(elements.getSplatValue<Attribute>()) : unsupported();
  }
  if (isa<tensor::EmptyOp>(op))
    return makeLiteral(OpBuilder(context).getZeroAttr(type.getElementType()));
  if (isa<linalg::FillOp, tensor::SplatOp>(op)) {
    if (matchPattern(op->getOperand(0), m_Constant(&constant)))
      return makeLiteral(constant);
    return unsupported();
  }
  if (isa<tensor::CastOp>(op))
    return trace(user, op->getOperand(0), coordinates);

  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op)) {
    // Any reshape keeps the row-major position; the ranges simplify what a plain group split leaves.
    auto source = cast<RankedTensorType>(op->getOperand(0).getType());
    AffineExpr position = simplify(linearize(coordinates, type.getShape(), context));
    SmallVector<AffineExpr> inner(source.getRank());
    for (int64_t i = source.getRank() - 1; i >= 0; --i) {
      int64_t size = source.getDimSize(i);
      inner[i] = i == 0 ? position : simplify(position % size);
      position = simplify(position.floorDiv(size));
    }
    return trace(user, op->getOperand(0), inner);
  }

  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    FailureOr<SmallVector<int64_t>> low = getConstants(pad.getMixedLowPad());
    Attribute padding;
    Value padValue = pad.getConstantPaddingValue();
    if (failed(low) || !padValue || !matchPattern(padValue, m_Constant(&padding)))
      return unsupported();
    SmallVector<AffineExpr> inner;
    SmallVector<AccessCondition> conditions;
    for (auto [i, coordinate] : llvm::enumerate(coordinates)) {
      int64_t size = pad.getSourceType().getDimSize(i);
      AffineExpr shifted = simplify(coordinate - (*low)[i]);
      if (pad.getSourceType().getDimSize(i) != type.getDimSize(i)) {
        shifted = nameCoordinate(shifted);
        conditions.push_back({shifted, 0, size});
      }
      inner.push_back(shifted);
    }
    return choose(
        user, conditions, [&] { return trace(user, pad.getSource(), inner); }, [&] { return makeLiteral(padding); });
  }

  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    FailureOr<SmallVector<int64_t>> offsets = getConstants(slice.getMixedOffsets());
    FailureOr<SmallVector<int64_t>> strides = getConstants(slice.getMixedStrides());
    if (failed(offsets) || failed(strides))
      return unsupported();
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<AffineExpr> inner;
    unsigned next = 0;
    for (unsigned i = 0; i < offsets->size(); ++i) {
      AffineExpr offset = getAffineConstantExpr((*offsets)[i], context);
      inner.push_back(dropped.test(i) ? offset : coordinates[next++] * (*strides)[i] + offset);
    }
    return trace(user, slice.getSource(), inner);
  }

  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    FailureOr<SmallVector<int64_t>> offsets = getConstants(insert.getMixedOffsets());
    FailureOr<SmallVector<int64_t>> strides = getConstants(insert.getMixedStrides());
    FailureOr<SmallVector<int64_t>> sizes = getConstants(insert.getMixedSizes());
    if (failed(offsets) || failed(strides) || failed(sizes))
      return unsupported();
    llvm::SmallBitVector dropped = insert.getDroppedDims();
    SmallVector<AffineExpr> inner;
    SmallVector<AccessCondition> conditions;
    for (auto [i, coordinate] : llvm::enumerate(coordinates)) {
      int64_t stride = (*strides)[i];
      AffineExpr shifted = nameCoordinate(simplify(coordinate - (*offsets)[i]));
      conditions.push_back({shifted, 0, ((*sizes)[i] - 1) * stride + 1, stride});
      if (!dropped.test(i))
        inner.push_back(stride == 1 ? shifted : shifted.floorDiv(stride));
    }
    return choose(
        user, conditions, [&] { return trace(user, insert.getSource(), inner); },
        [&] { return trace(user, insert.getDest(), coordinates); });
  }

  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    uint64_t dim = concat.getDim();
    // From the last input to the first, each test is `coordinate < end of this input`.
    std::function<FailureOr<Access>(unsigned, int64_t)> part = [&](unsigned i, int64_t begin) -> FailureOr<Access> {
      Value input = concat.getInputs()[i];
      int64_t end = begin + cast<RankedTensorType>(input.getType()).getDimSize(dim);
      SmallVector<AffineExpr> inner(coordinates);
      inner[dim] = simplify(inner[dim] - begin);
      auto read = [&] { return trace(user, input, inner); };
      if (i + 1 == concat.getInputs().size())
        return read();
      AccessCondition condition{simplify(coordinates[dim]), 0, end};
      return choose(user, condition, read, [&] { return part(i + 1, end); });
    };
    return part(0, 0);
  }

  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || !isViewGeneric(generic))
    return unsupported();
  // Loop i of the view is the coordinate at which its permuted output map names it.
  SmallVector<AffineExpr> loops(generic.getNumLoops());
  for (auto [i, result] : llvm::enumerate(generic.getIndexingMapsArray().back().getResults()))
    loops[cast<AffineDimExpr>(result).getPosition()] = coordinates[i];
  Value yielded = generic.getBody()->getTerminator()->getOperand(0);
  if (matchPattern(yielded, m_Constant(&constant)))
    return makeLiteral(constant);
  auto argument = cast<BlockArgument>(yielded);
  OpOperand &operand = generic->getOpOperand(argument.getArgNumber());
  SmallVector<AffineExpr> inner;
  for (AffineExpr expr : generic.getMatchingIndexingMap(&operand).getResults())
    inner.push_back(simplify(expr.replaceDims(loops)));
  if (!isa<RankedTensorType>(operand.get().getType())) {
    if (matchPattern(operand.get(), m_Constant(&constant)))
      return makeLiteral(constant);
    return unsupported();
  }
  return trace(user, operand.get(), inner);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

FailureOr<std::string> printAccess(const Access &access, CudaHelpers &helpers, bool widen,
                                   llvm::function_ref<std::string(AffineExpr)> printIndex,
                                   llvm::function_ref<FailureOr<std::string>(const Access &)> printLoad) {
  if (access.kind == Access::Kind::Literal)
    return printLiteral(access.literal, helpers, widen);
  if (access.kind == Access::Kind::Load)
    return printLoad(access);
  SmallVector<std::string> tests;
  for (const AccessCondition &condition : access.conditions) {
    std::string text = parenthesized(printIndex(condition.expr));
    if (condition.checkLow)
      tests.push_back(text + " >= " + std::to_string(condition.low));
    if (condition.checkHigh)
      tests.push_back(text + " < " + std::to_string(condition.high));
    if (condition.multipleOf != 1)
      tests.push_back(text + " % " + std::to_string(condition.multipleOf) + " == 0");
  }
  FailureOr<std::string> inside = printAccess(*access.inside, helpers, widen, printIndex, printLoad);
  FailureOr<std::string> outside = printAccess(*access.outside, helpers, widen, printIndex, printLoad);
  if (failed(inside) || failed(outside))
    return failure();
  // A choice after the colon reads as `else if`.
  std::string taken = access.inside->kind == Access::Kind::Choice ? "(" + *inside + ")" : *inside;
  return llvm::join(tests, " && ") + " ? " + taken + " : " + *outside;
}

} // namespace kgen::kernels
