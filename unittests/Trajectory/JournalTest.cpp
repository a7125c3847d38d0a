//===- JournalTest.cpp ----------------------------------------------------===//

#include "kgen/Trajectory/Journal.h"
#include "MemoryFileSystem.h"

#include "gtest/gtest.h"

using namespace kgen;
using namespace kgen::test;
using llvm::toString;

namespace {

std::string journalOf(int records) {
  std::string text;
  for (int i = 0; i < records; ++i)
    text += frameRecord({{"event", "branch"}, {"n", i}, {"text", "line\nfeed \"quoted\" \xff"}});
  return text;
}

TEST(Journal, ReadsWhatItWrote) {
  auto contents = parseJournal(journalOf(3), "j");
  ASSERT_TRUE(bool(contents));
  ASSERT_EQ(contents->records.size(), 3u);
  EXPECT_EQ(contents->records[2]["n"], 2);
  EXPECT_FALSE(contents->records[2].contains("crc"));
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
