//===- LinalgBuilder.cpp - Linalg ops from formulas and index maps -------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LinalgBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

#include <cmath>

using namespace mlir;

namespace kgen::conversion {

Type computeType(Type element) {
  return element.isF16() || element.isBF16() ? Float32Type::get(element.getContext()) : element;
}

ArrayRef<int64_t> LinalgBuilder::shape(Value tensor) { return cast<RankedTensorType>(tensor.getType()).getShape(); }
Type LinalgBuilder::element(Value tensor) { return cast<RankedTensorType>(tensor.getType()).getElementType(); }

AffineMap LinalgBuilder::mapTo(unsigned dims, ArrayRef<AffineExpr> results) {
  return AffineMap::get(dims, 0, results, b.getContext());
}

AffineMap LinalgBuilder::along(unsigned dims, ArrayRef<int64_t> loops) {
  SmallVector<AffineExpr> results;
  for (int64_t loop : loops)
    results.push_back(dim(loop));
  return mapTo(dims, results);
}

Operand LinalgBuilder::broadcast(Value tensor, ArrayRef<int64_t> to) {
  ArrayRef<int64_t> from = shape(tensor);
  SmallVector<AffineExpr> results;
  for (auto [i, extent] : llvm::enumerate(from)) {
    unsigned loop = to.size() - from.size() + i;
    results.push_back(extent == to[loop] ? dim(loop) : zero());
  }
  return {tensor, mapTo(to.size(), results)};
}

TypedAttr LinalgBuilder::constantAttr(Type element, double value) {
  if (isa<FloatType>(element))
    return b.getFloatAttr(element, value);
  unsigned width = element.getIntOrFloatBitWidth();
  if (std::isinf(value))
    return b.getIntegerAttr(element, value < 0 ? APInt::getSignedMinValue(width) : APInt::getSignedMaxValue(width));
  return b.getIntegerAttr(element, static_cast<int64_t>(value));
}

Value LinalgBuilder::empty(ArrayRef<int64_t> shape, Type element) { return tensor::EmptyOp::create(b, shape, element); }

Value LinalgBuilder::filled(ArrayRef<int64_t> shape, Type element, double value) {
  Value constant = arith::ConstantOp::create(b, constantAttr(element, value));
  return linalg::FillOp::create(b, constant, empty(shape, element)).getResult(0);
}

/// The scalars that a body computes with: floats in their compute type, integers as they are.
static SmallVector<Scalar> bodyInputs(ImplicitLocOpBuilder &b, ValueRange args) {
  SmallVector<Scalar> scalars;
  for (Value arg : args)
    scalars.push_back(Scalar(b, arg).to(computeType(arg.getType())));
  return scalars;
}

static std::pair<SmallVector<Value>, SmallVector<AffineMap>> split(ArrayRef<Operand> inputs) {
  std::pair<SmallVector<Value>, SmallVector<AffineMap>> result;
  for (const Operand &input : inputs) {
    result.first.push_back(input.tensor);
    result.second.push_back(input.map);
  }
  return result;
}

Value LinalgBuilder::map(ArrayRef<Operand> inputs, ArrayRef<int64_t> shape, Type element, Formula formula) {
  auto [tensors, maps] = split(inputs);
  maps.push_back(identity(shape.size()));
  SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
  Value init = empty(shape, element);
  auto op = linalg::GenericOp::create(b, TypeRange{init.getType()}, tensors, ValueRange{init}, maps, iterators,
                                      [&](OpBuilder &builder, Location loc, ValueRange args) {
                                        ImplicitLocOpBuilder body(loc, builder);
                                        Scalar result = formula(bodyInputs(body, args.drop_back()));
                                        linalg::YieldOp::create(body, result.to(element).get());
                                      });
  return op.getResult(0);
}

Value LinalgBuilder::convert(Value input, Type to) {
  if (element(input) == to)
    return input;
  return map({{input, identity(rank(input))}}, shape(input), to, [](ArrayRef<Scalar> x) { return x[0]; });
}

Value LinalgBuilder::fold(ArrayRef<Operand> inputs, AffineMap result, ArrayRef<int64_t> shape, Type element,
                          double init, FoldFormula formula) {
  auto [tensors, maps] = split(inputs);
  maps.push_back(result);
  SmallVector<utils::IteratorType> iterators(result.getNumDims(), utils::IteratorType::reduction);
  for (AffineExpr expr : result.getResults())
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      iterators[loop.getPosition()] = utils::IteratorType::parallel;
  Value start = filled(shape, element, init);
  auto op = linalg::GenericOp::create(b, TypeRange{start.getType()}, tensors, ValueRange{start}, maps, iterators,
                                      [&](OpBuilder &builder, Location loc, ValueRange args) {
                                        ImplicitLocOpBuilder body(loc, builder);
                                        Scalar sum(body, args.back());
                                        Scalar next = formula(bodyInputs(body, args.drop_back()), sum);
                                        linalg::YieldOp::create(body, next.to(element).get());
                                      });
  return op.getResult(0);
}

Value LinalgBuilder::contract(Operand x, Operand y, AffineMap result, ArrayRef<int64_t> shape, Type element) {
  return fold({x, y}, result, shape, element, 0.0,
              [&](ArrayRef<Scalar> in, Scalar sum) { return sum + in[0].to(element) * in[1].to(element); });
}

Scalar LinalgBuilder::index(Scalar like, unsigned dim) {
  ImplicitLocOpBuilder &body = like.b();
  return Scalar(body, linalg::IndexOp::create(body, dim)).to(body.getI64Type());
}

Scalar LinalgBuilder::extract(Value tensor, ArrayRef<Scalar> indices) {
  ImplicitLocOpBuilder &body = indices.front().b();
  SmallVector<Value> positions;
  for (Scalar index : indices)
    positions.push_back(arith::IndexCastOp::create(body, body.getIndexType(), index.get()));
  Value element = tensor::ExtractOp::create(body, tensor, positions);
  return Scalar(body, element).to(computeType(element.getType()));
}

SmallVector<Value> LinalgBuilder::foldInto(ArrayRef<Operand> inputs, ArrayRef<Operand> inits, FoldsFormula formula) {
  auto [tensors, maps] = split(inputs);
  auto [starts, results] = split(inits);
  llvm::append_range(maps, results);
  unsigned loops = results.front().getNumDims();
  SmallVector<utils::IteratorType> iterators(loops, utils::IteratorType::reduction);
  for (AffineExpr expr : results.front().getResults())
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      iterators[loop.getPosition()] = utils::IteratorType::parallel;
  auto op = linalg::GenericOp::create(
      b, TypeRange(ValueRange(starts)), tensors, starts, maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        ImplicitLocOpBuilder body(loc, builder);
        SmallVector<Scalar> sums;
        for (Value sum : args.take_back(inits.size()))
          sums.push_back({body, sum});
        SmallVector<Value> next;
        for (auto [value, sum] : llvm::zip_equal(formula(bodyInputs(body, args.drop_back(inits.size())), sums), sums))
          next.push_back(value.to(sum.type()).get());
        linalg::YieldOp::create(body, next);
      });
  return llvm::to_vector_of<Value>(op.getResults());
}

static SmallVector<OpFoldResult> constants(OpBuilder &b, ArrayRef<int64_t> values, size_t count) {
  SmallVector<OpFoldResult> result;
  for (size_t i = 0; i < count; ++i)
    result.push_back(b.getIndexAttr(values.empty() ? 1 : values[i]));
  return result;
}

Value LinalgBuilder::slice(Value tensor, ArrayRef<int64_t> starts, ArrayRef<int64_t> sizes, ArrayRef<int64_t> steps) {
  size_t count = rank(tensor);
  if (shape(tensor) == sizes)
    return tensor;
  // What takes nothing may begin behind the end, where a slice has no offset.
  if (llvm::is_contained(sizes, 0))
    return empty(sizes, element(tensor));
  return tensor::ExtractSliceOp::create(b, tensor, constants(b, starts, count), constants(b, sizes, count),
                                        constants(b, steps, count));
}

Value LinalgBuilder::insert(Value tensor, Value into, ArrayRef<int64_t> starts, ArrayRef<int64_t> steps) {
  if (llvm::is_contained(shape(tensor), 0))
    return into;
  size_t count = rank(tensor);
  return tensor::InsertSliceOp::create(b, tensor, into, constants(b, starts, count), constants(b, shape(tensor), count),
                                       constants(b, steps, count));
}

SmallVector<Value> LinalgBuilder::nothing(TypeRange types) {
  SmallVector<Value> results;
  for (Type type : types) {
    auto tensor = cast<RankedTensorType>(type);
    if (tensor.getNumElements() != 0)
      return {};
    results.push_back(empty(tensor.getShape(), tensor.getElementType()));
  }
  return results;
}

Value LinalgBuilder::reshape(Value tensor, ArrayRef<int64_t> to) {
  auto from = cast<RankedTensorType>(tensor.getType());
  auto type = RankedTensorType::get(to, from.getElementType());
  if (from == type)
    return tensor;
  // Nothing has no order; shapes without elements need not group.
  if (from.getNumElements() == 0)
    return empty(to, from.getElementType());
  if (auto groups = getReassociationIndicesForReshape(from, type)) {
    if (type.getRank() < from.getRank())
      return tensor::CollapseShapeOp::create(b, type, tensor, *groups);
    return tensor::ExpandShapeOp::create(b, type, tensor, *groups);
  }
  // Neither merges nor splits dimensions: by way of one dimension. The 1-D form groups every dimension.
  ReassociationIndices all(llvm::to_vector(llvm::seq<int64_t>(0, from.getRank())));
  Value flat = tensor::CollapseShapeOp::create(b, tensor, ArrayRef<ReassociationIndices>{all});
  return reshape(flat, to);
}

Value LinalgBuilder::pad(Value tensor, ArrayRef<int64_t> low, ArrayRef<int64_t> high, double value) {
  auto nothing = [](int64_t amount) { return amount == 0; };
  if (llvm::all_of(low, nothing) && llvm::all_of(high, nothing))
    return tensor;
  int64_t leading = rank(tensor) - low.size();
  SmallVector<OpFoldResult> lows(leading, b.getIndexAttr(0)), highs(leading, b.getIndexAttr(0));
  SmallVector<int64_t> padded(shape(tensor));
  for (auto [i, amounts] : llvm::enumerate(llvm::zip(low, high))) {
    auto [before, after] = amounts;
    lows.push_back(b.getIndexAttr(before));
    highs.push_back(b.getIndexAttr(after));
    padded[leading + i] += before + after;
  }
  // Around nothing there is padding alone, and no place for a slice.
  if (llvm::is_contained(shape(tensor), 0))
    return filled(padded, element(tensor), value);
  Value constant = arith::ConstantOp::create(b, constantAttr(element(tensor), value));
  auto type = RankedTensorType::get(padded, element(tensor));
  return tensor::PadOp::create(b, type, tensor, lows, highs, constant, /*nofold=*/false);
}

} // namespace kgen::conversion
