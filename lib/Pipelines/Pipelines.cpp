//===- Pipelines.cpp - Named pipelines -----------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Pipelines/Pipelines.h"

#include "kgen/Conversion/AtenToLinalg/Passes.h"
#include "kgen/Dialect/KGen/Passes.h"
#include "kgen/Kernels/Passes.h"
#include "kgen/Pipelines/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

void kgen::pipelines::populateLower(OpPassManager &pm, const LowerOptions &options) {
  // First: a lowered graph no longer shows its class, nor what is written in place.
  pm.addPass(createSetPrecision());
  pm.addPass(createInlineDispatches());
  pm.addPass(createMarkUpdates({options.separateResults}));
  kernels::FormAttentionOptions attention;
  attention.arch = options.arch;
  attention.sharedBytes = options.sharedBytes;
  pm.addPass(kernels::createFormAttention(attention));
  kernels::TakeRowViewsOptions rows;
  rows.arch = options.arch;
  rows.sharedBytes = options.sharedBytes;
  pm.addPass(kernels::createTakeRowViews(rows));
  kernels::TakeProductViewsOptions products;
  products.arch = options.arch;
  products.sharedBytes = options.sharedBytes;
  pm.addPass(kernels::createTakeProductViews(products));
  kernels::LowerDispatchesOptions chip;
  chip.arch = options.arch;
  chip.multiprocessors = options.multiprocessors;
  chip.sharedBytes = options.sharedBytes;
  pm.addPass(kernels::createLowerDispatches(chip));
  pm.addPass(conversion::createConvertAtenToLinalgPass());
  kernels::LowerGenericOptions generic;
  generic.arch = options.arch;
  generic.wideTiles = options.wideTiles;
  generic.tiledProducts = options.tiledProducts;
  generic.contiguousSlices = options.contiguousSlices;
  pm.addPass(kernels::createLowerGeneric(generic));
}

void kgen::pipelines::populateLlmLower(OpPassManager &pm, const LlmLowerOptions &options) {
  MaterializeIdeaOptions who;
  who.provider = options.provider;
  who.device = options.device;
  who.idea = options.idea;
  who.variant = options.variant;
  who.arch = options.arch;
  pm.addPass(createMaterializeIdea(who));
  LowerOptions chip;
  chip.arch = options.arch;
  populateLower(pm, chip);
}

void kgen::pipelines::registerPipelines() {
  PassPipelineRegistration<LowerOptions>("kgen-lower", "level 1 or 2 to level 3: CUDA-C sources and launches",
                                         populateLower);
  PassPipelineRegistration<LlmLowerOptions>("llm-lower", "idea, directives and CUDA-C in one pass", populateLlmLower);
}
