//===- JournalTest.cpp ----------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Trajectory/Journal.h"
#include "MemoryFileSystem.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"

#include "gtest/gtest.h"

using namespace kgen;
using namespace kgen::trajectory;
using namespace kgen::test;
using llvm::toString;

namespace {

std::string journalOf(int records) {
  std::string text;
  uint32_t link = 0;
  for (int i = 0; i < records; ++i)
    text += frameRecord({{"event", "branch"}, {"n", i}, {"text", "line\nfeed \"quoted\" \xff"}}, link);
  return text;
}

std::vector<std::string> linesOf(llvm::StringRef text) {
  std::vector<std::string> lines;
  for (llvm::StringRef line; !text.empty(); lines.push_back(line.str() + "\n"))
    std::tie(line, text) = text.split('\n');
  return lines;
}

std::string join(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line;
  return text;
}

/// What is said of TEXT; "" when it is a journal.
std::string faultOf(const std::string &text) {
  auto contents = parseJournal(text, "j");
  return contents ? contents->torn ? "torn" : "" : toString(contents.takeError());
}

/// RECORD (without its last brace) as a line that stands alone.
std::string lineOf(const std::string &record, const char *key) {
  uint32_t crc = llvm::crc32(llvm::arrayRefFromStringRef(record));
  return record + ",\"" + key + "\":\"" + llvm::utohexstr(crc, true, 8) + "\"}\n";
}

TEST(Journal, ReadsWhatItWrote) {
  auto contents = parseJournal(journalOf(3), "j");
  ASSERT_TRUE(bool(contents));
  ASSERT_EQ(contents->records.size(), 3u);
  EXPECT_EQ(contents->records[2]["n"], 2);
  EXPECT_FALSE(contents->records[2].contains("link"));
  EXPECT_EQ(contents->validBytes, journalOf(3).size());
  EXPECT_FALSE(contents->torn);
}

TEST(Journal, CutsATornTailAtEveryByte) {
  std::string whole = journalOf(3), two = journalOf(2);
  for (size_t length = two.size() + 1; length < whole.size(); ++length) {
    auto contents = parseJournal(llvm::StringRef(whole).take_front(length), "j");
    ASSERT_TRUE(bool(contents)) << length;
    EXPECT_EQ(contents->records.size(), 2u);
    EXPECT_EQ(contents->validBytes, two.size());
    EXPECT_TRUE(contents->torn);
  }
}

TEST(Journal, NamesACorruptRecordInTheMiddle) {
  std::string text = journalOf(3);
  size_t one = journalOf(1).size();
  for (size_t at = one; at + 1 < journalOf(2).size(); ++at) {
    std::string flipped = text;
    flipped[at] ^= 1;
    auto contents = parseJournal(flipped, "runs/a/journal.jsonl");
    ASSERT_FALSE(bool(contents)) << at;
    std::string message = toString(contents.takeError());
    EXPECT_NE(message.find("runs/a/journal.jsonl: record in line 2"), std::string::npos) << message;
  }
}

/// Also in the last record, and its line feed, which no crash can have changed.
TEST(Journal, NamesEveryFlippedBit) {
  const std::string text = journalOf(3);
  for (size_t at = 0; at < text.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = text;
      flipped[at] ^= 1 << bit;
      // Zero bytes in the last line may be the hole that a power cut leaves.
      std::string fault = faultOf(flipped);
      EXPECT_TRUE(fault.find("CORRUPT") == 0 || (!flipped[at] && fault == "torn")) << at << fault;
    }
}

TEST(Journal, NamesALineThatIsLeftOutOrTwiceOrElsewhere) {
  const std::vector<std::string> lines = linesOf(journalOf(4));
  for (size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::string> less = lines, more = lines, moved = lines;
    less.erase(less.begin() + i);
    more.insert(more.begin() + i, lines[i]);
    std::swap(moved[i], moved[(i + 1) % lines.size()]);
    // Without the last line it is the journal of a moment before.
    EXPECT_EQ(faultOf(join(less)).empty(), i + 1 == lines.size()) << i;
    EXPECT_NE(faultOf(join(more)), "") << i;
    EXPECT_NE(faultOf(join(moved)), "") << i;
  }
  uint32_t link = 1;
  std::vector<std::string> spliced = lines;
  spliced[2] = frameRecord({{"event", "branch"}, {"n", 2}}, link);
  EXPECT_NE(faultOf(join(spliced)).find("line 3"), std::string::npos);
}

/// Lines of older journals stand alone, and a new one may follow them, not the other way round.
TEST(Journal, ReadsOlderLines) {
  std::string old = lineOf("{\"event\":\"start\"", "crc");
  EXPECT_EQ(faultOf(old + old), "");
  MemoryFileSystem fs;
  fs.files["j"] = old + old;
  JournalContents contents;
  auto journal = Journal::open(fs, "j", contents);
  ASSERT_TRUE(bool(journal));
  ASSERT_FALSE(bool((*journal)->append(Json{{"event", "stop"}})));
  ASSERT_FALSE(bool((*journal)->append(Json{{"event", "stop"}})));
  EXPECT_EQ(faultOf(fs.files["j"]), "");
  EXPECT_NE(faultOf(fs.files["j"] + old), "");
  EXPECT_EQ(faultOf(journalOf(1) + old).find("CORRUPT"), 0u);
}

/// The sums are right, what they stand behind is not.
TEST(Journal, NamesRecordsThatAreNone) {
  EXPECT_EQ(faultOf(lineOf("{\"event\":\"x\"", "link")), "");
  EXPECT_NE(faultOf(lineOf("{\"event\":1", "link")), "");
  EXPECT_NE(faultOf(lineOf("{\"x\":1", "link")), "");
  EXPECT_NE(faultOf(lineOf("{\"event\":\"x\",", "link")), "");
  std::string deep = "{\"event\":\"x\",\"a\":" + std::string(300000, '[') + std::string(300000, ']');
  EXPECT_NE(faultOf(lineOf(deep, "link")), "");
  EXPECT_TRUE(parseStoredJson(deep + "}").is_null());
}

TEST(Journal, GoesOnAfterATornTail) {
  MemoryFileSystem fs;
  fs.files["j"] = journalOf(2) + "{\"event\":\"bra";
  JournalContents contents;
  auto journal = Journal::open(fs, "j", contents);
  ASSERT_TRUE(bool(journal));
  EXPECT_TRUE(contents.torn);
  ASSERT_FALSE(bool((*journal)->append(Json{{"event", "stop"}})));
  auto after = parseJournal(fs.files["j"], "j");
  ASSERT_TRUE(bool(after));
  EXPECT_EQ(after->records.size(), 3u);
  EXPECT_EQ(after->records.back()["event"], "stop");
}

} // namespace
