//===- Passes.h - The pass that asks for an idea ----------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Support/Chip.h"

#include "mlir/Pass/Pass.h"

#include <memory>

namespace kgen::pipelines {

#define GEN_PASS_DECL
#include "kgen/Pipelines/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "kgen/Pipelines/Passes.h.inc"

} // namespace kgen::pipelines
