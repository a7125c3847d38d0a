//===- CudaEmitter.h - Level 3 as kernel.cu and plan.json -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/raw_ostream.h"

namespace kgen::target {

/// Writes one self-contained CUDA-C translation unit: the includes, the device header when a source
/// asks for it, then the text of each kgen.source of MODULE in the order of its first launch. What
/// stands under the same include guard in several sources is written once. The bytes depend on MODULE
/// alone. One diagnostic when MODULE has no source.
mlir::LogicalResult emitCuda(mlir::ModuleOp module, llvm::raw_ostream &os);

/// Writes the launch plan of MODULE's one function (docs/contracts.md). PRECISION is the class that
/// the plan states. Intermediate tensors share workspace where their lives do not overlap. One
/// diagnostic at an op that is not level 3, or whose operand has no buffer.
mlir::LogicalResult emitPlan(mlir::ModuleOp module, llvm::StringRef precision, llvm::raw_ostream &os);

/// Registers --kgen-to-cuda and --kgen-to-plan for kgen-translate. DIALECTS adds what a module may hold that was not
/// lowered yet, so that it can be read and refused in one sentence.
void registerCudaTranslations(void (*dialects)(mlir::DialectRegistry &registry));

} // namespace kgen::target
