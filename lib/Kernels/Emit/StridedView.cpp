//===- StridedView.cpp - Where the elements of a view lie -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Emit/StridedView.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/Aten/Views.h"
#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Kernels/Emit/ElementPiece.h"

#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace kgen::kernels {

StridedView contiguousView(ArrayRef<int64_t> shape) {
  StridedView strided;
  strided.dims.resize(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1)
      strided.dims[i] = {{shape[i], stride}};
    stride *= shape[i];
  }
  return strided;
}

Spans joinSpans(ArrayRef<Span> spans) {
  Spans result;
  for (Span span : spans) {
    if (span.extent == 1)
      continue;
    if (!result.empty() && result.back().stride == span.stride * span.extent)
      result.back() = {result.back().extent * span.extent, span.stride};
    else
      result.push_back(span);
  }
  return result;
}

std::optional<StridedView> reshapeView(const StridedView &from, ArrayRef<int64_t> shape) {
  Spans rest;
  for (const Spans &dim : from.dims)
    llvm::append_range(rest, dim);
  rest = joinSpans(rest);
  StridedView result;
  result.offset = from.offset;
  result.dims.resize(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    int64_t wanted = shape[i];
    Spans dim;
    while (wanted > 1) {
      Span &last = rest.back();
      int64_t taken = std::min(wanted, last.extent);
      if (wanted % taken || last.extent % taken)
        return std::nullopt;
      dim.insert(dim.begin(), {taken, last.stride});
      wanted /= taken;
      if (taken == last.extent)
        rest.pop_back();
      else
        last = {last.extent / taken, last.stride * taken};
    }
    result.dims[i] = joinSpans(dim);
  }
  return result;
}

std::optional<StridedView> throughView(Operation *view, StridedView from) {
  auto rank = int64_t(from.dims.size());
  auto wrap = [](int64_t dim, int64_t rank) { return dim < 0 ? dim + rank : dim; };
  ArrayRef<int64_t> shape = shapeOf(view->getResult(0));
  if (aten::isReshape(view))
    return reshapeView(from, shape);
  if (std::optional<SmallVector<int64_t>> dims = aten::permutationOf(view)) {
    StridedView result;
    result.offset = from.offset;
    for (int64_t dim : *dims)
      result.dims.push_back(from.dims[dim]);
    return result;
  }
  // COUNT elements of dimension DIM from START on.
  auto cut = [&](int64_t dim, int64_t start, int64_t count) -> std::optional<StridedView> {
    Spans &spans = from.dims[wrap(dim, rank)];
    if (spans.size() > 1)
      return std::nullopt;
    if (!spans.empty()) {
      from.offset += start * spans[0].stride;
      spans[0].extent = count;
      if (count == 1)
        spans.clear();
    }
    return from;
  };
  if (auto narrow = dyn_cast<aten::NarrowOp>(view))
    return cut(narrow.getDim(), narrow.getStart(), narrow.getLength());
  if (auto slice = dyn_cast<aten::SliceTensorOp>(view)) {
    auto [begin, end] = slice.getBounds();
    return slice.getStep() == 1 ? cut(slice.getDim(), begin, end - begin) : std::nullopt;
  }
  if (auto select = dyn_cast<aten::SelectIntOp>(view)) {
    const int64_t dim = wrap(select.getDim(), rank);
    const int64_t extent = shapeOf(view->getOperand(0))[dim], index = wrap(select.getIndex(), extent);
    std::optional<StridedView> one = cut(dim, index, 1);
    if (one)
      one->dims.erase(one->dims.begin() + dim);
    return one;
  }
  if (isa<aten::ExpandOp>(view)) {
    ArrayRef<int64_t> before = shapeOf(view->getOperand(0));
    from.dims.insert(from.dims.begin(), shape.size() - before.size(), {});
    for (auto [i, extent] : llvm::enumerate(shape))
      if (extent != 1 && from.dims[i].empty())
        from.dims[i] = {{extent, 0}};
    return from;
  }
  return std::nullopt;
}

bool isStridedView(Operation *op) {
  return aten::isReshape(op) || aten::permutationOf(op) ||
         isa<aten::ExpandOp, aten::NarrowOp, aten::SliceTensorOp, aten::SelectIntOp>(op);
}

std::optional<StridedView> throughViews(ArrayRef<Operation *> views) {
  std::optional<StridedView> view = contiguousView(shapeOf(views.back()->getOperand(0)));
  for (Operation *op : llvm::reverse(views))
    if (!(view = throughView(op, *view)))
      return std::nullopt;
  return view;
}

SmallVector<Operation *> viewsInFront(DispatchOp dispatch, unsigned number) {
  SmallVector<Operation *> views;
  for (Operation *op = dispatch.getInputs()[number].getDefiningOp(); op && isStridedView(op) && !hasEmptyTensor(op);
       op = op->getOperand(0).getDefiningOp())
    views.push_back(op);
  return views;
}

std::string printSpans(StringRef number, ArrayRef<Span> spans, int64_t base) {
  std::string text;
  int64_t within = 1;
  for (size_t i = spans.size(); i-- > 0; within *= spans[i].extent) {
    if (spans[i].stride == 0)
      continue;
    std::string index = within == 1 ? number.str() : llvm::formatv("{0} / {1}", number, within).str();
    if (i > 0)
      index += llvm::formatv(" % {0}", spans[i].extent);
    std::string term = spans[i].stride == 1 ? index : llvm::formatv("{0} * {1}", index, spans[i].stride).str();
    text = text.empty() ? term : term + " + " + text;
  }
  if (base != 0)
    text += (text.empty() ? "" : " + ") + std::to_string(base);
  return text.empty() ? "0" : text;
}

DispatchOp withViews(IRRewriter &rewriter, DispatchOp dispatch, unsigned number, ArrayRef<Operation *> views) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(dispatch);
  SmallVector<Value> inputs(dispatch.getInputs());
  inputs[number] = views.back()->getOperand(0);
  auto grown = DispatchOp::create(rewriter, dispatch.getLoc(), dispatch.getResultTypes(), dispatch.getNameAttr(),
                                  dispatch.getIdeaAttr(), dispatch.getScheduleAttr(), inputs);
  SmallVector<Location> locs(inputs.size(), dispatch.getLoc());
  Block *body = rewriter.createBlock(&grown.getBody(), {}, TypeRange(ValueRange(inputs)), locs);
  IRMapping mapping;
  mapping.map(dispatch.getBody().front().getArguments(), body->getArguments());
  Value value = body->getArgument(number);
  for (Operation *view : llvm::reverse(views)) {
    IRMapping operand;
    operand.map(view->getOperand(0), value);
    value = rewriter.clone(*view, operand)->getResult(0);
  }
  mapping.map(dispatch.getBody().front().getArgument(number), value);
  for (Operation &op : dispatch.getBody().front())
    rewriter.clone(op, mapping);
  return grown;
}

void replaceDispatch(IRRewriter &rewriter, DispatchOp dispatch, DispatchOp grown, ArrayRef<Operation *> views) {
  rewriter.replaceOp(dispatch, grown);
  for (Operation *view : views)
    if (view->use_empty())
      rewriter.eraseOp(view);
}

} // namespace kgen::kernels
