//===- EqualOps.cpp - Ops that compute the same ---------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "EqualOps.h"

#include "SameMemory.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;

bool kgen::pipelines::mergeEqualOps(func::FuncOp func) {
  // Ops with different attributes are no equal ones.
  constexpr llvm::StringLiteral mark = "kgen.result";
  SmallVector<Operation *> marked;
  for (Value value : func.getBody().front().getTerminator()->getOperands())
    for (Operation *op = value.getDefiningOp(); op; op = isReshape(op) ? op->getOperand(0).getDefiningOp() : nullptr) {
      op->setAttr(mark, Builder(op).getI64IntegerAttr(int64_t(marked.size())));
      marked.push_back(op);
    }
  IRRewriter rewriter(func.getContext());
  DominanceInfo dominance(func);
  bool changed = false;
  eliminateCommonSubExpressions(rewriter, dominance, func, &changed);
  for (Operation *op : marked)
    op->removeAttr(mark);
  return changed;
}
