//===- OracleOutParams.cpp - kgen-oracle-out-params -----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/OracleLowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace kgen::oracle {
#define GEN_PASS_DEF_ORACLEOUTPARAMSPASS
#include "kgen/Oracle/Passes.h.inc"
} // namespace kgen::oracle

using namespace mlir;

namespace {

/// Gives RESULT, the operand of FUNCTION's return, a place in a new last argument.
void moveToArgument(func::FuncOp function, func::ReturnOp ret, Value result) {
  (void)function.insertArgument(function.getNumArguments(), result.getType(), /*argAttrs=*/{}, function.getLoc());
  Value argument = function.getArguments().back();
  auto alloc = result.getDefiningOp<memref::AllocOp>();
  if (alloc && alloc->getBlock() == ret->getBlock()) {
    // A second result in the same buffer then finds an argument, no allocation, and is copied.
    alloc.replaceAllUsesWith(argument);
    alloc.erase();
    return;
  }
  OpBuilder builder(ret);
  memref::CopyOp::create(builder, ret.getLoc(), result, argument);
}

struct OracleOutParams : public kgen::oracle::impl::OracleOutParamsPassBase<OracleOutParams> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      auto ret = cast<func::ReturnOp>(function.getBody().back().getTerminator());
      for (unsigned i = 0; i < ret.getNumOperands(); ++i)
        moveToArgument(function, ret, ret.getOperand(i)); // the operand of now: moving one may replace another
      ret.getOperandsMutable().clear();
      (void)function.eraseResults(llvm::BitVector(function.getNumResults(), true));
    }
  }
};

} // namespace
