//===- PlanBranches.h - Which launches may run side by side -----*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Candidate/LaunchPlan.h"
#include "kgen/Runtime/LaunchBranches.h"

namespace kgen::candidate {

/// What each launch of a run of PLAN, of version 2, uses; what prepares is left out. A launch reads what its step reads
/// and writes what its step writes, as far as it points there; workspaces of the step's own it may write. KEEPSSTATE
/// says, by module, whose kernels have variables, which one launch at a time uses. Workspaces are where they lie in the
/// arena, or, without INARENA, each by itself.
std::vector<std::vector<runtime::Access>> findAccesses(const LaunchPlan &plan, const std::vector<bool> &keepsState,
                                                       bool inArena);

} // namespace kgen::candidate
