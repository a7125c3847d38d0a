//===- HostCode.h - The LLVM dialect to machine code of this CPU ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace kgen::oracle {

/// Machine code of a module.
struct HostCode {
  std::unique_ptr<mlir::ExecutionEngine> steps; ///< what ENTRY calls, where that is compiled by itself
  std::unique_ptr<mlir::ExecutionEngine> entry;
};

/// How long code may take to compile, as it runs the shorter for it.
enum class HostEffort {
  None,     ///< -O0
  Straight, ///< for calls in a row, chosen by compileForHost itself: what a linear look finds
  Scalar,   ///< -O3 without vector code and unrolled loops, which take most of the compiler's time
  Full,     ///< -O3
};

/// Compiles MODULE, already in the LLVM dialect, for the CPU that runs this, with EFFORT. A function of dozens of calls
/// in a row is not optimised: LLVM takes time in proportion to their square, and what it calls is what takes time to
/// run.
llvm::Expected<HostCode> compileForHost(mlir::ModuleOp module, HostEffort effort);

} // namespace kgen::oracle
