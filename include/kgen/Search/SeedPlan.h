//===- SeedPlan.h - The launch plan of a kernel written by hand -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Candidate/LaunchPlan.h"

namespace kgen::search {

/// The plan of CUDA for the problem whose round 0 has plan GENERIC. TEXT is a whole plan.json, or an
/// object with "launches" and perhaps "workspace" only; when empty, lines of CUDA's header say it:
///   // kgen-workspace: 4194304                  bytes of ws0, the next line those of ws1
///   // kgen-launch: kernel=NAME grid=500,2 block=256 shared=1024 args=in0,out0,ws0+256,i32:5,f32:0.5
/// one line for each launch, in order. The Error is one sentence.
llvm::Expected<std::string> completeSeedPlan(const candidate::LaunchPlan &generic, llvm::StringRef cuda,
                                             llvm::StringRef text);

} // namespace kgen::search
