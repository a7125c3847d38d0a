//===- ChannelsLast.cpp - Convolutions of tensors with channels last ------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops know channels as dimension 1. So a convolution gets permutations around it, and others that meet them go: what is
// element-wise works on any order. A value in the order of the network that stands for one with channels last is a
// permutation of that to the first order ("back"); whoever still reads it in the end is a border.
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Dialect/KGen/Layouts.h"
#include "kgen/Dialect/KGen/NetworkMarks.h"
#include "kgen/Dialect/KGen/Origins.h"
#include "kgen/Dialect/Transform/KGenTransform.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace kgen;
using namespace kgen::directive;
using mlir::transform::TransformResults;
using mlir::transform::TransformRewriter;
using mlir::transform::TransformState;

namespace {

/// Of images: image, channel, row, column.
constexpr int64_t imageRank = 4;
constexpr int64_t fewestChannels = 16;
/// Convolutions of a larger stride, counted in both directions, have no kernels with tensor copies (ConvImplicit.cpp).
constexpr int64_t mostPhases = 8;
/// Of a shorter window an image of few channels is read by the kernels for first layers.
constexpr int64_t fewestWindow = 256;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

RankedTensorType withShape(Value like, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, typeOf(like).getElementType());
}

bool isAll(ArrayRef<int64_t> values, int64_t value) {
  return llvm::all_of(values, [&](int64_t each) { return each == value; });
}

using aten::isReshape;

class LayoutChanger {
public:
  explicit LayoutChanger(func::FuncOp func) : func(func), origins(func), builder(func.getContext()) {}

  /// The number of convolutions that had another order.
  int run() {
    Block &body = func.getBody().front();
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
      builder.setInsertionPoint(&op);
      change(&op);
    }
    if (changed == 0)
      return 0;
    settleBorders();
    eraseUnusedViews(func);
    return changed;
  }

private:
  /// The tensor with channels last that VALUE is a permutation of, or null.
  static Value lastOf(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || typeOf(value).getRank() != imageRank)
      return {};
    if (permutationOf(op) == channelsFirst(imageRank))
      return op->getOperand(0);
    if (!isReshape(op))
      return {};
    // With one channel or one pixel the order is the same.
    ArrayRef<int64_t> shape = typeOf(value).getShape();
    const bool same = shape[1] == 1 || shape[2] * shape[3] == 1;
    const int64_t last[] = {shape[0], shape[2], shape[3], shape[1]};
    return same && typeOf(op->getOperand(0)).getShape() == ArrayRef(last) ? op->getOperand(0) : Value();
  }

  /// A new permutation of VALUE, whatever that is.
  Value permute(Location loc, Value value, ArrayRef<int64_t> dims, bool store = false) {
    ArrayRef<int64_t> shape = typeOf(value).getShape();
    SmallVector<int64_t> after = llvm::map_to_vector(dims, [&](int64_t from) { return shape[from]; });
    const bool first = dims == ArrayRef(channelsFirst(imageRank));
    const bool same = first ? shape[3] == 1 || shape[1] * shape[2] == 1 : shape[1] == 1 || shape[2] * shape[3] == 1;
    if (same)
      return aten::ReshapeOp::create(builder, loc, withShape(value, after), value, after);
    auto op = aten::PermuteOp::create(builder, loc, withShape(value, after), value, dims);
    if (store)
      op->setAttr(storeMark, builder.getUnitAttr());
    return op;
  }

  /// LAST, which a new op computes, takes the place of OLD.
  void replace(Operation *old, Value last) {
    Value back = permute(old->getLoc(), last, channelsFirst(imageRank));
    backs.push_back(back);
    old->getResult(0).replaceAllUsesWith(back);
    old->erase();
  }

  /// OP, which knows channels as dimension 1, reads INPUT and writes channels last.
  void wrap(Operation *op, Value input) {
    Value result = op->getResult(0);
    op->setOperand(0, input);
    wrapped.insert(op);
    builder.setInsertionPointAfter(op);
    Value last = permute(op->getLoc(), result, channelsLast(imageRank), /*store=*/true);
    Value back = permute(op->getLoc(), last, channelsFirst(imageRank));
    backs.push_back(back);
    result.replaceAllUsesExcept(back, last.getDefiningOp());
  }

  void change(Operation *op) {
    if (op->getNumResults() != 1 || op->getNumOperands() == 0 || hasEmptyTensor(op))
      return;
    if (isa<aten::Conv2dOp>(op))
      changeConvolution(op);
    else if (isa<aten::MaxPool2dOp, aten::AvgPool2dOp, aten::AdaptiveAvgPool2dOp>(op))
      changePool(op);
    else if (auto mean = dyn_cast<aten::MeanDimOp>(op))
      changeMean(mean);
    else if (auto cat = dyn_cast<aten::CatOp>(op))
      changeCat(cat);
    else if (auto pad = dyn_cast<aten::ConstantPadNdOp>(op))
      changePad(pad);
    else if (auto norm = dyn_cast<aten::BatchNormOp>(op))
      changeNorm(norm);
    else if (isElementwise(op))
      changeElementwise(op);
    else if (isReshape(op))
      changeReshape(op);
    else if (permutationOf(op))
      changePermutation(op);
  }

  /// Whether VALUE is images of one pixel, which have no order.
  static bool isPixel(Value value) {
    ArrayRef<int64_t> shape = typeOf(value).getShape();
    return shape[2] * shape[3] == 1;
  }

  void changeConvolution(Operation *op) {
    Value input = op->getOperand(0);
    if (typeOf(input).getRank() != imageRank)
      return;
    if (isPixel(input) && isPixel(op->getResult(0)))
      return changeGate(cast<aten::Conv2dOp>(op));
    if (hasPatches(cast<aten::Conv2dOp>(op))) {
      ++changed;
      return replace(op, productOfPatches(cast<aten::Conv2dOp>(op)));
    }
    const bool known = bool(lastOf(input));
    if (!known && typeOf(input).getDimSize(1) < fewestChannels)
      return;
    // It is as it should be already.
    if (known && llvm::all_of(op->getUsers(), [](Operation *user) { return user->hasAttr(storeMark); }))
      return;
    changed += typeOf(input).getDimSize(1) >= fewestChannels;
    if (!known)
      input = throughLast(input);
    auto conv = cast<aten::Conv2dOp>(op);
    if (Value last = lastOf(input); last && isAll(typeOf(conv.getWeight()).getShape().drop_front(2), 1) &&
                                    isAll(conv.getStride(), 1) && isAll(conv.getPadding(), 0) && conv.getGroups() == 1)
      return replace(op, productOf(conv, last));
    // [filter][tap][channel], once when weights change. A filter for each channel stays one run of memory.
    Value weight = conv.getWeight();
    if ((conv.getGroups() == 1 || typeOf(weight).getDimSize(1) > 1) && origins.of(weight) == Origin::Weights &&
        !lastOf(weight) && !isAll(typeOf(weight).getShape().drop_front(2), 1))
      op->setOperand(1, permute(op->getLoc(), permute(op->getLoc(), weight, channelsLast(imageRank), /*store=*/true),
                                channelsFirst(imageRank)));
    wrap(op, input);
  }

  /// Whether the windows of CONV lie beside each other without a rest and it is worth it to copy each into a row, so
  /// that there is a product: where it has no kernels with tensor copies.
  bool hasPatches(aten::Conv2dOp conv) const {
    ArrayRef<int64_t> image = typeOf(conv.getInput()).getShape(), weight = typeOf(conv.getWeight()).getShape();
    const int64_t rows = weight[2], columns = weight[3], window = weight[1] * rows * columns;
    constexpr int64_t copiedBits = 128; // tensor copies take rows of whole ones
    return conv.getGroups() == 1 && isAll(conv.getPadding(), 0) && isAll(conv.getDilation(), 1) &&
           conv.getStride() == weight.drop_front(2) && image[2] % rows == 0 && image[3] % columns == 0 &&
           rows * columns > mostPhases && window >= fewestWindow &&
           window * typeOf(conv.getInput()).getElementTypeBitWidth() % copiedBits == 0 &&
           origins.of(conv.getWeight()) == Origin::Weights;
  }

  /// CONV, which has patches, as a linear product of them.
  Value productOfPatches(aten::Conv2dOp conv) {
    Location loc = conv.getLoc();
    Value weight = conv.getWeight(), last = lastOf(conv.getInput()), image = last ? last : Value(conv.getInput());
    ArrayRef<int64_t> shape = typeOf(conv.getInput()).getShape(), filters = typeOf(weight).getShape();
    const int64_t images = shape[0], channels = shape[1], rows = filters[2], columns = filters[3];
    const int64_t down = shape[2] / rows, across = shape[3] / columns, window = channels * rows * columns;
    // In the order of the image's memory, with the window behind.
    SmallVector<int64_t> split, dims, patches;
    if (last) {
      split = {images, down, rows, across, columns, channels};
      dims = {0, 1, 3, 2, 4, 5};
      weight = permute(loc, weight, channelsLast(imageRank), /*store=*/true);
    } else {
      split = {images, channels, down, rows, across, columns};
      dims = {0, 2, 4, 1, 3, 5};
    }
    for (int64_t from : dims)
      patches.push_back(split[from]);
    const int64_t flat[] = {images, down, across, window}, matrix[] = {filters[0], window};
    image = aten::ReshapeOp::create(builder, loc, withShape(image, split), image, split);
    image = aten::PermuteOp::create(builder, loc, withShape(image, patches), image, dims);
    image = aten::ReshapeOp::create(builder, loc, withShape(image, flat), image, flat);
    weight = aten::ReshapeOp::create(builder, loc, withShape(weight, matrix), weight, matrix);
    return aten::LinearOp::create(builder, loc, withShape(conv, {images, down, across, filters[0]}), image, weight,
                                  conv.getBias());
  }

  /// A convolution of images of one pixel, as gates have them, is a product of few rows.
  void changeGate(aten::Conv2dOp conv) {
    Value input = conv.getInput(), last = lastOf(input);
    ArrayRef<int64_t> shape = typeOf(input).getShape();
    if (conv.getGroups() != 1 || typeOf(conv.getWeight()).getShape().drop_front(2) != shape.drop_front(2) ||
        llvm::any_of(conv.getPadding(), [](int64_t each) { return each != 0; }))
      return;
    const int64_t lastShape[] = {shape[0], 1, 1, shape[1]};
    if (!last)
      last = aten::ReshapeOp::create(builder, conv.getLoc(), withShape(input, lastShape), input, lastShape);
    replace(conv, productOf(conv, last));
  }

  /// CONV, of one tap at each pixel, as a linear product of LAST.
  Value productOf(aten::Conv2dOp conv, Value last) {
    Value weight = conv.getWeight();
    ArrayRef<int64_t> filters = typeOf(weight).getShape().take_front(2), shape = typeOf(last).getShape();
    weight = aten::ReshapeOp::create(builder, conv.getLoc(), withShape(weight, filters), weight, filters);
    return aten::LinearOp::create(builder, conv.getLoc(), withShape(conv, {shape[0], shape[1], shape[2], filters[0]}),
                                  last, weight, conv.getBias());
  }

  /// INPUT as a permutation of a tensor with channels last, which is made where there is none.
  Value throughLast(Value input) {
    Value &made = converted[input];
    if (!made) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointAfterValue(input);
      made = permute(input.getLoc(), permute(input.getLoc(), input, channelsLast(imageRank), /*store=*/true),
                     channelsFirst(imageRank));
    }
    return made;
  }

  void changePool(Operation *op) {
    Value input = op->getOperand(0), last = lastOf(input);
    if (typeOf(input).getRank() != imageRank || (!last && typeOf(input).getDimSize(1) < fewestChannels) ||
        llvm::any_of(op->getUsers(), [](Operation *user) { return user->hasAttr(storeMark); }))
      return;
    auto adaptive = dyn_cast<aten::AdaptiveAvgPool2dOp>(op);
    if (!adaptive || llvm::any_of(adaptive.getOutputSize(), [](int64_t extent) { return extent != 1; }))
      return wrap(op, input);
    if (!last)
      return;
    SmallVector<int64_t> shape(typeOf(last).getShape());
    shape[1] = shape[2] = 1;
    const int64_t pixels[] = {1, 2};
    replace(op, aten::MeanDimOp::create(builder, op->getLoc(), withShape(last, shape), last, pixels, /*keepdim=*/true));
  }

  void changeMean(aten::MeanDimOp op) {
    Value last = lastOf(op.getSelf());
    SmallVector<int64_t> dims;
    for (int64_t dim : op.getDim())
      dims.push_back((dim + imageRank) % imageRank);
    llvm::sort(dims);
    if (!last || dims != SmallVector<int64_t>{2, 3})
      return;
    SmallVector<int64_t> shape(typeOf(last).getShape());
    const int64_t pixels[] = {1, 2};
    if (op.getKeepdim()) {
      shape[1] = shape[2] = 1;
      return replace(
          op, aten::MeanDimOp::create(builder, op.getLoc(), withShape(op, shape), last, pixels, /*keepdim=*/true));
    }
    op.replaceAllUsesWith(
        aten::MeanDimOp::create(builder, op.getLoc(), op.getType(), last, pixels, /*keepdim=*/false).getResult());
    op.erase();
  }

  void changeCat(aten::CatOp op) {
    const int64_t rank = typeOf(op).getRank();
    if (rank != imageRank || llvm::none_of(op.getOperands(), [](Value value) { return bool(lastOf(value)); }))
      return;
    const int64_t dim = (int64_t(op.getDim()) + rank) % rank, to[] = {0, 3, 1, 2};
    SmallVector<Value> parts;
    for (Value part : op.getOperands())
      parts.push_back(permuted(builder, op.getLoc(), part, channelsLast(rank)));
    ArrayRef<int64_t> shape = typeOf(op).getShape();
    replace(op, aten::CatOp::create(builder, op.getLoc(), withShape(op, {shape[0], shape[2], shape[3], shape[1]}),
                                    parts, to[dim]));
  }

  void changePad(aten::ConstantPadNdOp op) {
    Value last = lastOf(op.getSelf());
    if (!last || op.getPad().size() > 4) // rows and columns, the last first
      return;
    SmallVector<int64_t> pad{0, 0};
    llvm::append_range(pad, op.getPad());
    ArrayRef<int64_t> shape = typeOf(op).getShape();
    Operation *padded = builder.clone(*op);
    padded->setOperand(0, last);
    padded->setAttr(op.getPadAttrName(), builder.getDenseI64ArrayAttr(pad));
    padded->getResult(0).setType(withShape(op, {shape[0], shape[2], shape[3], shape[1]}));
    replace(op, padded->getResult(0));
  }

  /// VALUE in fp32.
  Value widened(Value value) {
    if (!value || typeOf(value).getElementType().isF32())
      return value;
    return castTo(value, builder.getF32Type());
  }

  Value castTo(Value value, Type element) {
    return aten::ToCopyOp::create(builder, value.getLoc(), RankedTensorType::get(typeOf(value).getShape(), element),
                                  value, element);
  }

  /// One factor and one term for each channel, in fp32 as PyTorch computes norms of fp16 and bf16.
  void changeNorm(aten::BatchNormOp op) {
    Value last = lastOf(op.getInput());
    auto isKnown = [](Value value) {
      return !value || typeOf(value).getElementType().isF32() || typeOf(value).getElementTypeBitWidth() == 16;
    };
    if (!last || !isKnown(op) || !isKnown(op.getRunningVar()) || !isKnown(op.getWeight()))
      return;
    Location loc = op.getLoc();
    Value mean = widened(op.getRunningMean()), var = widened(op.getRunningVar()), input = widened(last);
    Type type = var.getType();
    Value scale =
        aten::RsqrtOp::create(builder, loc, type, aten::AddScalarOp::create(builder, loc, type, var, op.getEps()));
    if (op.getWeight())
      scale = aten::MulTensorOp::create(builder, loc, type, scale, widened(op.getWeight()));
    Value shift = aten::MulTensorOp::create(builder, loc, type, mean, scale);
    Value product = aten::MulTensorOp::create(builder, loc, input.getType(), input, scale);
    if (op.getBias())
      shift = aten::SubTensorOp::create(builder, loc, type, widened(op.getBias()), shift);
    Value sum = op.getBias() ? Value(aten::AddTensorOp::create(builder, loc, input.getType(), product, shift))
                             : Value(aten::SubTensorOp::create(builder, loc, input.getType(), product, shift));
    replace(op, input == last ? sum : castTo(sum, typeOf(last).getElementType()));
  }

  void changeElementwise(Operation *op) {
    Value result = op->getResult(0);
    if (typeOf(result).getRank() != imageRank)
      return;
    for (Value operand : op->getOperands())
      if (typeOf(operand).getShape() == typeOf(result).getShape() && lastOf(operand))
        return replace(op, permutedElementwise(builder, op, channelsLast(imageRank))->getResult(0));
  }

  /// Sequences of pixels with channels last, [n, h * w, c], that go through [n, c, h * w].
  void changeReshape(Operation *op) {
    Value sequence = op->getOperand(0), result = op->getResult(0);
    if (typeOf(sequence).getRank() != 3 || typeOf(result).getRank() != imageRank ||
        permutationOf(sequence.getDefiningOp()) != SmallVector<int64_t>{0, 2, 1} ||
        typeOf(sequence).getShape().take_front(2) != typeOf(result).getShape().take_front(2))
      return;
    ArrayRef<int64_t> shape = typeOf(result).getShape();
    const int64_t last[] = {shape[0], shape[2], shape[3], shape[1]};
    Value source = sequence.getDefiningOp()->getOperand(0);
    replace(op, aten::ReshapeOp::create(builder, op->getLoc(), withShape(result, last), source, last));
  }

  void changePermutation(Operation *op) {
    std::optional<SmallVector<int64_t>> dims = permutationOf(op);
    Value input = op->getOperand(0);
    if (dims == channelsLast(imageRank)) {
      if (Value last = lastOf(input)) {
        op->getResult(0).replaceAllUsesWith(last);
        op->erase();
      } else if (isa_and_nonnull<aten::Conv2dOp>(input.getDefiningOp()) && input.hasOneUse()) {
        op->setAttr(storeMark, builder.getUnitAttr()); // a first layer's
      }
      return;
    }
    Operation *flat = input.getDefiningOp();
    if (dims != SmallVector<int64_t>{0, 2, 1} || !isReshape(flat))
      return;
    Value image = flat->getOperand(0), last = lastOf(image);
    if (!last || typeOf(image).getShape().take_front(2) != typeOf(input).getShape().take_front(2))
      return;
    ArrayRef<int64_t> shape = typeOf(op->getResult(0)).getShape();
    op->getResult(0).replaceAllUsesWith(
        aten::ReshapeOp::create(builder, op->getLoc(), withShape(last, shape), last, shape).getResult());
    op->erase();
  }

  /// Who reads a permutation back without being a convolution or pooling with permutations around it.
  void settleBorders() {
    Operation *end = func.getBody().front().getTerminator();
    for (Value back : backs) {
      auto isBorder = [&](Operation *user) { return !wrapped.contains(user); };
      Operation *op = back.getDefiningOp(), *store = op->getOperand(0).getDefiningOp();
      if (store && store->hasAttr(storeMark) && store->hasOneUse() && llvm::all_of(op->getUsers(), isBorder)) {
        back.replaceAllUsesWith(store->getOperand(0));
        continue;
      }
      if (isa<aten::PermuteOp>(op) && llvm::is_contained(op->getUsers(), end)) {
        builder.setInsertionPointAfter(op);
        Operation *returned = builder.clone(*op);
        returned->setAttr(storeMark, builder.getUnitAttr());
        back.replaceUsesWithIf(returned->getResult(0), [&](OpOperand &use) { return use.getOwner() == end; });
      }
    }
  }

  func::FuncOp func;
  Origins origins;
  OpBuilder builder;
  int changed = 0;
  SmallVector<Value> backs;
  llvm::DenseSet<Operation *> wrapped;    ///< ops that know channels as dimension 1, with permutations around them
  llvm::DenseMap<Value, Value> converted; ///< what was written with channels last for a convolution
};

} // namespace

DiagnosedSilenceableFailure ChannelsLastOp::apply(TransformRewriter &, TransformResults &, TransformState &state) {
  int changed = 0;
  for (Operation *payload : state.getPayloadOps(getTarget()))
    payload->walk([&](func::FuncOp func) {
      if (!func.isExternal())
        changed += LayoutChanger(func).run();
    });
  if (!changed)
    return emitDefiniteFailure() << "expected a conv2d of at least " << fewestChannels
                                 << " channels in another order, found none";
  return DiagnosedSilenceableFailure::success();
}

void ChannelsLastOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  mlir::transform::onlyReadsHandle(getOperation()->getOpOperands(), effects);
  mlir::transform::modifiesPayload(effects);
}
