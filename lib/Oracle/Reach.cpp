//===- Reach.cpp - kgen-reach ---------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How large partial sums and products may get in whatever order they are taken.
// A kernel folds in an order of its own: where a partial result of some order
// leaves the range of its type, that order ends in an infinity, a zero or a NaN
// though the answer itself is an ordinary number. An integer that says which of
// two numbers is larger is in doubt where rounding does not tell them apart.
// Works on linalg on tensors, as kgen-magnitudes does.
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/OracleLowering.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <cmath>

namespace kgen::oracle {
#define GEN_PASS_DEF_REACHPASS
#include "kgen/Oracle/Passes.h.inc"
} // namespace kgen::oracle

using namespace mlir;

namespace {

/// An answer below fp32's smallest normal number may be zero in any order.
constexpr double smallestAnswer = 0x1p-126;

/// Two numbers that are closer than this part of their sizes may change places when they are computed in fp32: a power
/// on a card is off by up to 8 units in the last place (CUDA programming guide).
constexpr double closest = 0x1p-20;
/// And those that are closer than this are one number, computed twice in fp64.
constexpr double same = 0x1p-40;

/// Of a sum this part of its terms' sizes may be lost where a class rounds factors to bf16, as attention does with its
/// weights.
constexpr double lost = 0x1p-6;

/// From here on judges do not compare what is computed in fp32 (largestPartial of Verify.h).
constexpr double largestPartial = 0x1.fffffep107;

bool isFloatTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

/// What belongs to a tensor, each a tensor of f64 of its shape. REACH: nothing was folded where there is none. The
/// other two are there for products: the products of all factors' sizes above 1, and of the inverses of those below.
struct Twin {
  Value reach, large, inverse;
};

/// The parts of an op's body that are to be written anew.
class Body {
public:
  Body(OpBuilder &b, Location loc, linalg::GenericOp op, ValueRange arguments) : b(b), loc(loc), op(op) {
    for (BlockArgument argument : op.getRegionInputArgs())
      values.map(argument, arguments[argument.getArgNumber()]);
    for (BlockArgument argument : op.getRegionOutputArgs())
      folded.insert(argument);
    for (Operation &inner : op.getBody()->without_terminator())
      if (llvm::any_of(inner.getOperands(), [&](Value operand) { return folded.contains(operand); }))
        folded.insert(inner.result_begin(), inner.result_end());
  }

  OpBuilder &builder() { return b; }
  bool dependsOnFolded(Value original) const { return folded.contains(original); }
  void setValue(Value original, Value copy) { values.map(original, copy); }
  void setReach(Value original, Value reach) { reaches[original] = reach; }

  Value value(Value original) {
    if (Value known = values.lookupOrNull(original))
      return known;
    Operation *inner = original.getDefiningOp();
    if (!inner || inner->getBlock() != op.getBody())
      return original;
    for (Value operand : inner->getOperands())
      value(operand);
    b.clone(*inner, values);
    return values.lookup(original);
  }

  /// The larger reach of what ORIGINAL is computed of; null: nothing was folded for it. TWINS: of whole tensors.
  Value reach(Value original, llvm::function_ref<Value(Value)> twins) {
    if (auto known = reaches.find(original); known != reaches.end())
      return known->second;
    Operation *inner = original.getDefiningOp();
    Value out;
    if (inner && inner->getBlock() == op.getBody()) {
      auto select = dyn_cast<arith::SelectOp>(inner);
      if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
        if (Value twin = twins(extract.getTensor())) {
          SmallVector<Value> indices;
          for (Value index : extract.getIndices())
            indices.push_back(value(index));
          out = tensor::ExtractOp::create(b, loc, twin, indices);
        }
        for (Value index : extract.getIndices())
          out = larger(out, reach(index, twins));
      } else if (select && !dependsOnFolded(select.getCondition())) {
        Value first = reach(select.getTrueValue(), twins), second = reach(select.getFalseValue(), twins);
        if (first || second)
          out = arith::SelectOp::create(b, loc, value(select.getCondition()), first ? first : constant(0),
                                        second ? second : constant(0));
        out = larger(out, reach(select.getCondition(), twins));
      } else {
        for (Value operand : inner->getOperands())
          out = larger(out, reach(operand, twins));
        if (auto quotient = dyn_cast<arith::DivFOp>(inner); quotient && out)
          out = larger(out, reachOfQuotient(quotient, twins));
      }
    }
    return reaches[original] = out;
  }

  Value larger(Value x, Value y) {
    if (!x || !y || x == y)
      return x ? x : y;
    return arith::MaximumFOp::create(b, loc, x, y);
  }
  /// Infinite where X and Y, which REACH tells more of, are so close that rounding may order them otherwise: that they
  /// are the same number, or numbers that fp32 has, is no chance.
  Value doubt(Value x, Value y, Value reach) {
    auto rounded = [&](Value v) {
      Value narrow = arith::TruncFOp::create(b, loc, b.getF32Type(), v);
      return compare(arith::CmpFPredicate::ONE, extended(narrow), v);
    };
    x = extended(x), y = extended(y);
    Value size = larger(arith::MaximumFOp::create(b, loc, abs(x), abs(y)), reach);
    Value apart = abs(arith::SubFOp::create(b, loc, x, y));
    auto part = [&](double of) { return arith::MulFOp::create(b, loc, size, constant(of)).getResult(); };
    Value close = arith::AndIOp::create(b, loc, compare(arith::CmpFPredicate::OLE, apart, part(closest)),
                                        compare(arith::CmpFPredicate::OGT, apart, part(same)));
    close = arith::AndIOp::create(b, loc, close, arith::OrIOp::create(b, loc, rounded(x), rounded(y)));
    return arith::SelectOp::create(b, loc, close, constant(INFINITY), constant(0));
  }
  Value constant(double c) { return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(c)); }
  /// |X|, and OTHERWISE for what is not finite.
  Value size(Value x, double otherwise) {
    Value size = math::AbsFOp::create(b, loc, x);
    Value finite = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, size, constant(INFINITY));
    return arith::SelectOp::create(b, loc, finite, size, constant(otherwise));
  }

private:
  /// Infinite where zero divides a sum of which roundings may leave nothing, or where a sum divides of which another
  /// order may. Null where no sum is.
  Value reachOfQuotient(arith::DivFOp quotient, llvm::function_ref<Value(Value)> twins) {
    auto vanishes = [&](Value original, double within) -> Value {
      Value sum = dependsOnFolded(original) ? Value() : reach(original, twins);
      if (!sum)
        return nullptr;
      Value size = abs(extended(value(original))), part = arith::MulFOp::create(b, loc, sum, constant(within));
      return arith::AndIOp::create(b, loc, compare(arith::CmpFPredicate::OGT, size, constant(0)),
                                   compare(arith::CmpFPredicate::OLE, size, part));
    };
    Value above = vanishes(quotient.getLhs(), lost), below = vanishes(quotient.getRhs(), closest);
    if (above) {
      Value divisor = extended(value(quotient.getRhs()));
      above = arith::AndIOp::create(b, loc, above, compare(arith::CmpFPredicate::OEQ, divisor, constant(0)));
    }
    Value either = above && below ? arith::OrIOp::create(b, loc, above, below).getResult() : above ? above : below;
    return either ? arith::SelectOp::create(b, loc, either, constant(INFINITY), constant(0)).getResult() : nullptr;
  }

  Value abs(Value x) { return math::AbsFOp::create(b, loc, x); }
  Value extended(Value x) {
    return x.getType().isF64() ? x : arith::ExtFOp::create(b, loc, b.getF64Type(), x).getResult();
  }
  Value compare(arith::CmpFPredicate predicate, Value left, Value right) {
    return arith::CmpFOp::create(b, loc, predicate, left, right);
  }

  OpBuilder &b;
  Location loc;
  linalg::GenericOp op;
  IRMapping values;
  llvm::DenseSet<Value> folded;
  llvm::DenseMap<Value, Value> reaches;
};

class Rewriter {
public:
  explicit Rewriter(func::FuncOp function) : function(function), b(function.getContext()) {}

  LogicalResult run() {
    for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
      b.setInsertionPointAfter(&op);
      if (failed(visit(op)))
        return failure();
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
      if (isOpTriviallyDead(&op))
        op.erase();
    return success();
  }

private:
  Value empty(Value like, Type element) {
    return tensor::EmptyOp::create(b, like.getLoc(), cast<RankedTensorType>(like.getType()).getShape(), element);
  }
  Value empty(Value like) { return empty(like, b.getF64Type()); }
  Value filled(Value like, double c) {
    Value scalar = arith::ConstantOp::create(b, like.getLoc(), b.getF64FloatAttr(c));
    return linalg::FillOp::create(b, like.getLoc(), ValueRange{scalar}, ValueRange{empty(like)}).getResult(0);
  }

  LogicalResult visit(Operation &op) {
    if (auto ret = dyn_cast<func::ReturnOp>(op)) {
      b.setInsertionPoint(ret);
      for (OpOperand &operand : ret->getOpOperands()) {
        Value reach = twins.lookup(operand.get()).reach;
        reach = reach ? reach : filled(operand.get(), 0);
        operand.set(isFloatTensor(operand.get()) ? reach : doubt(reach, operand.get()));
      }
      return success();
    }
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      return visitGeneric(generic);
    auto reached = [&](Value operand) { return bool(twins.lookup(operand).reach); };
    if (llvm::none_of(op.getOperands(), reached))
      return success();
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
             tensor::PadOp>(op))
      return op.emitOpError("has no reach");
    Twin twin;
    twin.reach = reshaped(op, &Twin::reach, 0);
    auto isProduct = [&](Value operand) {
      return !isa<RankedTensorType>(operand.getType()) || twins.lookup(operand).large;
    };
    if (!isa<tensor::InsertSliceOp>(op) && llvm::all_of(op.getOperands(), isProduct)) {
      twin.large = reshaped(op, &Twin::large, 1);
      twin.inverse = reshaped(op, &Twin::inverse, 1);
    }
    twins[op.getResult(0)] = twin;
    return success();
  }

  /// OP on the PART of its operands, and FILLING in front of and behind them or for an operand that has none.
  Value reshaped(Operation &op, Value Twin::*part, double filling) {
    IRMapping mapping;
    for (Value operand : op.getOperands())
      if (isa<RankedTensorType>(operand.getType())) {
        Value twin = twins.lookup(operand).*part;
        mapping.map(operand, twin ? twin : filled(operand, filling));
      }
    if (auto pad = dyn_cast<tensor::PadOp>(op)) {
      Value scalar = arith::ConstantOp::create(b, op.getLoc(), b.getF64FloatAttr(filling));
      auto type = cast<RankedTensorType>(pad.getType()).clone(b.getF64Type());
      return tensor::PadOp::create(b, op.getLoc(), type, mapping.lookup(pad.getSource()), pad.getMixedLowPad(),
                                   pad.getMixedHighPad(), scalar);
    }
    Operation *copy = b.clone(op, mapping);
    copy->getResult(0).setType(cast<RankedTensorType>(op.getResult(0).getType()).clone(b.getF64Type()));
    return copy->getResult(0);
  }

  /// A generic op over OP's loops that reads OP's inputs and MORE, each as OP reads the input beside it, and folds
  /// FIRST, one of the tensors that OP's result I is like.
  Value generic(linalg::GenericOp op, unsigned i, ArrayRef<std::pair<OpOperand *, Value>> more, Value first,
                llvm::function_ref<Value(Body &, ValueRange more, Value folded)> write) {
    SmallVector<Value> inputs(op.getInputs());
    SmallVector<AffineMap> maps;
    for (OpOperand *operand : op.getDpsInputOperands())
      maps.push_back(op.getMatchingIndexingMap(operand));
    for (auto [operand, twin] : more) {
      inputs.push_back(twin);
      maps.push_back(op.getMatchingIndexingMap(operand));
    }
    maps.push_back(op.getMatchingIndexingMap(op.getDpsInitOperand(i)));
    auto made = linalg::GenericOp::create(
        b, op.getLoc(), TypeRange{first.getType()}, inputs, ValueRange{first}, maps, op.getIteratorTypesArray(),
        [&](OpBuilder &inner, Location loc, ValueRange arguments) {
          Body body(inner, loc, op, arguments);
          Value out = write(body, arguments.slice(op.getNumDpsInputs(), more.size()), arguments.back());
          linalg::YieldOp::create(inner, loc, out);
        });
    return made.getResult(0);
  }

  /// The element-wise larger one; null is nothing.
  Value larger(Location loc, Value x, Value y) {
    if (!x || !y)
      return x ? x : y;
    return map(loc, {x, y}, [](OpBuilder &inner, Location at, ValueRange arguments) -> Value {
      return arith::MaximumFOp::create(inner, at, arguments[0], arguments[1]);
    });
  }
  Value map(Location loc, ValueRange tensors, llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> write) {
    return map(loc, tensors, b.getF64Type(), write);
  }
  Value map(Location loc, ValueRange tensors, Type element,
            llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> write) {
    auto type = cast<RankedTensorType>(tensors[0].getType());
    SmallVector<AffineMap> maps(tensors.size() + 1, b.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
    Value out = empty(tensors[0], element);
    auto made = linalg::GenericOp::create(b, loc, TypeRange{out.getType()}, tensors, ValueRange{out}, maps, loops,
                                          [&](OpBuilder &inner, Location at, ValueRange arguments) {
                                            linalg::YieldOp::create(inner, at, write(inner, at, arguments));
                                          });
    return made.getResult(0);
  }

  LogicalResult visitGeneric(linalg::GenericOp op) {
    for (unsigned i = 0; i < op.getNumResults(); ++i) {
      Twin twin;
      twin.reach = reachOfInputs(op, i);
      if (isFloatTensor(op.getResult(i)))
        addFold(op, i, twin);
      else
        twin.reach = larger(op.getLoc(), reachOfChoices(op, i), twin.reach);
      if (twin.reach)
        twins[op.getResult(i)] = twin;
    }
    return success();
  }

  /// The largest reach of what result I was computed of.
  Value reachOfInputs(linalg::GenericOp op, unsigned i) {
    SmallVector<std::pair<OpOperand *, Value>> reached;
    bool any = false;
    for (OpOperand *operand : op.getDpsInputOperands())
      if (Value reach = twins.lookup(operand->get()).reach)
        reached.push_back({operand, reach});
    Value init = twins.lookup(op.getDpsInits()[i]).reach;
    any = !reached.empty() || init;
    op.getBody()->walk([&](tensor::ExtractOp extract) { any |= bool(twins.lookup(extract.getTensor()).reach); });
    if (!any)
      return nullptr;
    return generic(op, i, reached, init ? init : filled(op.getResult(i), 0),
                   [&](Body &body, ValueRange more, Value folded) {
                     for (auto [pair, value] : llvm::zip(reached, more))
                       body.setReach(op.getMatchingBlockArgument(pair.first), value);
                     for (BlockArgument argument : op.getRegionOutputArgs())
                       body.setReach(argument, nullptr);
                     Value yielded = op.getBody()->getTerminator()->getOperand(i);
                     Value reach = body.reach(yielded, [&](Value tensor) { return twins.lookup(tensor).reach; });
                     return body.larger(folded, reach);
                   });
  }

  /// Infinite where result I, an integer, follows from a comparison of numbers that rounding does not tell apart. What
  /// was folded is compared as it is in the end: of a row's elements with its largest one.
  Value reachOfChoices(linalg::GenericOp op, unsigned i) {
    SetVector<Operation *> behind;
    BackwardSliceOptions options;
    options.inclusive = true;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *inner) { return inner->getBlock() == op.getBody(); };
    if (failed(getBackwardSlice(op.getBody()->getTerminator()->getOperand(i), &behind, options)))
      return nullptr;
    SmallVector<arith::CmpFOp> choices;
    for (Operation *inner : behind)
      if (auto compare = dyn_cast<arith::CmpFOp>(inner); compare && compare.getLhs() != compare.getRhs())
        choices.push_back(compare);
    if (choices.empty())
      return nullptr;
    SmallVector<std::pair<OpOperand *, Value>> more;
    for (OpOperand *operand : op.getDpsInputOperands())
      if (Value reach = twins.lookup(operand->get()).reach)
        more.push_back({operand, reach});
    const size_t reached = more.size();
    if (op.getNumReductionLoops() > 0)
      for (unsigned k = 0; k < op.getNumResults(); ++k)
        more.push_back({op.getDpsInitOperand(k), op.getResult(k)});
    return generic(op, i, more, filled(op.getResult(i), 0), [&](Body &body, ValueRange added, Value folded) {
      for (auto [pair, value] : llvm::zip(ArrayRef(more).take_front(reached), added))
        body.setReach(op.getMatchingBlockArgument(pair.first), value);
      for (BlockArgument argument : op.getRegionOutputArgs())
        body.setReach(argument, nullptr);
      for (auto [argument, value] : llvm::zip(op.getRegionOutputArgs(), added.drop_front(reached)))
        body.setValue(argument, value);
      auto reachOf = [&](Value tensor) { return twins.lookup(tensor).reach; };
      for (arith::CmpFOp choice : choices) {
        Value reach = body.larger(body.reach(choice.getLhs(), reachOf), body.reach(choice.getRhs(), reachOf));
        folded = body.larger(folded, body.doubt(body.value(choice.getLhs()), body.value(choice.getRhs()), reach));
      }
      return folded;
    });
  }

  /// 1 where REACH says that the element of LIKE, a tensor of integers, may be another one; else 0.
  Value doubt(Value reach, Value like) {
    const Type element = cast<RankedTensorType>(like.getType()).getElementType();
    return map(like.getLoc(), reach, element, [&](OpBuilder &inner, Location at, ValueRange arguments) -> Value {
      Value most = arith::ConstantOp::create(inner, at, inner.getF64FloatAttr(largestPartial));
      Value far = arith::CmpFOp::create(inner, at, arith::CmpFPredicate::OGE, arguments[0], most);
      return element.isInteger(1) ? far : arith::ExtUIOp::create(inner, at, element, far).getResult();
    });
  }

  /// Adds to TWIN what result I of OP itself folds.
  void addFold(linalg::GenericOp op, unsigned i, Twin &twin) {
    Value yielded = op.getBody()->getTerminator()->getOperand(i);
    Operation *last = yielded.getDefiningOp();
    if (last && last->getBlock() == op.getBody() && isa<arith::MaximumFOp, arith::MinimumFOp>(last))
      addZeros(op, i, *last, twin);
    if (!last || last->getBlock() != op.getBody() || !isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(last))
      return;
    Value result = op.getResult(i);
    BlockArgument folded = op.getRegionOutputArgs()[i];
    const bool first = last->getOperand(0) == folded;
    Value term = last->getOperand(first ? 1 : 0);
    if (op.getNumReductionLoops() == 0) {
      addProductOfTwo(op, *last, twin);
      return;
    }
    if (!first && last->getOperand(1) != folded)
      return;
    if (Body(b, op.getLoc(), op, op.getBody()->getArguments()).dependsOnFolded(term))
      return;
    if (!isa<arith::MulFOp>(last)) {
      Value sum = generic(op, i, {}, filled(result, 0), [&](Body &body, ValueRange, Value sum) {
        return arith::AddFOp::create(body.builder(), op.getLoc(), sum, body.size(body.value(term), 0)).getResult();
      });
      twin.reach = larger(op.getLoc(), sum, twin.reach);
      return;
    }
    // A factor that is a product itself counts with its own factors.
    BlockArgument source = passedOn(term);
    OpOperand *operand =
        source && source.getArgNumber() < op.getNumDpsInputs() ? op.getDpsInputOperand(source.getArgNumber()) : nullptr;
    const Twin of = operand ? twins.lookup(operand->get()) : Twin();
    auto product = [&](Value parts, bool inverse) {
      SmallVector<std::pair<OpOperand *, Value>> more;
      if (parts)
        more.push_back({operand, parts});
      return generic(op, i, more, filled(result, 1), [&](Body &body, ValueRange added, Value product) {
        if (parts)
          body.setValue(source, added[0]);
        Value factor = body.size(body.value(term), 1), one = body.constant(1);
        OpBuilder &inner = body.builder();
        if (inverse && !parts) {
          Value zero = arith::CmpFOp::create(inner, op.getLoc(), arith::CmpFPredicate::OEQ, factor, body.constant(0));
          Value inverted = arith::DivFOp::create(inner, op.getLoc(), one, factor);
          factor = arith::SelectOp::create(inner, op.getLoc(), zero, one, inverted);
        }
        Value atLeastOne = arith::MaximumFOp::create(inner, op.getLoc(), factor, one);
        return arith::MulFOp::create(inner, op.getLoc(), product, atLeastOne).getResult();
      });
    };
    twin.large = product(of.large, false);
    twin.inverse = product(of.inverse, true);
    addProducts(op.getLoc(), result, twin);
  }

  /// LAST, of OP, chooses the larger or smaller number, and nobody says which of two zeros that is: a zero that comes
  /// of zeros of both signs reaches as far as its inverse.
  void addZeros(linalg::GenericOp op, unsigned i, Operation &last, Twin &twin) {
    const bool folds = op.getNumReductionLoops() > 0;
    SmallVector<Value> terms;
    Body whole(b, op.getLoc(), op, op.getBody()->getArguments());
    for (Value operand : last.getOperands())
      if (!folds || operand != op.getRegionOutputArgs()[i]) {
        if (whole.dependsOnFolded(operand) || matchPattern(operand, m_Constant()))
          return;
        terms.push_back(operand);
      }
    // The sign of the zeros so far, infinite once there were both.
    Value signs = generic(op, i, {}, filled(op.getResult(i), 0), [&](Body &body, ValueRange, Value seen) {
      OpBuilder &inner = body.builder();
      auto compare = [&](arith::CmpFPredicate predicate, Value x, Value y) {
        return arith::CmpFOp::create(inner, op.getLoc(), predicate, x, y).getResult();
      };
      if (!folds)
        seen = body.constant(0);
      for (Value term : terms) {
        Value value = body.value(term);
        Value inverse = arith::DivFOp::create(inner, op.getLoc(), body.constant(1), value);
        Value below = compare(arith::CmpFPredicate::OLT, inverse, body.constant(0));
        Value sign = arith::SelectOp::create(inner, op.getLoc(), below, body.constant(-1), body.constant(1));
        Value product = arith::MulFOp::create(inner, op.getLoc(), seen, sign);
        Value other = compare(arith::CmpFPredicate::OLT, product, body.constant(0));
        Value both = arith::SelectOp::create(inner, op.getLoc(), other, body.constant(INFINITY), sign);
        Value counts =
            arith::AndIOp::create(inner, op.getLoc(), compare(arith::CmpFPredicate::OEQ, value, body.constant(0)),
                                  compare(arith::CmpFPredicate::OLT, seen, body.constant(INFINITY)));
        seen = arith::SelectOp::create(inner, op.getLoc(), counts, both, seen);
      }
      return seen;
    });
    Value own = map(op.getLoc(), {signs, op.getResult(i)}, [](OpBuilder &inner, Location at, ValueRange x) -> Value {
      auto constant = [&](double c) {
        return arith::ConstantOp::create(inner, at, inner.getF64FloatAttr(c)).getResult();
      };
      Value both = arith::CmpFOp::create(inner, at, arith::CmpFPredicate::OEQ, x[0], constant(INFINITY));
      Value zero = arith::CmpFOp::create(inner, at, arith::CmpFPredicate::OEQ, x[1], constant(0));
      Value either = arith::AndIOp::create(inner, at, both, zero);
      return arith::SelectOp::create(inner, at, either, constant(INFINITY), constant(0));
    });
    twin.reach = larger(op.getLoc(), own, twin.reach);
  }

  /// OP multiplies two products: so are their twins.
  void addProductOfTwo(linalg::GenericOp op, Operation &last, Twin &twin) {
    if (!isa<arith::MulFOp>(last) || last.getOperand(0) == last.getOperand(1))
      return;
    SmallVector<OpOperand *> operands;
    for (Value factor : last.getOperands()) {
      auto argument = dyn_cast<BlockArgument>(factor);
      if (!argument || argument.getOwner() != op.getBody() || argument.getArgNumber() >= op.getNumDpsInputs())
        return;
      operands.push_back(op.getDpsInputOperand(argument.getArgNumber()));
      if (!twins.lookup(operands.back()->get()).large)
        return;
    }
    auto product = [&](Value Twin::*part) {
      SmallVector<std::pair<OpOperand *, Value>> more;
      for (OpOperand *operand : operands)
        more.push_back({operand, twins.lookup(operand->get()).*part});
      return generic(op, 0, more, empty(op.getResult(0)), [&](Body &body, ValueRange added, Value) {
        return arith::MulFOp::create(body.builder(), op.getLoc(), added[0], added[1]).getResult();
      });
    };
    twin.large = product(&Twin::large);
    twin.inverse = product(&Twin::inverse);
    addProducts(op.getLoc(), op.getResult(0), twin);
  }

  /// Products that are too large count, and those that are too small for an answer that is not.
  void addProducts(Location loc, Value result, Twin &twin) {
    Value own = map(loc, {twin.large, twin.inverse, result}, [](OpBuilder &inner, Location at, ValueRange x) -> Value {
      auto constant = [&](double c) {
        return arith::ConstantOp::create(inner, at, inner.getF64FloatAttr(c)).getResult();
      };
      Value size = math::AbsFOp::create(inner, at, x[2]);
      Value held = arith::CmpFOp::create(inner, at, arith::CmpFPredicate::OGE, size, constant(smallestAnswer));
      Value inverse = arith::SelectOp::create(inner, at, held, x[1], constant(0));
      return arith::MaximumFOp::create(inner, at, x[0], inverse);
    });
    twin.reach = larger(loc, own, twin.reach);
  }

  /// The block argument that TERM is, but for choices of a constant instead.
  static BlockArgument passedOn(Value term) {
    while (Operation *op = term.getDefiningOp()) {
      auto select = dyn_cast<arith::SelectOp>(op);
      if (!select)
        return nullptr;
      const bool first = matchPattern(select.getTrueValue(), m_Constant());
      if (!first && !matchPattern(select.getFalseValue(), m_Constant()))
        return nullptr;
      term = first ? select.getFalseValue() : select.getTrueValue();
    }
    return dyn_cast<BlockArgument>(term);
  }

  func::FuncOp function;
  OpBuilder b;
  llvm::DenseMap<Value, Twin> twins;
};

struct Reach : public kgen::oracle::impl::ReachPassBase<Reach> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(Rewriter(function).run()))
        return signalPassFailure();
  }
};

} // namespace
