//===- MachineCode.h - What instructions a cubin holds ---------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Candidate/Measurement.h"

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace kgen::toolchain {

/// Counts the instructions of CUBIN's kernels into KERNELS, which are found by name: `code` for the whole
/// kernel, `loop` for the busiest of its innermost loops. What does not look like a cubin of compute
/// capability 7.0 to 9.x is left alone. Needs no disassembler: see the .cpp for the encoding.
void countInstructions(llvm::StringRef cubin, std::vector<candidate::KernelResources> &kernels);

/// Counts the instructions of one kernel's TEXT, 16 bytes each.
void countInstructions(llvm::StringRef text, candidate::InstructionCounts &whole, candidate::InstructionCounts &loop);

} // namespace kgen::toolchain
