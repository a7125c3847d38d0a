//===- KGenNetworkOps.cpp - Directives for a whole network ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is rewritten computes the same; what it computes of weights is a step of its own later, which is prepared.
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/KGen/NetworkMarks.h"
#include "kgen/Dialect/KGen/Origins.h"
#include "kgen/Dialect/Transform/KGenTransform.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#include <cmath>

using namespace mlir;
using namespace kgen;
using namespace kgen::directive;
using mlir::transform::TransformResults;
using mlir::transform::TransformRewriter;
using mlir::transform::TransformState;

#define GET_OP_CLASSES
#include "kgen/Dialect/Transform/KGenNetworkOps.cpp.inc"

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static RankedTensorType withShape(Value like, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, typeOf(like).getElementType());
}

/// The functions with a body under the payload of TARGET.
static SmallVector<func::FuncOp> functionsOf(Value target, TransformState &state) {
  SmallVector<func::FuncOp> functions;
  for (Operation *payload : state.getPayloadOps(target))
    payload->walk([&](func::FuncOp func) {
      if (!func.isExternal())
        functions.push_back(func);
    });
  return functions;
}

static void effectsOf(Operation *op, SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  mlir::transform::onlyReadsHandle(op->getOpOperands(), effects);
  mlir::transform::modifiesPayload(effects);
}

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
// JoinProductsOp
//===----------------------------------------------------------------------===//

/// Moves what VALUE, which depends on no inputs, is made of in front of BEFORE.
static void hoist(Value value, Operation *before) {
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

/// Whether OP is a view or element-wise: where it reads a slice it costs no launch more.
static bool isLight(Operation *op) {
  auto kind = dyn_cast<aten::AtenCostOpInterface>(op);
  return kind && (kind.getKind() == aten::OpKind::Elementwise || kind.getKind() == aten::OpKind::View);
}

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

/// The only linear product that VALUE, which READER reads, is made of by views and element-wise ops, as by rotary
/// embeddings; null where it is none, or where somebody else reads what lies between them.
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
    } else if (isLight(op)) {
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
      if (user == reader ? use.get() != value : !isLight(user) || between.size() > most)
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
