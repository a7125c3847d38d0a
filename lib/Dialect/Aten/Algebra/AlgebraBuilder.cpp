//===- AlgebraBuilder.cpp - Aten ops with the types they infer ------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AlgebraBuilder.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace kgen::aten {

int64_t productOf(ArrayRef<int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t(1), std::multiplies<int64_t>());
}

static RankedTensorType withShape(Value like, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, typeOf(like).getElementType());
}

std::optional<Convolution> Convolution::of(Operation *op) {
  Convolution conv;
  auto read = [&](auto each) {
    conv = {op,
            each.getInput(),
            each.getWeight(),
            each.getBias(),
            false,
            llvm::to_vector(each.getStride()),
            llvm::to_vector(each.getPadding()),
            llvm::to_vector(each.getDilation()),
            {},
            int64_t(each.getGroups())};
  };
  bool found = false;
  llvm::TypeSwitch<Operation *>(op)
      .Case<Conv1dOp, Conv2dOp, Conv3dOp>([&](auto plain) {
        read(plain);
        found = true;
      })
      .Case<ConvTranspose1dOp, ConvTranspose2dInputOp, ConvTranspose3dInputOp>([&](auto transposed) {
        read(transposed);
        conv.transposed = found = true;
        conv.outputPadding = llvm::to_vector(transposed.getOutputPadding());
      });
  return found ? std::optional<Convolution>(conv) : std::nullopt;
}

Value AlgebraBuilder::cast(Value value, Type element) {
  if (typeOf(value).getElementType() == element)
    return value;
  return ToCopyOp::create(rewriter, loc, RankedTensorType::get(shapeOf(value), element), value, element);
}

Value AlgebraBuilder::widen(Value value) {
  const bool isHalf = typeOf(value).getElementTypeBitWidth() < 32;
  return isHalf ? cast(value, rewriter.getF32Type()) : value;
}

Value AlgebraBuilder::reshape(Value value, ArrayRef<int64_t> shape) {
  if (shapeOf(value) == shape)
    return value;
  return ReshapeOp::create(rewriter, loc, withShape(value, shape), value, shape);
}

Value AlgebraBuilder::ofChannels(Value vector, int64_t rank) {
  SmallVector<int64_t> shape(rank - 1, 1);
  shape[0] = shapeOf(vector)[0];
  return reshape(widen(vector), shape);
}

Value AlgebraBuilder::permute(Value value, ArrayRef<int64_t> dims) {
  if (llvm::is_sorted(dims))
    return value;
  SmallVector<int64_t> shape;
  for (int64_t dim : dims)
    shape.push_back(shapeOf(value)[dim]);
  return PermuteOp::create(rewriter, loc, withShape(value, shape), value, dims);
}

Value AlgebraBuilder::slice(Value value, int64_t dim, int64_t begin, int64_t end) {
  SmallVector<int64_t> shape(shapeOf(value));
  if (begin == 0 && end == shape[dim])
    return value;
  shape[dim] = end - begin;
  return SliceTensorOp::create(rewriter, loc, withShape(value, shape), value, dim, rewriter.getI64IntegerAttr(begin),
                               rewriter.getI64IntegerAttr(end));
}

Value AlgebraBuilder::cat(ArrayRef<Value> values, int64_t dim) {
  if (values.size() == 1)
    return values.front();
  SmallVector<int64_t> shape(shapeOf(values.front()));
  for (Value value : values.drop_front())
    shape[dim] += shapeOf(value)[dim];
  return CatOp::create(rewriter, loc, withShape(values.front(), shape), values, dim);
}

template <typename Op>
static Value fold(PatternRewriter &rewriter, Location loc, Value value, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape(shapeOf(value));
  for (int64_t dim : dims)
    shape[dim] = 1;
  if (shape == shapeOf(value))
    return value;
  return Op::create(rewriter, loc, withShape(value, shape), value, dims, true);
}

Value AlgebraBuilder::sum(Value value, ArrayRef<int64_t> dims) {
  return fold<SumDimIntListOp>(rewriter, loc, value, dims);
}
Value AlgebraBuilder::mean(Value value, ArrayRef<int64_t> dims) { return fold<MeanDimOp>(rewriter, loc, value, dims); }

Value AlgebraBuilder::sumAway(Value value, int64_t dim) {
  SmallVector<int64_t> shape(shapeOf(value));
  shape.erase(shape.begin() + dim);
  return SumDimIntListOp::create(rewriter, loc, withShape(value, shape), value, dim, false);
}

RankedTensorType AlgebraBuilder::broadcast(Value a, Value b) {
  ArrayRef<int64_t> longer = shapeOf(a), shorter = shapeOf(b);
  if (longer.size() < shorter.size())
    std::swap(longer, shorter);
  SmallVector<int64_t> shape(longer);
  for (size_t i = 0; i < shorter.size(); ++i) {
    int64_t &extent = shape[longer.size() - shorter.size() + i];
    extent = extent == 1 ? shorter[i] : extent;
  }
  return withShape(a, shape);
}

static FloatAttr number(PatternRewriter &rewriter, double value) { return rewriter.getF64FloatAttr(value); }

Value AlgebraBuilder::add(Value a, Value b, double alpha) {
  return AddTensorOp::create(rewriter, loc, broadcast(a, b), a, b, number(rewriter, alpha));
}
Value AlgebraBuilder::sub(Value a, Value b, double alpha) {
  return SubTensorOp::create(rewriter, loc, broadcast(a, b), a, b, number(rewriter, alpha));
}
Value AlgebraBuilder::mul(Value a, Value b) { return MulTensorOp::create(rewriter, loc, broadcast(a, b), a, b); }
Value AlgebraBuilder::div(Value a, Value b) { return DivTensorOp::create(rewriter, loc, broadcast(a, b), a, b); }
Value AlgebraBuilder::scale(Value value, double factor) {
  if (factor == 1)
    return value;
  return MulScalarOp::create(rewriter, loc, value.getType(), value, number(rewriter, factor));
}
Value AlgebraBuilder::divide(Value value, double divisor) {
  if (divisor == 1)
    return value;
  return DivScalarOp::create(rewriter, loc, value.getType(), value, number(rewriter, divisor));
}
Value AlgebraBuilder::shift(Value value, double summand) {
  return AddScalarOp::create(rewriter, loc, value.getType(), value, number(rewriter, summand), number(rewriter, 1));
}
Value AlgebraBuilder::neg(Value value) { return NegOp::create(rewriter, loc, value.getType(), value); }

Value AlgebraBuilder::constant(ArrayRef<int64_t> shape, ArrayRef<double> values, Type element) {
  auto type = RankedTensorType::get(shape, element);
  SmallVector<Attribute> attributes;
  for (double value : values)
    attributes.push_back(rewriter.getFloatAttr(element, value));
  return ConstantOp::create(rewriter, loc, type, DenseElementsAttr::get(type, attributes));
}

Value AlgebraBuilder::zeroWhere(Value value, ArrayRef<int64_t> shape, ArrayRef<bool> mask) {
  auto type = RankedTensorType::get(shape, rewriter.getI1Type());
  Value zeros = ConstantOp::create(rewriter, loc, type, DenseElementsAttr::get(type, mask));
  return MaskedFillScalarOp::create(rewriter, loc, TypeRange{broadcast(value, zeros)}, ValueRange{value, zeros},
                                    {NamedAttribute(rewriter.getStringAttr("value"), number(rewriter, 0))});
}

Value AlgebraBuilder::full(ArrayRef<int64_t> shape, double value, Type element) {
  return FullOp::create(rewriter, loc, RankedTensorType::get(shape, element), rewriter.getDenseI64ArrayAttr(shape),
                        number(rewriter, value), TypeAttr::get(element));
}

Value AlgebraBuilder::linear(Value input, Value weight) {
  SmallVector<int64_t> shape(shapeOf(input));
  shape.back() = shapeOf(weight)[0];
  return LinearOp::create(rewriter, loc, withShape(input, shape), input, weight, Value());
}

Value AlgebraBuilder::copy(Operation *op, ValueRange operands, ArrayRef<int64_t> shape) {
  Operation *made = rewriter.clone(*op);
  made->setOperands(operands);
  made->getResult(0).setType(withShape(op->getResult(0), shape));
  return made->getResult(0);
}

Value AlgebraBuilder::convolve(Value input, Value weight, Value bias, const Convolution &like) {
  const unsigned dims = like.dims();
  ArrayRef<int64_t> from = shapeOf(input), taps = shapeOf(weight).drop_front(2);
  SmallVector<int64_t> shape = {from[0], like.transposed ? shapeOf(weight)[1] * like.groups : shapeOf(weight)[0]};
  for (unsigned i = 0; i < dims; ++i) {
    const int64_t reach = like.dilation[i] * (taps[i] - 1);
    shape.push_back(like.transposed
                        ? (from[i + 2] - 1) * like.stride[i] - 2 * like.padding[i] + reach + like.outputPadding[i] + 1
                        : (from[i + 2] + 2 * like.padding[i] - reach - 1) / like.stride[i] + 1);
  }
  auto type = withShape(input, shape);
  auto groups = rewriter.getI64IntegerAttr(like.groups);
  auto list = [&](ArrayRef<int64_t> values) { return rewriter.getDenseI64ArrayAttr(values); };
  auto plain = [&](auto *none) -> Value {
    using Op = std::remove_pointer_t<decltype(none)>;
    return Op::create(rewriter, loc, type, input, weight, bias, list(like.stride), list(like.padding),
                      list(like.dilation), groups);
  };
  auto transposed = [&](auto *none) -> Value {
    using Op = std::remove_pointer_t<decltype(none)>;
    return Op::create(rewriter, loc, type, input, weight, bias, list(like.stride), list(like.padding),
                      list(like.outputPadding), groups, list(like.dilation));
  };
  if (like.transposed)
    return dims == 1   ? transposed(static_cast<ConvTranspose1dOp *>(nullptr))
           : dims == 2 ? transposed(static_cast<ConvTranspose2dInputOp *>(nullptr))
                       : transposed(static_cast<ConvTranspose3dInputOp *>(nullptr));
  return dims == 1   ? plain(static_cast<Conv1dOp *>(nullptr))
         : dims == 2 ? plain(static_cast<Conv2dOp *>(nullptr))
                     : plain(static_cast<Conv3dOp *>(nullptr));
}

} // namespace kgen::aten
