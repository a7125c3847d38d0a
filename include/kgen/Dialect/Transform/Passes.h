//===- Passes.h - Applying directives ---------------------------*- C++ -*-===//
#pragma once

#include "kgen/Dialect/Transform/KGenTransform.h"

#include "mlir/Pass/Pass.h"

namespace kgen::directive {

#define GEN_PASS_DECL
#include "kgen/Dialect/Transform/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "kgen/Dialect/Transform/Passes.h.inc"

} // namespace kgen::directive
