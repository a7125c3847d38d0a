//===- SameMemory.h - Ops that move nothing ---------------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Pipelines. Values are row-major and contiguous, so some views are their operand's memory, or one range of
// its bytes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace kgen::pipelines {

/// What a tensor of TYPE takes, row-major and contiguous; a bool is a byte.
int64_t bytesOf(mlir::Type type);

/// Whether the task in front of OP, a permutation, writes through it: where a directive says so (storeMark), and heads
/// of attention put beside each other.
bool isStore(mlir::Operation *op);

/// Whether OP gives the elements of its operand in their order, so that its result is the same memory. A store is what
/// its task writes, even where it moves nothing.
bool isReshape(mlir::Operation *op);

/// Where a slice of the outermost dimension (but for those of one element) begins in its operand, in bytes: its result
/// is that range of its operand's memory. None where OP is anything else.
std::optional<int64_t> sliceOffset(mlir::Operation *op);

/// Whether the operands of OP, an aten.cat, lie one after the other in its result.
bool isStack(mlir::Operation *op);

} // namespace kgen::pipelines
