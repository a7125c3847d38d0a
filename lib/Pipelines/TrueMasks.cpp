//===- TrueMasks.cpp - Masks of attention that hide nothing ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TrueMasks.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/Aten/Views.h"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace mlir;

namespace kgen::pipelines {

namespace {

struct Range {
  double least, most;
};

constexpr int mostDeep = 32;
constexpr double mostExact = 1LL << 53;

/// OP's operand, where OP is a view of one, whose elements it has.
Value viewed(Operation *op) {
  return aten::isReshape(op) || aten::permutationOf(op) ||
                 isa<aten::ExpandOp, aten::SliceTensorOp, aten::SelectIntOp>(op)
             ? op->getOperand(0)
             : Value();
}

/// Between which numbers VALUE's elements, whole ones that no input decides, lie; nothing where that is not known.
std::optional<Range> rangeOf(Value value, int depth = 0) {
  auto type = cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op || depth > mostDeep || !type.getElementType().isInteger(64) || type.getNumElements() == 0)
    return std::nullopt;
  if (Value operand = viewed(op))
    return rangeOf(operand, depth + 1);
  std::optional<Range> range;
  if (auto arange = dyn_cast<aten::ArangeStartStepOp>(op)) {
    const double first = arange.getStart(), last = first + arange.getStep() * double(type.getNumElements() - 1);
    if (std::trunc(first) == first && std::trunc(arange.getStep()) == arange.getStep())
      range = Range{std::min(first, last), std::max(first, last)};
  } else if (auto add = dyn_cast<aten::AddScalarOp>(op)) {
    range = rangeOf(add.getSelf(), depth + 1);
    if (range && add.getAlpha() == 1 && std::trunc(add.getOther()) == add.getOther())
      range = Range{range->least + add.getOther(), range->most + add.getOther()};
    else
      range.reset();
  }
  if (!range || range->least < -mostExact || range->most > mostExact)
    return std::nullopt;
  return range;
}

/// Whether VALUE, of bools, is true everywhere, whatever the inputs are.
bool isTrue(Value value, int depth = 0) {
  auto type = cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op || depth > mostDeep || !type.getElementType().isInteger(1))
    return false;
  if (Value operand = viewed(op))
    return isTrue(operand, depth + 1);
  if (auto full = dyn_cast<aten::FullOp>(op))
    return full.getFillValue() != 0;
  if (auto least = dyn_cast<aten::GeScalarOp>(op)) {
    std::optional<Range> range = rangeOf(least.getSelf());
    return range && range->least >= least.getOther();
  }
  return isa<aten::BitwiseAndTensorOp, aten::LogicalAndOp>(op) && isTrue(op->getOperand(0), depth + 1) &&
         isTrue(op->getOperand(1), depth + 1);
}

/// Erases what gives VALUE, which nobody reads now, as far as nobody reads it either.
void eraseUnread(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !op->use_empty())
    return;
  SmallVector<Value> operands(op->getOperands());
  op->erase();
  for (size_t i = 0; i < operands.size(); ++i)
    if (!llvm::is_contained(ArrayRef(operands).take_front(i), operands[i]))
      eraseUnread(operands[i]);
}

} // namespace

void dropTrueMasks(func::FuncOp func) {
  for (auto attention : func.getBody().front().getOps<aten::ScaledDotProductAttentionOp>())
    if (Value mask = attention.getAttnMask(); mask && isTrue(mask)) {
      attention.getAttnMaskMutable().clear();
      eraseUnread(mask);
    }
}

} // namespace kgen::pipelines
