//===- ReplyTextTest.cpp - Answers of every kind --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Propose/ReplyText.h"

#include "gtest/gtest.h"

#include <chrono>

using namespace kgen;
using namespace kgen::propose;
using llvm::toString;

namespace {

std::string listOf(const std::string &answer) {
  auto list = extractList(answer, "ideas");
  return list ? *list : toString(list.takeError());
}

const std::string good = R"({"ideas": [{"idea": "x"}]})", list = R"([{"idea":"x"}])";

TEST(ReplyText, FindsTheOneList) {
  EXPECT_EQ(listOf(good), list);
  EXPECT_EQ(listOf(R"([{"idea": "x"}])"), list);
  EXPECT_EQ(listOf("\xEF\xBB\xBF \n" + good), list);
  EXPECT_EQ(listOf("Sure! Here [as asked] {really}:\n\n```json\n" + good + "\n```\nGood luck {with that}."), list);
  EXPECT_EQ(listOf("First a plan:\n```json\n{\"launches\": []}\n```\nand then\n```\n" + good + "\n```\n"), list);
  EXPECT_EQ(listOf("I say \"it's fine\": " + good + " - don't worry."), list);
  EXPECT_EQ(listOf("A 3\" tile, then: " + good), list); // a quote in prose opens no string
  EXPECT_EQ(listOf("a] b} then: " + good), list);       // nor does a bracket close anything
  EXPECT_EQ(listOf(good + "\n" + good), list);          // said twice, meant once
  EXPECT_EQ(listOf("```json\n" + good), list);          // a fence that does not close
  EXPECT_EQ(listOf(R"({"ideas": [{"idea": "a ``` fence, “quotes” and a } in a string"}]})"),
            R"([{"idea":"a ``` fence, “quotes” and a } in a string"}])");
}

/// Took hours where the parser looked at the whole list again for each of its objects.
TEST(ReplyText, ManyObjectsTakeNoLonger) {
  std::string many = "{\"ideas\": [{}";
  for (int i = 0; i < 500000; ++i)
    many += ",{}";
  EXPECT_EQ(listOf(many + "]}").size(), 3u * 500001 + 1);
}

TEST(ReplyText, SaysWhatIsWrong) {
  EXPECT_EQ(listOf(""), "reply is empty");
  EXPECT_EQ(listOf(" \n\t"), "reply is empty");
  EXPECT_EQ(listOf("I think tiles are nice."), "reply holds no JSON");
  EXPECT_EQ(listOf("{\"ideas\": [{\"idea\": \"x"), "reply is not valid JSON: it ends within an object or a list");
  EXPECT_EQ(listOf("{\"ideas\": [{\"idea\": \"x\",}]}"), "reply is not valid JSON");
  EXPECT_EQ(listOf("{\"ideas\": 3}"), "reply is an object without a list \"ideas\"");
  EXPECT_EQ(listOf("{\"thoughts\": []}"), "reply is an object without a list \"ideas\"");
  EXPECT_EQ(listOf("[1]"), "reply holds no list of ideas");
  EXPECT_EQ(listOf("{\"ideas\": [], \"ideas\": []}"), "reply has the key \"ideas\" twice in one object");
  EXPECT_EQ(listOf("```\n" + good + "\n```\nor\n```\n{\"ideas\": [{\"idea\": \"y\"}]}\n```"),
            "reply holds several blocks of JSON with \"ideas\"; expected one");
  EXPECT_EQ(listOf("{“ideas”: [{“idea”: “x”}]}"), "reply is not valid JSON; it has typographic quotes");
  EXPECT_EQ(
      listOf("{\"ideas\": [{\"idea\": \"\xE2\x80\xAE x\"}]}"),
      "reply holds the bidirectional control character U+202E, which makes text read differently from what it is");
  EXPECT_EQ(
      listOf(R"({"ideas": [{"idea": "\u2066 x"}]})"),
      "reply holds the bidirectional control character U+2066, which makes text read differently from what it is");
  EXPECT_EQ(listOf("{\"ideas\": [{\"idea\": \"\xff\xfe\"}]}"), "reply is not UTF-8");
  EXPECT_EQ(listOf(std::string(100000, '[')), "reply nests deeper than 64 levels");
  EXPECT_EQ(listOf("x " + std::string(100000, '[') + std::string(100000, ']')), "reply nests deeper than 64 levels");
  EXPECT_EQ(listOf(std::string(10 << 20, 'x')), "reply has 10485760 bytes, at most 4194304 are read");
}

TEST(ReplyText, APromptIsNoAnswer) {
  std::string echo = "# Question\nAnswer with JSON alone, of this schema:\n\n```\n"
                     R"({"type":"object","properties":{"ideas":{"type":"array"}},"required":["ideas"]})"
                     "\n```\n";
  EXPECT_EQ(listOf(echo), "reply is an object without a list \"ideas\"");
}

/// What looks quadratic: all within a second or two, sanitized or not.
TEST(ReplyText, IsLinear) {
  auto begin = std::chrono::steady_clock::now();
  const size_t size = 4000000;
  auto repeat = [&](const std::string &part) {
    std::string text;
    while (text.size() < size)
      text += part;
    return text;
  };
  for (std::string part : {"{", "}{", "[]", "{\"", "```\n{\n", "```json\n[{}]\n```\n", "\"", "\\", "\xE2\x80", "{} "})
    EXPECT_FALSE(listOf(repeat(part)).empty());
  std::string keys = "{\"ideas\": [{";
  for (int i = 0; keys.size() < size; ++i)
    keys += "\"k" + std::to_string(i) + "\": 1,";
  EXPECT_FALSE(listOf(keys + "\"z\": 1}]}").empty());
  EXPECT_FALSE(normalizeCode(repeat("/* ")).empty() && normalizeCode(repeat("\"")).empty());
  std::string code = repeat("k ( "), plan = "{\"launches\": [";
  for (int i = 0; i < 200; ++i)
    plan += "{\"kernel\": \"k\"},";
  EXPECT_FALSE(findSignatureFault(code, plan + "{\"kernel\": \"q\"}]}").empty());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST(CodeText, ComparesAsAReaderWould) {
  EXPECT_EQ(normalizeCode("int  a; // note\n/* more */ int b;\n"), normalizeCode("int a;\n\n\nint b;"));
  EXPECT_NE(normalizeCode("int a = 1;"), normalizeCode("int a = 2;"));
  EXPECT_EQ(normalizeCode("s = \"// no  comment\";"), "s = \"// no  comment\";");
  EXPECT_EQ(normalizeWords(" Use LARGER tiles!"), "use larger tiles");
}

TEST(CodeText, CountsParameters) {
  std::string plan = R"({"launches": [{"kernel": "k", "args": [{"i32": 1}, {"i32": 2}]}]})";
  EXPECT_EQ(
      findSignatureFault("extern \"C\" __global__ void __launch_bounds__(256, 2)\nk(const float *a, // in, first\n"
                         " float (&b)[4])\n{ }",
                         plan),
      "");
  EXPECT_EQ(
      findSignatureFault("extern \"C\" { __global__ void kk(int a) {} __global__ void k(int a, int b) {} }", plan), "");
  EXPECT_EQ(findSignatureFault("extern \"C\" __global__ void k() { k(); }", plan),
            "plan.launches[0] gives 2 arguments to 'k', which has 0 parameters");
}

} // namespace
