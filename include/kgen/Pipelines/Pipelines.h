//===- Pipelines.h - Named pipelines ----------------------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Support/Chip.h"

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace kgen::pipelines {

/// The chip that code is generated for.
struct LowerOptions : mlir::PassPipelineOptions<LowerOptions> {
  Option<std::string> arch{*this, "arch", llvm::cl::desc("architecture that the sources are for"),
                           llvm::cl::init(Chip().arch)};
  Option<int64_t> multiprocessors{*this, "multiprocessors",
                                  llvm::cl::desc("multiprocessors of the chip; 0: the architecture's"),
                                  llvm::cl::init(0)};
  Option<int64_t> sharedBytes{*this, "shared-bytes",
                              llvm::cl::desc("opt-in shared memory of a block, bytes; 0: the architecture's"),
                              llvm::cl::init(0)};
  Option<int64_t> wideTiles{*this, "wide-tiles",
                            llvm::cl::desc("blocks from which on products and convolutions of fp64 have wide tiles"),
                            llvm::cl::init(132)};
  Option<bool> tiledProducts{*this, "tiled-products",
                             llvm::cl::desc("products of all types by tiles, as kgen.tiled_products has it"),
                             llvm::cl::init(false)};
  Option<bool> contiguousSlices{
      *this, "contiguous-slices",
      llvm::cl::desc("slices that are one piece of memory are pointers, so that time steps have equal kernels"),
      llvm::cl::init(false)};
  Option<bool> separateResults{*this, "separate-results", llvm::cl::desc("no result is an argument written in place"),
                               llvm::cl::init(false)};
};

/// Who has the idea, and which one.
struct LlmLowerOptions : mlir::PassPipelineOptions<LlmLowerOptions> {
  Option<std::string> provider{*this, "provider", llvm::cl::desc("who has ideas: builtin or replay:RUN"),
                               llvm::cl::init("builtin")};
  Option<std::string> device{*this, "device", llvm::cl::desc("what the kernels are for: host or cuda"),
                             llvm::cl::init("cuda")};
  Option<std::string> idea{*this, "idea", llvm::cl::desc("key of the idea to carry out; empty for the first"),
                           llvm::cl::init("")};
  Option<int> variant{*this, "variant", llvm::cl::desc("which of its legal materialisations, from 0"),
                      llvm::cl::init(0)};
  Option<std::string> arch{*this, "arch", llvm::cl::desc("architecture that the sources are for"),
                           llvm::cl::init(Chip().arch)};
};

/// Level 2 (or 1) to level 3: dispatches of a family by their family, the rest by the generic
/// path. PM runs on a module.
void populateLower(mlir::OpPassManager &pm, const LowerOptions &options);

/// Level 1 to level 3 by one idea of a proposer: idea, directives and CUDA-C in one pass.
void populateLlmLower(mlir::OpPassManager &pm, const LlmLowerOptions &options);

/// Registers kgen-lower and llm-lower.
void registerPipelines();

} // namespace kgen::pipelines
