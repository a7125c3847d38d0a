//===- CudaTranslations.cpp - kgen-translate's options --------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Dialect/KGen/KGen.h"
#include "kgen/Dialect/KGen/Precision.h"
#include "kgen/Target/Cuda/CudaEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Tools/mlir-translate/Translation.h"

using namespace mlir;

void kgen::target::registerCudaTranslations() {
  auto registerDialects = [](DialectRegistry &registry) {
    registry.insert<KGenDialect, arith::ArithDialect, func::FuncDialect, tensor::TensorDialect>();
  };
  static TranslateFromMLIRRegistration cuda(
      "kgen-to-cuda", "a lowered module's kernels as one CUDA-C file",
      [](ModuleOp module, llvm::raw_ostream &os) { return emitCuda(module, os); }, registerDialects);
  static TranslateFromMLIRRegistration plan(
      "kgen-to-plan", "a lowered module's launches as plan.json",
      [](ModuleOp module, llvm::raw_ostream &os) {
        return emitPlan(module, stringifyPrecision(precisionOf(module)), os);
      },
      registerDialects);
}
