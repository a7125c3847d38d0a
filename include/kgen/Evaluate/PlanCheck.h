//===- PlanCheck.h - Is a plan about the graph that it comes with? --------===//
#pragma once

#include "kgen/Evaluate/LaunchPlan.h"

#include "llvm/Support/Error.h"

namespace kgen {

/// Where PLAN is about another problem than EXPECTED: its precision class, its inputs (types, shapes, how they are
/// drawn, which are weights) or its outputs. "" where they agree; kernels and names are nobody's business.
std::string findPlanFault(const LaunchPlan &plan, const LaunchPlan &expected);

/// What a plan for GRAPH (MLIR text) says of inputs, outputs and class: the generic lowering's, from kgen-opt and
/// kgen-translate beside kgen-eval. Remembers the last graph. Thread safe.
llvm::Expected<LaunchPlan> planOfGraph(llvm::StringRef graph);

} // namespace kgen
