//===- Landlock.h - File rules of the kernel ------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Toolchain/Jail.h"

namespace kgen::toolchain {

/// The version of the kernel's Landlock interface; 0 where there is none.
int landlockVersion();

/// A descriptor of a ruleset that leaves FILES and, where the version knows how, no TCP port, no abstract
/// socket and no signal to processes outside. -1 when the kernel refuses.
int makeLandlockRules(const FileRules &files);

/// Binds this thread and its children; 0 or errno. Safe between fork and exec.
int enterLandlock(int ruleset);

} // namespace kgen::toolchain
