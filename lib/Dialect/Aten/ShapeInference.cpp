//===- ShapeInference.cpp - Shared and element-wise shape rules -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/Aten/ShapeInference.h"

#include "ShapeRules.h"

#include <cmath>

using namespace mlir;
using namespace kgen::aten;

std::string kgen::aten::printShape(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(shape, os);
  os << ']';
  return text;
}

std::optional<SmallVector<int64_t>> kgen::aten::broadcastShapes(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  SmallVector<int64_t> shape(a);
  size_t lead = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t &extent = shape[lead + i];
    if (extent != b[i] && extent != 1 && b[i] != 1)
      return std::nullopt;
    // Not max: an extent of 0 wins over 1.
    if (extent == 1)
      extent = b[i];
  }
  return shape;
}

FailureOr<int64_t> kgen::aten::normalizeDim(Operation *op, int64_t dim, int64_t rank, StringRef tag) {
  // ATen lets a scalar be addressed as if it had one dimension.
  int64_t bound = std::max<int64_t>(rank, 1);
  if (dim < -bound || dim >= bound)
    return op->emitOpError() << "expected a dimension from " << -bound << " to " << bound - 1 << " but found " << dim
                             << " [" << tag << "]";
  return dim < 0 ? dim + bound : dim;
}

std::pair<int64_t, int64_t> kgen::aten::clampSlice(std::optional<int64_t> start, std::optional<int64_t> end,
                                                   int64_t extent) {
  auto clamp = [&](int64_t bound) { return std::clamp<int64_t>(bound < 0 ? bound + extent : bound, 0, extent); };
  int64_t first = clamp(start.value_or(0));
  return {first, std::max(first, clamp(end.value_or(extent)))};
}

RankedTensorType kgen::aten::operandType(Operation *op, unsigned index) {
  return cast<RankedTensorType>(op->getOperand(index).getType());
}

LogicalResult kgen::aten::checkSameElements(Operation *op, StringRef tag) {
  Type element = operandType(op, 0).getElementType();
  for (unsigned i = 1; i < op->getNumOperands(); ++i)
    if (operandType(op, i).getElementType() != element)
      return op->emitOpError() << "expected operand " << i << " to have element type " << element << " but found "
                               << operandType(op, i).getElementType() << " [" << tag << "]";
  return success();
}

LogicalResult kgen::aten::inferSameAsOperand(Operation *op, ResultTypes &results) {
  results.push_back(operandType(op, 0));
  return success();
}

LogicalResult kgen::aten::inferClamp(Operation *op, Attribute min, Attribute max, ResultTypes &results) {
  if (!min && !max)
    return op->emitOpError("expected min, max or both but found neither [clamp_c1]");
  return inferSameAsOperand(op, results);
}

LogicalResult kgen::aten::inferGelu(Operation *op, StringRef approximate, ResultTypes &results) {
  if (approximate != "none" && approximate != "tanh")
    return op->emitOpError() << "expected approximate to be \"none\" or \"tanh\" but found \"" << approximate
                             << "\" [gelu_c1]";
  return inferSameAsOperand(op, results);
}

LogicalResult kgen::aten::inferBroadcast(Operation *op, ResultTypes &results) {
  auto self = operandType(op, 0), other = operandType(op, 1);
  auto shape = broadcastShapes(self.getShape(), other.getShape());
  if (!shape)
    return op->emitOpError() << "expected shapes that broadcast but found " << printShape(self.getShape()) << " and "
                             << printShape(other.getShape()) << " [broadcast_c1]";
  if (failed(checkSameElements(op, "broadcast_c2")))
    return failure();
  results.push_back(self.clone(*shape));
  return success();
}

LogicalResult kgen::aten::inferPredicate(Operation *op, ResultTypes &results) {
  SmallVector<Type> common;
  if (failed(op->getNumOperands() == 1 ? inferSameAsOperand(op, common) : inferBroadcast(op, common)))
    return failure();
  results.push_back(cast<RankedTensorType>(common[0]).clone(IntegerType::get(op->getContext(), 1)));
  return success();
}

LogicalResult kgen::aten::inferRoundedDiv(Operation *op, StringRef roundingMode, ResultTypes &results) {
  if (roundingMode != "trunc" && roundingMode != "floor")
    return op->emitOpError() << "expected rounding_mode to be \"trunc\" or \"floor\" but found \"" << roundingMode
                             << "\" [div_c1]";
  return inferBroadcast(op, results);
}

LogicalResult kgen::aten::inferPower(Operation *op, double exponent, ResultTypes &results) {
  bool isWhole = exponent >= 0 && exponent < 64 && exponent == static_cast<double>(static_cast<int64_t>(exponent));
  if (operandType(op, 0).getElementType().isInteger() && !isWhole)
    return op->emitOpError() << "expected a whole exponent from 0 to 63 of an integer but found " << exponent
                             << " [pow_c1]";
  return inferSameAsOperand(op, results);
}

/// The shape that all operands of OP broadcast to.
static FailureOr<SmallVector<int64_t>> broadcastAll(Operation *op) {
  SmallVector<int64_t> shape(operandType(op, 0).getShape());
  for (unsigned i = 1; i < op->getNumOperands(); ++i) {
    auto common = broadcastShapes(shape, operandType(op, i).getShape());
    if (!common)
      return op->emitOpError() << "expected shapes that broadcast but found " << printShape(shape) << " and "
                               << printShape(operandType(op, i).getShape()) << " [broadcast_c1]";
    shape = std::move(*common);
  }
  return shape;
}

LogicalResult kgen::aten::inferWhere(Operation *op, ResultTypes &results) {
  FailureOr<SmallVector<int64_t>> shape = broadcastAll(op);
  if (failed(shape))
    return failure();
  if (operandType(op, 1).getElementType() != operandType(op, 2).getElementType())
    return op->emitOpError() << "expected self and other of one element type but found "
                             << operandType(op, 1).getElementType() << " and " << operandType(op, 2).getElementType()
                             << " [where_c1]";
  results.push_back(operandType(op, 1).clone(*shape));
  return success();
}

LogicalResult kgen::aten::inferMaskedFill(Operation *op, ResultTypes &results) {
  FailureOr<SmallVector<int64_t>> shape = broadcastAll(op);
  if (failed(shape))
    return failure();
  results.push_back(operandType(op, 0).clone(*shape));
  return success();
}

LogicalResult kgen::aten::inferCast(Operation *op, Type element, ResultTypes &results) {
  results.push_back(operandType(op, 0).clone(element));
  return success();
}

//===----------------------------------------------------------------------===//
// Tensors out of nothing
//===----------------------------------------------------------------------===//

LogicalResult kgen::aten::inferConstant(Operation *op, Type value, ResultTypes &results) {
  auto type = dyn_cast<RankedTensorType>(value);
  if (!type)
    return op->emitOpError() << "expected the elements of a tensor but found " << value << " [constant_c1]";
  results.push_back(type);
  return success();
}

LogicalResult kgen::aten::inferFull(Operation *op, ArrayRef<int64_t> size, Type element, ResultTypes &results) {
  if (llvm::any_of(size, [](int64_t extent) { return extent < 0; }))
    return op->emitOpError() << "expected extents of at least 0 but found " << printShape(size) << " [full_c1]";
  results.push_back(RankedTensorType::get(size, element));
  return success();
}

LogicalResult kgen::aten::inferArange(Operation *op, double start, double end, double step, Type element,
                                      ResultTypes &results) {
  double count = std::ceil((end - start) / step);
  if (!(step != 0 && count >= 0 && count < 1e15))
    return op->emitOpError() << "expected a step that leads from " << start << " to " << end << " but found " << step
                             << " [arange_c1]";
  results.push_back(RankedTensorType::get({static_cast<int64_t>(count)}, element));
  return success();
}
