//===- TableProgressTest.cpp - What a search says while it runs -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fakes.h"
#include "kgen/Report/Progress.h"
#include "kgen/Report/TerminalText.h"

#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"

using namespace kgen;
using namespace kgen::test;
using llvm::StringRef;

namespace {

report::BranchNews news(const char *id, const char *verdict, double us) {
  report::BranchNews one;
  one.id = id;
  one.verdict = verdict;
  one.idea = "Take a deep slice of the reduction per step: fewer barriers for the same work, as long as both operands "
             "of a slice fit into shared memory.";
  one.settings = "tile=[128, 64, 64] stages=3";
  one.timeUs = us;
  one.genericUs = 4000;
  return one;
}

/// TEXT without escape sequences, the last drawing of a redrawn line alone.
std::vector<std::string> screenLines(StringRef text) {
  std::vector<std::string> lines;
  for (StringRef line : llvm::split(text, '\n')) {
    line = line.substr(line.rfind('\r') + 1); // npos + 1 is 0
    std::string plain;
    for (size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\033')
        while (i < line.size() && !isalpha((unsigned char)line[i]))
          ++i;
      else
        plain += line[i];
    }
    lines.push_back(plain);
  }
  return lines;
}

struct TableProgressTest : ::testing::Test {
  FakeClock clock;
  std::string text;
  llvm::raw_string_ostream os{text};

  void runSearch(report::Progress &progress) {
    progress.note("isolation: files landlock v4 (compilers see only what they need), calls seccomp, network none, and "
                  "some more words");
    progress.beginRound(0, 2, 1);
    progress.branchDone(news("round-00/b00", "PASS", 4000), 6);
    progress.beginRound(1, 2, 3);
    progress.activity("measuring round-01/b00");
    report::BranchNews best = news("round-01/b00", "PASS", 1000);
    best.isBest = true;
    progress.branchDone(best, 5);
    report::BranchNews refused = news("round-01/b01", "REJECT", 0);
    refused.settings = "tile=[97, 64, 64]";
    refused.detail = "directives.mlir:3:1: schedule key 'tile' expected a multiple of 8 from 8 to 256 in each place, "
                     "found [97, 64, 64]";
    progress.branchDone(refused, 4);
    report::BranchNews same = news("round-01/b02", "PASS", 1000);
    same.sameAs = "round-01/b00";
    progress.branchDone(same, 3);
  }
};

TEST_F(TableProgressTest, FitsATerminalOf80Columns) {
  auto progress = report::createTableProgress(os, clock, {true, true, 80, 240});
  runSearch(*progress);
  progress->finished();
  std::string all;
  int ideas = 0;
  for (const std::string &line : screenLines(text)) {
    EXPECT_LE(report::columnsOf(line), 80) << line;
    ideas += StringRef(line).starts_with("idea: ");
    all += line + "\n";
  }
  EXPECT_EQ(ideas, 2) << "once in each round\n" << all;
  EXPECT_NE(all.find("round-01/b00  PASS      1000.0 us    4.00x * tile=[128, 64, 64] stages=3"), std::string::npos)
      << all;
  // Settings and the whole reason of a refusal.
  EXPECT_NE(all.find("tile=[97, 64, 64]\n"), std::string::npos) << all;
  EXPECT_NE(all.find("found [97, 64, 64]"), std::string::npos) << all;
  EXPECT_NE(all.find("= round-01/b00;"), std::string::npos) << all;
  // PyTorch and the floor are not known here.
  EXPECT_EQ(all.find('%'), std::string::npos) << all;
  EXPECT_NE(text.find("\033[32mPASS"), std::string::npos);
}

TEST_F(TableProgressTest, AFileGetsPlainLines) {
  auto progress = report::createTableProgress(os, clock, {false, false, 100, 240});
  runSearch(*progress);
  propose::ModelWait wait;
  wait.model = "chat:m";
  progress->waiting(&wait);
  wait.answerFile = "inbox/0001-seed-0-ideas.reply.md";
  progress->waiting(&wait);
  progress->waiting(nullptr);
  progress->finished();
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_NE(text.find("\nwaiting for inbox/0001-seed-0-ideas.reply.md"), std::string::npos) << text;
  EXPECT_EQ(text.find("asking chat:m"), std::string::npos) << text;
}

TEST_F(TableProgressTest, SaysWhichModelIsWaitedFor) {
  auto progress = report::createTableProgress(os, clock, {true, false, 100, 240});
  progress->beginRound(1, 2, 3);
  propose::ModelWait wait;
  wait.model = "anthropic:m";
  progress->waiting(&wait);
  clock.now += 62;
  wait.reason = "it answers 429";
  wait.pauseSeconds = 12;
  progress->waiting(&wait);
  EXPECT_NE(screenLines(text).back().find("asking anthropic:m 1:02: it answers 429, try 2 in 12 s"), std::string::npos)
      << screenLines(text).back();
  clock.now += 12;
  progress->activity("asking for ideas");
  EXPECT_NE(screenLines(text).back().find("asking anthropic:m 1:14: it answers 429, try 2"), std::string::npos)
      << screenLines(text).back();
  progress->waiting(nullptr);
  progress->finished();
}

TEST_F(TableProgressTest, TheTimeLeftHeedsTheLimit) {
  auto progress = report::createTableProgress(os, clock, {true, false, 100, 240});
  progress->beginRound(0, 2, 1);
  clock.now += 100;
  progress->branchDone(news("round-00/b00", "PASS", 4000), 40);
  progress->beginRound(1, 2, 20);
  clock.now += 100;
  progress->branchDone(news("round-01/b00", "PASS", 1000), 39);
  // A hundred seconds a branch would be over an hour; the limit is at 240 s, of which 200 are gone.
  EXPECT_NE(screenLines(text).back().find("at most 40 s left"), std::string::npos) << screenLines(text).back();
  EXPECT_NE(screenLines(text).back().find("round 1/2 1/20"), std::string::npos) << screenLines(text).back();
  progress->finished();
}

TEST(TerminalText, BreaksBetweenWords) {
  EXPECT_EQ(report::wrapLines("one two three four", 9), (std::vector<std::string>{"one two", "three", "four"}));
  EXPECT_EQ(report::wrapLines("one two three four", 9, 2), (std::vector<std::string>{"one two", "three..."}));
  EXPECT_EQ(report::wrapLines("abcdefghijkl", 8), (std::vector<std::string>{"abcdefgh", "ijkl"}));
  EXPECT_EQ(report::clipLine("größer als gedacht", 9), "größer...");
  EXPECT_EQ(report::columnsOf("größer"), 6);
  EXPECT_EQ(report::printDuration(3725), "1 h 2 min");
}

} // namespace
