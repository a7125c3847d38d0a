//===- Rules.h - Whose rules a verdict follows ----------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Candidate/LaunchPlan.h"

namespace kgen::judge {

/// Which inputs a candidate is tried on and what its outputs may be off by. Everything else (red zones,
/// repeats, rechecked timing) is the same under all rules.
enum class Rules {
  KGen,            ///< measured tolerance, exact integers, hostile inputs (docs/trust.md)
  KernelBench2025, ///< five random inputs, allclose(1e-2, 1e-2): what the results of early 2025 were judged by
  KernelBench      ///< five random inputs, allclose(1e-4, 1e-4) for fp32 and 1e-2 for halves
};

/// "kgen", "kernelbench-2025", "kernelbench".
llvm::StringRef rulesName(Rules rules);
std::optional<Rules> parseRules(llvm::StringRef name);

/// Random inputs that the published benchmark tries.
constexpr unsigned publishedTrials = 5;
/// Both tolerances of its allclose for outputs of DTYPE; 0 under kgen's own rules.
double publishedTolerance(Rules rules, candidate::DType dtype);

} // namespace kgen::judge
