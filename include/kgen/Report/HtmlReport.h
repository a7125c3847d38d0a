//===- HtmlReport.h - A run as one page ------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Report/RunReport.h"

#include <string>

namespace kgen::report {

/// RUN as one self-contained HTML page without scripts: what was asked, the best-so-far curve, every branch, the tree
/// of ideas, the best kernel with its diagnosis, the prior and the costs. REPORT is summarizeRun(RUN). Words of
/// proposers and candidates are escaped, and the page forbids itself to load anything.
std::string printReportHtml(const RunReport &report, const trajectory::RunFolder &run);

} // namespace kgen::report
