//===- ReshapeOrder.h - Epilogues in front of reshapes ----------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Pipelines. A reshape costs nothing, but what is element-wise behind it has not the shape of the product in
// front of it, whose task takes in what has.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kgen::pipelines {

/// Moves reshapes of products and convolutions in FUNC, which nobody else reads, behind the element-wise ops that read
/// them: `gelu(reshape(conv(x)))` is `reshape(gelu(conv(x)))` then.
void moveReshapes(mlir::func::FuncOp func);

} // namespace kgen::pipelines
