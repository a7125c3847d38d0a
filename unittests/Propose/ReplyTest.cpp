//===- ReplyTest.cpp - Answers as JSON, and replay ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Search/Fakes.h"
#include "kgen/Propose/Proposer.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <fstream>

using namespace kgen;
using namespace kgen::propose;
using namespace kgen::test;
using llvm::toString;

namespace {

std::string errorOfIdeas(const std::string &text) {
  auto ideas = parseIdeas(text);
  return ideas ? "" : toString(ideas.takeError());
}
std::string errorOfMaterializations(const std::string &text) {
  auto list = parseMaterializations(text);
  return list ? "" : toString(list.takeError());
}

TEST(Reply, RoundTrips) {
  std::vector<Idea> ideas = {{"k", "Text with \"quotes\"\n", ideas::IdeaCategory::DType}};
  auto again = parseIdeas(printIdeas(ideas));
  ASSERT_TRUE(bool(again));
  EXPECT_EQ(printIdeas(*again), printIdeas(ideas));
  std::vector<Materialization> list(3);
  list[0].directives = "%d = x";
  list[0].notes = "{}";
  list[1].cuda = "code";
  list[1].plan = "{\"version\": 1}";
  list[2].problem = "the answer was cut off";
  auto same = parseMaterializations(printMaterializations(list));
  ASSERT_TRUE(bool(same));
  EXPECT_EQ(printMaterializations(*same), printMaterializations(list));
}

TEST(Reply, NamesWhatIsMissing) {
  EXPECT_EQ(errorOfIdeas("{\"idea\": 1}"), "reply is an object without \"ideas\"");
  EXPECT_EQ(errorOfIdeas("[{\"idea\": \" \", \"category\": \"memory\"}]"), "ideas[0] has no text in \"idea\"");
  EXPECT_EQ(errorOfIdeas("[{\"idea\": \"x\", \"category\": \"magic\"}]"),
            "ideas[0].category is \"magic\", expected memory, async, dtype, compute, parallel or control");
  EXPECT_EQ(errorOfMaterializations("[{\"settings\": \"x\"}]"),
            "materializations[0] needs either \"directives\" or \"cuda\" with \"plan\"");
  EXPECT_EQ(errorOfMaterializations("[{\"cuda\": \"x\"}]"), "materializations[0] has \"cuda\" but no \"plan\"");
  EXPECT_EQ(errorOfMaterializations("[1]"), "materializations[0] is not an object");
}

TEST(Reply, HostileTextIsAnError) {
  EXPECT_EQ(errorOfIdeas(std::string(1 << 20, '[')), "reply nests deeper than 64 levels");
  EXPECT_EQ(errorOfIdeas(""), "reply is not valid JSON");
  EXPECT_EQ(errorOfIdeas("[{\"idea\": \"\xff\xfe\"}]"), "reply is not valid JSON");
  EXPECT_EQ(errorOfIdeas("null"), "reply holds no list of ideas");
}

TEST(Replay, AnswersByQuestionThenByPlace) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("kgen-replay", folder));
  std::string path = folder.str().str();
  ASSERT_FALSE(llvm::sys::fs::create_directories(path + "/replies"));
  ProposalContext context;
  context.facts = matmulFacts("tf32");
  context.slot = "round-01/seed-0";
  std::string hash = hashText(printRequest(context, "ideas", nullptr, 2));
  std::ofstream(path + "/replies/" + hash + ".json")
      << R"({"slot": "round-01/seed-0/ideas", "request": {}, "reply": [{"key": "a", "category": "memory", "idea": "first"}]})";
  std::ofstream(path + "/replies/0123.json")
      << R"({"slot": "round-02/seed-0/ideas", "request": {}, "reply": [{"key": "b", "category": "memory", "idea": "second"}]})";
  auto proposer = createProposer("replay:" + path);
  ASSERT_TRUE(bool(proposer)) << toString(proposer.takeError());
  auto first = (*proposer)->proposeIdeas(context, 2);
  ASSERT_TRUE(bool(first));
  EXPECT_EQ((*first)[0].text, "first");
  // The same place on another device: other times, the same answer.
  context.genericUs = 5;
  context.slot = "round-02/seed-0";
  auto second = (*proposer)->proposeIdeas(context, 2);
  ASSERT_TRUE(bool(second));
  EXPECT_EQ((*second)[0].text, "second");
  context.slot = "round-09/seed-0";
  auto none = (*proposer)->proposeIdeas(context, 2);
  ASSERT_TRUE(bool(none));
  EXPECT_TRUE(none->empty());
  llvm::sys::fs::remove_directories(path);
  auto gone = createProposer("replay:" + path);
  ASSERT_FALSE(bool(gone));
  EXPECT_EQ(toString(gone.takeError()), path + " holds no recorded replies");
}

TEST(Proposer, ReadsTheKeyFromTheEnvironmentOnly) {
  ProposerOptions options;
  options.keyEnv = "KGEN_TEST_NO_SUCH_KEY";
  auto proposer = createProposer("chat:m", options);
  ASSERT_FALSE(bool(proposer));
  EXPECT_EQ(toString(proposer.takeError()), "no key in the environment variable KGEN_TEST_NO_SUCH_KEY; set it, or name "
                                            "another one by --llm-key-env");
}

} // namespace
