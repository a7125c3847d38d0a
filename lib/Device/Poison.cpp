//===- Poison.cpp - What stands in memory before a run --------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Device/Poison.h"

#include "PoisonWord.h"

#include <algorithm>
#include <array>
#include <cstring>

using namespace kgen;
using namespace kgen::device;

uint32_t kgen::device::poisonSeed(uint64_t turn, uint32_t bits) {
  if (turn % 4 == 3)
    return (bits & ~15u) | uint32_t(turn / 4 % 4) << 2 | 3;
  return bits % 4 == 3 ? bits - 1 : bits;
}

uint32_t kgen::device::poisonWord(const Poison &poison, uint64_t i) {
  return kgen_poison_word(poison.seed, poison.salt, poison.first + i);
}

/// The words of SEED, made once for all buffers of a run.
static const uint32_t *tileOf(uint32_t seed) {
  static thread_local std::array<uint32_t, KGEN_POISON_TILE> tile;
  static thread_local uint32_t madeFor = 0;
  static thread_local bool made = false;
  if (!made || madeFor != seed)
    for (unsigned i = 0; i < KGEN_POISON_TILE; ++i)
      tile[i] = kgen_poison_tile(seed, i);
  made = true;
  madeFor = seed;
  return tile.data();
}

/// Calls PART(words before it, place in the tile, how many, what is added) until WORDS are covered.
template <class F>
static void forParts(const Poison &poison, size_t words, F part) {
  for (size_t done = 0; done < words;) {
    const uint64_t at = poison.first + done;
    const unsigned place = kgen_poison_place(poison.salt, at);
    const size_t count = std::min<size_t>(words - done, KGEN_POISON_TILE - place);
    part(done, place, count, kgen_poison_turn(poison.seed, poison.salt, at));
    done += count;
  }
}

void kgen::device::fillPoison(const Poison &poison, void *to, size_t words) {
  const uint32_t *tile = tileOf(poison.seed);
  auto *out = static_cast<uint32_t *>(to);
  forParts(poison, words, [&](size_t done, unsigned place, size_t count, uint32_t turn) {
    for (size_t i = 0; i < count; ++i)
      out[done + i] = tile[place + i] ^ turn;
  });
}

uint64_t kgen::device::countOthers(const Poison &poison, const void *bytes, size_t words) {
  const uint32_t *tile = tileOf(poison.seed);
  uint64_t others = 0;
  forParts(poison, words, [&](size_t done, unsigned place, size_t count, uint32_t turn) {
    for (size_t i = 0; i < count; ++i) {
      uint32_t word;
      memcpy(&word, static_cast<const char *>(bytes) + (done + i) * 4, 4);
      others += word != (tile[place + i] ^ turn);
    }
  });
  return others;
}
