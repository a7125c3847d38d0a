//===- LimitParts.cpp - Concatenations of very many parts -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whoever reads a view that is put together of others asks of each element which one it is in. Of a layer's 512 time
// steps that is 512 branches and 512 arguments in each reader, and tracing goes as deep. So groups of parts are copied
// into memory, and groups of groups where there are as many.
//
//===----------------------------------------------------------------------===//
#include "kgen/Kernels/Emit/GenericAccess.h"
#include "kgen/Kernels/Emit/GenericPreparation.h"

#include "kgen/Dialect/KGen/KGen.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kgen::kernels {
namespace {

/// What several views together may have for one kernel; a plan takes 1,024 arguments.
constexpr int64_t kMostLoads = 512;

class PartLimiter {
public:
  explicit PartLimiter(Block &block) : block(block), builder(block.getParentOp()->getContext()) {}

  void run() {
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
      visit(op);
  }

private:
  /// A part of a concatenation and where it begins.
  struct Part {
    Value value;
    SmallVector<int64_t> starts;
  };

  void visit(Operation &op);
  void limitOperands(Operation &op);
  void limitInserts(tensor::InsertSliceOp last);
  bool collect(tensor::InsertSliceOp last, SmallVectorImpl<Part> &parts, Value &base, int64_t &dim);
  SmallVector<Part> group(ArrayRef<Part> parts, int64_t dim, Location location);
  Value copy(Value value);
  Value insert(const Part &part, Value into, Location location);
  int64_t loadsOf(Value value) const {
    auto it = loads.find(value);
    return it == loads.end() ? 1 : it->second;
  }

  Block &block;
  OpBuilder builder;
  DenseMap<Value, int64_t> loads; ///< of a view: how many branches a kernel has that reads it; others have 1
};

} // namespace

/// The only dimension in which INSERT does not cover all positions, or -1.
static int64_t dimensionOf(tensor::InsertSliceOp insert) {
  ArrayRef<int64_t> sizes = insert.getStaticSizes(), whole = insert.getResultType().getShape();
  if (insert.getSourceType().getShape() != sizes || llvm::any_of(insert.getStaticOffsets(), ShapedType::isDynamic) ||
      !llvm::all_of(insert.getStaticStrides(), [](int64_t stride) { return stride == 1; }))
    return -1;
  int64_t found = -1;
  for (auto [d, size] : llvm::enumerate(sizes)) {
    if (size == whole[d])
      continue;
    if (found >= 0)
      return -1;
    found = int64_t(d);
  }
  return found;
}

/// Whether INSERT writes what lies behind that which BEFORE writes.
static bool follows(tensor::InsertSliceOp insert, tensor::InsertSliceOp before) {
  const int64_t dim = dimensionOf(insert);
  return dim >= 0 && dim == dimensionOf(before) &&
         insert.getStaticOffsets()[dim] == before.getStaticOffsets()[dim] + before.getStaticSizes()[dim];
}

/// A copy of VALUE, where the builder stands.
Value PartLimiter::copy(Value value) { return insertCopy(builder, value.getLoc(), value); }

Value PartLimiter::insert(const Part &part, Value into, Location location) {
  ArrayRef<int64_t> sizes = cast<RankedTensorType>(part.value.getType()).getShape();
  auto attributes = [&](ArrayRef<int64_t> values) { return getAsIndexOpFoldResult(builder.getContext(), values); };
  SmallVector<int64_t> steps(sizes.size(), 1);
  Value result = tensor::InsertSliceOp::create(builder, location, part.value, into, attributes(part.starts),
                                               attributes(sizes), attributes(steps));
  loads[result] = loadsOf(part.value) + loadsOf(into);
  return result;
}

/// Whether LAST is the end of a chain of inserts that lie one behind the other along DIM, into BASE. PARTS are theirs,
/// in their order.
bool PartLimiter::collect(tensor::InsertSliceOp last, SmallVectorImpl<Part> &parts, Value &base, int64_t &dim) {
  dim = dimensionOf(last);
  if (dim < 0)
    return false;
  for (tensor::InsertSliceOp insert = last;;) {
    parts.push_back({insert.getSource(), SmallVector<int64_t>(insert.getStaticOffsets())});
    base = insert.getDest();
    auto before = base.getDefiningOp<tensor::InsertSliceOp>();
    if (!before || !before->hasOneUse() || !follows(insert, before))
      break;
    insert = before;
  }
  std::reverse(parts.begin(), parts.end());
  return parts.size() > 1;
}

/// PARTS in groups of at most kMostParts loads, each copied into memory of its own.
SmallVector<PartLimiter::Part> PartLimiter::group(ArrayRef<Part> parts, int64_t dim, Location location) {
  SmallVector<Part> groups;
  while (!parts.empty()) {
    size_t count = 0;
    for (int64_t sum = 0; count < parts.size(); ++count)
      if ((sum += loadsOf(parts[count].value)) > kMostParts && count)
        break;
    ArrayRef<Part> chosen = parts.take_front(count);
    parts = parts.drop_front(count);
    if (count == 1) {
      groups.push_back({loadsOf(chosen[0].value) > 1 ? copy(chosen[0].value) : chosen[0].value, chosen[0].starts});
      continue;
    }
    auto type = cast<RankedTensorType>(chosen[0].value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = 0;
    for (const Part &part : chosen)
      shape[dim] += cast<RankedTensorType>(part.value.getType()).getDimSize(dim);
    Value joined = tensor::EmptyOp::create(builder, location, shape, type.getElementType());
    loads[joined] = 0;
    for (Part part : chosen) {
      part.starts[dim] -= chosen[0].starts[dim];
      joined = insert(part, joined, location);
    }
    groups.push_back({copy(joined), chosen[0].starts});
  }
  return groups;
}

/// LAST is put together of too many parts.
void PartLimiter::limitInserts(tensor::InsertSliceOp last) {
  builder.setInsertionPoint(last);
  SmallVector<Part> parts;
  Value base;
  int64_t dim;
  if (!collect(last, parts, base, dim)) {
    for (OpOperand *operand : {&last.getDestMutable(), &last.getSourceMutable()})
      if (loadsOf(operand->get()) > 1)
        operand->set(copy(operand->get()));
    loads[last.getResult()] = loadsOf(last.getDest()) + loadsOf(last.getSource());
    return;
  }
  if (loadsOf(base) > 1)
    base = copy(base);
  auto sum = [&] {
    int64_t sum = loadsOf(base);
    for (const Part &part : parts)
      sum += loadsOf(part.value);
    return sum;
  };
  // What lies in front of the parts is one of the loads, so that one more than kMostParts may be left.
  while (sum() - loadsOf(base) > kMostParts)
    parts = group(parts, dim, last.getLoc());
  Value result = base;
  for (const Part &part : parts)
    result = insert(part, result, last.getLoc());
  last.getResult().replaceAllUsesWith(result);
}

/// Copies what OP, a kernel, reads by too many loads.
void PartLimiter::limitOperands(Operation &op) {
  int64_t sum = 0;
  for (Value operand : op.getOperands())
    sum += loadsOf(operand);
  if (sum <= kMostLoads)
    return;
  builder.setInsertionPoint(&op);
  for (OpOperand &operand : op.getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()) && loadsOf(operand.get()) > 1)
      operand.set(copy(operand.get()));
}

void PartLimiter::visit(Operation &op) {
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    loads[insert.getResult()] = loadsOf(insert.getSource()) + loadsOf(insert.getDest());
    // The last of a chain speaks for it.
    auto next = insert->hasOneUse() ? dyn_cast<tensor::InsertSliceOp>(*insert->user_begin()) : tensor::InsertSliceOp();
    const bool inside = next && next.getDest() == insert.getResult() && follows(next, insert);
    if (!inside && loads[insert.getResult()] > kMostParts + 1)
      limitInserts(insert);
  } else if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp, tensor::PadOp>(
                 op)) {
    loads[op.getResult(0)] = loadsOf(op.getOperand(0));
  } else if (isa<tensor::EmptyOp, linalg::FillOp, tensor::SplatOp, arith::ConstantOp>(op)) {
    loads[op.getResult(0)] = isBuffer(op.getResult(0)) ? 1 : 0;
  } else if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    if (isViewGeneric(generic)) {
      auto argument = dyn_cast<BlockArgument>(generic.getBody()->getTerminator()->getOperand(0));
      loads[op.getResult(0)] = argument ? loadsOf(op.getOperand(argument.getArgNumber())) : 0;
    } else {
      limitOperands(op);
    }
  }
}

void limitParts(Block &block) { PartLimiter(block).run(); }

} // namespace kgen::kernels
