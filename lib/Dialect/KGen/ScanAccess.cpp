//===- ScanAccess.cpp - How a scan's rows are read and written ------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/ScanAccess.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/KGen/KGen.h"

using namespace mlir;

namespace kgen {

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

/// Dimension DIM of VALUE, which counts from the end where it is negative, from the first one.
static int64_t fromFirst(int64_t dim, Value value) { return dim < 0 ? dim + int64_t(shapeOf(value).size()) : dim; }

/// The one op that uses VALUE, or the dispatch's result that it is; null where there are several.
static Operation *onlyUser(Value value, bool leaves) {
  if (!value.hasOneUse())
    return nullptr;
  OpOperand &use = *value.getUses().begin();
  auto yield = dyn_cast<YieldOp>(use.getOwner());
  if (!yield)
    return use.getOwner();
  return leaves ? onlyUser(yield->getParentOp()->getResult(use.getOperandNumber()), leaves) : nullptr;
}

/// Whether OP reverses dimension DIM and no other.
static bool flips(Operation *op, int64_t dim) {
  auto flip = dyn_cast_or_null<aten::FlipOp>(op);
  return flip && flip.getDims().size() == 1 && fromFirst(flip.getDims()[0], flip.getSelf()) == dim;
}

static double neutralOf(Operation *scan) { return isa<aten::CumsumOp>(scan) ? 0 : 1; }

namespace {

/// Follows what SCAN reads to where it comes from.
class Reader {
public:
  Reader(Operation *scan, ScanAccess &access, bool leaves) : scan(scan), access(access), leaves(leaves) {}

  void read() {
    access.source = scan->getOperand(0);
    readNeutral();
    if (Operation *op = definition(access.source); flips(op, access.dim)) {
      access.views.push_back(op);
      access.readsReversed = true;
      access.source = op->getOperand(0);
    }
  }

private:
  /// The op that gives VALUE to the scan alone, in front of the scan's dispatch, too.
  Operation *definition(Value value) const {
    while (auto argument = dyn_cast<BlockArgument>(value)) {
      auto dispatch = dyn_cast<DispatchOp>(argument.getOwner()->getParentOp());
      if (!leaves || !dispatch || !value.hasOneUse())
        return nullptr;
      value = dispatch.getInputs()[argument.getArgNumber()];
    }
    return value.hasOneUse() ? value.getDefiningOp() : nullptr;
  }

  /// A neutral element in front of each row, of which at most the last element, and whole rows behind, are cut off.
  void readNeutral() {
    SmallVector<Operation *> views;
    Operation *op = definition(access.source);
    while (auto slice = dyn_cast_or_null<aten::SliceTensorOp>(op)) {
      const int64_t along = fromFirst(slice.getDim(), slice.getSelf());
      // Rows of other dimensions than the first would lie apart.
      if (slice.getBounds().first != 0 || int64_t(slice.getStep()) != 1 || (along != access.dim && along != 0))
        return;
      views.push_back(op);
      op = definition(slice.getSelf());
    }
    Value rows;
    if (auto pad = dyn_cast_or_null<aten::ConstantPadNdOp>(op)) {
      rows = padsFront(pad) ? Value(pad.getSelf()) : Value();
      views.push_back(pad);
    } else if (auto cat = dyn_cast_or_null<aten::CatOp>(op); cat && cat.getTensors().size() == 2) {
      auto full = dyn_cast_or_null<aten::FullOp>(definition(cat.getTensors()[0]));
      if (full && fromFirst(cat.getDim(), cat.getResult()) == access.dim &&
          shapeOf(full.getResult())[access.dim] == 1 && double(full.getFillValue()) == neutralOf(scan))
        rows = cat.getTensors()[1];
      views.append({cat, full});
    }
    if (!rows)
      return;
    const int64_t columns = shapeOf(rows)[access.dim], results = shapeOf(scan->getOperand(0))[access.dim];
    if (results < columns)
      return;
    access.views.append(views);
    access.source = rows;
    access.exclusive = true;
    access.writesTotal = results > columns;
  }

  /// Whether PAD puts one neutral element in front of each row, and at most drops the last one.
  bool padsFront(aten::ConstantPadNdOp pad) const {
    const int64_t rank = shapeOf(pad.getSelf()).size();
    for (auto [i, count] : llvm::enumerate(pad.getPad())) {
      const bool along = rank - 1 - int64_t(i) / 2 == access.dim, front = i % 2 == 0;
      if (along && front ? count != 1 : along ? count != 0 && count != -1 : count != 0)
        return false;
    }
    return int64_t(pad.getPad().size()) >= 2 * (rank - access.dim) && double(pad.getValue()) == neutralOf(scan);
  }

  Operation *scan;
  ScanAccess &access;
  bool leaves;
};

} // namespace

bool isScan(Operation *op) { return isa<aten::CumsumOp, aten::CumprodOp>(op); }

ScanAccess readScan(Operation *scan, bool leaves) {
  ScanAccess access;
  access.result = scan->getResult(0);
  access.dim =
      fromFirst(isa<aten::CumsumOp>(scan) ? cast<aten::CumsumOp>(scan).getDim() : cast<aten::CumprodOp>(scan).getDim(),
                access.result);
  Reader(scan, access, leaves).read();
  if (Operation *user = onlyUser(access.result, leaves); flips(user, access.dim) && !access.writesTotal) {
    access.views.push_back(user);
    access.writesReversed = true;
    access.result = user->getResult(0);
  }
  return access;
}

} // namespace kgen
