//===- NormShapes.cpp - Shape rules of normalisations ---------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ShapeRules.h"

using namespace mlir;
using namespace kgen::aten;

LogicalResult kgen::aten::inferSoftmax(Operation *op, int64_t dim, ResultTypes &results) {
  if (failed(normalizeDim(op, dim, operandType(op, 0).getRank(), "softmax_c1")))
    return failure();
  return inferSameAsOperand(op, results);
}

LogicalResult kgen::aten::inferChannelNorm(Operation *op, StringRef name, int64_t minRank, ResultTypes &results) {
  auto input = operandType(op, 0);
  if (input.getRank() < minRank)
    return op->emitOpError() << "expected an input of rank " << minRank << " or more but found " << input.getRank()
                             << " [" << name << "_c1]";
  auto expected = RankedTensorType::get(input.getDimSize(1), input.getElementType());
  for (unsigned i = 1; i < op->getNumOperands(); ++i)
    if (operandType(op, i) != expected)
      return op->emitOpError() << "expected operand " << i << " to be " << expected << " but found "
                               << operandType(op, i) << " [" << name << "_c2]";
  return inferSameAsOperand(op, results);
}

LogicalResult kgen::aten::inferGroupNorm(Operation *op, int64_t groups, ResultTypes &results) {
  if (failed(inferChannelNorm(op, "group_norm", 2, results)))
    return failure();
  int64_t channels = operandType(op, 0).getDimSize(1);
  if (groups < 1 || channels % groups)
    return op->emitOpError() << "expected num_groups to divide " << channels << " channels but found " << groups
                             << " [group_norm_c3]";
  return success();
}

LogicalResult kgen::aten::inferInstanceNorm(Operation *op, bool hasStatistics, ResultTypes &results) {
  if (!hasStatistics)
    return op->emitOpError("expected running_mean and running_var without use_input_stats but found none "
                           "[instance_norm_c3]");
  return inferChannelNorm(op, "instance_norm", 3, results);
}

LogicalResult kgen::aten::inferLayerNorm(Operation *op, ArrayRef<int64_t> normalizedShape, ResultTypes &results) {
  auto input = operandType(op, 0);
  if (normalizedShape.empty() || int64_t(normalizedShape.size()) > input.getRank() ||
      input.getShape().take_back(normalizedShape.size()) != normalizedShape)
    return op->emitOpError() << "expected normalized_shape to be the end of the input's shape "
                             << printShape(input.getShape()) << " but found " << printShape(normalizedShape)
                             << " [layer_norm_c1]";
  auto expected = input.clone(normalizedShape);
  for (unsigned i = 1; i < op->getNumOperands(); ++i)
    if (operandType(op, i) != expected)
      return op->emitOpError() << "expected operand " << i << " to be " << expected << " but found "
                               << operandType(op, i) << " [layer_norm_c2]";
  return inferSameAsOperand(op, results);
}
