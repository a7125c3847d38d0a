//===- Architectures.cpp - What an architecture's chips have --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Support/Architectures.h"

#include "llvm/ADT/STLExtras.h"

namespace kgen {

namespace {
struct Architecture {
  llvm::StringLiteral name;
  int64_t sharedBytesPerBlock, multiprocessors;
};
} // namespace

// Opt-in shared memory of a block by compute capability (CUDA C++ programming guide), multiprocessors of the A100,
// A10, L40S, H200, B200 and RTX 5090.
static constexpr Architecture architectures[] = {
    {"sm_80", 166912, 108},   {"sm_86", 101376, 72},   {"sm_89", 101376, 142},
    {"sm_90", 232448, 132},   {"sm_90a", 232448, 132}, {"sm_100", 232448, 148},
    {"sm_100a", 232448, 148}, {"sm_120", 101376, 170}, {"sm_120a", 101376, 170},
};

Chip chipOf(llvm::StringRef arch) {
  Chip chip;
  chip.arch = arch.str();
  for (const Architecture &one : architectures)
    if (one.name == arch) {
      chip.sharedBytesPerBlock = one.sharedBytesPerBlock;
      chip.multiprocessors = one.multiprocessors;
    }
  return chip;
}

bool isKnownArchitecture(llvm::StringRef arch) {
  return llvm::any_of(architectures, [&](const Architecture &one) { return one.name == arch; });
}

bool hasClusters(llvm::StringRef arch) {
  int capability = 0;
  arch.consume_front("sm_");
  arch.take_while([](char c) { return c >= '0' && c <= '9'; }).getAsInteger(10, capability);
  return capability >= 90;
}

} // namespace kgen
