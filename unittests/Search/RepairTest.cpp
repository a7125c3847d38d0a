//===- RepairTest.cpp - Branches that get a second try --------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fakes.h"
#include "kgen/Propose/ModelProposer.h"
#include "kgen/Search/Search.h"
#include "kgen/Trajectory/Replay.h"

#include "gtest/gtest.h"

using namespace kgen;
using namespace kgen::search;
using namespace kgen::test;
using llvm::toString;

namespace {

/// A model that answers by what it is asked; FAIL makes one call an Error.
struct ScriptedModel : propose::Model {
  int asked = 0, repairs = 0, fail = -1;
  std::string lastRepair;

  std::string getName() const override { return "scripted:m"; }
  llvm::Expected<propose::ModelReply> ask(const propose::ModelQuestion &question) override {
    if (asked++ == fail)
      return llvm::createStringError("the provider answers 503: busy");
    propose::ModelReply reply;
    reply.usage = {100, 50, 10, 5};
    llvm::StringRef text = question.turns[0].text;
    if (question.form == "ideas") {
      reply.text = R"({"ideas": [{"key": "a", "category": "memory", "idea": "Good in )" + question.slot +
                   R"("}, {"key": "b", "category": "async", "idea": "Refused in )" + question.slot + R"("}]})";
      return reply;
    }
    bool isRepair = text.contains("stage \"repair\"");
    if (isRepair) {
      ++repairs;
      lastRepair = text.str();
    }
    // The fake compiler refuses scripts with this word.
    bool refused =
        text.contains("Refused in") && !isRepair && text.substr(text.rfind("# Question")).contains("Refused");
    reply.text = R"({"materializations": [{"settings": "s", "directives": ")" +
                 std::string(refused ? "raw_smem " : "") + question.slot + R"(", "cuda": "", "plan": ""}]})";
    return reply;
  }
};

struct RunLog : propose::ExchangeLog {
  trajectory::RunFolder *run = nullptr;
  std::optional<propose::ModelReply> find(llvm::StringRef hash) override {
    const propose::Exchange *known = run->findExchange(hash);
    return known ? std::optional<propose::ModelReply>(known->reply) : std::nullopt;
  }
  llvm::Error record(const propose::Exchange &exchange) override { return run->recordExchange(exchange); }
};

struct RepairTest : ::testing::Test {
  MemoryFileSystem fs;
  FakeClock clock;
  FakeCompiler compiler;
  FakeEvaluator evaluator{fs};
  std::unique_ptr<report::Progress> progress = report::createSilentProgress();
  std::atomic<bool> stop{false};
  SearchConfig config;
  RunLog log;
  ScriptedModel *model = nullptr;
  int askedBefore = 0;

  RepairTest() {
    config.problem = "conv_relu_maxpool";
    config.precision = "tf32";
    config.llm = "chat:m";
    config.options.rounds = 2;
    config.options.seeds = 1;
    config.options.ideas = 2;
    config.options.variants = 1;
  }
  llvm::Error search(int fail = -1) {
    auto run = fs.exists("run/run.json") ? trajectory::RunFolder::open(fs, clock, "run")
                                         : trajectory::RunFolder::create(fs, clock, "run", config.toJson(), "graph");
    if (!run)
      return run.takeError();
    log.run = run->get();
    auto scripted = std::make_unique<ScriptedModel>();
    model = scripted.get();
    model->fail = fail;
    auto proposer = propose::createModelProposer(std::move(scripted), &log);
    llvm::Error error = runSearch({fs, clock, compiler, *proposer, evaluator, *progress, stop}, **run, config);
    askedBefore = model->asked;
    lastRepair = model->lastRepair;
    repairs = model->repairs;
    return error;
  }
  std::unique_ptr<trajectory::RunFolder> read() {
    auto run = trajectory::RunFolder::openForReading(fs, clock, "run");
    EXPECT_TRUE(bool(run)) << toString(run.takeError());
    return run ? std::move(*run) : nullptr;
  }
  std::string lastRepair;
  int repairs = 0;
};

TEST_F(RepairTest, ARefusedBranchIsMendedOnceInItsRound) {
  llvm::Error error = search();
  ASSERT_FALSE(bool(error)) << toString(std::move(error));
  auto run = read();
  const trajectory::BranchRecord *refused = run->findBranch("round-01/b01"), *mended = run->findBranch("round-01/b02");
  ASSERT_TRUE(refused && mended);
  EXPECT_NE(refused->measurement.find("REJECT"), std::string::npos);
  EXPECT_EQ(mended->repairs, "round-01/b01");
  EXPECT_EQ(mended->parent, refused->parent);
  EXPECT_EQ(mended->idea.text, refused->idea.text);
  EXPECT_TRUE(mended->files.count("kernel.cu"));
  EXPECT_NE(lastRepair.find("directive refused: found raw_smem"), std::string::npos);
  EXPECT_EQ(run->findReply("round-01/seed-0/again-1/ideas"), nullptr); // mended instead of refilled
  EXPECT_GE(repairs, 2);                                               // one in each round, and for each wrong answer
  // Every question is recorded with its tokens, and every byte is derived again.
  EXPECT_EQ(run->findExchanges("round-01/seed-0/ideas").size(), 1u);
  EXPECT_EQ(run->findExchanges("round-01/repair-01")[0]->reply.usage.cached, 50);
  EXPECT_NE(fs.files["run/journal.jsonl"].find("\"repairs\":\"round-01/b01\""), std::string::npos);
  auto summary = trajectory::replayRun(fs, *run, compiler);
  ASSERT_TRUE(bool(summary)) << toString(summary.takeError());
}

/// Whole digests do not help who writes an answer into a run that the model never gave.
TEST_F(RepairTest, AWayThatNoAnswerHoldsIsNamed) {
  ASSERT_FALSE(bool(search()));
  std::string before, after;
  for (auto &[path, text] : fs.files)
    if (llvm::StringRef(path).contains("/exchanges/"))
      if (size_t at = text.find("directives\\\": \\\"round-01/seed-0/idea-0"); at != std::string::npos) {
        before = propose::hashText(text);
        text[text.find("round-01/seed-0/idea-0", at)] = 'x';
        after = propose::hashText(text);
      }
  ASSERT_NE(before, after);
  std::string journal;
  uint32_t link = 0;
  for (llvm::StringRef rest = fs.files["run/journal.jsonl"], line; !rest.empty();) {
    std::tie(line, rest) = rest.split('\n');
    trajectory::Json record = trajectory::Json::parse(line.str());
    record.erase("link");
    if (record.value("sha", "") == before)
      record["sha"] = after;
    journal += trajectory::frameRecord(record, link);
  }
  fs.files["run/journal.jsonl"] = journal;
  auto summary = trajectory::replayRun(fs, *read(), compiler);
  ASSERT_FALSE(bool(summary));
  EXPECT_EQ(toString(summary.takeError()),
            "CORRUPT: round-01/b00: no answer recorded for round-01/seed-0/idea-0 holds what it was made of");
}

TEST_F(RepairTest, GoesOnAfterEveryFailedQuestionWithoutPayingTwice) {
  ASSERT_FALSE(bool(search()));
  int all = askedBefore;
  std::string whole;
  auto text = [&] {
    std::string all;
    auto run = read();
    for (const trajectory::BranchRecord &branch : run->getBranches())
      all += branch.id + branch.parent + branch.idea.text + branch.repairs + branch.measurement;
    return all;
  };
  whole = text();
  for (int at = 0; at < all; ++at) {
    fs.files.clear();
    llvm::Error error = search(at);
    ASSERT_TRUE(bool(error)) << at;
    EXPECT_EQ(toString(std::move(error)), "the provider answers 503: busy");
    int before = askedBefore - 1; // the failed one counts for nothing
    ASSERT_FALSE(bool(search())) << at;
    EXPECT_EQ(before + askedBefore, all) << at;
    EXPECT_EQ(text(), whole) << at;
  }
}

TEST_F(RepairTest, AStopWhileAskingIsNoError) {
  stop = true;
  llvm::Error error = search(0);
  ASSERT_FALSE(bool(error)) << toString(std::move(error));
  EXPECT_EQ(read()->getStopReason(), trajectory::StopReason::Interrupted);
}

TEST_F(RepairTest, AFlippedExchangeIsNamed) {
  ASSERT_FALSE(bool(search()));
  auto intact = fs.files;
  int flips = 0;
  for (auto &[path, text] : intact) {
    if (!llvm::StringRef(path).contains("/exchanges/"))
      continue;
    fs.files = intact;
    fs.files[path][text.size() / 2] ^= 1;
    auto run = trajectory::RunFolder::openForReading(fs, clock, "run");
    ASSERT_FALSE(bool(run)) << path;
    EXPECT_NE(toString(run.takeError()).find(path + " is corrupt"), std::string::npos);
    ++flips;
  }
  EXPECT_GT(flips, 5);
}

} // namespace
