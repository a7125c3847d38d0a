//===- RowOrder.h - Products of rows in the order that lies there -*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Pipelines. PyTorch's MultiheadAttention multiplies rows in the order [sequence][batch], and a network that
// has them as [batch][sequence] transposes before and after it. A product takes rows in any order, and attention reads
// and writes its heads by strides.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kgen::pipelines {

/// Moves permutations of the rows of an aten.linear, whose last dimension stays last, to attention in FUNC: from in
/// front of a product that attention alone reads to behind it, and from behind a product of attention's result to in
/// front of it.
void moveRowPermutations(mlir::func::FuncOp func);

} // namespace kgen::pipelines
