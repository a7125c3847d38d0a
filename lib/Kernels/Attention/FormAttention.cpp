//===- FormAttention.cpp - Attention without a score matrix ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Kernels/Family.h"
#include "kgen/Kernels/Passes.h"
#include "kgen/Support/Architectures.h"

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
  }

  /// Asks FAMILY, and keeps its reasons to itself: the generic path is there for what it refuses.
  static bool canCompute(const Family &family, DispatchOp dispatch, const Chip &chip) {
    ScopedDiagnosticHandler quiet(dispatch.getContext(), [](Diagnostic &) { return success(); });
    ScheduleParams completed(dispatch.getSchedule()->getParams());
    return succeeded(completeSchedule(family, dispatch, completed, chip));
  }
};

} // namespace
