//===- Profile.h - A candidate under Nsight Compute ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Candidate/Measurement.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace kgen::evaluate {

/// ncu: what KGEN_NCU names ("off" leaves it out), on PATH, or in the toolkit's folder; empty when it is not
/// installed.
std::string findProfiler();

/// The arguments between the profiler's name and the program's, so that it prints what readProfile() reads.
std::vector<std::string> profilerArguments();

/// Reads ncu's CSV, one row for each launch and metric; lines of other kinds are passed over. Launches come in the
/// order of the plan. An empty result: the text holds no metric.
std::vector<candidate::KernelProfile> readProfile(llvm::StringRef csv);

} // namespace kgen::evaluate
