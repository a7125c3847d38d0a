//===- CudaTranslations.cpp - kgen-translate's options --------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Dialect/KGen/KGen.h"
#include "kgen/Dialect/KGen/Precision.h"
#include "kgen/Target/Cuda/CudaEmitter.h"

#include "mlir/Tools/mlir-translate/Translation.h"

using namespace mlir;
using namespace kgen;

/// One diagnostic when MODULE still holds ops of a graph, or dispatches that have no code yet.
static LogicalResult checkLowered(ModuleOp module) {
  module.getContext()->printOpOnDiagnostic(false); // the sentence names the op
  WalkResult result = module.walk([&](Operation *op) {
    if (!isa<DispatchOp>(op) && op->getName().getDialectNamespace() != "aten")
      return WalkResult::advance();
    op->emitError("the graph is not lowered: expected launches, found '")
        << op->getName() << "'; kgen-opt --kgen-lower writes them";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

void kgen::target::registerCudaTranslations(void (*dialects)(DialectRegistry &registry)) {
  static TranslateFromMLIRRegistration cuda(
      "kgen-to-cuda", "a lowered module's kernels as one CUDA-C file",
      [](ModuleOp module, llvm::raw_ostream &os) {
        return succeeded(checkLowered(module)) ? emitCuda(module, os) : failure();
      },
      dialects);
  static TranslateFromMLIRRegistration plan(
      "kgen-to-plan", "a lowered module's launches as plan.json",
      [](ModuleOp module, llvm::raw_ostream &os) {
        return succeeded(checkLowered(module)) ? emitPlan(module, stringifyPrecision(precisionOf(module)), os)
                                               : failure();
      },
      dialects);
}
