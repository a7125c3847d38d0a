//===- ProductViews.cpp - Matrices that are read where they lie -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmDispatch.h"

#include "kgen/Dialect/Aten/Views.h"
#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Kernels/Family.h"
#include "kgen/Kernels/Passes.h"
#include "kgen/Support/Architectures.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace kgen::kernels {
#define GEN_PASS_DEF_TAKEPRODUCTVIEWS
#include "kgen/Kernels/Passes.h.inc"

namespace {

/// Bytes of a row that make reading it by itself worth as much as reading all rows in their order: a sector of memory.
constexpr int64_t fewestRowBytes = 32;
/// Bytes that one load should have.
constexpr int64_t loadBytes = 16;

struct TakeProductViews : kgen::kernels::impl::TakeProductViewsBase<TakeProductViews> {
  using TakeProductViewsBase::TakeProductViewsBase;

  void runOnOperation() override {
    Chip chip = chipOf(arch);
    if (sharedBytes)
      chip.sharedBytesPerBlock = sharedBytes;
    const Family *family = findFamily("gemm");
    SmallVector<DispatchOp> dispatches;
    getOperation().walk([&](DispatchOp dispatch) {
      if (dispatch.getFamily() == family->name())
        dispatches.push_back(dispatch);
    });
    IRRewriter rewriter(&getContext());
    for (DispatchOp dispatch : dispatches)
      take(rewriter, *family, dispatch, chip);
  }

  /// The views in front of input NUMBER of DISPATCH, the last one first, without reshapes at their beginning, which
  /// cost nothing.
  static SmallVector<Operation *> viewsOf(DispatchOp dispatch, unsigned number) {
    SmallVector<Operation *> views = viewsInFront(dispatch, number);
    while (!views.empty() && aten::isReshape(views.back()))
      views.pop_back();
    return views;
  }

  /// Whether rows of OPERAND, with ACROSS rows or columns along k, are read as fast where they lie.
  static bool readsWell(const Gemm &gemm, const GemmOperand &operand, int64_t across) {
    const int64_t bytes = gemm.elementType.getIntOrFloatBitWidth() / 8;
    const int64_t length = operand.kContiguous ? gemm.k : across;
    return !operand.places || (length * bytes >= fewestRowBytes && operand.alignment(length) * bytes % loadBytes == 0);
  }

  /// A view stays where the kernel that computes DISPATCH without it does not read through it.
  static void take(IRRewriter &rewriter, const Family &family, DispatchOp dispatch, const Chip &chip) {
    ScopedDiagnosticHandler quiet(dispatch.getContext(), [](Diagnostic &) { return success(); });
    ScheduleParams params(dispatch.getSchedule()->getParams());
    if (failed(completeSchedule(family, dispatch, params, chip)))
      return;
    std::optional<schedule::Mma> mma = params.getWord(schedule::key::mma);
    for (unsigned number = 0; number < dispatch.getInputs().size(); ++number) {
      SmallVector<Operation *> views = viewsOf(dispatch, number);
      if (views.empty() || !mma)
        continue;
      DispatchOp grown = withViews(rewriter, dispatch, number, views);
      ScheduleParams asked(dispatch.getSchedule()->getParams());
      asked.set(dispatch.getContext(), schedule::key::mma, *mma);
      FailureOr<Gemm> gemm = failure();
      if (succeeded(completeSchedule(family, grown, asked, chip)))
        gemm = readGemm(grown);
      if (failed(gemm) || !liesApart(*gemm) || !readsWell(*gemm, gemm->a, gemm->m) ||
          !readsWell(*gemm, gemm->b, gemm->n)) {
        rewriter.eraseOp(grown);
        continue;
      }
      replaceDispatch(rewriter, dispatch, grown, views);
      dispatch = grown;
    }
  }
};

} // namespace

} // namespace kgen::kernels
