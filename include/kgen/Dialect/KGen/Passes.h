//===- Passes.h - Passes on dispatches --------------------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Dialect/KGen/KGen.h"

#include "mlir/Pass/Pass.h"

namespace kgen {

#define GEN_PASS_DECL
#include "kgen/Dialect/KGen/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "kgen/Dialect/KGen/Passes.h.inc"

} // namespace kgen
