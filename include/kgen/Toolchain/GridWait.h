//===- GridWait.h - Kernels that wait for those before them ------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace kgen::toolchain {

/// SOURCE, CUDA-C, where each kernel first waits until the launches before it are over and what they wrote is to be
/// seen (griddepcontrol.wait of the PTX ISA, from compute capability 9.0 on). Such a kernel may be launched while its
/// predecessor still runs; launched as usual it waits for nothing. Lines keep their numbers. A kernel that a macro
/// spells stays as it is.
std::string withGridWaits(llvm::StringRef source);

/// Whether cards of ARCH ("sm_90a") know that instruction.
bool hasGridWait(llvm::StringRef arch);

} // namespace kgen::toolchain
