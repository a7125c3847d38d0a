//===- Cost.cpp - What graphs and ops cost --------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/Aten/Algebra.h"
#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/Aten/Updates.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <cmath>
#include <optional>

using namespace mlir;
using namespace kgen::aten;

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

int64_t kgen::aten::elementBytes(Type element) { return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8); }

double kgen::aten::elements(Value tensor) { return double(tensorType(tensor).getNumElements()); }
double kgen::aten::resultElements(Operation *op) { return elements(op->getResult(0)); }
double kgen::aten::operandElements(Operation *op) { return elements(op->getOperand(0)); }

double kgen::aten::lastExtent(Value tensor) {
  RankedTensorType type = tensorType(tensor);
  return type.getRank() == 0 ? 1.0 : double(type.getShape().back());
}

double kgen::aten::convolutionFlops(Operation *op, Value input, Value weight) {
  // One filter's elements are the multiply-accumulates of one output element.
  double perOutput = 2 * elements(weight) / tensorType(weight).getDimSize(0);
  return (perOutput + (op->getNumOperands() > 2 ? 1 : 0)) * resultElements(op);
}

double kgen::aten::convTransposeFlops(Operation *op, Value input, Value weight) {
  double perInput = 2 * elements(weight) / tensorType(weight).getDimSize(0);
  return perInput * elements(input) + (op->getNumOperands() > 2 ? resultElements(op) : 0);
}

double kgen::aten::attentionFlops(Value query, Value key, Value value, bool causal) {
  double keys = tensorType(key).getDimSize(tensorType(key).getRank() - 2);
  double rows = elements(query) / lastExtent(query);
  return 2 * rows * keys * (lastExtent(query) + lastExtent(value)) * (causal ? 0.5 : 1);
}

double kgen::aten::windowFlops(Operation *op, ArrayRef<int64_t> kernel) {
  double window = 1;
  for (int64_t extent : kernel)
    window *= extent;
  return window * resultElements(op);
}

double kgen::aten::graphFlops(func::FuncOp func) {
  double flops = 0;
  func.walk([&](AtenCostOpInterface op) { flops += op.getFlops(); });
  return flops;
}

static double bytesOf(Value value) {
  RankedTensorType type = tensorType(value);
  return double(type.getNumElements()) * elementBytes(type.getElementType());
}

/// The part of its operand that OP, a triangle, keeps; 1 for other ops.
static double keptByTriangle(Operation *op) {
  const bool lower = isa<TrilOp>(op);
  if (!lower && !isa<TriuOp>(op))
    return 1;
  const int64_t diagonal = lower ? int64_t(cast<TrilOp>(op).getDiagonal()) : int64_t(cast<TriuOp>(op).getDiagonal());
  ArrayRef<int64_t> shape = tensorType(op->getResult(0)).getShape();
  const int64_t rows = shape[shape.size() - 2], columns = shape.back();
  double kept = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t edge = std::clamp<int64_t>(row + diagonal + lower, 0, columns);
    kept += double(lower ? edge : columns - edge);
  }
  return kept / (double(rows) * double(columns));
}

static bool isConvolution(Operation *op) { return op->getName().stripDialect().starts_with("conv"); }

/// How many elements of its operand PAD, which may take some away, has in its result.
static double keptByPad(ConstantPadNdOp pad) {
  ArrayRef<int64_t> shape = tensorType(pad.getSelf()).getShape(), amounts = pad.getPad();
  double kept = 1;
  for (size_t i = 0; i < shape.size(); ++i) { // from the last dimension on
    const size_t at = 2 * i;
    const int64_t taken =
        at + 1 < amounts.size() ? std::min<int64_t>(amounts[at], 0) + std::min<int64_t>(amounts[at + 1], 0) : 0;
    kept *= double(std::max<int64_t>(shape[shape.size() - 1 - i] + taken, 0));
  }
  return kept;
}

/// Whether OP picks parts of its first operand by indices, and how many parts: all of them may be the same one.
static std::optional<double> partsPicked(Operation *op) {
  if (!isa<EmbeddingOp, IndexSelectOp, GatherOp, IndexTensorOp>(op))
    return std::nullopt;
  double parts = 1; // indices are broadcast against each other
  for (Value indices : op->getOperands().drop_front())
    parts *= elements(indices);
  return std::max(parts, 1.0);
}

/// Whether the result of USE's owner is the argument that USE reads, written in place.
static bool isUpdate(OpOperand &use) {
  Operation *op = use.getOwner();
  if (!isa<IndexPutOp>(op) || use.getOperandNumber() != 0 || !isa<BlockArgument>(use.get()))
    return false;
  auto func = dyn_cast<func::FuncOp>(op->getParentOp());
  return func && llvm::any_of(op->getResult(0).getUses(), [&](OpOperand &other) {
           return isa<func::ReturnOp>(other.getOwner()) && findUpdate(func, other.getOperandNumber());
         });
}

/// COUNT elements, of which a part is a whole one, but for what rounding adds.
static double wholeOf(double count) { return std::ceil(count * (1 - 1e-12)); }

NeededElements::NeededElements(func::FuncOp func) {
  // What reads a value stands behind it.
  Block &body = func.getBody().front();
  for (Operation &op : llvm::reverse(body))
    for (Value result : op.getResults())
      count(result);
  for (Value argument : body.getArguments())
    count(argument);
}

void NeededElements::count(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return;
  double sum = 0;
  for (OpOperand &use : value.getUses())
    sum += by(use);
  needed[value] = std::min(sum, elements(value));
}

double NeededElements::of(Value value) const {
  auto known = needed.find(value);
  return known == needed.end() ? elements(value) : known->second;
}

double NeededElements::partOf(Operation *op) const {
  double part = 0;
  for (Value result : op->getResults()) {
    auto known = needed.find(result);
    const bool isCounted = known != needed.end() && known->second < elements(result);
    part = std::max(part, isCounted ? known->second / elements(result) : 1.0);
  }
  return part;
}

double NeededElements::by(OpOperand &use) const {
  Operation *op = use.getOwner();
  const double all = elements(use.get());
  if (isUpdate(use))
    return ofUpdated(op->getResult(0));
  if (double kept = keptByTriangle(op); kept < 1)
    return std::min(kept * all, of(op->getResult(0)));
  if (isa<GroupedMmOp>(op) && use.getOperandNumber() == 1) // all rows may be one group's
    return all / double(tensorType(use.get()).getDimSize(0));
  if (std::optional<double> parts = partsPicked(op); parts && use.getOperandNumber() == 0)
    return std::min(all, std::ceil(of(op->getResult(0)) / *parts));
  auto cost = dyn_cast<AtenCostOpInterface>(op);
  if (!cost)
    return all;
  // What is not needed may lie in this operand.
  auto pad = dyn_cast<ConstantPadNdOp>(op);
  if (pad || isa<CatOp>(op)) {
    const Value result = op->getResult(0);
    return std::max(of(result) - (elements(result) - (pad ? keptByPad(pad) : all)), 0.0);
  }
  const double part = partOf(op);
  switch (cost.getKind()) {
  case OpKind::View:
  case OpKind::Elementwise:
    return wholeOf(part * std::min(all, resultElements(op)));
  // Every result needs as many operands as any other, and every operand is needed by as many results: so many of one
  // are so many of the other, in parts of all.
  case OpKind::Contraction:
    if (isConvolution(op) && use.getOperandNumber() == 0) // but where there is padding
      break;
    [[fallthrough]];
  case OpKind::Reduction:
  case OpKind::Normalization:
    return wholeOf(part * all);
  case OpKind::Window:
  case OpKind::Other:
    break;
  }
  return part < 1 ? 0 : all;
}

double NeededElements::ofUpdated(Value result) const {
  double sum = 0;
  for (OpOperand &use : result.getUses())
    if (!isa<func::ReturnOp>(use.getOwner()))
      sum += by(use);
  return std::min(sum, elements(result));
}

double NeededElements::bytesOf(Value value) const {
  return of(value) * elementBytes(tensorType(value).getElementType());
}

SmallVector<double> kgen::aten::readBytes(func::FuncOp func) {
  const NeededElements needed(func);
  auto read = llvm::map_to_vector(func.getArguments(), [&](Value argument) {
    return isa<RankedTensorType>(argument.getType()) ? needed.bytesOf(argument) : 0.0;
  });
  // Products of slices tell which elements are needed, not only how many.
  if (!hasSlicedProducts(func))
    return read;
  OwningOpRef<func::FuncOp> sliced = func.clone();
  if (sliceFirst(*sliced)) {
    const NeededElements after(*sliced);
    for (auto [bytes, argument] : llvm::zip_equal(read, sliced->getArguments()))
      if (isa<RankedTensorType>(argument.getType()))
        bytes = std::max(bytes, after.bytesOf(argument));
  }
  return read;
}

double kgen::aten::compulsoryBytes(func::FuncOp func) {
  double total = llvm::sum_of(readBytes(func));
  llvm::SmallDenseSet<Value> written;
  func.walk([&](func::ReturnOp op) {
    for (auto [i, value] : llvm::enumerate(op.getOperands()))
      if (written.insert(value).second && !findUpdate(func, unsigned(i))) // one position is next to nothing
        total += bytesOf(value);
  });
  return total;
}
