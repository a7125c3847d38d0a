//===- ShapeInference.cpp - Shared and element-wise shape rules -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/Aten/ShapeInference.h"

#include "ShapeRules.h"

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
