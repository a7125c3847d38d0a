//===- PoisonTest.cpp - What stands in memory before a run ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Device/Poison.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

using namespace kgen;
using namespace kgen::device;

static float asFloat(uint32_t word) {
  float value;
  memcpy(&value, &word, 4);
  return value;
}

TEST(Poison, FillAndCountAgreeWithTheWords) {
  for (uint32_t seed : {poisonSeed(0, 12345), poisonSeed(3, 12345), poisonSeed(11, 7)})
    for (uint64_t first : {0ull, 5ull, 8191ull, 1ull << 33}) {
      const Poison poison = {seed, 3, first};
      std::vector<uint32_t> words(20000);
      fillPoison(poison, words.data(), words.size());
      for (size_t i = 0; i < words.size(); ++i)
        ASSERT_EQ(words[i], poisonWord(poison, i)) << seed << " " << first << " " << i;
      EXPECT_EQ(countOthers(poison, words.data(), words.size()), 0u);
      words[19999] ^= 1;
      words[7] ^= 0x80000000u;
      EXPECT_EQ(countOthers(poison, words.data(), words.size()), 2u);
    }
}

/// A kernel that works on one kind of number only meets the others too.
TEST(Poison, AMixtureHoldsEveryKind) {
  std::map<std::string, int> kinds;
  const Poison poison = {poisonSeed(0, 99), 1, 0};
  for (int i = 0; i < 4096; ++i) {
    const float value = asFloat(poisonWord(poison, uint64_t(i)));
    ++kinds[std::isnan(value)         ? "nan"
            : std::isinf(value)       ? "inf"
            : value == 0              ? "zero"
            : std::fabs(value) > 1e3  ? "large"
            : std::fabs(value) < 1e-3 ? "small"
                                      : "ordinary"];
  }
  for (const char *kind : {"nan", "inf", "zero", "large", "small", "ordinary"})
    EXPECT_GT(kinds[kind], 100) << kind;
}

TEST(Poison, EveryFourthRunIsOneWord) {
  std::map<uint32_t, int> uniform;
  for (uint64_t turn = 0; turn < 16; ++turn) {
    const Poison poison = {poisonSeed(turn, 0xdeadbeef), 2, 0};
    bool same = true;
    for (uint64_t i = 1; i < 100; ++i)
      same &= poisonWord(poison, i) == poisonWord(poison, 0);
    EXPECT_EQ(same, turn % 4 == 3) << turn;
    if (same)
      ++uniform[poisonWord(poison, 0)];
  }
  EXPECT_EQ(uniform.size(), 4u); // a NaN, zero, a large number, one
  EXPECT_EQ(uniform.count(0), 1u);
}

TEST(Poison, BuffersAndRunsDiffer) {
  int same = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    same += poisonWord({poisonSeed(0, 1 << 8), 1, 0}, i) == poisonWord({poisonSeed(0, 1 << 8), 2, 0}, i);
    same += poisonWord({poisonSeed(0, 1 << 8), 1, 0}, i) == poisonWord({poisonSeed(0, 2 << 8), 1, 0}, i);
    same += poisonWord({poisonSeed(0, 1 << 8), 1, 0}, i) == poisonWord({poisonSeed(0, 1 << 8), 1, 0}, i + 8192);
  }
  EXPECT_LT(same, 3 * 1000 / 5); // zeros meet zeros
}
