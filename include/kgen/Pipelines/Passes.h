//===- Passes.h - The pass that asks for an idea ----------------*- C++ -*-===//
#pragma once

#include "kgen/Support/Chip.h"

#include "mlir/Pass/Pass.h"

#include <memory>

namespace kgen {

#define GEN_PASS_DECL
#include "kgen/Pipelines/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "kgen/Pipelines/Passes.h.inc"

} // namespace kgen
