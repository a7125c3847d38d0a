//===- InitAll.cpp - Every dialect and pass, registered once -------------===//
#include "kgen/InitAll.h"

#include "kgen/Conversion/KGenToCuda/Passes.h"
#include "kgen/Dialect/Aten/Passes.h"
#include "kgen/Dialect/KGen/KGen.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void kgen::registerAllDialects(DialectRegistry &registry) {
  registry.insert<KGenDialect, aten::AtenDialect, arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                  math::MathDialect, scf::SCFDialect, tensor::TensorDialect>();
}

void kgen::registerAllPasses() {
  aten::registerAtenPasses();
  registerCanonicalizerPass();
  registerCSEPass();
  registerSymbolDCEPass();
  registerKGenToCudaPasses();
}
