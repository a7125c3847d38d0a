//===- kgen-opt.cpp - Runs passes and pipelines on .mlir files -----------===//
#include "kgen/InitAll.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  kgen::registerAllDialects(registry);
  kgen::registerAllPasses();
  kgen::shortenDiagnostics();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "kgen-opt: runs kgen's passes on a graph\n", registry));
}
