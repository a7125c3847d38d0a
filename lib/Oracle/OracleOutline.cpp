//===- OracleOutline.cpp - kgen-oracle-outline ----------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/OracleLowering.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

namespace kgen::oracle {
#define GEN_PASS_DEF_ORACLEOUTLINEPASS
#include "kgen/Oracle/Passes.h.inc"
} // namespace kgen::oracle

using namespace mlir;

namespace {

/// What OP reads and writes from outside, but for constants, which travel with it.
SetVector<Value> usedValues(Operation *op, SetVector<Operation *> &constants) {
  SetVector<Value> all(op->operand_begin(), op->operand_end()), out;
  for (Region &region : op->getRegions())
    getUsedValuesDefinedAbove(region, all);
  for (Value value : all)
    if (Operation *producer = value.getDefiningOp(); producer && matchPattern(producer, m_Constant()))
      constants.insert(producer);
    else
      out.insert(value);
  return out;
}

/// A function beside FUNCTION that does what OP does. Its arguments are VALUES.
func::FuncOp outline(OpBuilder &builder, func::FuncOp function, Operation *op, ArrayRef<Value> values,
                     ArrayRef<Operation *> constants) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(function);
  auto type = builder.getFunctionType(TypeRange(ValueRange(values)), TypeRange());
  auto outlined = func::FuncOp::create(builder, op->getLoc(), "step", type);
  outlined.setPrivate();
  // One large function again would take LLVM time in proportion to its square.
  outlined->setAttr("passthrough", builder.getStrArrayAttr({"noinline"}));
  Block *body = outlined.addEntryBlock();
  builder.setInsertionPointToStart(body);
  IRMapping mapping;
  mapping.map(ValueRange(values), body->getArguments());
  for (Operation *constant : constants)
    builder.clone(*constant, mapping);
  builder.clone(*op, mapping);
  func::ReturnOp::create(builder, op->getLoc());
  return outlined;
}

bool isSameBody(func::FuncOp a, func::FuncOp b) {
  return OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

struct OracleOutline : public kgen::oracle::impl::OracleOutlinePassBase<OracleOutline> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    DenseMap<Type, SmallVector<func::FuncOp>> known;
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (function.isExternal() || !function.isPublic())
        continue;
      SmallVector<Operation *> steps;
      for (Operation &op : function.getBody().getOps())
        if (isa<linalg::LinalgOp, memref::CopyOp, scf::ForOp>(op) && op.getNumResults() == 0)
          steps.push_back(&op);
      if (steps.size() < 2)
        continue;
      OpBuilder builder(&getContext());
      for (Operation *op : steps) {
        SetVector<Operation *> constants;
        SetVector<Value> values = usedValues(op, constants);
        func::FuncOp made = outline(builder, function, op, values.getArrayRef(), constants.getArrayRef());
        SmallVector<func::FuncOp> &alike = known[made.getFunctionType()];
        if (auto *found = llvm::find_if(alike, [&](func::FuncOp other) { return isSameBody(made, other); });
            found != alike.end()) {
          made.erase();
          made = *found;
        } else {
          made->remove();
          symbols.insert(made, function->getIterator());
          alike.push_back(made);
        }
        builder.setInsertionPoint(op);
        func::CallOp::create(builder, op->getLoc(), made, values.getArrayRef());
        op->erase();
      }
    }
  }
};

} // namespace
