//===- Passes.h - Applying directives ---------------------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Dialect/Transform/KGenTransform.h"

#include "mlir/Pass/Pass.h"

namespace kgen::directive {

#define GEN_PASS_DECL
#include "kgen/Dialect/Transform/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "kgen/Dialect/Transform/Passes.h.inc"

} // namespace kgen::directive
