//===- GraphTraits.cpp - What follows from a graph for all inputs --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/GraphTraits.h"

#include "OracleModule.h"
#include "kgen/Conversion/AtenToLinalg/Passes.h"
#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Oracle/OracleLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace kgen::oracle;
using namespace mlir;

namespace {

/// What is known of a value, or of all elements of a tensor.
struct Fact {
  bool exact = false;     ///< an integer, an infinity or a truth value, the same in every honest kernel
  double size = INFINITY; ///< no finite one is larger
  bool isNarrow = false;  ///< as a type of 16 bits holds it
  bool operator==(const Fact &other) const {
    return exact == other.exact && size == other.size && isNarrow == other.isNarrow;
  }
};

Fact join(const Fact &a, const Fact &b) {
  return {a.exact && b.exact, std::max(a.size, b.size), a.isNarrow && b.isNarrow};
}

/// The largest integer to which TYPE holds all; infinity for integers.
double largestOf(Type type) {
  auto real = dyn_cast<FloatType>(type);
  return real ? std::ldexp(1, int(real.getFPMantissaWidth())) : INFINITY;
}

/// An exact result of SIZE in TYPE, if it holds that.
Fact held(double size, Type type) { return {size <= largestOf(type), size, false}; }

/// SIZE rounded to TYPE. Types of 16 bits are taken to have held it.
Fact stored(double size, Type type) {
  if (auto real = dyn_cast<FloatType>(type); real && real.getWidth() == 16)
    return {true, std::min(size, largestOf(type)), true};
  return held(size, type);
}

class Exactness {
public:
  explicit Exactness(double products) : products(products) {}

  void set(Value value, Fact fact) { facts[value] = fact; }
  Fact of(Value value) {
    auto [found, isNew] = facts.try_emplace(value);
    if (!isNew)
      return found->second;
    Fact fact;
    if (Operation *op = value.getDefiningOp())
      fact = scalar(op);
    return facts[value] = fact;
  }

  void visit(Operation &op) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      return visitGeneric(generic);
    if (auto fill = dyn_cast<linalg::FillOp>(op))
      return set(fill.getResult(0), of(fill.getInputs()[0]));
    if (isa<tensor::EmptyOp>(op))
      return set(op.getResult(0), {true, 0, false}); // what nobody wrote is nobody's
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp, tensor::CastOp>(op))
      return set(op.getResult(0), of(op.getOperand(0)));
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      return set(insert.getResult(), join(of(insert.getSource()), of(insert.getDest())));
    if (auto pad = dyn_cast<tensor::PadOp>(op)) {
      Value padding = pad.getConstantPaddingValue();
      return set(pad.getResult(), padding ? join(of(pad.getSource()), of(padding)) : Fact());
    }
    for (Value result : op.getResults())
      of(result);
  }

private:
  /// Facts of a body are those of one pass through it; the accumulators' are found by passing again.
  void visitGeneric(linalg::GenericOp op) {
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    double passes = 1;
    contracts = false;
    for (auto [extent, kind] : llvm::zip(extents, op.getIteratorTypesArray()))
      if (kind == utils::IteratorType::reduction) {
        passes *= double(extent);
        contracts = true;
      }
    SmallVector<Fact> state;
    for (Value init : op.getDpsInits())
      state.push_back(of(init));
    auto pass = [&](ArrayRef<Fact> before) {
      for (Operation &inner : *op.getBody())
        for (Value result : inner.getResults())
          facts.erase(result);
      for (OpOperand *operand : op.getDpsInputOperands())
        set(op.getMatchingBlockArgument(operand), of(operand->get()));
      for (auto [argument, fact] : llvm::zip(op.getRegionOutputArgs(), before)) {
        set(argument, fact);
        accumulators.insert(argument);
      }
      for (Operation &inner : *op.getBody())
        if (auto index = dyn_cast<linalg::IndexOp>(inner))
          set(index.getResult(), {true, double(extents[index.getDim()]), false});
      SmallVector<Fact> after;
      for (Value yielded : op.getBody()->getTerminator()->getOperands())
        after.push_back(of(yielded));
      return after;
    };
    // A sum grows by the same size each time; so its end is known after two passes. What grows faster is followed for
    // some passes and then given up.
    constexpr unsigned patience = 64;
    SmallVector<double> grew(state.size(), -1);
    for (double done = 0; done < passes;) {
      SmallVector<Fact> after = pass(state);
      done += 1;
      bool rests = after == state, isEven = done > 1;
      for (size_t i = 0; i < state.size(); ++i) {
        const double grows = after[i].size - state[i].size;
        isEven &= grows == grew[i];
        grew[i] = grows;
      }
      state = std::move(after);
      if (rests)
        break;
      for (size_t i = 0; i < state.size() && isEven; ++i)
        if (grew[i] > 0) // NaN where it is infinite
          state[i] = join(state[i], held(state[i].size + (passes - done) * grew[i],
                                         op.getBody()->getTerminator()->getOperand(unsigned(i)).getType()));
      if (isEven)
        break;
      if (done >= patience && done < passes) {
        state.assign(state.size(), Fact());
        break;
      }
    }
    for (auto [result, fact] : llvm::zip(op.getResults(), state))
      set(result, fact);
  }

  Fact constant(Attribute attr) {
    if (auto real = dyn_cast<FloatAttr>(attr)) {
      double value = real.getValueAsDouble();
      if (std::isinf(value))
        return {true, 0, false};
      return value == std::rint(value) ? held(std::fabs(value), real.getType()) : Fact();
    }
    if (auto integer = dyn_cast<IntegerAttr>(attr))
      return {true,
              std::fabs(double(integer.getValue().getBitWidth() == 1 ? int64_t(integer.getValue().getZExtValue())
                                                                     : integer.getValue().getSExtValue())),
              false};
    auto dense = dyn_cast<DenseElementsAttr>(attr);
    if (!dense || !isa<FloatType, IntegerType, IndexType>(dense.getElementType()))
      return {};
    if (dense.isSplat())
      return constant(dense.getSplatValue<Attribute>());
    Fact all{true, 0, false};
    for (Attribute element : dense.getValues<Attribute>())
      all = join(all, constant(element));
    return all;
  }

  Fact scalar(Operation *op) {
    Attribute known;
    if (matchPattern(op, m_Constant(&known)))
      return constant(known);
    if (op->getNumResults() != 1)
      return {};
    SmallVector<Fact> operands;
    bool exact = true;
    for (Value operand : op->getOperands()) {
      operands.push_back(of(operand));
      exact &= operands.back().exact;
    }
    if (!exact)
      return {};
    Type type = op->getResult(0).getType();
    auto first = [&] { return operands[0].size; };
    auto second = [&] { return operands[1].size; };
    return llvm::TypeSwitch<Operation *, Fact>(op)
        .Case<arith::AddFOp, arith::SubFOp, arith::AddIOp, arith::SubIOp>(
            [&](auto) { return held(first() + second(), type); })
        .Case<arith::MulFOp>([&](auto) {
          // A running product is in no matrix unit.
          const bool runs = llvm::any_of(op->getOperands(), [&](Value v) { return accumulators.contains(v); });
          for (const Fact &factor : operands)
            if (contracts && !runs && !type.isF64() && !factor.isNarrow && factor.size > products)
              return Fact();
          return held(first() == 0 || second() == 0 ? 0 : first() * second(), type);
        })
        .Case<arith::MulIOp>([&](auto) { return held(first() * second(), type); })
        .Case<arith::DivFOp>([&](auto) {
          FloatAttr divisor;
          if (!matchPattern(op->getOperand(1), m_Constant(&divisor)) || std::fabs(divisor.getValueAsDouble()) != 1)
            return Fact();
          return operands[0];
        })
        .Case<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::MaxSIOp, arith::MinSIOp,
              arith::MaxUIOp, arith::MinUIOp>([&](auto) { return join(operands[0], operands[1]); })
        .Case<arith::NegFOp, math::AbsFOp, math::AbsIOp, math::CeilOp, math::FloorOp, math::RoundEvenOp, math::RoundOp,
              math::TruncOp, arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::ExtFOp>(
            [&](auto) { return operands[0]; })
        .Case<arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp>([&](auto) { return stored(first(), type); })
        .Case<arith::FPToSIOp, arith::FPToUIOp>([&](auto) { return Fact{true, first(), false}; })
        .Case<arith::CmpFOp, arith::CmpIOp>([&](auto) { return Fact{true, 1, false}; })
        .Case<arith::SelectOp>([&](auto) { return join(operands[1], operands[2]); })
        .Case<tensor::ExtractOp>([&](auto) { return operands[0]; })
        .Default([&](Operation *) {
          // Whatever else is done to integers is done alike everywhere; how large it is, nobody follows.
          const bool ofIntegers = isa<arith::ArithDialect>(op->getDialect()) && !isa<FloatType>(type) &&
                                  llvm::none_of(op->getOperandTypes(), [](Type t) { return isa<FloatType>(t); });
          return ofIntegers ? Fact{true, type.isInteger(1) ? 1 : INFINITY, false} : Fact();
        });
  }

  const double products;
  bool contracts = false; ///< the body that is looked at adds up
  llvm::DenseMap<Value, Fact> facts;
  llvm::DenseSet<Value> accumulators;
};

/// Where the infinities of one argument go.
class Infinities {
public:
  explicit Infinities(Value argument) { tainted.insert(argument); }
  /// They met a factor of a contraction.
  bool areMultiplied() const { return multiplied; }

  void visit(Operation &op) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      return visitGeneric(generic);
    if (llvm::any_of(op.getOperands(), [&](Value v) { return tainted.contains(v); }))
      tainted.insert(op.result_begin(), op.result_end());
  }

private:
  void visitGeneric(linalg::GenericOp op) {
    const bool contracts = op.getNumReductionLoops() > 0;
    for (OpOperand &operand : op->getOpOperands())
      if (tainted.contains(operand.get()))
        tainted.insert(op.getMatchingBlockArgument(&operand));
    for (Operation &inner : *op.getBody()) {
      auto isTainted = [&](Value v) { return tainted.contains(v); };
      if (llvm::none_of(inner.getOperands(), isTainted) || endsThem(inner))
        continue;
      multiplied |= contracts && isa<arith::MulFOp>(inner);
      tainted.insert(inner.result_begin(), inner.result_end());
    }
    for (auto [result, yielded] : llvm::zip(op.getResults(), op.getBody()->getTerminator()->getOperands()))
      if (tainted.contains(yielded))
        tainted.insert(result);
  }

  /// Whether minus infinity becomes something finite in OP.
  static bool endsThem(Operation &op) {
    if (isa<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::TanhOp, math::ErfOp, math::ErfcOp, math::AtanOp,
            arith::CmpFOp, arith::FPToSIOp, arith::FPToUIOp>(op))
      return true;
    FloatAttr least;
    return isa<arith::MaximumFOp, arith::MaxNumFOp>(op) && matchPattern(op.getOperand(1), m_Constant(&least)) &&
           std::isfinite(least.getValueAsDouble());
  }

  llvm::DenseSet<Value> tainted;
  bool multiplied = false;
};

/// Where the NaN of one argument go.
class NaNs {
public:
  explicit NaNs(Value argument) { tainted.insert(argument); }
  /// All that an honest kernel makes of them is determined: none is a factor of a contraction, where kernels may fill
  /// up with zeros, and none becomes an integer.
  bool areDetermined() const { return determined; }

  void visit(Operation &op) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic) {
      if (llvm::any_of(op.getOperands(), [&](Value v) { return tainted.contains(v); }))
        tainted.insert(op.result_begin(), op.result_end());
      return;
    }
    for (OpOperand &operand : generic->getOpOperands())
      if (tainted.contains(operand.get()))
        tainted.insert(generic.getMatchingBlockArgument(&operand));
    for (Operation &inner : *generic.getBody())
      visitInner(generic, inner);
    for (auto [result, yielded] : llvm::zip(generic.getResults(), generic.getBody()->getTerminator()->getOperands()))
      if (tainted.contains(yielded))
        tainted.insert(result);
  }

private:
  void visitInner(linalg::GenericOp op, Operation &inner) {
    SmallVector<Value> read(inner.getOperands());
    if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
      read = {extract.getTensor()};
    if (llvm::none_of(read, [&](Value v) { return tainted.contains(v); }) || isa<arith::CmpFOp>(inner))
      return;
    determined &= !isa<arith::FPToSIOp, arith::FPToUIOp>(inner);
    // A square is no product with something else, and neither is a running product.
    auto isFolded = [&](Value v) { return llvm::is_contained(op.getRegionOutputArgs(), v); };
    if (isa<arith::MulFOp>(inner) && op.getNumReductionLoops() > 0 && inner.getOperand(0) != inner.getOperand(1) &&
        llvm::none_of(inner.getOperands(), isFolded))
      determined = false;
    tainted.insert(inner.result_begin(), inner.result_end());
  }

  llvm::DenseSet<Value> tainted;
  bool determined = true;
};

} // namespace

llvm::Expected<GraphTraits> kgen::oracle::findTraits(llvm::StringRef graph, llvm::ArrayRef<double> largest,
                                                     double products, llvm::StringRef name) {
  auto opened = OracleModule::open(graph, name);
  if (!opened)
    return opened.takeError();
  func::FuncOp function = (*opened)->function();
  if (largest.size() != function.getNumArguments())
    return llvm::createStringError("the graph takes %u inputs, found the sizes of %zu", function.getNumArguments(),
                                   largest.size());
  PassManager pm((*opened)->module().getContext());
  pm.addPass(conversion::createConvertAtenToLinalgPass());
  if (failed(pm.run((*opened)->module())))
    return (*opened)->error("cannot lower the graph to linalg");
  Exactness exactness(products);
  GraphTraits traits;
  Block &body = function.getBody().front();
  for (auto [argument, size] : llvm::zip(function.getArguments(), largest)) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    exactness.set(argument, type ? stored(size, type.getElementType()) : Fact());
    Infinities infinities(argument);
    NaNs nans(argument);
    for (Operation &op : body.without_terminator()) {
      infinities.visit(op);
      nans.visit(op);
    }
    traits.multiplied.push_back(infinities.areMultiplied());
    traits.keepsNaN.push_back(nans.areDetermined());
  }
  for (Operation &op : body.without_terminator())
    exactness.visit(op);
  for (Value result : body.getTerminator()->getOperands())
    traits.exact.push_back(exactness.of(result).exact);
  return traits;
}

llvm::Expected<std::string> kgen::oracle::describeTraits(llvm::StringRef graph, llvm::StringRef request,
                                                         llvm::StringRef name) {
  auto [limit, list] = request.split(':');
  llvm::SmallVector<llvm::StringRef> words;
  list.split(words, ',', -1, false);
  double products = 0;
  std::vector<double> largest(words.size());
  bool bad = limit.getAsDouble(products);
  for (size_t i = 0; i < words.size(); ++i)
    bad |= words[i].getAsDouble(largest[i]);
  if (bad)
    return llvm::createStringError("traits are asked for with LIMIT:SIZE,SIZE,..., found '" + request + "'");
  auto traits = findTraits(graph, largest, products, name);
  if (!traits)
    return traits.takeError();
  std::string out;
  for (bool each : traits->exact)
    out += each ? '1' : '0';
  out += ' ';
  for (bool each : traits->multiplied)
    out += each ? '1' : '0';
  out += ' ';
  for (bool each : traits->keepsNaN)
    out += each ? '1' : '0';
  return out;
}

llvm::Expected<double> kgen::oracle::countFlops(llvm::StringRef graph, llvm::StringRef name) {
  auto opened = OracleModule::open(graph, name);
  if (!opened)
    return opened.takeError();
  double flops = 0;
  (*opened)->function().walk([&](kgen::aten::AtenCostOpInterface op) { flops += op.getFlops(); });
  return flops;
}
