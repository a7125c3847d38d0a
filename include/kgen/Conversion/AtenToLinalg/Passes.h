//===- Passes.h - The meaning of aten ops on linalg ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace kgen::conversion {

#define GEN_PASS_DECL
#include "kgen/Conversion/AtenToLinalg/Passes.h.inc"

/// Adds the lowering of every aten op to PATTERNS. They expect static shapes and ops that verify.
void populateAtenToLinalgPatterns(mlir::RewritePatternSet &patterns);

#define GEN_PASS_REGISTRATION
#include "kgen/Conversion/AtenToLinalg/Passes.h.inc"

} // namespace kgen::conversion
