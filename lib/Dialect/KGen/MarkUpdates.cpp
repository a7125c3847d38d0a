//===- MarkUpdates.cpp - Marks results that are written in place ----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/Aten/Updates.h"
#include "kgen/Dialect/KGen/KGen.h"
#include "kgen/Dialect/KGen/Passes.h"

namespace kgen {
#define GEN_PASS_DEF_MARKUPDATES
#include "kgen/Dialect/KGen/Passes.h.inc"
} // namespace kgen

using namespace mlir;
using namespace kgen;

namespace {

struct MarkUpdates : kgen::impl::MarkUpdatesBase<MarkUpdates> {
  using MarkUpdatesBase::MarkUpdatesBase;

  void runOnOperation() override {
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal() && failed(mark(func)))
        return signalPassFailure();
  }

  LogicalResult mark(func::FuncOp func) {
    for (unsigned i = 0; i < func.getNumResults(); ++i) {
      // What is lowered keeps what was said when it was: a launch writes there, a linalg op still may or may not.
      Operation *source = func.getBody().front().getTerminator()->getOperand(i).getDefiningOp();
      if (source && (separate ? isa<LaunchOp>(source) : !isa<aten::AtenDialect>(source->getDialect())))
        continue;
      const std::optional<unsigned> target = separate ? std::nullopt : aten::findUpdate(func, i);
      if (!target && func.getResultAttr(i, updatesAttr) && !separate)
        return func.emitError() << "result " << i
                                << " has kgen.updates, expected an index_put of one position into that argument, which "
                                   "nothing else reads";
      if (target)
        func.setResultAttr(i, updatesAttr, IntegerAttr::get(IntegerType::get(&getContext(), 64), *target));
      else
        func.removeResultAttr(i, StringAttr::get(&getContext(), updatesAttr));
    }
    return success();
  }
};

} // namespace
