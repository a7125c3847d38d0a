//===- JailCalls.h - Seccomp filters --------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Toolchain/Jail.h"

#include <linux/filter.h>

namespace kgen::toolchain {

/// The filter for RULES, empty for All. Made for the calling process: OneProcess, Compute and Kernel allow signals to
/// its own threads only, so it is to be installed by the process that asked for it.
std::vector<sock_filter> makeCallFilter(CallRules rules);

/// Installs PROGRAM for this thread and its children; 0 or errno. Safe between fork and exec.
int installCallFilter(const std::vector<sock_filter> &program);

} // namespace kgen::toolchain
