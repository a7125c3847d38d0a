//===- Export.h - Runs as a data set --------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Trajectory/RunFolder.h"

namespace kgen::trajectory {

/// One line of JSON for each branch of RUN that has a verdict, failures included, as
/// docs/dataset.schema.json describes: what was asked and answered, idea, directives, code, verdict, times.
/// LICENCE is an SPDX expression. The Error names the file that cannot be read.
llvm::Expected<std::string> exportRun(const RunFolder &run, llvm::StringRef licence);

} // namespace kgen::trajectory
