//===- Comparison.h - Several runs side by side ---------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Report/RunReport.h"

#include "llvm/ADT/ArrayRef.h"

namespace kgen::report {

/// The runs' best kernels, in which round and after how many branches each was found, and the best
/// time after a quarter, half, three quarters and all of the longest run's branches. RUNS are about one
/// problem on one device.
std::string printComparisonText(llvm::ArrayRef<RunReport> runs);
std::string printComparisonMarkdown(llvm::ArrayRef<RunReport> runs);
/// With every point of the best-so-far curves.
std::string printComparisonJson(llvm::ArrayRef<RunReport> runs);

} // namespace kgen::report
