//===- HaloTiles.h - What a tile of shifted pixels may be -------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The limits of conv_halo.cuh: what the family refuses and what the catalogue
// leaves out are the same numbers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Support/Chip.h"

#include <cstdint>

namespace kgen::ideas {

/// Warpgroups that multiply in one block, at most.
constexpr int64_t mostHaloConsumers = 4;
/// Warps that load, unless the schedule says otherwise.
constexpr int64_t haloProducerWarps = 4;
/// Registers of a thread that multiplies, besides its sums.
constexpr int64_t otherHaloRegisters = 40;

/// Tiles that a block has under way unless the schedule says otherwise: a lone warpgroup takes turns with a second one.
constexpr int64_t haloTeams(int64_t partsOfTile) { return partsOfTile == 1 ? 2 : 1; }
/// Threads of a block with so many warpgroups that multiply, and those that load.
constexpr int64_t haloThreads(int64_t consumers, int64_t producerWarps = haloProducerWarps) {
  return 128 * consumers + 32 * producerWarps;
}
/// Registers that the assembler counts on in each of a block's threads.
inline int64_t haloRegisters(int64_t consumers, const Chip &chip, int64_t producerWarps = haloProducerWarps) {
  return chip.registersPerMultiprocessor / haloThreads(consumers, producerWarps) / 8 * 8;
}

} // namespace kgen::ideas
