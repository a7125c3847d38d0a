//===- CommandModelTest.cpp - Commands and folders as models --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Propose/CommandModels.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <fstream>
#include <thread>

using namespace kgen;
using namespace kgen::propose;
using llvm::toString;

namespace {

struct CommandTest : ::testing::Test {
  std::string folder;
  ModelQuestion question;

  void SetUp() override {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("kgen-model", path));
    folder = path.str().str();
    question.slot = "round-02/seed-0/idea-1";
    question.system = "The rules.";
    question.turns = {{"user", "What now?"}};
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  /// An executable script called NAME.
  void script(const std::string &name, const std::string &text) {
    std::ofstream(folder + "/" + name) << "#!/bin/sh\n" << text;
    llvm::sys::fs::setPermissions(folder + "/" + name, llvm::sys::fs::all_all);
  }
  llvm::Expected<ModelReply> ask(const std::string &command, double seconds = 20) {
    CommandOptions options;
    options.seconds = seconds;
    auto model = createCommandModel(command, options);
    if (!model)
      return model.takeError();
    return (*model)->ask(question);
  }
  std::string errorOf(const std::string &command, double seconds = 20) {
    auto reply = ask(command, seconds);
    return reply ? "" : toString(reply.takeError());
  }
};

TEST_F(CommandTest, ThePromptGoesInAndTheAnswerComesOut) {
  auto reply = ask("cat");
  ASSERT_TRUE(bool(reply)) << toString(reply.takeError());
  EXPECT_EQ(reply->text, "The rules.\nWhat now?\n");
  // A megabyte both ways at once, and a command that does not read its input.
  question.turns[0].text = std::string(3 << 20, 'x');
  reply = ask("cat");
  ASSERT_TRUE(bool(reply));
  EXPECT_GT(reply->text.size(), size_t(3 << 20));
  reply = ask("echo '$HOME; *' \"a b\"");
  ASSERT_TRUE(bool(reply));
  EXPECT_EQ(reply->text, "$HOME; * a b\n"); // no shell saw it
  reply = ask(R"(["echo", "a  b"])");
  ASSERT_TRUE(bool(reply));
  EXPECT_EQ(reply->text, "a  b\n");
}

TEST_F(CommandTest, FailuresAreOneSentence) {
  script("fails", "echo one >&2; echo the last line >&2; exit 3\n");
  EXPECT_EQ(errorOf(folder + "/fails"), folder + "/fails exits with 3: the last line");
  EXPECT_EQ(errorOf("sleep 20", 0.3), "sleep gave no answer within 0 s");
  EXPECT_EQ(errorOf("no-such-program-kgen"), "no-such-program-kgen is not on PATH");
  EXPECT_EQ(errorOf("cat \"x"), "exec:'s command has a quote that does not close");
  EXPECT_EQ(errorOf("[\"a\", 1]"), "exec:'s array holds something that is no string");
  EXPECT_EQ(errorOf("yes"), "yes's answer is longer than 16777216 bytes");
}

TEST_F(CommandTest, AgentsAreCalledWithTheirOwnKeyOnly) {
  std::string seen = folder + "/seen";
  std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder + ":" + path).c_str(), 1);
  for (const char *name : {"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OTHER_SECRET"})
    ::setenv(name, (std::string("key-of-") + name).c_str(), 1);
  script("claude", "env > " + seen + "\necho \"$@\" >> " + seen +
                       "\ncat > /dev/null\n"
                       R"(echo '{"type":"result","is_error":false,"result":"yes key-of-ANTHROPIC_API_KEY",)"
                       R"("usage":{"input_tokens":5,"cache_read_input_tokens":3,"output_tokens":2}}')"
                       "\n");
  auto reply = ask("claude");
  ASSERT_TRUE(bool(reply)) << toString(reply.takeError());
  EXPECT_EQ(reply->text, "yes ***");
  EXPECT_EQ(reply->usage.input, 8);
  EXPECT_EQ(reply->usage.cached, 3);
  std::ifstream file(seen);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(text.find("ANTHROPIC_API_KEY=key-of-ANTHROPIC_API_KEY"), std::string::npos);
  for (const char *name : {"OPENAI_API_KEY", "GEMINI_API_KEY", "OTHER_SECRET"})
    EXPECT_EQ(text.find(name), std::string::npos) << name;
  EXPECT_NE(text.find("-p --output-format json"), std::string::npos);
  script("codex", "cat\n");
  reply = ask("codex");
  ASSERT_TRUE(bool(reply));
  EXPECT_EQ(reply->text, "The rules.\nWhat now?\n");
  script("gemini", R"(echo '{"response":"fine","stats":{}}')");
  reply = ask("gemini");
  ASSERT_TRUE(bool(reply));
  EXPECT_EQ(reply->text, "fine");
  script("gemini", "echo oops\n");
  EXPECT_EQ(errorOf("gemini"), "gemini's answer is not valid JSON");
  script("env-of-any", "env\n");
  reply = ask("env-of-any");
  ASSERT_TRUE(bool(reply));
  EXPECT_EQ(reply->text.find("key-of-"), std::string::npos);
  ::setenv("PATH", path.c_str(), 1);
  for (const char *name : {"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OTHER_SECRET"})
    ::unsetenv(name);
}

TEST_F(CommandTest, AFolderIsAModel) {
  EXPECT_EQ(questionFileName("round-02/seed-0/idea-1"), "0002-seed-0-idea-1");
  EXPECT_EQ(questionFileName("round-12/repair-03/again"), "0012-repair-03-again");
  std::atomic<bool> stop{false};
  auto model = createFolderModel(folder + "/new/inner", &stop);
  std::string stem = folder + "/new/inner/0002-seed-0-idea-1";
  std::thread person([&] {
    while (!llvm::sys::fs::exists(stem + ".prompt.md"))
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::ofstream(stem + ".reply.md") << "the answer";
  });
  auto reply = model->ask(question);
  person.join();
  ASSERT_TRUE(bool(reply)) << toString(reply.takeError());
  EXPECT_EQ(reply->text, "the answer");
  // One that lies there is taken at once; a stop ends the wait.
  reply = model->ask(question);
  ASSERT_TRUE(bool(reply));
  stop = true;
  question.slot = "round-03/seed-0/ideas";
  reply = model->ask(question);
  ASSERT_FALSE(bool(reply));
  EXPECT_EQ(toString(reply.takeError()),
            "interrupted while waiting for " + folder + "/new/inner/0003-seed-0-ideas.reply.md");
}

} // namespace
