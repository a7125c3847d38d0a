//===- FormDispatches.cpp - Groups aten ops without an idea --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Dialect/KGen/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"

namespace kgen {
#define GEN_PASS_DEF_FORMDISPATCHES
#include "kgen/Dialect/KGen/Passes.h.inc"
} // namespace kgen

using namespace mlir;
using namespace kgen;

namespace {

struct FormDispatches : kgen::impl::FormDispatchesBase<FormDispatches> {
  using FormDispatchesBase::FormDispatchesBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // What is dear picks its neighbours first.
    const SmallVector<StringRef> order[] = {{"attention", "conv", "gemm"}, {"pool", "row", "scan"}, {"pointwise"}};
    getOperation().walk([&](func::FuncOp func) {
      for (ArrayRef<StringRef> families : order)
        for (Block &block : func.getBody())
          formIn(block, families, rewriter);
    });
  }

  /// Forms dispatches around the ops of BLOCK whose family is one of FAMILIES.
  void formIn(Block &block, ArrayRef<StringRef> families, IRRewriter &rewriter) {
    for (Operation *op = block.empty() ? nullptr : &block.front(); op;) {
      Operation *next = op->getNextNode();
      StringRef family = defaultFamily(op);
      if (llvm::is_contained(families, family)) {
        DispatchOp dispatch = formDispatch(rewriter, op, ScheduleAttr::get(&getContext(), family));
        std::string why;
        FuseLimit limit{0, /*optional=*/true, /*elementwiseOnly=*/true, /*layouts=*/false};
        dispatch = *fuseConsumers(rewriter, dispatch, limit, why);
        // A producer inside a product or a window would be computed once per use.
        if (readsOnce(family))
          dispatch = *fuseProducers(rewriter, dispatch, limit, why);
        next = dispatch->getNextNode();
      }
      op = next;
    }
  }
};

} // namespace
