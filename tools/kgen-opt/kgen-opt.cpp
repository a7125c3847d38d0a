//===- kgen-opt.cpp - Runs passes and pipelines on .mlir files -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/InitAll.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

static const char overview[] = R"(runs kgen's passes on an op graph

  kgen-opt graph.mlir                             check a graph and print it
  kgen-opt graph.mlir --llm-lower                 idea, directives and CUDA-C in one pass
  kgen-opt graph.mlir --llm-lower="provider=builtin idea=KEY device=host"
  kgen-opt graph.mlir --kgen-apply-directives=script=FILE
                                                  group and schedule ops as a script of transform.kgen.* says
  kgen-opt graph.mlir --kgen-lower                to CUDA-C sources and launches; then kgen-translate
)";

int main(int argc, char **argv) {
  kgen::prepareCommandLine();
  mlir::DialectRegistry registry;
  kgen::registerAllDialects(registry);
  kgen::registerAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, overview, registry));
}
