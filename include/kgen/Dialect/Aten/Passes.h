//===- Passes.h - Passes on the op graph ----------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Dialect/Aten/Aten.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace kgen::aten {
#define GEN_PASS_DECL
#include "kgen/Dialect/Aten/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "kgen/Dialect/Aten/Passes.h.inc"

/// Gives FUNC's arguments the types TYPES (as many as arguments), infers the type of
/// every aten op in order and updates FUNC's own type. Fails with one
/// diagnostic at the op that does not fit; FUNC is then half rewritten.
llvm::LogicalResult resizeFunction(mlir::func::FuncOp func, mlir::TypeRange types);

/// Brings FUNC to its small size: the `kgen.small` types, or, when no
/// argument has one, what shrinking finds for MAX_FLOPS and MAX_ELEMENTS.
llvm::LogicalResult resizeToSmall(mlir::func::FuncOp func, double maxFlops = 1e8, int64_t maxElements = 1 << 20);
} // namespace kgen::aten
