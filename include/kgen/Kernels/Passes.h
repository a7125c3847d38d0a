//===- Passes.h - From dispatches to CUDA-C text --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generic path and the kernel families. Every pass turns tensor ops into kgen.source
// (the text) and kgen.launch (grid, block, arguments).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Support/Chip.h"

#include "mlir/Pass/Pass.h"

#include <memory>

namespace kgen::kernels {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "kgen/Kernels/Passes.h.inc"

/// The attribute of a module or function whose products the generic path computes by tiles, whatever their type. Tasks
/// of networks have it; without it, text stays what published runs have.
inline constexpr llvm::StringLiteral kTiledProducts = "kgen.tiled_products";

/// Lets directives ask the families whether a dispatch has a kernel: a DispatchChecker of the dialect kgen.
void registerDispatchChecker(mlir::DialectRegistry &registry);

} // namespace kgen::kernels
