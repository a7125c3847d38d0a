//===- GraphPlan.h - What a plan for a graph must say ---------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Candidate/LaunchPlan.h"

#include "llvm/Support/Error.h"

namespace kgen::evaluate {

/// What a plan for GRAPH (MLIR text) says of inputs, outputs and class: the generic lowering's, from kgen-opt and
/// kgen-translate beside kgen-eval. Remembers the last graph. Thread safe.
llvm::Expected<candidate::LaunchPlan> planOfGraph(llvm::StringRef graph);

} // namespace kgen::evaluate
