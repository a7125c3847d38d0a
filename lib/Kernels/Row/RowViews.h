//===- RowViews.h - Rows that are read where they lie ---------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row dispatch may hold views in front of its inputs: slices, transposes,
// expansions and reshapes. Its kernels read behind them by strides, as long as
// a row's elements are neighbours; all else of the family sees a dispatch
// without them, whose inputs have the shape that the views give.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Kernels/Row/RowProgram.h"

#include "mlir/IR/OwningOpRef.h"

namespace kgen::kernels {

/// A row dispatch as its kernels see it.
struct RowDispatch {
  mlir::OwningOpRef<DispatchOp> copy; ///< without views, beside no other op; none where there were none
  DispatchOp plain;                   ///< `copy`, or the dispatch itself
  RowProgram program;                 ///< of `plain`
};

/// Analyses DISPATCH, views and all. One diagnostic, at the op or type that stands in the way.
mlir::FailureOr<RowDispatch> openRowDispatch(DispatchOp dispatch);

/// The views in front of input NUMBER of DISPATCH, of rows as in LAYOUT, that its kernels read as strides, from the
/// last to the first; none where they are no more than reshapes, which cost nothing.
llvm::SmallVector<mlir::Operation *> stridedViews(DispatchOp dispatch, const RowLayout &layout, unsigned number);

} // namespace kgen::kernels
