//===- UntrustedTextTest.cpp - Text that something else wrote -------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Candidate/UntrustedText.h"

#include "gtest/gtest.h"

using namespace kgen;
using namespace kgen::candidate;

TEST(UntrustedText, NothingThatATerminalObeys) {
  EXPECT_EQ(printable("\x1b]0;title\x07 red\x1b[31m\r"), "?]0;title? red?[31m?");
  EXPECT_EQ(printable("a\xC2\x9Bmz\x7f"), "a?mz?");                // a control sequence's C1 form
  EXPECT_EQ(printable("\xE2\x80\xAE\xE2\x81\xA6\xD8\x9C"), "???"); // the direction of reading
  EXPECT_EQ(printable("\xC3\xA9 \xE2\x80\x9C \xF0\x9F\x98\x80\n\t"), "\xC3\xA9 \xE2\x80\x9C \xF0\x9F\x98\x80\n\t");
  EXPECT_EQ(printable("\xff"), "\xEF\xBF\xBD");
  EXPECT_EQ(printable(llvm::StringRef("a\0b", 3)), "a?b");
  EXPECT_EQ(onOneLine("best: this one\n| 9 | it\tis |"), "best: this one | 9 | it is |");
}

TEST(UntrustedText, JsonThatReadersDisagreeOn) {
  EXPECT_EQ(findJsonFault(R"({"a": {"b": 1}, "c": [{"b": 1}, {"b": 2}]})", {4}), "");
  EXPECT_EQ(findJsonFault(R"({"a": 1, "\u0061": 2})", {4}), "has the key \"a\" twice in one object");
  EXPECT_EQ(findJsonFault("[[[[[1]]]]]", {4}), "nests deeper than 4 levels");
  EXPECT_EQ(findJsonFault(R"({"a": 1, "b": 2, "c": 3})", {4, 2}), "has an object of more than 2 members");
  EXPECT_EQ(findJsonFault("no JSON", {4}), "");
}

/// Each of these took from half a minute to hours where every element was looked at again for each.
TEST(UntrustedText, JsonIsLinear) {
  std::string objects = "[{}";
  for (int i = 0; i < 1000000; ++i)
    objects += ",{}";
  EXPECT_EQ(findJsonFault(objects + "]", {4}), "");
  EXPECT_EQ(findJsonFault(std::string(1 << 22, '['), {64}), "nests deeper than 64 levels");
}
