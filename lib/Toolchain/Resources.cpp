//===- Resources.cpp - Registers, shared memory, spills, occupancy --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Toolchain/Resources.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>

using namespace kgen;
using namespace kgen::toolchain;

/// The number that stands right before WORDS in LINE, e.g. 40 in "Used 40 registers".
static int numberBefore(llvm::StringRef line, llvm::StringRef words) {
  size_t at = line.find(words);
  if (at == llvm::StringRef::npos)
    return 0;
  llvm::StringRef head = line.take_front(at).rtrim();
  size_t digits = head.find_last_not_of("0123456789");
  int value = 0;
  head.substr(digits == llvm::StringRef::npos ? 0 : digits + 1).getAsInteger(10, value);
  return value;
}

std::vector<candidate::KernelResources> kgen::toolchain::parsePtxasLog(llvm::StringRef log) {
  std::vector<candidate::KernelResources> kernels;
  llvm::SmallVector<llvm::StringRef> lines;
  log.split(lines, '\n');
  bool inEntry = false;
  for (llvm::StringRef line : lines) {
    if (line.contains("Compiling entry function")) {
      kernels.emplace_back();
      kernels.back().kernel = line.split('\'').second.split('\'').first.str();
      inEntry = true;
    } else if (line.contains("Function properties for")) {
      // Also printed for device functions that were not inlined; those are not the kernel's own.
      inEntry = !kernels.empty() && line.rtrim().ends_with("for " + kernels.back().kernel);
    } else if (!kernels.empty() && line.contains("bytes stack frame")) {
      candidate::KernelResources &k = kernels.back();
      k.spillBytes += numberBefore(line, "bytes spill stores") + numberBefore(line, "bytes spill loads");
      if (inEntry)
        k.stackBytes = numberBefore(line, "bytes stack frame");
    } else if (!kernels.empty() && line.contains("Used ") && line.contains("registers")) {
      kernels.back().registers = numberBefore(line, " registers");
      kernels.back().sharedBytes = numberBefore(line, "bytes smem");
    }
  }
  return kernels;
}

std::string kgen::toolchain::findLostInstructions(llvm::StringRef log) {
  llvm::SmallVector<llvm::StringRef> lines;
  log.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    llvm::StringRef why = line.split("Potential Performance Loss: ").second.rtrim();
    if (why.contains("wgmma.mma_async instructions are serialized") || why.contains("'setmaxnreg' ignored"))
      return ("ptxas gives up what the kernel asks for: " + why).str();
  }
  return "";
}

void kgen::toolchain::markTensorCores(llvm::StringRef ptx, std::vector<candidate::KernelResources> &kernels) {
  for (candidate::KernelResources &kernel : kernels) {
    llvm::StringRef rest = ptx;
    while (true) {
      size_t at = rest.find(".entry " + kernel.kernel);
      if (at == llvm::StringRef::npos)
        break;
      rest = rest.substr(at + 7 + kernel.kernel.size());
      if (!rest.starts_with("("))
        continue; // a longer name
      // Up to the next function: inline assembly has braces of its own.
      llvm::StringRef body = rest.take_front(std::min(rest.find(".entry "), rest.find(".func ")));
      kernel.tensorCore = body.contains("wgmma.mma") || body.contains("wmma.mma") || body.contains("mma.sync");
      break;
    }
  }
}

double kgen::toolchain::occupancy(const candidate::KernelResources &kernel, int threads, int64_t dynamicShared,
                                  const MultiprocessorLimits &limits) {
  if (threads <= 0)
    return 0;
  int warps = (threads + 31) / 32;
  int64_t blocks = std::min(limits.blocks, limits.threads / (warps * 32));
  if (kernel.registers > 0) {
    // Registers are handed out per warp in granules.
    int perWarp =
        (kernel.registers * 32 + limits.registerGranule - 1) / limits.registerGranule * limits.registerGranule;
    blocks = std::min<int64_t>(blocks, limits.registers / perWarp / warps);
  }
  int64_t shared = kernel.sharedBytes + dynamicShared + limits.reservedShared;
  blocks = std::min<int64_t>(blocks, limits.sharedBytes / shared);
  return double(blocks * warps * 32) / limits.threads;
}
