//===- KGen.h - The kgen dialect: how a graph is computed -------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Level 2 (kgen.dispatch, #kgen.schedule, #kgen.idea) and level 3 (kgen.source,
// kgen.launch) of a snapshot. See docs/contracts.md.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Schedule/Schedule.h"
#include "kgen/Schedule/Schedules.h"
#include "kgen/Support/Chip.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kgen {

/// Limits of a launch on every architecture that kgen targets (CUDA C++ programming guide,
/// compute capabilities).
constexpr int64_t kMaxThreadsPerBlock = 1024;
constexpr int64_t kMaxSharedBytes = Chip::mostSharedBytes;

} // namespace kgen

#include "kgen/Dialect/KGen/KGenDialect.h.inc"
#include "kgen/Dialect/KGen/KGenEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "kgen/Dialect/KGen/KGenAttrs.h.inc"

#define GET_OP_CLASSES
#include "kgen/Dialect/KGen/KGenOps.h.inc"
