//===- OracleLowering.cpp - The pipeline from a graph to LLVM -------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/OracleLowering.h"
#include "kgen/Conversion/AtenToLinalg/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace {

/// LLVM 22's FoldInsertPadIntoFill adds what is padded in front of a part to the part's offsets, whatever its strides:
/// what is spread for a transposed convolution would come to stand elsewhere. Clang and GCC spell its name differently.
void addCanonicalizer(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass(
      GreedyRewriteConfig(), {"(anonymous namespace)::FoldInsertPadIntoFill", "{anonymous}::FoldInsertPadIntoFill"}));
}

void addBufferization(OpPassManager &pm) {
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion = bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  // The result buffer is the caller's from the start: no copy of a multi-gigabyte answer.
  pm.addPass(kgen::oracle::createOracleOutParamsPass());
  addCanonicalizer(pm); // loops give no buffers that were theirs to begin with
  pm.addPass(kgen::oracle::createOracleFreePass());
  pm.addPass(createCSEPass());
}

void addConversionToLLVM(OpPassManager &pm) {
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  addCanonicalizer(pm);
  pm.addPass(createCSEPass());
  pm.addPass(createSCFToControlFlowPass());
  arith::ArithExpandOpsPassOptions bits;
  bits.includeBf16 = true; // few CPUs round to it
  pm.addNestedPass<func::FuncOp>(arith::createArithExpandOpsPass(bits));
  // libm has no rsqrt.
  math::MathExpandOpsPassOptions expand;
  expand.opMnemonics = {"rsqrt"};
  pm.addPass(math::createMathExpandOpsPass(expand));
  // libm first: LLVM's own expansion of log1p is an approximation.
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

} // namespace

void kgen::oracle::populateOracleLowering(OpPassManager &pm, int64_t sliceLimit, OracleResult result) {
  const bool declared = result == OracleResult::Declared || result == OracleResult::DeclaredTF32;
  if (!declared)
    pm.addPass(createPromoteF64Pass());
  pm.addPass(createOracleEntryPass());
  pm.addPass(conversion::createConvertAtenToLinalgPass());
  if (result == OracleResult::Magnitudes)
    pm.addPass(createMagnitudesPass());
  if (result == OracleResult::Reach)
    pm.addPass(createReachPass());
  if (result == OracleResult::DeclaredTF32)
    pm.addPass(createRoundFactorsPass());
  if (declared)
    pm.addPass(createOracleDeclaredPass());
  addCanonicalizer(pm);
  pm.addPass(createOracleFusePass());
  OracleSlicePassOptions slice;
  slice.limit = sliceLimit;
  pm.addPass(createOracleSlicePass(slice));
  addCanonicalizer(pm);
  pm.addPass(createCSEPass()); // slices of one producer for several consumers are one
  pm.addPass(createOracleArrangeContractionsPass());
  pm.addNestedPass<func::FuncOp>(createOracleUntanglePass());
  addBufferization(pm);
  pm.addPass(createOracleOutlinePass());
  pm.addPass(createOracleLoopsPass());
  addConversionToLLVM(pm);
}

void kgen::oracle::registerOraclePipelines() {
  PassPipelineRegistration<>("kgen-oracle-lowering", "fp64 answer on the CPU: an aten graph to the LLVM dialect",
                             [](OpPassManager &pm) { populateOracleLowering(pm); });
}
