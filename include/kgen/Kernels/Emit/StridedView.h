//===- StridedView.h - Where the elements of a view lie -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices, transposes, expansions and reshapes of a buffer are strides in it and
// a place where the first element lies. Attention and row kernels read so what
// stands behind such views, without a copy.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Dialect/KGen/KGen.h"

#include "mlir/IR/PatternMatch.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace kgen::kernels {

/// EXTENT steps of STRIDE elements. A stride of 0 repeats.
struct Span {
  int64_t extent, stride;
};

/// Of one dimension, outermost first; none where it has one element.
using Spans = llvm::SmallVector<Span>;

/// The dimensions of a tensor in its root's memory, in elements.
struct StridedView {
  llvm::SmallVector<Spans> dims;
  int64_t offset = 0; ///< of the first element
};

/// A tensor of SHAPE whose elements lie one behind the other.
StridedView contiguousView(llvm::ArrayRef<int64_t> shape);

/// SPANS with neighbours joined that one stride describes.
Spans joinSpans(llvm::ArrayRef<Span> spans);

/// The same elements, in their order, under SHAPE, which has as many; none where a dimension would end within a span
/// that it does not divide.
std::optional<StridedView> reshapeView(const StridedView &from, llvm::ArrayRef<int64_t> shape);

/// Whether OP is a view that throughView may look through.
bool isStridedView(mlir::Operation *op);

/// Where the result of VIEW lies, whose operand lies as FROM; none where strides do not say.
std::optional<StridedView> throughView(mlir::Operation *view, StridedView from);

/// Where the result of VIEWS, from the last to the first, lies in what the first one reads.
std::optional<StridedView> throughViews(llvm::ArrayRef<mlir::Operation *> views);

/// The views in front of input NUMBER of DISPATCH, of tensors with elements, the last one first.
llvm::SmallVector<mlir::Operation *> viewsInFront(DispatchOp dispatch, unsigned number);

/// The element where number NUMBER, a name of CUDA-C, of what SPANS count begins, behind BASE elements: an expression.
std::string printSpans(llvm::StringRef number, llvm::ArrayRef<Span> spans, int64_t base);

/// A copy, in front of DISPATCH, that computes VIEWS, from the last to the first, of what input NUMBER comes from: its
/// input is what the first one reads.
DispatchOp withViews(mlir::IRRewriter &rewriter, DispatchOp dispatch, unsigned number,
                     llvm::ArrayRef<mlir::Operation *> views);

/// Puts GROWN, which computes VIEWS itself, in DISPATCH's place; views that nobody else reads go.
void replaceDispatch(mlir::IRRewriter &rewriter, DispatchOp dispatch, DispatchOp grown,
                     llvm::ArrayRef<mlir::Operation *> views);

} // namespace kgen::kernels
