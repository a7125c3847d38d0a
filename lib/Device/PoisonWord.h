// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands in memory that nobody has written: for the host, and in front of trusted_kernels.cu for a card.
#ifndef KGEN_POISON_WORD_H
#define KGEN_POISON_WORD_H

#ifdef __CUDACC__
#define KGEN_POISON static __device__ __forceinline__
#else
#define KGEN_POISON static inline
#endif

/// A word in which each bit of X counts (the end of MurmurHash3, public domain).
KGEN_POISON unsigned kgen_poison_mix(unsigned x) {
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return x ^ x >> 16;
}

enum { KGEN_POISON_TILE = 8192 };

/// Whether all words of SEED are one.
KGEN_POISON bool kgen_poison_is_uniform(unsigned seed) { return (seed & 3) == 3; }

/// Word I of KGEN_POISON_TILE. What a kernel could look for is there: NaN, large and small numbers, zeros, infinities,
/// numbers as inputs have them (in fp32 and fp16), anything.
KGEN_POISON unsigned kgen_poison_tile(unsigned seed, unsigned i) {
  unsigned kind, h;
  if (kgen_poison_is_uniform(seed)) {
    kind = seed >> 2 & 3;
    h = kgen_poison_mix(seed);
  } else {
    h = kgen_poison_mix(kgen_poison_mix(seed) + i * 0x9e3779b9u);
    kind = h >> 28 & 7;
  }
  switch (kind) {
  case 0:
    return 0x7fc00001u | (h & 0x3fffffu);
  case 1:
    return 0;
  case 2:
    return 0x4b000000u | (h & 0x807fffffu);
  case 3:
    return kgen_poison_is_uniform(seed) ? 0x3f800000u : 0x3f000000u | (h & 0x80ffffffu);
  case 4:
    return h & 0x8000ffffu;
  case 5:
    return 0x7f800000u | (h & 0x80000000u);
  case 6:
    return 0x3c003c00u | (h & 0x83ff83ffu);
  default:
    return h;
  }
}

/// Where in the tile buffer SALT's word I lies.
KGEN_POISON unsigned kgen_poison_place(unsigned salt, unsigned long long i) {
  return (unsigned)(i + salt * 977ull) % KGEN_POISON_TILE;
}

/// What is added (exclusive or) to the tile's words for word I: the tile repeats, memory does not.
KGEN_POISON unsigned kgen_poison_turn(unsigned seed, unsigned salt, unsigned long long i) {
  unsigned turn = (unsigned)((i + salt * 977ull) / KGEN_POISON_TILE);
  return turn == 0 || kgen_poison_is_uniform(seed) ? 0 : kgen_poison_mix(seed + turn * 0x632be5abu) & 0x3fffu;
}

/// Word I of buffer SALT in a run with SEED.
KGEN_POISON unsigned kgen_poison_word(unsigned seed, unsigned salt, unsigned long long i) {
  return kgen_poison_tile(seed, kgen_poison_place(salt, i)) ^ kgen_poison_turn(seed, salt, i);
}

#endif
