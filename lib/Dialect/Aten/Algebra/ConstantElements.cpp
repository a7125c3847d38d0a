//===- ConstantElements.cpp - Elements that follow from the graph ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantElements.h"
#include "AlgebraBuilder.h"
#include "kgen/Dialect/Aten/Views.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace kgen::aten {
namespace {

using Index = SmallVector<int64_t>;
using Element = std::optional<double>;

int64_t wrap(int64_t dim, int64_t rank) { return dim < 0 ? dim + rank : dim; }

/// VALUE as a tensor of ELEMENT holds it.
double converted(double value, Type element) {
  if (element.isInteger(1))
    return value != 0;
  if (isa<IntegerType>(element))
    return std::trunc(value);
  APFloat rounded(value);
  bool losesInfo;
  rounded.convert(cast<FloatType>(element).getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  rounded.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return rounded.convertToDouble();
}

Element stored(ElementsAttr elements, ArrayRef<int64_t> index) {
  const bool isSplat = elements.isSplat();
  int64_t place = 0;
  for (auto [i, extent] : llvm::zip_equal(index, elements.getShapedType().getShape()))
    place = place * extent + i;
  if (auto floats = dyn_cast<DenseFPElementsAttr>(elements)) {
    APFloat value = isSplat ? floats.getSplatValue<APFloat>() : *(floats.value_begin<APFloat>() + place);
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    return value.convertToDouble();
  }
  if (auto integers = dyn_cast<DenseIntElementsAttr>(elements)) {
    APInt value = isSplat ? integers.getSplatValue<APInt>() : *(integers.value_begin<APInt>() + place);
    return value.getBitWidth() == 1 ? double(value.getZExtValue()) : double(value.getSExtValue());
  }
  return std::nullopt;
}

/// The element of operand NUMBER of OP, which broadcasts to the result, at the result's INDEX.
Element broadcastElement(Value operand, ArrayRef<int64_t> index) {
  ArrayRef<int64_t> shape = shapeOf(operand);
  Index own(index.take_back(shape.size()));
  for (auto [i, extent] : llvm::zip_equal(own, shape))
    if (extent == 1)
      i = 0;
  return constantElement(operand, own);
}

/// Where the element at INDEX of the result of VIEW lies in its operand; none where VIEW is no such op.
std::optional<Index> sourceIndex(Operation *view, ArrayRef<int64_t> index) {
  Index from(index);
  if (isReshape(view)) {
    int64_t place = 0;
    for (auto [i, extent] : llvm::zip_equal(index, shapeOf(view->getResult(0))))
      place = place * extent + i;
    ArrayRef<int64_t> shape = shapeOf(view->getOperand(0));
    from.assign(shape.size(), 0);
    for (size_t i = shape.size(); i-- > 0; place /= shape[i])
      from[i] = place % shape[i];
    return from;
  }
  if (std::optional<Index> dims = permutationOf(view)) {
    for (auto [i, dim] : llvm::enumerate(*dims))
      from[dim] = index[i];
    return from;
  }
  const int64_t rank = view->getNumOperands() == 0 ? 0 : rankOf(view->getOperand(0));
  return llvm::TypeSwitch<Operation *, std::optional<Index>>(view)
      .Case([&](ExpandOp op) {
        from = Index(index.take_back(rank));
        for (auto [i, extent] : llvm::zip_equal(from, shapeOf(op.getSelf())))
          if (extent == 1)
            i = 0;
        return from;
      })
      .Case([&](NarrowOp op) {
        from[wrap(op.getDim(), rank)] += wrap(op.getStart(), shapeOf(op.getSelf())[wrap(op.getDim(), rank)]);
        return from;
      })
      .Case([&](SliceTensorOp op) {
        int64_t &at = from[wrap(op.getDim(), rank)];
        at = op.getBounds().first + at * int64_t(op.getStep());
        return from;
      })
      .Case([&](SelectIntOp op) {
        const int64_t dim = wrap(op.getDim(), rank);
        from.insert(from.begin() + dim, wrap(op.getIndex(), shapeOf(op.getSelf())[dim]));
        return from;
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// What OP, element-wise, makes of X and, where it has a second operand or a number, Y; none of other ops.
Element computed(Operation *op, double x, double y) {
  return llvm::TypeSwitch<Operation *, Element>(op)
      .Case<EqTensorOp, EqScalarOp>([&](auto) { return double(x == y); })
      .Case<NeTensorOp, NeScalarOp>([&](auto) { return double(x != y); })
      .Case<LtTensorOp, LtScalarOp>([&](auto) { return double(x < y); })
      .Case<LeTensorOp, LeScalarOp>([&](auto) { return double(x <= y); })
      .Case<GtTensorOp, GtScalarOp>([&](auto) { return double(x > y); })
      .Case<GeTensorOp, GeScalarOp>([&](auto) { return double(x >= y); })
      .Case([&](LogicalAndOp) { return double(x != 0 && y != 0); })
      .Case([&](LogicalOrOp) { return double(x != 0 || y != 0); })
      .Case([&](LogicalXorOp) { return double((x != 0) != (y != 0)); })
      .Case([&](LogicalNotOp) { return double(x == 0); })
      .Case<AddTensorOp, AddScalarOp>([&](auto add) { return x + double(add.getAlpha()) * y; })
      .Case<SubTensorOp, SubScalarOp>([&](auto sub) { return x - double(sub.getAlpha()) * y; })
      .Case([&](RsubScalarOp sub) { return y - double(sub.getAlpha()) * x; })
      .Case<MulTensorOp, MulScalarOp>([&](auto) { return x * y; })
      .Case([&](NegOp) { return -x; })
      .Case([&](ToCopyOp) { return x; })
      .Default([&](Operation *) -> Element {
        // Of integers only truth values.
        if (!typeOf(op->getResult(0)).getElementType().isInteger(1))
          return std::nullopt;
        return llvm::TypeSwitch<Operation *, Element>(op)
            .Case([&](BitwiseAndTensorOp) { return double(x != 0 && y != 0); })
            .Case([&](BitwiseOrTensorOp) { return double(x != 0 || y != 0); })
            .Case([&](BitwiseXorTensorOp) { return double((x != 0) != (y != 0)); })
            .Case([&](BitwiseNotOp) { return double(x == 0); })
            .Default([](Operation *) { return std::nullopt; });
      });
}

Element elementOf(Operation *op, ArrayRef<int64_t> index) {
  if (auto full = dyn_cast<FullOp>(op))
    return double(full.getFillValue());
  if (auto full = dyn_cast<FullLikeOp>(op))
    return double(full.getFillValue());
  if (auto range = dyn_cast<ArangeStartStepOp>(op))
    return double(range.getStart()) + double(range.getStep()) * double(index[0]);
  if (auto constant = dyn_cast<ConstantOp>(op))
    return stored(constant.getValue(), index);
  if (op->getNumOperands() == 0)
    return std::nullopt;
  if (std::optional<Index> from = sourceIndex(op, index))
    return constantElement(op->getOperand(0), *from);
  if (auto where = dyn_cast<WhereSelfOp>(op)) {
    Element condition = broadcastElement(where.getCondition(), index);
    if (!condition)
      return std::nullopt;
    return broadcastElement(*condition != 0 ? where.getSelf() : where.getOther(), index);
  }
  if (auto fill = dyn_cast<MaskedFillScalarOp>(op)) {
    Element mask = broadcastElement(fill.getMask(), index);
    if (!mask)
      return std::nullopt;
    return *mask != 0 ? double(fill.getValue()) : broadcastElement(fill.getSelf(), index);
  }
  if (auto lower = dyn_cast<TrilOp>(op); lower && index.back() - index[index.size() - 2] > int64_t(lower.getDiagonal()))
    return 0;
  if (auto upper = dyn_cast<TriuOp>(op); upper && index.back() - index[index.size() - 2] < int64_t(upper.getDiagonal()))
    return 0;
  if (isa<TrilOp, TriuOp>(op))
    return constantElement(op->getOperand(0), index);
  if (!isa<AtenCostOpInterface>(op) || cast<AtenCostOpInterface>(op).getKind() != OpKind::Elementwise)
    return std::nullopt;
  Element x = broadcastElement(op->getOperand(0), index), y = 0;
  if (op->getNumOperands() > 1)
    y = broadcastElement(op->getOperand(1), index);
  else if (auto number = op->getAttrOfType<FloatAttr>("other"))
    y = number.getValueAsDouble();
  return x && y ? computed(op, *x, *y) : std::nullopt;
}

} // namespace

std::optional<double> constantElement(Value value, ArrayRef<int64_t> index) {
  auto result = dyn_cast<OpResult>(value);
  if (!result || result.getOwner()->getNumResults() != 1)
    return std::nullopt;
  Element element = elementOf(result.getOwner(), index);
  return element ? Element(converted(*element, typeOf(value).getElementType())) : std::nullopt;
}

std::optional<double> splatOf(Value value) {
  Operation *op = value.getDefiningOp();
  auto constant = dyn_cast_or_null<ConstantOp>(op);
  if (!isa_and_nonnull<FullOp>(op) && !(constant && constant.getValue().isSplat()))
    return std::nullopt;
  return constantElement(value, Index(rankOf(value), 0));
}

} // namespace kgen::aten
