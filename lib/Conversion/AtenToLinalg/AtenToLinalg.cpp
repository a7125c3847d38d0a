//===- AtenToLinalg.cpp - kgen-convert-aten-to-linalg ---------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LinalgBuilder.h"
#include "kgen/Conversion/AtenToLinalg/Passes.h"
#include "kgen/Dialect/Aten/Aten.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace kgen::conversion {
#define GEN_PASS_DEF_CONVERTATENTOLINALGPASS
#include "kgen/Conversion/AtenToLinalg/Passes.h.inc"
} // namespace kgen::conversion

using namespace mlir;

void kgen::conversion::populateAtenToLinalgPatterns(RewritePatternSet &patterns) {
  populateAttentionPatterns(patterns);
  populateContractionPatterns(patterns);
  populateCreationPatterns(patterns);
  populateIndexPatterns(patterns);
  populateNormalizationPatterns(patterns);
  populatePointwisePatterns(patterns);
  populateReductionPatterns(patterns);
  populateScanPatterns(patterns);
  populateShapePatterns(patterns);
  populateWindowPatterns(patterns);
}

namespace {

struct ConvertAtenToLinalg : public kgen::conversion::impl::ConvertAtenToLinalgPassBase<ConvertAtenToLinalg> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    kgen::conversion::populateAtenToLinalgPatterns(patterns);
    // One walk: no lowering makes an aten op, and nothing here should fold.
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<kgen::aten::AtenDialect>(op->getDialect())) {
        op->emitOpError("has no lowering to linalg");
        signalPassFailure();
      }
    });
  }
};

} // namespace
