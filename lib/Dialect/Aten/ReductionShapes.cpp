//===- ReductionShapes.cpp - Shape rules of reductions --------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ShapeRules.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace kgen::aten;

/// The shape that is left after folding DIMS, all if they are empty.
static FailureOr<SmallVector<int64_t>> foldDims(Operation *op, ArrayRef<int64_t> dims, bool keepdim) {
  ArrayRef<int64_t> shape = operandType(op, 0).getShape();
  int64_t rank = shape.size();
  llvm::SmallBitVector folded(std::max<int64_t>(rank, 1), dims.empty());
  for (int64_t dim : dims) {
    FailureOr<int64_t> index = normalizeDim(op, dim, rank, "reduce_c1");
    if (failed(index))
      return failure();
    if (folded.test(*index))
      return op->emitOpError() << "expected different dimensions but found " << dim << " twice in " << printShape(dims)
                               << " [reduce_c2]";
    folded.set(*index);
  }
  SmallVector<int64_t> left;
  for (int64_t i = 0; i < rank; ++i)
    if (!folded.test(i))
      left.push_back(shape[i]);
    else if (keepdim)
      left.push_back(1);
  return left;
}

LogicalResult kgen::aten::inferReduction(Operation *op, ArrayRef<int64_t> dims, bool keepdim, ResultTypes &results) {
  FailureOr<SmallVector<int64_t>> shape = foldDims(op, dims, keepdim);
  if (failed(shape))
    return failure();
  results.push_back(operandType(op, 0).clone(*shape));
  return success();
}

LogicalResult kgen::aten::inferSum(Operation *op, ArrayRef<int64_t> dims, bool keepdim, ResultTypes &results) {
  FailureOr<SmallVector<int64_t>> shape = foldDims(op, dims, keepdim);
  if (failed(shape))
    return failure();
  Type element = operandType(op, 0).getElementType();
  if (element.isInteger())
    element = IntegerType::get(op->getContext(), 64);
  results.push_back(RankedTensorType::get(*shape, element));
  return success();
}

LogicalResult kgen::aten::inferTruth(Operation *op, ArrayRef<int64_t> dims, bool keepdim, ResultTypes &results) {
  FailureOr<SmallVector<int64_t>> shape = foldDims(op, dims, keepdim);
  if (failed(shape))
    return failure();
  results.push_back(RankedTensorType::get(*shape, IntegerType::get(op->getContext(), 1)));
  return success();
}

LogicalResult kgen::aten::inferRoll(Operation *op, ArrayRef<int64_t> shifts, ArrayRef<int64_t> dims,
                                    ResultTypes &results) {
  if (shifts.size() != dims.size())
    return op->emitOpError() << "expected a shift for each of " << dims.size() << " dimensions but found "
                             << printShape(shifts) << " [roll_c1]";
  return inferFlip(op, dims, results);
}

LogicalResult kgen::aten::inferFlip(Operation *op, ArrayRef<int64_t> dims, ResultTypes &results) {
  if (!dims.empty() && failed(foldDims(op, dims, /*keepdim=*/true)))
    return failure();
  return inferSameAsOperand(op, results);
}

LogicalResult kgen::aten::inferScan(Operation *op, int64_t dim, ResultTypes &results) {
  RankedTensorType type = operandType(op, 0);
  if (failed(normalizeDim(op, dim, std::max<int64_t>(type.getRank(), 1))))
    return failure();
  Type element = type.getElementType();
  results.push_back(type.clone(element.isInteger() ? IntegerType::get(op->getContext(), 64) : element));
  return success();
}

LogicalResult kgen::aten::inferExtremumDim(Operation *op, int64_t dim, bool keepdim, ResultTypes &results) {
  FailureOr<SmallVector<int64_t>> shape = foldDims(op, dim, keepdim);
  if (failed(shape))
    return failure();
  results.push_back(operandType(op, 0).clone(*shape));
  results.push_back(RankedTensorType::get(*shape, IntegerType::get(op->getContext(), 64)));
  return success();
}

LogicalResult kgen::aten::inferArgExtremum(Operation *op, std::optional<int64_t> dim, bool keepdim,
                                           ResultTypes &results) {
  FailureOr<SmallVector<int64_t>> shape = foldDims(op, dim ? ArrayRef<int64_t>(*dim) : ArrayRef<int64_t>(), keepdim);
  if (failed(shape))
    return failure();
  results.push_back(RankedTensorType::get(*shape, IntegerType::get(op->getContext(), 64)));
  return success();
}
