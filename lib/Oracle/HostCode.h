//===- HostCode.h - The LLVM dialect to machine code of this CPU ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace mlir {
class ExecutionEngine;
} // namespace mlir

namespace kgen::oracle {

/// Compiles MODULE, already in the LLVM dialect, for the CPU that runs this; code that runs for long is OPTIMISED.
llvm::Expected<std::unique_ptr<mlir::ExecutionEngine>> compileForHost(mlir::ModuleOp module, bool optimised);

} // namespace kgen::oracle
