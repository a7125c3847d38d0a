//===- PlanCheck.h - Is a plan about the graph that it comes with? --------===//
#pragma once

#include "kgen/Candidate/LaunchPlan.h"

namespace kgen::candidate {

/// Where PLAN is about another problem than EXPECTED: its precision class, its inputs (types, shapes, how they are
/// drawn, which are weights) or its outputs. "" where they agree; kernels and names are nobody's business.
std::string findPlanFault(const LaunchPlan &plan, const LaunchPlan &expected);

} // namespace kgen::candidate
