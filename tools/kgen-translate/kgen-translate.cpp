//===- kgen-translate.cpp - Lowered modules as kernel.cu and plan.json ----===//
#include "kgen/Target/Cuda/CudaEmitter.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  kgen::registerCudaTranslations();
  return failed(
      mlir::mlirTranslateMain(argc, argv, "kgen-translate: writes a lowered module's kernels or launch plan"));
}
