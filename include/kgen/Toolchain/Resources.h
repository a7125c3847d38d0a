//===- Resources.h - Registers, shared memory, spills, occupancy ----------===//
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

/// Reads ptxas's `-v` report ("Used 40 registers, ... bytes smem"), one entry per kernel.
std::vector<candidate::KernelResources> parsePtxasLog(llvm::StringRef log);

/// What ptxas did not do although the text asks for it: warpgroup products made one after the other, registers that
/// do not change hands. One sentence; "" when there is nothing of the kind.
std::string findLostInstructions(llvm::StringRef log);

/// Why CUBIN must not run: it calls into CUDA's device runtime for something else than printing or an assertion. Memory
/// of the device's heap outlives a launch, and so might a child grid. "" when it does not.
std::string findRuntimeCalls(llvm::StringRef cubin);

/// Why a kernel of PTX must not run: it reads a register that tells where memory of the driver lies, which outlives a
/// launch. "" when it does not.
std::string findDriversRegisters(llvm::StringRef ptx);

/// Marks the kernels whose PTX holds mma, wmma or wgmma instructions.
void markTensorCores(llvm::StringRef ptx, std::vector<candidate::KernelResources> &kernels);

/// Limits of one multiprocessor; the defaults are compute capability 9.0.
struct MultiprocessorLimits {
  int threads = 2048, blocks = 32, registers = 65536, sharedBytes = 233472;
  int registerGranule = 256; ///< per warp
  int reservedShared = 1024; ///< per block, taken by the system
};

/// Resident threads over LIMITS.threads when blocks of THREADS threads with DYNAMIC bytes of dynamic
/// shared memory fill a multiprocessor; 0 when not one block fits.
double occupancy(const candidate::KernelResources &kernel, int threads, int64_t dynamicShared,
                 const MultiprocessorLimits &limits = {});

} // namespace kgen::toolchain
