//===- OracleFree.cpp - kgen-oracle-free ----------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/OracleLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"

namespace kgen::oracle {
#define GEN_PASS_DEF_ORACLEFREEPASS
#include "kgen/Oracle/Passes.h.inc"
} // namespace kgen::oracle

using namespace mlir;

namespace {

/// The last op of ALLOC's block that uses its buffer, itself or inside, by whatever name: what an op makes of a buffer
/// counts as the same one. Null where the buffer may leave the block.
Operation *findLastUse(memref::AllocOp alloc) {
  Block *block = alloc->getBlock();
  Operation *last = alloc;
  SmallVector<Value> names{alloc.getResult()};
  DenseSet<Value> seen(names.begin(), names.end());
  auto addResults = [&](Operation *op) {
    for (Value result : op->getResults())
      if (isa<BaseMemRefType>(result.getType()) && seen.insert(result).second)
        names.push_back(result);
  };
  while (!names.empty())
    for (Operation *user : names.pop_back_val().getUsers()) {
      Operation *here = block->findAncestorOpInBlock(*user);
      if (!here || here->hasTrait<OpTrait::IsTerminator>())
        return nullptr;
      if (last->isBeforeInBlock(here))
        last = here;
      // What a region yields is what the op around it gives.
      for (Operation *op = user; op != here; op = op->getParentOp())
        addResults(op);
      addResults(here);
    }
  return last;
}

struct OracleFree : public kgen::oracle::impl::OracleFreePassBase<OracleFree> {
  void runOnOperation() override {
    SmallVector<std::pair<memref::AllocOp, Operation *>> ends;
    WalkResult simple = getOperation().walk([&](Operation *op) {
      // Who frees what a function returns, or what one is given to hold, is another question.
      if (isa<memref::DeallocOp, memref::ReallocOp, bufferization::CloneOp>(op) ||
          (isa<func::CallOp>(op) && llvm::any_of(op->getResultTypes(), llvm::IsaPred<BaseMemRefType>)))
        return WalkResult::interrupt();
      auto alloc = dyn_cast<memref::AllocOp>(op);
      if (!alloc)
        return WalkResult::advance();
      Operation *last = findLastUse(alloc);
      if (!last)
        return WalkResult::interrupt();
      ends.push_back({alloc, last});
      return WalkResult::advance();
    });
    if (simple.wasInterrupted())
      return runUpstream();
    for (auto [alloc, last] : ends) {
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfter(last);
      memref::DeallocOp::create(builder, alloc.getLoc(), alloc);
    }
  }

private:
  void runUpstream() {
    OpPassManager pm(ModuleOp::getOperationName());
    bufferization::buildBufferDeallocationPipeline(pm);
    // Ownership frees at the end of the function; free after the last use instead.
    pm.addNestedPass<func::FuncOp>(bufferization::createOptimizeAllocationLivenessPass());
    if (failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }
};

} // namespace
