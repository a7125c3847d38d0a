//===- EqualOps.h - Ops that compute the same -------------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Pipelines. torch.export writes down what each layer computes of the position, the mask or a bias of
// distances, although it is the same in all of them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kgen::pipelines {

/// Leaves one of the ops of FUNC that are equal and have equal operands, by MLIR's CSE. What is a result of FUNC,
/// perhaps under another shape, stays an op of its own: each result is one task's. Whether there were any.
bool mergeEqualOps(mlir::func::FuncOp func);

} // namespace kgen::pipelines
