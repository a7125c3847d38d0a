//===- Poison.h - What stands in memory before a run ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words that differ from place to place and from run to run, so that no kernel
// can rely on what it has not written. The formula stands in PoisonWord.h, for
// the host and for a card.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace kgen::device {

/// Part of the stream of one buffer in one run.
struct Poison {
  uint32_t seed = 0;  ///< of the run
  uint32_t salt = 0;  ///< of the buffer
  uint64_t first = 0; ///< word of the buffer that the part begins with
};

/// The seed of run TURN with the random BITS: every fourth run finds the same word everywhere, in turn a NaN, zero, a
/// large number and one; the others a mixture of all kinds. So whoever is tried four times has met both.
uint32_t poisonSeed(uint64_t turn, uint32_t bits);

/// Word I of the part.
uint32_t poisonWord(const Poison &poison, uint64_t i);
/// Writes WORDS words.
void fillPoison(const Poison &poison, void *to, size_t words);
/// How many of the WORDS words at BYTES are others.
uint64_t countOthers(const Poison &poison, const void *bytes, size_t words);

} // namespace kgen::device
