//===- kgen-translate.cpp - Lowered modules as kernel.cu and plan.json ----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/InitAll.h"
#include "kgen/Target/Cuda/CudaEmitter.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

static const char overview[] = R"(writes what a lowered graph runs

  kgen-opt graph.mlir --kgen-lower -o lowered.mlir
  kgen-translate --kgen-to-cuda lowered.mlir      kernel.cu, one self-contained translation unit
  kgen-translate --kgen-to-plan lowered.mlir      plan.json, the launches on named buffers
)";

int main(int argc, char **argv) {
  kgen::prepareCommandLine();
  kgen::target::registerCudaTranslations(kgen::registerAllDialects);
  return failed(mlir::mlirTranslateMain(argc, argv, overview));
}
