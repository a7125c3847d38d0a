//===- Views.h - Ops that only say where elements are -----------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"

namespace kgen::aten {

/// Whether OP gives the elements of its operand in their order, in another shape: reshape, view, flatten.using_ints,
/// unsqueeze and squeeze.dim. False for null.
bool isReshape(mlir::Operation *op);

/// The permutation of a permute, transpose.int or numpy_T, each dimension from 0; nothing for other ops and null.
std::optional<llvm::SmallVector<int64_t>> permutationOf(mlir::Operation *op);

/// Whether a tensor of SHAPE keeps the order of its elements under the permutation DIMS, which then moves dimensions of
/// one element only.
bool keepsOrder(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dims);

} // namespace kgen::aten
