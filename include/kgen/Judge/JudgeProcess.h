//===- JudgeProcess.h - The judges of a card, in a process of their own ---===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace kgen::judge {

/// kgen's own kernels for the judge, CUDA-C (lib/Judge/judge_kernels.cu).
llvm::StringRef judgeKernelsText();

/// The child's side: `BINARY --kgen-judge-worker DEVICE`.
int runJudgeWorker(llvm::ArrayRef<std::string> arguments);

} // namespace kgen::judge
