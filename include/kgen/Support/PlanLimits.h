//===- PlanLimits.h - What plans of networks may have -----------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Known to who cuts a network, who puts its kernels together and who reads the plan.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace kgen {

/// Six GRU layers of 512 steps are 6,151 steps with 24,589 launches of tuned kernels and 22,051 workspaces, in 14 MB.
constexpr size_t mostLaunches = 65536;
/// What buffers begin at, in bytes, and parts of buffers that steps read and write: a task may take one for the other.
constexpr int64_t bufferAlignment = 256;

} // namespace kgen
