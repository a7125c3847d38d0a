//===- Passes.h - Passes on dispatches --------------------------*- C++ -*-===//
#pragma once

#include "kgen/Dialect/KGen/KGen.h"

#include "mlir/Pass/Pass.h"

namespace kgen {

#define GEN_PASS_DECL
#include "kgen/Dialect/KGen/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "kgen/Dialect/KGen/Passes.h.inc"

} // namespace kgen
