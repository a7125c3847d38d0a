//===- Diagnosis.h - What bounds a candidate, in words ---------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Candidate/LaunchPlan.h"
#include "kgen/Candidate/Measurement.h"

#include <string>

namespace kgen::candidate {

/// Behind it a diagnosis lists facts of single kernels: the machine code, and what a profiler saw.
inline constexpr llvm::StringLiteral machineCodeMark = ". Machine code of ";

/// What bounds a timed candidate, and the numbers that say so, in one line. On a card it begins with one of
/// "memory bound", "tensor-core bound", "arithmetic bound", "launch bound", "occupancy bound" and "latency
/// bound". FLOPS is the graph's; 0 when unknown. Words that name another bound are avoided up to
/// machineCodeMark: the builtin proposer looks for them.
std::string diagnose(const Measurement &measurement, const LaunchPlan &plan, double flops);

} // namespace kgen::candidate
