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

TEST(UntrustedText, NothingThatNobodySees) {
  auto why = [](llvm::StringRef text) { return findDisguise(text, "it"); };
  EXPECT_EQ(why("plain\r\ntext \xC3\xA9 \xE2\x80\x94 \xF0\x9F\x98\x80\n"), "");
  EXPECT_EQ(why("\xE2\x9A\xA0\xEF\xB8\x8F 1\xEF\xB8\x8F"), "");       // a warning sign and a key, each as a picture
  EXPECT_EQ(why("\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB"), ""); // one symbol of two that are joined
  EXPECT_EQ(why("a\xE2\x80\x8B"), "it holds the invisible character U+200B, which no reader of the text sees");
  EXPECT_EQ(why("\xE2\x80\xAE"),
            "it holds the bidirectional control character U+202E, which makes text read differently "
            "from what it is");
  EXPECT_EQ(why("a\rb"),
            "it holds a carriage return that ends no line, which makes text read differently from what it is");
  EXPECT_EQ(why("\xF3\xA0\x81\x89"), "it holds the invisible character U+E0049, which no reader of the text sees");
  EXPECT_EQ(why("\xff"), "it is not UTF-8");
  // Tags, a separator of lines, a filler, a joiner and a variation of nothing, and more than one variation.
  for (const char *text : {"\xF3\xA0\x81\x81", "\xE2\x80\xA8", "\xE3\x85\xA4", "a\xE2\x80\x8D", "a\xEF\xB8\x8F",
                           "\xE2\x9A\xA0\xEF\xB8\x8F\xEF\xB8\x8F", "\xE2\x9A\xA0\xEF\xB8\x80"})
    EXPECT_NE(why(text), "") << text;
  EXPECT_EQ(printable("a\xE2\x80\x8B\xF3\xA0\x81\x81z \xE2\x9A\xA0\xEF\xB8\x8F"), "a??z \xE2\x9A\xA0\xEF\xB8\x8F");
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
