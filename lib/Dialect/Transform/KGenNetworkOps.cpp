//===- KGenNetworkOps.cpp - Directives for a whole network ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is rewritten computes the same; what it computes of weights is a step of its own later, which is prepared.
//
//===----------------------------------------------------------------------===//
#include "NetworkRewrites.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/KGen/NetworkMarks.h"
#include "kgen/Dialect/KGen/Origins.h"
#include "kgen/Dialect/Transform/KGenTransform.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace kgen;
using namespace kgen::directive;
using mlir::transform::TransformResults;
using mlir::transform::TransformRewriter;
using mlir::transform::TransformState;

#define GET_OP_CLASSES
#include "kgen/Dialect/Transform/KGenNetworkOps.cpp.inc"

//===----------------------------------------------------------------------===//
// FoldScalesOp
//===----------------------------------------------------------------------===//

namespace {

/// The weight and bias of a product, and the dimension of its result that they belong to.
struct Product {
  Operation *op;
  Value weight, bias;
  int64_t channel;
};

std::optional<Product> matchProduct(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !value.hasOneUse() || !isa<aten::Conv1dOp, aten::Conv2dOp, aten::Conv3dOp, aten::LinearOp>(op))
    return std::nullopt;
  const bool isLinear = isa<aten::LinearOp>(op);
  return Product{op, op->getOperand(1), op->getNumOperands() > 2 ? op->getOperand(2) : Value(),
                 isLinear ? typeOf(value).getRank() - 1 : 1};
}

/// FACTOR as a vector, where it has one element for each position of dimension CHANNEL of a tensor of RANK.
bool isPerChannel(RankedTensorType factor, int64_t rank, int64_t channel, int64_t extent) {
  if (factor.getNumElements() != extent || extent == 1)
    return false;
  const int64_t place = channel - (rank - factor.getRank()); // aligned at the end
  return place >= 0 && place < factor.getRank() && factor.getDimSize(place) == extent;
}

class ScaleFolder {
public:
  explicit ScaleFolder(func::FuncOp func) : func(func), origins(func), builder(func.getContext()) {}

  int fold() {
    int folded = 0;
    for (Operation &op : llvm::make_early_inc_range(func.getBody().front()))
      folded += foldNorm(op) || foldFactor(op);
    return folded;
  }

private:
  bool isWeight(Value value) const { return !value || origins.of(value) != Origin::Inputs; }

  template <typename Op, typename... Args>
  Value make(Location loc, Args &&...args) {
    Op op = Op::create(builder, loc, std::forward<Args>(args)...);
    origins.add(op);
    return op.getResult();
  }
  Value reshape(Location loc, Value value, ArrayRef<int64_t> shape) {
    return typeOf(value).getShape() == shape ? value
                                             : make<aten::ReshapeOp>(loc, withShape(value, shape), value, shape);
  }
  Value multiply(Location loc, Value value, Value factor) {
    return make<aten::MulTensorOp>(loc, value.getType(), value, factor);
  }

  bool foldNorm(Operation &op) {
    auto norm = dyn_cast<aten::BatchNormOp>(op);
    auto product = norm ? matchProduct(norm.getInput()) : std::nullopt;
    if (!product || product->channel != 1)
      return false;
    for (Value value : {product->weight, product->bias, Value(norm.getWeight()), Value(norm.getBias()),
                        Value(norm.getRunningMean()), Value(norm.getRunningVar())})
      if (!isWeight(value))
        return false;
    builder.setInsertionPoint(norm);
    Location loc = norm.getLoc();
    Value mean = norm.getRunningMean(), var = norm.getRunningVar();
    Value scale =
        make<aten::RsqrtOp>(loc, var.getType(), make<aten::AddScalarOp>(loc, var.getType(), var, norm.getEps()));
    if (Value weight = norm.getWeight())
      scale = multiply(loc, weight, scale);
    Value shift = product->bias ? make<aten::SubTensorOp>(loc, mean.getType(), product->bias, mean) : mean;
    shift = multiply(loc, shift, scale);
    if (Value bias = norm.getBias())
      shift = product->bias ? make<aten::AddTensorOp>(loc, bias.getType(), bias, shift)
                            : make<aten::SubTensorOp>(loc, bias.getType(), bias, shift);
    else if (!product->bias)
      shift = make<aten::NegOp>(loc, shift.getType(), shift);
    replace(norm, *product, scale, shift);
    return true;
  }

  bool foldFactor(Operation &op) {
    auto mul = dyn_cast<aten::MulTensorOp>(op);
    if (!mul)
      return false;
    for (bool swapped : {false, true}) {
      Value value = mul->getOperand(swapped), factor = mul->getOperand(!swapped);
      auto product = matchProduct(value);
      if (!product || value.getType() != mul.getType() || origins.of(factor) != Origin::Weights ||
          !isWeight(product->weight) || !isWeight(product->bias))
        continue;
      const int64_t rank = typeOf(value).getRank(), extent = typeOf(value).getDimSize(product->channel);
      if (!isPerChannel(typeOf(factor), rank, product->channel, extent))
        continue;
      builder.setInsertionPoint(mul);
      Value scale = reshape(mul.getLoc(), factor, {extent});
      Value bias = product->bias ? multiply(mul.getLoc(), product->bias, scale) : Value();
      replace(mul, *product, scale, bias);
      return true;
    }
    return false;
  }

  /// Puts PRODUCT with its weight times SCALE, a vector, and with BIAS in the place of OP, which reads it.
  void replace(Operation *op, const Product &product, Value scale, Value bias) {
    SmallVector<int64_t> shape(typeOf(product.weight).getRank(), 1);
    shape[0] = typeOf(scale).getDimSize(0);
    Location loc = op->getLoc();
    Value weight = multiply(loc, product.weight, reshape(loc, scale, shape));
    Operation *scaled = builder.clone(*product.op);
    SmallVector<Value> operands{product.op->getOperand(0), weight};
    if (bias)
      operands.push_back(bias);
    scaled->setOperands(operands);
    origins.add(scaled);
    op->getResult(0).replaceAllUsesWith(scaled->getResult(0));
    op->erase();
    product.op->erase();
  }

  func::FuncOp func;
  Origins origins;
  OpBuilder builder;
};

} // namespace

DiagnosedSilenceableFailure FoldScalesOp::apply(TransformRewriter &, TransformResults &, TransformState &state) {
  int folded = 0;
  for (func::FuncOp func : functionsOf(getTarget(), state))
    folded += ScaleFolder(func).fold();
  if (!folded)
    return emitDefiniteFailure() << "expected a batch norm or a factor for each channel behind a product of weights, "
                                    "found none";
  return DiagnosedSilenceableFailure::success();
}

void FoldScalesOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effectsOf(*this, effects);
}

//===----------------------------------------------------------------------===//
// FuseTasksOp and SplitTasksOp
//===----------------------------------------------------------------------===//

/// Whether VALUE reaches an op of that NAME through element-wise ops and views only.
static bool reaches(Value value, StringRef name, int depth = 0) {
  constexpr int most = 16;
  return depth < most &&
         llvm::any_of(
             value.getUsers(),
             [&](Operation *user) {
               return user->getName().getStringRef() == name ||
                      ((isLight(user) || isa<aten::BatchNormOp>(user)) && reaches(user->getResult(0), name, depth + 1));
             });
}

DiagnosedSilenceableFailure FuseTasksOp::apply(TransformRewriter &, TransformResults &, TransformState &state) {
  int marked = 0;
  for (func::FuncOp func : functionsOf(getTarget(), state))
    func.walk([&](Operation *op) {
      if (op->getName().getStringRef() != getOpName() || op->getNumResults() != 1 ||
          !reaches(op->getResult(0), getReader()))
        return;
      op->setAttr(fuseMark, getReaderAttr());
      ++marked;
    });
  if (!marked)
    return emitDefiniteFailure() << "expected " << getOpName() << " before " << getReader() << ", found none";
  return DiagnosedSilenceableFailure::success();
}

void FuseTasksOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effectsOf(*this, effects);
}

DiagnosedSilenceableFailure SplitTasksOp::apply(TransformRewriter &, TransformResults &, TransformState &state) {
  int marked = 0;
  for (func::FuncOp func : functionsOf(getTarget(), state))
    func.walk([&](Operation *op) {
      if (op->getName().getStringRef() != getOpName())
        return;
      op->setAttr(splitMark, UnitAttr::get(getContext()));
      ++marked;
    });
  if (!marked)
    return emitDefiniteFailure() << "expected " << getOpName() << ", found none";
  return DiagnosedSilenceableFailure::success();
}

void SplitTasksOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effectsOf(*this, effects);
}
