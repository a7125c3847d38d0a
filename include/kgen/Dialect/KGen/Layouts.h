//===- Layouts.h - Values with their channels last ----------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Dialect/Aten/Views.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace kgen {

/// The permutations between [n, c, ...] and [n, ..., c] of RANK dimensions, as aten.permute has them.
llvm::SmallVector<int64_t> channelsLast(int64_t rank);
llvm::SmallVector<int64_t> channelsFirst(int64_t rank);

using aten::permutationOf;

/// VALUE with its dimensions as DIMS say: what it is a permutation of where there is such a value, a reshape where the
/// elements stay in their order, else a new aten.permute at BUILDER's place.
mlir::Value permuted(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, llvm::ArrayRef<int64_t> dims);

/// A copy of OP, element-wise and without attributes that name dimensions, whose result is OP's with dimensions as DIMS
/// say.
mlir::Operation *permutedElementwise(mlir::OpBuilder &builder, mlir::Operation *op, llvm::ArrayRef<int64_t> dims);

/// Erases the views of FUNC that nobody reads, and those that only they read.
void eraseUnusedViews(mlir::func::FuncOp func);

/// Moves permutations of what FUNC, a task, computes behind the element-wise ops that read them, as far as they go, so
/// that these follow what computes it; permutations of permutations become one, or none.
void sinkPermutations(mlir::func::FuncOp func);

} // namespace kgen
