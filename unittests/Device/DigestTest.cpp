//===- DigestTest.cpp - A keyed sum tells buffers apart -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Device/Digest.h"

#include "gtest/gtest.h"

#include <vector>

using namespace kgen;
using namespace kgen::device;

TEST(Digest, TellsBuffersApart) {
  std::vector<unsigned char> bytes(1001);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = (unsigned char)(i * 7);
  uint64_t whole = digestBytes(bytes.data(), bytes.size(), 5);
  EXPECT_EQ(digestBytes(bytes.data(), bytes.size(), 5, 8), whole);
  EXPECT_NE(digestBytes(bytes.data(), bytes.size(), 6), whole);
  EXPECT_NE(digestBytes(bytes.data(), bytes.size() - 1, 5), whole);
  bytes[1000] ^= 1;
  EXPECT_NE(digestBytes(bytes.data(), bytes.size(), 5), whole);
  bytes[1000] ^= 1;
  // Two words that change places, and threads over many words.
  std::vector<uint64_t> words(1 << 18);
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = i * i;
  uint64_t before = digestBytes(words.data(), words.size() * 8, 1, 1);
  EXPECT_EQ(digestBytes(words.data(), words.size() * 8, 1, 4), before);
  std::swap(words[10], words[20]);
  EXPECT_NE(digestBytes(words.data(), words.size() * 8, 1, 4), before);
}
