//===- FormAttention.cpp - Attention without a score matrix or copies -----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionProgram.h"

#include "kgen/Dialect/Aten/Algebra.h"
#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Kernels/Family.h"
#include "kgen/Kernels/Passes.h"
#include "kgen/Support/Architectures.h"

#include "mlir/IR/IRMapping.h"

namespace kgen::kernels {
#define GEN_PASS_DEF_FORMATTENTION
#include "kgen/Kernels/Passes.h.inc"
} // namespace kgen::kernels

using namespace mlir;
using namespace kgen;
using namespace kgen::kernels;

namespace {

struct FormAttention : kgen::kernels::impl::FormAttentionBase<FormAttention> {
  using FormAttentionBase::FormAttentionBase;

  void runOnOperation() override {
    Chip chip = chipOf(arch);
    if (sharedBytes)
      chip.sharedBytesPerBlock = sharedBytes;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal() && !roundsScores(func))
        aten::composeAttention(func);
    SmallVector<aten::ScaledDotProductAttentionOp> ops;
    getOperation().walk([&](aten::ScaledDotProductAttentionOp op) {
      if (!op->getParentOfType<DispatchOp>())
        ops.push_back(op);
    });
    const Family *family = findFamily("attention");
    IRRewriter rewriter(&getContext());
    ScheduleAttr schedule = ScheduleAttr::get(&getContext(), "attention").with("mma", "none");
    for (aten::ScaledDotProductAttentionOp op : ops) {
      rewriter.setInsertionPoint(op);
      DispatchOp dispatch = formDispatch(rewriter, op, schedule);
      if (!canCompute(*family, dispatch, chip))
        inlineDispatch(rewriter, dispatch);
    }
    SmallVector<DispatchOp> dispatches;
    getOperation().walk([&](DispatchOp dispatch) {
      if (dispatch.getFamily() == family->name())
        dispatches.push_back(dispatch);
    });
    for (DispatchOp dispatch : dispatches)
      takeStore(rewriter, *family, takeViews(rewriter, *family, dispatch, chip), chip);
  }

  /// Whether FUNC's own types round scores to 16 bits, which no kernel without a score matrix does: what they make of
  /// the answer is asked for, too.
  static bool roundsScores(func::FuncOp func) {
    return llvm::any_of(func.getOps<aten::SoftmaxIntOp>(), [](aten::SoftmaxIntOp op) {
      return cast<RankedTensorType>(op.getSelf().getType()).getElementTypeBitWidth() < 32;
    });
  }

  /// Moves views in front of DISPATCH into it, which its kernel reads as strides; a view stays where the kernel does
  /// not. The dispatch that is there then.
  static DispatchOp takeViews(IRRewriter &rewriter, const Family &family, DispatchOp dispatch, const Chip &chip) {
    ScopedDiagnosticHandler quiet(dispatch.getContext(), [](Diagnostic &) { return success(); });
    // The kernel that computes it without views stays the one.
    ScheduleParams params(dispatch.getSchedule()->getParams());
    if (failed(completeSchedule(family, dispatch, params, chip)))
      return dispatch;
    auto mma = *params.getWord(schedule::key::mma);
    for (unsigned number = 0; number < dispatch.getInputs().size(); ++number) {
      SmallVector<Operation *> views;
      for (Operation *op = dispatch.getInputs()[number].getDefiningOp(); op && isStridedView(op);
           op = op->getOperand(0).getDefiningOp())
        views.push_back(op);
      for (; !views.empty(); views.pop_back()) {
        DispatchOp grown = withViews(rewriter, dispatch, number, views);
        ScheduleParams asked(dispatch.getSchedule()->getParams());
        asked.set(dispatch.getContext(), schedule::key::mma, mma);
        if (succeeded(completeSchedule(family, grown, asked, chip))) {
          replaceDispatch(rewriter, dispatch, grown, views);
          dispatch = grown;
          break;
        }
        rewriter.eraseOp(grown);
      }
    }
    return dispatch;
  }

  /// Moves a permutation of DISPATCH's result, which nothing else reads, into it, where its kernel writes through it.
  static void takeStore(IRRewriter &rewriter, const Family &family, DispatchOp dispatch, const Chip &chip) {
    if (dispatch->getNumResults() != 1 || !dispatch->hasOneUse())
      return;
    Operation *store = *dispatch->getUsers().begin();
    if (!isAttentionStore(store))
      return;
    ScopedDiagnosticHandler quiet(dispatch.getContext(), [](Diagnostic &) { return success(); });
    ScheduleParams params(dispatch.getSchedule()->getParams());
    if (failed(completeSchedule(family, dispatch, params, chip)))
      return;
    ScheduleParams asked(dispatch.getSchedule()->getParams());
    asked.set(dispatch.getContext(), schedule::key::mma, *params.getWord(schedule::key::mma));
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(dispatch);
    auto grown = DispatchOp::create(rewriter, dispatch.getLoc(), store->getResultTypes(), dispatch.getNameAttr(),
                                    dispatch.getIdeaAttr(), dispatch.getScheduleAttr(), dispatch.getInputs());
    IRMapping mapping;
    dispatch.getBody().cloneInto(&grown.getBody(), mapping);
    auto yield = cast<YieldOp>(grown.getBody().front().getTerminator());
    rewriter.setInsertionPoint(yield);
    IRMapping operand;
    operand.map(store->getOperand(0), yield.getOperand(0));
    yield->setOperand(0, rewriter.clone(*store, operand)->getResult(0));
    if (failed(completeSchedule(family, grown, asked, chip)))
      return rewriter.eraseOp(grown);
    rewriter.replaceOp(store, grown);
    rewriter.eraseOp(dispatch);
  }

  /// Asks FAMILY, and keeps its reasons to itself: the generic path is there for what it refuses.
  static bool canCompute(const Family &family, DispatchOp dispatch, const Chip &chip) {
    ScopedDiagnosticHandler quiet(dispatch.getContext(), [](Diagnostic &) { return success(); });
    ScheduleParams completed(dispatch.getSchedule()->getParams());
    return succeeded(completeSchedule(family, dispatch, completed, chip));
  }
};

} // namespace
