//===- Workers.h - What kgen's binaries do for each other -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>
#include <string>

namespace kgen::evaluate {

/// `kgen-eval --kgen-doctor host|card`: whether it answers, as one JSON line {"host": "answers"},
/// {"card": "NVIDIA H200, ...", "cuda": "answers"} or {"driver": "no CUDA driver ..."}. Two processes, because a driver
/// may hang or die.
int runDoctorProbe(const std::string &what);

/// `kgen-eval --kgen-cards`: how many cards the driver sees, and the digest of this version, as one JSON line {"cards":
/// 4, "version": "..."}.
int printCards();

/// Runs a hidden sub-command of kgen's binaries when ARGV names one; every tool that evaluates calls it
/// first in main().
std::optional<int> runWorkerIfAsked(int argc, char **argv);

} // namespace kgen::evaluate
