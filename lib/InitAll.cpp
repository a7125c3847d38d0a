//===- InitAll.cpp - Every dialect and pass, registered once -------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/InitAll.h"

#include "kgen/Conversion/AtenToLinalg/Passes.h"
#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/Aten/Passes.h"
#include "kgen/Dialect/KGen/KGen.h"
#include "kgen/Dialect/KGen/Passes.h"
#include "kgen/Dialect/Transform/KGenTransform.h"
#include "kgen/Dialect/Transform/Passes.h"
#include "kgen/Kernels/Passes.h"
#include "kgen/Oracle/OracleLowering.h"
#include "kgen/Pipelines/Passes.h"
#include "kgen/Pipelines/Pipelines.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;

void kgen::registerAllDialects(DialectRegistry &registry) {
  registry.insert<aten::AtenDialect, KGenDialect, arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                  math::MathDialect, scf::SCFDialect, tensor::TensorDialect, transform::TransformDialect>();
  directive::registerTransformExtension(registry);
  kernels::registerDispatchChecker(registry);
  oracle::registerOracleDialects(registry);
}

void kgen::registerAllPasses() {
  // Upstream's, for looking at intermediate forms.
  registerCanonicalizerPass();
  registerCSEPass();
  registerSymbolDCEPass();
  // kgen's own, in the order of the data flow.
  aten::registerAtenPasses();
  registerKGenDispatchPasses();
  directive::registerKGenTransformPasses();
  conversion::registerKGenAtenToLinalgPasses();
  kernels::registerKGenKernelsPasses();
  pipelines::registerKGenPipelinePasses();
  pipelines::registerPipelines();
  oracle::registerKGenOraclePasses();
  oracle::registerOraclePipelines();
}

void kgen::prepareCommandLine() {
  // Whatever is registered before main belongs to LLVM; MLIR's and kgen's options come later.
  auto &options = llvm::cl::getRegisteredOptions();
  for (auto &entry : options)
    if (StringRef name = entry.first; !name.starts_with("help") && name != "version")
      entry.second->setHiddenFlag(llvm::cl::ReallyHidden);
  registerMLIRContextCLOptions();
  if (auto it = options.find("mlir-print-op-on-diagnostic"); it != options.end())
    static_cast<llvm::cl::opt<bool> *>(it->second)->setInitialValue(false);
}
