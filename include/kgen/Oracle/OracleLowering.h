//===- OracleLowering.h - From an aten graph to LLVM for the CPU ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle's passes and the pipeline that they form. Whoever needs only
// answers uses Oracle.h, which has no mlir/ in it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Oracle/Oracle.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace kgen::oracle {

#define GEN_PASS_DECL
#include "kgen/Oracle/Passes.h.inc"

/// Fills PM, a pass manager on ModuleOp, with everything from an aten (or
/// linalg-on-tensors) graph to the LLVM dialect. Function @f becomes
/// `_mlir_ciface_f`, which takes one memref descriptor for each argument and one for each
/// result; the caller allocates all of them, and arguments are never written.
/// An intermediate tensor of more than SLICE_LIMIT bytes is computed slice by slice. Float arguments and results are of
/// f64, whatever RESULT is.
void populateOracleLowering(mlir::OpPassManager &pm, int64_t sliceLimit = int64_t(1) << 30,
                            OracleResult result = OracleResult::Answers);

/// Adds the dialects that the pipeline reads and makes, with their bufferization and translation to LLVM IR.
void registerOracleDialects(mlir::DialectRegistry &registry);

/// Registers the pipeline `kgen-oracle-lowering`.
void registerOraclePipelines();

#define GEN_PASS_REGISTRATION
#include "kgen/Oracle/Passes.h.inc"

} // namespace kgen::oracle
