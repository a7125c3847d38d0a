//===- SiblingTool.h - kgen's tools beside this one -----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace kgen::toolchain {

/// Where kgen's tool NAME lies: beside the worker's binary. It need not be there.
std::string siblingTool(const char *name);

/// Runs PROGRAM with ARGUMENTS and `-o OUTPUT`, two minutes at most. Nothing when it succeeded, else the first line
/// that it printed; an error only where no process could be run.
llvm::Expected<std::optional<std::string>>
runSiblingTool(const std::string &program, const std::vector<std::string> &arguments, const std::string &output);

} // namespace kgen::toolchain
