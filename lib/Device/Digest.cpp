//===- Digest.cpp - A keyed sum that tells buffers apart ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Device/Digest.h"

#include "kgen/Device/Parallel.h"

#include <atomic>
#include <cstring>

using namespace kgen;
using namespace kgen::device;

/// Steele, Lea and Flood's SplitMix64 finaliser.
static inline uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

uint64_t kgen::device::digestStep(uint64_t key) { return mix(key + 0x9e3779b97f4a7c15ull) | 1; }

uint64_t kgen::device::digestBytes(const void *bytes, size_t size, uint64_t key, unsigned threads) {
  const uint64_t step = digestStep(key);
  const char *base = static_cast<const char *>(bytes);
  std::atomic<uint64_t> total{0};
  parallelFor(int64_t(size / 8), threads, [&](int64_t begin, int64_t end) {
    uint64_t sum = 0;
    for (int64_t i = begin; i < end; ++i) {
      uint64_t word;
      memcpy(&word, base + i * 8, 8);
      sum += mix((word ^ key) + uint64_t(i) * step);
    }
    total += sum;
  });
  if (size % 8) {
    uint64_t word = 0;
    memcpy(&word, base + size / 8 * 8, size % 8);
    total += mix((word ^ key) + uint64_t(size / 8) * step);
  }
  return total;
}
