//===- Aten.h - The op graph: dialect, ops, interfaces --------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Dialect/Aten/Cost.h"
#include "kgen/Dialect/Aten/ShapeInference.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "kgen/Dialect/Aten/AtenDialect.h.inc"
#include "kgen/Dialect/Aten/AtenEnums.h.inc"

namespace kgen::aten {
/// Compares the written result types of OP with what it infers; one diagnostic
/// at OP if they differ. Called by the interface's verifier.
llvm::LogicalResult verifyInferredTypes(mlir::Operation *op);
} // namespace kgen::aten

#include "kgen/Dialect/Aten/AtenInterfaces.h.inc"

#define GET_OP_CLASSES
#include "kgen/Dialect/Aten/AtenOps.h.inc"
