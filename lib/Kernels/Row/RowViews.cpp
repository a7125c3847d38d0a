//===- RowViews.cpp - Rows that are read where they lie -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowViews.h"

#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Kernels/Family.h"
#include "kgen/Kernels/Passes.h"
#include "kgen/Support/Architectures.h"

#include "llvm/ADT/STLExtras.h"

namespace kgen::kernels {
#define GEN_PASS_DEF_TAKEROWVIEWS
#include "kgen/Kernels/Passes.h.inc"
} // namespace kgen::kernels

using namespace mlir;

namespace kgen::kernels {

/// Where rows of LAYOUT begin in a tensor that lies as VIEW; none where a row's elements are no neighbours.
static std::optional<RowPlace> placeRows(const StridedView &view, const RowLayout &layout) {
  if (layout.inner != 1)
    return std::nullopt;
  std::optional<StridedView> parts = reshapeView(view, layout.parts);
  if (!parts)
    return std::nullopt;
  Spans rows, columns;
  for (auto [dim, spans] : llvm::enumerate(parts->dims))
    llvm::append_range(dim < layout.firstFolded ? rows : columns, spans);
  columns = joinSpans(columns);
  if (columns.size() > 1 || (!columns.empty() && columns[0].stride != 1))
    return std::nullopt;
  return RowPlace{joinSpans(rows), parts->offset};
}

SmallVector<Operation *> stridedViews(DispatchOp dispatch, const RowLayout &layout, unsigned number) {
  if (!isPacked(dispatch.getBody().getArgument(number), layout.shape))
    return {};
  SmallVector<Operation *> views = viewsInFront(dispatch, number);
  for (; !views.empty(); views.pop_back()) {
    if (keepsOrder(views.back()))
      continue;
    std::optional<StridedView> view = throughViews(views);
    if (view && placeRows(*view, layout))
      break;
  }
  return views;
}

FailureOr<RowDispatch> openRowDispatch(DispatchOp dispatch) {
  RowDispatch rows;
  rows.plain = dispatch;
  SmallVector<std::optional<StridedView>> lies(dispatch.getBody().getNumArguments());
  // What stands in front of inputs, as the pass below puts it there: each view for one input alone.
  auto viewOf = [](Value value) -> Operation * {
    Operation *user = value.hasOneUse() ? *value.getUsers().begin() : nullptr;
    return user && isStridedView(user) && !keepsOrder(user) ? user : nullptr;
  };
  auto behind = [&](Value value) -> Operation * {
    Operation *user = value.hasOneUse() ? *value.getUsers().begin() : nullptr;
    return user && isStridedView(user) ? user : nullptr;
  };
  if (llvm::any_of(dispatch.getBody().getArguments(), viewOf)) {
    rows.copy = OwningOpRef<DispatchOp>(dispatch.clone());
    rows.plain = *rows.copy;
    for (auto [number, argument] : llvm::enumerate(rows.plain.getBody().getArguments())) {
      if (!viewOf(argument))
        continue;
      SmallVector<Operation *> views;
      for (Operation *view = behind(argument); view; view = behind(view->getResult(0)))
        views.insert(views.begin(), view);
      lies[number] = throughViews(views);
      if (!lies[number])
        return views.front()->emitOpError("reads rows of an input through views that are no strides");
      Value last = views.front()->getResult(0);
      argument.setType(last.getType());
      last.replaceAllUsesWith(argument);
      for (Operation *view : views)
        view->erase();
    }
  }
  FailureOr<RowProgram> program = analyzeRowProgram(rows.plain);
  if (failed(program))
    return failure();
  program->places.resize(lies.size());
  for (auto [number, view] : llvm::enumerate(lies)) {
    if (!view)
      continue;
    std::optional<RowPlace> place;
    if (isPacked(rows.plain.getBody().getArgument(number), program->layout.shape))
      place = placeRows(*view, program->layout);
    if (!place)
      return dispatch.emitOpError("reads input ")
             << number << " through views, expected rows whose elements are neighbours in it";
    if (!place->isPlain(program->layout.columns))
      program->places[number] = std::move(*place);
  }
  rows.program = std::move(*program);
  return rows;
}

//===----------------------------------------------------------------------===//
// TakeRowViews
//===----------------------------------------------------------------------===//

namespace {

struct TakeRowViews : kgen::kernels::impl::TakeRowViewsBase<TakeRowViews> {
  using TakeRowViewsBase::TakeRowViewsBase;

  void runOnOperation() override {
    Chip chip = chipOf(arch);
    if (sharedBytes)
      chip.sharedBytesPerBlock = sharedBytes;
    const Family *family = findFamily("row");
    SmallVector<DispatchOp> dispatches;
    getOperation().walk([&](DispatchOp dispatch) {
      if (dispatch.getFamily() == family->name())
        dispatches.push_back(dispatch);
    });
    IRRewriter rewriter(&getContext());
    for (DispatchOp dispatch : dispatches)
      take(rewriter, *family, dispatch, chip);
  }

  /// A view stays where the family does not read through it, or not by this schedule.
  static void take(IRRewriter &rewriter, const Family &family, DispatchOp dispatch, const Chip &chip) {
    ScopedDiagnosticHandler quiet(dispatch.getContext(), [](Diagnostic &) { return success(); });
    for (unsigned number = 0; number < dispatch.getInputs().size(); ++number) {
      FailureOr<RowDispatch> rows = openRowDispatch(dispatch);
      if (failed(rows))
        return;
      SmallVector<Operation *> views = stridedViews(dispatch, rows->program.layout, number);
      if (views.empty())
        continue;
      DispatchOp grown = withViews(rewriter, dispatch, number, views);
      ScheduleParams params(grown.getSchedule()->getParams());
      if (failed(completeSchedule(family, grown, params, chip))) {
        rewriter.eraseOp(grown);
        continue;
      }
      rows->copy = {}; // it uses what the dispatch uses
      replaceDispatch(rewriter, dispatch, grown, views);
      dispatch = grown;
    }
  }
};

} // namespace

} // namespace kgen::kernels
