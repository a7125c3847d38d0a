//===- PlanCheck.h - Is a plan about the graph that it comes with? --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Candidate/LaunchPlan.h"

namespace kgen::candidate {

/// Where PLAN is about another problem than EXPECTED: its precision class, its inputs (types, shapes, how they are
/// drawn, which are weights) or its outputs. "" where they agree; kernels and names are nobody's business.
std::string findPlanFault(const LaunchPlan &plan, const LaunchPlan &expected);

} // namespace kgen::candidate
