//===- OracleFuse.cpp - kgen-oracle-fuse ----------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/OracleLowering.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

namespace kgen::oracle {
#define GEN_PASS_DEF_ORACLEFUSEPASS
#include "kgen/Oracle/Passes.h.inc"
} // namespace kgen::oracle

using namespace mlir;

namespace {

/// Whether the consumer evaluates each element of OPERAND at most once, so that computing it there
/// costs no more than computing it before.
bool readsEachElementOnce(OpOperand *operand) {
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  Operation *producer = operand->get().getDefiningOp();
  if (!consumer || !producer || !producer->hasOneUse())
    return false;
  return consumer.getMatchingIndexingMap(operand).isPermutation();
}

struct OracleFuse : public kgen::oracle::impl::OracleFusePassBase<OracleFuse> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(patterns, readsEachElementOnce);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
