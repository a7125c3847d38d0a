//===- Expansions.cpp - Operands that are expanded along the way ----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/Aten/ShapeInference.h"
#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Pipelines/Partition.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace kgen;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Whether OPERAND's owner gives the same with VALUE in its place.
static bool expandsItself(OpOperand &operand, Value value) {
  Operation *op = operand.getOwner();
  if (!isElementwise(op) || op->getNumResults() != 1 || typeOf(value).getRank() == 0)
    return false;
  std::optional<SmallVector<int64_t>> shape(std::in_place);
  for (OpOperand &each : op->getOpOperands())
    if (shape)
      shape = aten::broadcastShapes(*shape, typeOf(&each == &operand ? value : each.get()).getShape());
  return shape && ArrayRef(*shape) == typeOf(op->getResult(0)).getShape();
}

void kgen::pipelines::dropExpansions(func::FuncOp func) {
  for (aten::ExpandOp expand : llvm::make_early_inc_range(func.getBody().front().getOps<aten::ExpandOp>())) {
    Value value = expand->getOperand(0);
    expand->getResult(0).replaceUsesWithIf(value, [&](OpOperand &use) { return expandsItself(use, value); });
    if (expand->use_empty())
      expand->erase();
  }
}
