//===- JoinProducts.cpp - Several linear products as one ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "NetworkRewrites.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/KGen/Origins.h"
#include "kgen/Dialect/Transform/KGenTransform.h"

#include "mlir/IR/Builders.h"

#include <cmath>

using namespace mlir;
using namespace kgen;
using namespace kgen::directive;
using mlir::transform::TransformResults;
using mlir::transform::TransformRewriter;
using mlir::transform::TransformState;

//===----------------------------------------------------------------------===//
// JoinProductsOp
//===----------------------------------------------------------------------===//

void kgen::directive::hoist(Value value, Operation *before) {
  Operation *op = value.getDefiningOp();
  if (!op || op->isBeforeInBlock(before))
    return;
  for (Value operand : op->getOperands())
    hoist(operand, before);
  op->moveBefore(before);
}

/// Zeros for the bias that PRODUCT does not have, of the type that LIKE, another product's, has.
static Value zeroBias(OpBuilder &builder, aten::LinearOp product, Value like) {
  auto type = RankedTensorType::get({typeOf(product.getWeight()).getDimSize(0)}, typeOf(like).getElementType());
  return aten::FullOp::create(builder, product.getLoc(), type, builder.getDenseI64ArrayAttr(type.getShape()),
                              builder.getF64FloatAttr(0), TypeAttr::get(type.getElementType()));
}

/// Joins PRODUCTS, which read one operand. Where some have a bias, the others get one of zeros.
static void join(ArrayRef<aten::LinearOp> products) {
  aten::LinearOp first = products.front();
  OpBuilder builder(first);
  Location loc = first.getLoc();
  SmallVector<Value> weights, biases;
  int64_t extent = 0;
  auto biased = llvm::find_if(products, [](aten::LinearOp product) { return bool(product.getBias()); });
  for (aten::LinearOp product : products) {
    weights.push_back(product.getWeight());
    if (biased != products.end()) {
      aten::LinearOp other = *biased;
      biases.push_back(product.getBias() ? Value(product.getBias()) : zeroBias(builder, product, other.getBias()));
    }
    extent += typeOf(product.getWeight()).getDimSize(0);
  }
  for (auto *list : {&weights, &biases})
    for (Value value : *list)
      hoist(value, first);
  Value weight = aten::CatOp::create(builder, loc, withShape(weights[0], {extent, typeOf(weights[0]).getDimSize(1)}),
                                     weights, /*dim=*/0);
  Value bias;
  if (!biases.empty())
    bias = aten::CatOp::create(builder, loc, withShape(biases[0], {extent}), biases, /*dim=*/0);
  SmallVector<int64_t> shape(first.getType().getShape());
  shape.back() = extent;
  Value joined = aten::LinearOp::create(builder, loc, withShape(first, shape), first.getInput(), weight, bias);
  int64_t begin = 0;
  SmallVector<Value> slices;
  for (aten::LinearOp product : products) {
    const int64_t end = begin + typeOf(product.getWeight()).getDimSize(0);
    Value slice = aten::SliceTensorOp::create(builder, loc, product.getType(), joined, int64_t(shape.size()) - 1,
                                              builder.getI64IntegerAttr(begin), builder.getI64IntegerAttr(end));
    slices.push_back(slice);
    begin = end;
  }
  for (auto [each, slice] : llvm::zip_equal(products, slices)) {
    aten::LinearOp product = each;
    product.getResult().replaceAllUsesWith(slice);
    product.erase();
  }
}

/// Whether PRODUCT has weights, which can be joined with others once, and an operand that is none.
static bool isJoinable(aten::LinearOp product, const Origins &origins) {
  return origins.of(product.getWeight()) == Origin::Weights && origins.of(product.getInput()) == Origin::Inputs &&
         (!product.getBias() || origins.of(product.getBias()) != Origin::Inputs);
}

/// The number of products that were joined in FUNC.
static int joinProducts(func::FuncOp func) {
  Origins origins(func);
  // By operand, and whether there is a bias; in the order of the graph.
  SmallVector<std::pair<std::pair<Value, bool>, SmallVector<aten::LinearOp>>> groups;
  for (Operation &op : func.getBody().front()) {
    auto product = dyn_cast<aten::LinearOp>(op);
    if (!product || !isJoinable(product, origins))
      continue;
    std::pair<Value, bool> key(product.getInput(), bool(product.getBias()));
    auto known = llvm::find_if(groups, [&](auto &group) { return group.first == key; });
    if (known == groups.end())
      known = groups.insert(groups.end(), {key, {}});
    known->second.push_back(product);
  }
  int joined = 0;
  for (auto &[key, products] : groups)
    if (products.size() > 1) {
      join(products);
      joined += int(products.size());
    }
  return joined;
}

DiagnosedSilenceableFailure JoinProductsOp::apply(TransformRewriter &, TransformResults &, TransformState &state) {
  int joined = 0;
  for (func::FuncOp func : functionsOf(getTarget(), state))
    joined += joinProducts(func);
  if (!joined)
    return emitDefiniteFailure() << "expected two linear products of one operand with weights, found none";
  return DiagnosedSilenceableFailure::success();
}

void JoinProductsOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effectsOf(*this, effects);
}

//===----------------------------------------------------------------------===//
// JoinHeadsOp
//===----------------------------------------------------------------------===//

/// The linear product that VALUE is by views that nobody else reads, and the number that it is multiplied by on the
/// way; null where it is none.
static aten::LinearOp findHeads(Value value, aten::MulScalarOp &factor) {
  while (Operation *op = value.getDefiningOp()) {
    if (!value.hasOneUse())
      break;
    if (auto product = dyn_cast<aten::LinearOp>(op))
      return product;
    if (auto mul = dyn_cast<aten::MulScalarOp>(op); mul && !factor && mul.getSelf().getType() == mul.getType())
      factor = mul;
    else if (!isa<aten::ReshapeOp, aten::ViewOp, aten::TransposeIntOp, aten::PermuteOp, aten::UnsqueezeOp,
                  aten::SqueezeDimOp, aten::ExpandOp>(op))
      break;
    value = op->getOperand(0);
  }
  return {};
}

bool kgen::directive::normalizesLast(Operation *op) {
  auto alongLast = [&](ArrayRef<int64_t> dims) {
    const int64_t rank = typeOf(op->getOperand(0)).getRank();
    return dims.size() == 1 && (dims[0] == -1 || dims[0] == rank - 1);
  };
  if (auto mean = dyn_cast<aten::MeanDimOp>(op))
    return alongLast(mean.getDim());
  if (auto sum = dyn_cast<aten::SumDimIntListOp>(op))
    return alongLast(sum.getDim());
  if (auto norm = dyn_cast<aten::LinalgVectorNormOp>(op))
    return alongLast(norm.getDim());
  auto norm = dyn_cast<aten::LayerNormOp>(op);
  return norm && norm.getNormalizedShape().size() == 1;
}

/// The only linear product that VALUE, which READER reads, is made of by views, element-wise ops and norms of rows, as
/// by norms of each head and rotary embeddings; null where it is none, or where somebody else reads what lies between.
static aten::LinearOp findRotated(Value value, Operation *reader) {
  constexpr size_t most = 64;
  if (!value.hasOneUse())
    return {};
  aten::LinearOp product;
  llvm::SmallPtrSet<Operation *, 16> behind, between;
  for (SmallVector<Value> open = {value}; !open.empty();) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !behind.insert(op).second)
      continue;
    if (auto linear = dyn_cast<aten::LinearOp>(op)) {
      if (product)
        return {};
      product = linear;
    } else if (isLight(op) || normalizesLast(op)) {
      llvm::append_range(open, op->getOperands());
    }
    if (behind.size() > most)
      return {};
  }
  if (!product)
    return {};
  for (SmallVector<Operation *> open = {product}; !open.empty();)
    for (OpOperand &use : open.pop_back_val()->getUses()) {
      Operation *user = use.getOwner();
      const bool passes = isLight(user) || (normalizesLast(user) && use.getOperandNumber() == 0);
      if (user == reader ? use.get() != value : !passes || between.size() > most)
        return {};
      if (user != reader && between.insert(user).second)
        open.push_back(user);
    }
  return product;
}

/// Makes FACTOR, of the query or key of ATTENTION, a part of its scale.
static void moveToScale(aten::MulScalarOp factor, aten::ScaledDotProductAttentionOp attention) {
  const double own = attention.getScale() ? *attention.getScale()
                                          : 1 / std::sqrt(double(typeOf(attention.getQuery()).getShape().back()));
  attention.setScaleAttr(FloatAttr::get(Float64Type::get(factor.getContext()), own * factor.getOther()));
  factor.getResult().replaceAllUsesWith(factor.getSelf());
  factor.erase();
}

/// The number of products that were joined in FUNC.
static int joinHeads(func::FuncOp func) {
  int joined = 0;
  Origins origins(func);
  for (auto attention : func.getBody().front().getOps<aten::ScaledDotProductAttentionOp>()) {
    SmallVector<std::pair<aten::LinearOp, aten::MulScalarOp>> found; // in the order of query, key, value
    for (auto [number, operand] : llvm::enumerate(attention->getOperands().take_front(3))) {
      aten::MulScalarOp factor;
      aten::LinearOp product = findHeads(operand, factor);
      const bool isValue = number == 2;
      if (!product && !isValue)
        product = findRotated(operand, attention);
      if (product && isJoinable(product, origins) && !(isValue && factor))
        found.push_back({product, factor});
    }
    for (size_t first = 0; first < found.size(); ++first) {
      Value input = found[first].first.getInput();
      SmallVector<aten::LinearOp> group;
      SmallVector<aten::MulScalarOp> factors;
      for (auto [product, factor] : ArrayRef(found).drop_front(first))
        if (product.getInput() == input) {
          group.push_back(product);
          if (factor)
            factors.push_back(factor);
        }
      if (group.size() < 2)
        continue;
      llvm::sort(group, [](aten::LinearOp a, aten::LinearOp b) { return a->isBeforeInBlock(b); });
      for (aten::MulScalarOp factor : factors)
        moveToScale(factor, attention);
      join(group);
      joined += int(group.size());
      if (!mergeHeads(attention.getQuery(), attention.getKey()))
        mergeHeads(attention.getKey(), attention.getQuery());
      break; // three operands have one such group
    }
  }
  return joined;
}

DiagnosedSilenceableFailure JoinHeadsOp::apply(TransformRewriter &, TransformResults &, TransformState &state) {
  int joined = 0;
  for (func::FuncOp func : functionsOf(getTarget(), state))
    joined += joinHeads(func);
  if (!joined)
    return emitDefiniteFailure() << "expected two linear products of one operand that one attention alone reads, found "
                                    "none";
  return DiagnosedSilenceableFailure::success();
}

void JoinHeadsOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effectsOf(*this, effects);
}
