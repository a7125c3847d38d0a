//===- Magnitudes.cpp - kgen-magnitudes -----------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size of what was added up for each element of an answer: what a bound on
// its rounding error is a multiple of. Works on linalg on tensors, so that the
// CPU's oracle and the card's can both compute it.
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/OracleLowering.h"

#include "kgen/Support/Accumulation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

namespace kgen::oracle {
#define GEN_PASS_DEF_MAGNITUDESPASS
#include "kgen/Oracle/Passes.h.inc"
} // namespace kgen::oracle

using namespace mlir;

namespace {

bool isFloatTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

/// |VALUE|, and 0 for what is not finite: minus infinity is a mask or the start of a maximum, never added up.
FloatAttr sizeOf(FloatAttr value) {
  double size = std::fabs(value.getValueAsDouble());
  return FloatAttr::get(value.getType(), std::isfinite(size) ? size : 0.0);
}

/// The magnitudes of the tensors of one function.
class Twins {
public:
  /// A tensor without a twin of its own: its elements' absolute values are their magnitudes.
  bool isPlain(Value tensor) const { return !twins.contains(tensor); }
  Value of(Value tensor) const { return twins.lookup(tensor); }
  void set(Value tensor, Value twin) { twins[tensor] = twin; }

private:
  llvm::DenseMap<Value, Value> twins;
};

/// Writes the body of an op's twin: values of the original body and their magnitudes, where they are needed.
class BodyWriter {
public:
  BodyWriter(OpBuilder &builder, Location loc, const Twins &twins) : b(builder), loc(loc), twins(twins) {}

  void setValue(Value original, Value copy) { values.map(original, copy); }
  void setMagnitude(Value original, Value magnitude) { magnitudes[original] = magnitude; }
  bool failed() const { return unknown; }

  Value value(Value original) {
    if (Value known = values.lookupOrNull(original))
      return known;
    Operation *op = original.getDefiningOp();
    if (!op || isOutside(op))
      return original;
    for (Value operand : op->getOperands())
      value(operand);
    b.clone(*op, values);
    return values.lookup(original);
  }

  Value magnitude(Value original) {
    auto [known, isNew] = magnitudes.try_emplace(original);
    if (!isNew)
      return known->second;
    Value result = compute(original);
    return magnitudes[original] = result;
  }

  void setBody(Block *original) { body = original; }

private:
  bool isOutside(Operation *op) const { return op->getBlock() != body; }

  Value constant(double c, Type type) { return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, c)); }
  Value abs(Value x) { return math::AbsFOp::create(b, loc, x); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value rsqrt(Value x) { return math::RsqrtOp::create(b, loc, x); }
  Value size(Value x) {
    Value known = abs(x), infinity = constant(INFINITY, x.getType());
    Value finite = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, known, infinity);
    return arith::SelectOp::create(b, loc, finite, known, constant(0, x.getType()));
  }

  /// |f'| M(a) + |f|.
  Value unary(Operation *op, llvm::function_ref<Value(Value a, Value f)> slope) {
    Value a = value(op->getOperand(0)), f = value(op->getResult(0));
    return add(mul(abs(slope(a, f)), magnitude(op->getOperand(0))), abs(f));
  }

  bool isPlain(Value x) const { return plain.contains(x); }

  /// uM(a): how far off a may be.
  Value error(Value original) {
    return mul(constant(kgen::accumulationRoundoff, original.getType()), magnitude(original));
  }

  /// M(a)|b| + |a|M(b), as one product where that can be: a contraction stays one. Where both were computed,
  /// uM(a)M(b) as well: all that is left of a square where its root cancels.
  Value product(Value x, Value y) {
    Value ma = magnitude(x), mc = magnitude(y);
    if (isPlain(y))
      return mul(add(ma, isPlain(x) ? ma : abs(value(x))), mc);
    Value c = abs(value(y));
    if (isPlain(x))
      return mul(ma, add(mc, c));
    return add(mul(ma, add(c, error(y))), mul(abs(value(x)), mc));
  }

  Value compute(Value original) {
    FloatAttr attr;
    if (matchPattern(original, m_Constant(&attr)))
      return constant(sizeOf(attr).getValueAsDouble(), original.getType());
    Operation *op = original.getDefiningOp();
    if (!op) { // an element of a plain tensor
      plain.insert(original);
      return size(value(original));
    }
    Type type = original.getType();
    return llvm::TypeSwitch<Operation *, Value>(op)
        .Case<arith::AddFOp, arith::SubFOp>(
            [&](auto) { return add(magnitude(op->getOperand(0)), magnitude(op->getOperand(1))); })
        .Case<arith::MulFOp>([&](auto) { return product(op->getOperand(0), op->getOperand(1)); })
        .Case<arith::DivFOp>([&](auto) {
          // (M(a) + |a / b| M(b)) / |b|
          Value c = abs(value(op->getOperand(1)));
          Value quotient = mul(abs(value(original)), magnitude(op->getOperand(1)));
          return div(add(magnitude(op->getOperand(0)), quotient), c);
        })
        .Case<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>([&](auto) -> Value {
          return arith::MaximumFOp::create(b, loc, magnitude(op->getOperand(0)), magnitude(op->getOperand(1)));
        })
        .Case<arith::NegFOp, math::AbsFOp>([&](auto) { return magnitude(op->getOperand(0)); })
        .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) {
          IRMapping mapping;
          mapping.map(op->getOperand(0), magnitude(op->getOperand(0)));
          return b.clone(*op, mapping)->getResult(0);
        })
        .Case<arith::SIToFPOp, arith::UIToFPOp>([&](auto) { return abs(value(original)); })
        .Case<arith::SelectOp>([&](arith::SelectOp select) -> Value {
          return arith::SelectOp::create(b, loc, value(select.getCondition()), magnitude(select.getTrueValue()),
                                         magnitude(select.getFalseValue()));
        })
        .Case<math::ExpOp>([&](auto) { return unary(op, [&](Value, Value f) { return f; }); })
        .Case<math::ExpM1Op>([&](auto) { return unary(op, [&](Value, Value f) { return add(f, constant(1, type)); }); })
        .Case<math::LogOp>([&](auto) { return unary(op, [&](Value a, Value) { return div(constant(1, type), a); }); })
        .Case<math::Log1pOp>([&](auto) {
          return unary(op, [&](Value a, Value) { return div(constant(1, type), add(constant(1, type), a)); });
        })
        .Case<math::SqrtOp>([&](auto) {
          // Steep where it vanishes, but bounded: what uM(a) does to it, up or down, over u.
          return unary(op, [&](Value a, Value f) {
            Value off = error(op->getOperand(0));
            Value below = arith::MaximumFOp::create(b, loc, sub(a, off), constant(0, type));
            Value both = add(f, math::SqrtOp::create(b, loc, below));
            return div(constant(1, type), arith::MaximumFOp::create(b, loc, both, math::SqrtOp::create(b, loc, off)));
          });
        })
        .Case<math::RsqrtOp>([&](auto) {
          return unary(op, [&](Value, Value f) { return mul(constant(0.5, type), mul(f, mul(f, f))); });
        })
        .Case<math::TanhOp>(
            [&](auto) { return unary(op, [&](Value, Value f) { return sub(constant(1, type), mul(f, f)); }); })
        .Case<math::ErfOp>([&](auto) {
          return unary(op, [&](Value a, Value) {
            Value bell = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, mul(a, a)));
            return mul(constant(2 * llvm::numbers::inv_sqrtpi, type), bell);
          });
        })
        .Case<math::ErfcOp>([&](auto) {
          return unary(op, [&](Value a, Value) {
            Value bell = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, mul(a, a)));
            return mul(constant(2 * llvm::numbers::inv_sqrtpi, type), bell);
          });
        })
        // Their slope is 1 at most.
        .Case<math::SinOp, math::CosOp, math::AtanOp, math::AsinhOp>(
            [&](auto) { return unary(op, [&](Value, Value) { return constant(1, type); }); })
        .Case<math::TanOp>(
            [&](auto) { return unary(op, [&](Value, Value f) { return add(constant(1, type), mul(f, f)); }); })
        .Case<math::AsinOp, math::AcosOp>(
            [&](auto) { return unary(op, [&](Value a, Value) { return rsqrt(sub(constant(1, type), mul(a, a))); }); })
        .Case<math::AcoshOp>(
            [&](auto) { return unary(op, [&](Value a, Value) { return rsqrt(sub(mul(a, a), constant(1, type))); }); })
        .Case<math::AtanhOp>([&](auto) {
          return unary(op, [&](Value a, Value) { return div(constant(1, type), sub(constant(1, type), mul(a, a))); });
        })
        .Case<math::SinhOp, math::CoshOp>(
            [&](auto) { return unary(op, [&](Value, Value f) { return add(constant(1, type), abs(f)); }); })
        .Case<math::Exp2Op>([&](auto) { return unary(op, [&](Value, Value f) { return f; }); })
        .Case<math::Log2Op, math::Log10Op>([&](auto) {
          double scale = isa<math::Log2Op>(op) ? 1 / llvm::numbers::ln2 : 1 / llvm::numbers::ln10;
          return unary(op, [&](Value a, Value) { return div(constant(scale, type), a); });
        })
        // Steps: what is rounded off is no error of theirs.
        .Case<math::CeilOp, math::FloorOp, math::RoundEvenOp, math::TruncOp>([&](auto) { return abs(value(original)); })
        .Case<arith::RemFOp>([&](auto) {
          // a - b trunc(a / b)
          Value quotient = abs(div(value(op->getOperand(0)), value(op->getOperand(1))));
          return add(magnitude(op->getOperand(0)), mul(quotient, magnitude(op->getOperand(1))));
        })
        .Case<math::Atan2Op>([&](auto) {
          // (|x| M(y) + |y| M(x)) / (x^2 + y^2) + |f|
          Value y = op->getOperand(0), x = op->getOperand(1), yc = abs(value(y)), xc = abs(value(x));
          Value parts = add(mul(xc, magnitude(y)), mul(yc, magnitude(x)));
          return add(div(parts, add(mul(xc, xc), mul(yc, yc))), abs(value(original)));
        })
        .Case<tensor::ExtractOp>([&](tensor::ExtractOp extract) -> Value {
          if (twins.isPlain(extract.getTensor())) {
            plain.insert(original);
            return size(value(original));
          }
          SmallVector<Value> indices;
          for (Value index : extract.getIndices())
            indices.push_back(value(index));
          return tensor::ExtractOp::create(b, loc, twins.of(extract.getTensor()), indices);
        })
        .Case<math::PowFOp>([&](math::PowFOp power) -> Value {
          // |b a^(b - 1)| M(a) + |a^b ln a| M(b) + |a^b|, where a constant b has no error of its own.
          FloatAttr exponent;
          if (!matchPattern(power.getRhs(), m_Constant(&exponent))) {
            Value base = value(power.getLhs()), e = value(power.getRhs());
            Value less = math::PowFOp::create(b, loc, base, sub(e, constant(1, type)));
            Value byBase = mul(abs(mul(e, less)), magnitude(power.getLhs()));
            Value byExponent = abs(mul(value(original), math::LogOp::create(b, loc, abs(base))));
            return add(add(byBase, mul(byExponent, magnitude(power.getRhs()))), abs(value(original)));
          }
          double e = exponent.getValueAsDouble();
          return unary(op, [&](Value a, Value) {
            if (e > 1) // a square, among others: see product
              a = add(abs(a), error(power.getLhs()));
            return mul(constant(e, type), math::PowFOp::create(b, loc, a, constant(e - 1, type)));
          });
        })
        .Default([&](Operation *) { return fail(original); });
  }

  Value fail(Value original) {
    unknown = true;
    return constant(0, original.getType());
  }

  OpBuilder &b;
  Location loc;
  const Twins &twins;
  Block *body = nullptr;
  IRMapping values;
  llvm::DenseMap<Value, Value> magnitudes;
  llvm::DenseSet<Value> plain;
  bool unknown = false;
};

/// Whether a magnitude in OP's body needs to know what was folded so far: in a running product, not in a sum.
bool needsFoldedValues(linalg::GenericOp op) {
  llvm::DenseSet<Value> folded(op.getRegionOutputArgs().begin(), op.getRegionOutputArgs().end());
  for (Operation &inner : op.getBody()->without_terminator()) {
    auto isFolded = [&](Value operand) { return folded.contains(operand); };
    if (llvm::none_of(inner.getOperands(), isFolded))
      continue;
    folded.insert(inner.result_begin(), inner.result_end());
    if (auto select = dyn_cast<arith::SelectOp>(inner)) {
      if (isFolded(select.getCondition()))
        return true;
    } else if (!isa<arith::AddFOp, arith::SubFOp, arith::NegFOp, math::AbsFOp, arith::MaximumFOp, arith::MinimumFOp,
                    arith::MaxNumFOp, arith::MinNumFOp, arith::ExtFOp, arith::TruncFOp>(inner) &&
               isa<FloatType>(inner.getResult(0).getType())) {
      return true;
    }
  }
  return false;
}

class Rewriter {
public:
  explicit Rewriter(func::FuncOp function) : function(function), b(function.getContext()) {}

  LogicalResult run() {
    for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
      b.setInsertionPointAfter(&op);
      if (failed(visit(op)))
        return failure();
    }
    // Answers that nobody needs any more.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
      if (isOpTriviallyDead(&op))
        op.erase();
    return success();
  }

private:
  /// The twin of TENSOR as a tensor.
  Value materialized(Value tensor) {
    if (!twins.isPlain(tensor))
      return twins.of(tensor);
    if (tensor.getDefiningOp<linalg::FillOp>() || tensor.getDefiningOp<tensor::EmptyOp>())
      return tensor; // not negative, or not there
    auto type = cast<RankedTensorType>(tensor.getType());
    AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
    Value init = tensor::EmptyOp::create(b, tensor.getLoc(), type.getShape(), type.getElementType());
    auto op = linalg::GenericOp::create(b, tensor.getLoc(), TypeRange{type}, ValueRange{tensor}, ValueRange{init},
                                        ArrayRef<AffineMap>{identity, identity}, loops,
                                        [&](OpBuilder &builder, Location loc, ValueRange args) {
                                          BodyWriter body(builder, loc, twins);
                                          linalg::YieldOp::create(builder, loc, body.magnitude(args[0]));
                                        });
    return op.getResult(0);
  }

  LogicalResult visit(Operation &op) {
    if (auto ret = dyn_cast<func::ReturnOp>(op)) {
      b.setInsertionPoint(ret);
      for (OpOperand &operand : ret->getOpOperands())
        if (isFloatTensor(operand.get()))
          operand.set(materialized(operand.get()));
      return success();
    }
    if (llvm::none_of(op.getResults(), isFloatTensor))
      return success();
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      return visitGeneric(generic);
    if (isa<arith::ConstantOp, tensor::EmptyOp>(op))
      return success();
    if (auto fill = dyn_cast<linalg::FillOp>(op)) {
      FloatAttr value;
      if (!matchPattern(fill.getInputs()[0], m_Constant(&value)))
        return op.emitOpError("has no magnitude: what it fills with is no constant");
      if (std::isfinite(value.getValueAsDouble()) && value.getValueAsDouble() >= 0)
        return success();
      Value size = arith::ConstantOp::create(b, op.getLoc(), sizeOf(value));
      twins.set(op.getResult(0),
                linalg::FillOp::create(b, op.getLoc(), ValueRange{size}, fill.getOutputs()).getResult(0));
      return success();
    }
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
             tensor::PadOp>(op))
      return op.emitOpError("has no magnitude");
    auto isTwinned = [&](Value operand) { return isFloatTensor(operand) && !twins.isPlain(operand); };
    if (llvm::none_of(op.getOperands(), isTwinned))
      return success();
    IRMapping mapping;
    for (Value operand : op.getOperands())
      if (isFloatTensor(operand))
        mapping.map(operand, materialized(operand));
    Operation *twin = b.clone(op, mapping);
    if (auto pad = dyn_cast<tensor::PadOp>(twin)) {
      auto yield = cast<tensor::YieldOp>(pad.getBody()->getTerminator());
      FloatAttr value;
      if (!matchPattern(yield.getValue(), m_Constant(&value)))
        return op.emitOpError("has no magnitude: what it pads with is no constant");
      OpBuilder inside(yield);
      yield.getValueMutable().assign(arith::ConstantOp::create(inside, op.getLoc(), sizeOf(value)));
    }
    twins.set(op.getResult(0), twin->getResult(0));
    return success();
  }

  /// Whether OP only moves elements of plain tensors, so that its results are plain, too.
  bool movesPlain(linalg::GenericOp op) const {
    return llvm::all_of(op.getBody()->getTerminator()->getOperands(), [&](Value value) {
      auto argument = dyn_cast<BlockArgument>(value);
      return argument && argument.getOwner() == op.getBody() && argument.getArgNumber() < op.getNumDpsInputs() &&
             twins.isPlain(op.getInputs()[argument.getArgNumber()]);
    });
  }

  LogicalResult visitGeneric(linalg::GenericOp op) {
    if (movesPlain(op))
      return success();
    const bool withValues = needsFoldedValues(op);
    SmallVector<Value> inputs(op.getInputs()), outputs;
    SmallVector<AffineMap> inputMaps, outputMaps;
    for (OpOperand *operand : op.getDpsInputOperands())
      inputMaps.push_back(op.getMatchingIndexingMap(operand));
    auto readsElements = [&](OpOperand *operand) { return !op.getMatchingBlockArgument(operand).use_empty(); };
    SmallVector<unsigned> twinned; // inputs with a twin
    for (OpOperand *operand : op.getDpsInputOperands())
      if (isFloatTensor(operand->get()) && !twins.isPlain(operand->get()) && readsElements(operand)) {
        twinned.push_back(operand->getOperandNumber());
        inputs.push_back(twins.of(operand->get()));
        inputMaps.push_back(op.getMatchingIndexingMap(operand));
      }
    SmallVector<unsigned> results; // those with a magnitude
    if (withValues)
      for (OpOperand &init : op.getDpsInitsMutable()) {
        outputs.push_back(init.get());
        outputMaps.push_back(op.getMatchingIndexingMap(&init));
      }
    for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable()))
      if (isFloatTensor(init.get())) {
        results.push_back(i);
        // What is never read needs no first value.
        outputs.push_back(readsElements(&init) ? materialized(init.get()) : init.get());
        outputMaps.push_back(op.getMatchingIndexingMap(&init));
      }
    inputMaps.append(outputMaps);
    bool known = true;
    auto twin =
        linalg::GenericOp::create(b, op.getLoc(), TypeRange(ValueRange(outputs)), inputs, outputs, inputMaps,
                                  op.getIteratorTypesArray(), [&](OpBuilder &builder, Location loc, ValueRange args) {
                                    BodyWriter body(builder, loc, twins);
                                    body.setBody(op.getBody());
                                    unsigned next = 0, numInputs = op.getNumDpsInputs();
                                    for (BlockArgument arg : op.getRegionInputArgs())
                                      body.setValue(arg, args[next++]);
                                    for (unsigned i : twinned)
                                      body.setMagnitude(op.getBody()->getArgument(i), args[next++]);
                                    if (withValues)
                                      for (BlockArgument arg : op.getRegionOutputArgs())
                                        body.setValue(arg, args[next++]);
                                    for (unsigned i : results)
                                      body.setMagnitude(op.getBody()->getArgument(numInputs + i), args[next++]);
                                    Operation *yield = op.getBody()->getTerminator();
                                    SmallVector<Value> yielded;
                                    if (withValues)
                                      for (Value result : yield->getOperands())
                                        yielded.push_back(body.value(result));
                                    for (unsigned i : results)
                                      yielded.push_back(body.magnitude(yield->getOperand(i)));
                                    known = !body.failed();
                                    linalg::YieldOp::create(builder, loc, yielded);
                                  });
    if (!known)
      return op.emitOpError("has no magnitude: its body holds an operation without one");
    unsigned first = withValues ? op.getNumResults() : 0;
    for (auto [position, i] : llvm::enumerate(results))
      twins.set(op.getResult(i), twin.getResult(first + position));
    return success();
  }

  func::FuncOp function;
  OpBuilder b;
  Twins twins;
};

struct Magnitudes : public kgen::oracle::impl::MagnitudesPassBase<Magnitudes> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(Rewriter(function).run()))
        return signalPassFailure();
  }
};

} // namespace
