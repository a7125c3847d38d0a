//===- Passes.h - From dispatches to CUDA-C text --------------------------===//
//
// The generic path and the kernel families. Every pass turns tensor ops into kgen.source
// (the text) and kgen.launch (grid, block, arguments).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Support/Chip.h"

#include "mlir/Pass/Pass.h"

#include <memory>

namespace kgen {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "kgen/Kernels/Passes.h.inc"

} // namespace kgen
