//===- SpeedTest.cpp - FAST, SAME, SLOW, AMBIGUOUS, INVALID ---------------===//
#include "kgen/Evaluate/Digest.h"
#include "kgen/Evaluate/Sanitize.h"
#include "kgen/Evaluate/SpeedVerdict.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace kgen;

/// BLOCKS of a baseline of 100 us and a candidate FASTER times as fast, with noise and a drift within a block.
static std::vector<SpeedBlock> makeBlocks(double faster, double noise, int blocks, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, noise);
  std::vector<SpeedBlock> out;
  for (int i = 0; i < blocks; ++i) {
    auto us = [&](double base, int place) { return base * std::exp(normal(random)) * (1 + 0.02 * place); };
    SpeedBlock block;
    block.candidate[0] = us(100 / faster, 0);
    block.baseline[0] = us(100, 1);
    block.baseline[1] = us(100, 2);
    block.candidate[1] = us(100 / faster, 3);
    out.push_back(block);
  }
  return out;
}

TEST(SpeedVerdict, TheFiveVerdicts) {
  EXPECT_EQ(judgeSpeed(makeBlocks(1.05, 0.002, 15, 1), 0).verdict, Speed::Fast);
  EXPECT_EQ(judgeSpeed(makeBlocks(1.0, 0.002, 15, 2), 0).verdict, Speed::Same);
  EXPECT_EQ(judgeSpeed(makeBlocks(0.95, 0.002, 15, 3), 0).verdict, Speed::Slow);
  EXPECT_EQ(judgeSpeed(makeBlocks(1.01, 0.03, 15, 4), 0).verdict, Speed::Ambiguous);
  // Alone the baseline took 90 us, beside the candidate more than 100.
  EXPECT_EQ(judgeSpeed(makeBlocks(1.05, 0.002, 15, 1), 90).verdict, Speed::Invalid);
  EXPECT_EQ(judgeSpeed(makeBlocks(1.05, 0.002, 15, 1), 101).verdict, Speed::Fast);
  EXPECT_EQ(judgeSpeed({}, 0).verdict, Speed::Invalid);
}

TEST(SpeedVerdict, ShortTimesAreToldApartByWhatProcessesDifferIn) {
  std::vector<SpeedBlock> blocks = makeBlocks(1.02, 0.002, 60, 6);
  EXPECT_EQ(judgeSpeed(blocks, 0).verdict, Speed::Fast);
  for (SpeedBlock &block : blocks)
    for (double *us : {&block.candidate[0], &block.candidate[1], &block.baseline[0], &block.baseline[1]})
      *us *= 0.066; // 6.6 us: two processes with one kernel were seen to differ by 2 %
  EXPECT_EQ(judgeSpeed(blocks, 0).verdict, Speed::Same);
  for (SpeedBlock &block : blocks)
    block.candidate[0] /= 1.05, block.candidate[1] /= 1.05;
  EXPECT_EQ(judgeSpeed(blocks, 0).verdict, Speed::Fast);
}

TEST(SpeedVerdict, DriftWithinABlockCancels) {
  // 2 % more with each run: the candidate has the first place and the last.
  SpeedComparison c = judgeSpeed(makeBlocks(1.0, 0.0005, 15, 5), 0);
  EXPECT_NEAR(c.ratio, 1.0, 1e-3);
  EXPECT_LE(c.low, c.ratio);
  EXPECT_GE(c.high, c.ratio);
}

TEST(SpeedVerdict, FalseAlarmsAreRareAndThreePercentIsSeen) {
  int fast = 0, slow = 0;
  for (uint64_t pair = 0; pair < 500; ++pair) {
    fast += judgeSpeed(makeBlocks(1.0, 0.01, 15, 100 + pair), 0).verdict == Speed::Fast;
    slow += judgeSpeed(makeBlocks(1 / 1.03, 0.01, 15, 10000 + pair), 0).verdict == Speed::Slow;
  }
  EXPECT_LE(fast, 5);
  EXPECT_GE(slow, 475);
}

TEST(SpeedVerdict, Spread) {
  EXPECT_TRUE(std::isinf(relativeSpread({1, 2, 3, 4, 5})));
  std::vector<double> samples;
  for (int i = 0; i < 100; ++i)
    samples.push_back(100 + i); // ranks 40 and 60: 140 and 160 over a median of 149.5
  EXPECT_NEAR(relativeSpread(samples), 10 / 149.5, 1e-9);
  EXPECT_EQ(relativeSpread(std::vector<double>(30, 7.0)), 0);
}

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

static SanitizerReport readReport(const char *tool, int code, const char *output,
                                  ProcessResult::End end = ProcessResult::End::Exited) {
  ProcessResult run;
  run.end = end;
  run.code = code;
  run.output = output;
  return readSanitizerOutput(tool, run);
}

TEST(Sanitizer, ToolsFitTheKernel) {
  using Tools = std::vector<std::string>;
  EXPECT_EQ(sanitizerTools("ld.global.f32 %f1, [%rd1];"), Tools({"memcheck", "initcheck"}));
  EXPECT_EQ(sanitizerTools("st.shared.f32 [%r1], %f1;\nbar.sync 0;"),
            Tools({"memcheck", "initcheck", "synccheck", "racecheck"}));
  EXPECT_EQ(sanitizerTools("").size(), 4u);
}

TEST(Sanitizer, OutputsAreRead) {
  const char *clean = "========= COMPUTE-SANITIZER\nkgen: the candidate has run\n========= ERROR SUMMARY: 0 errors\n";
  EXPECT_EQ(readReport("memcheck", 0, clean).outcome, SanitizerReport::Clean);
  const char *race = "========= COMPUTE-SANITIZER\n========= Error: Race reported between Write access at k+0xb0\n"
                     "=========     and Read access\nkgen: the candidate has run\n"
                     "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n";
  SanitizerReport report = readReport("racecheck", 86, race);
  EXPECT_EQ(report.outcome, SanitizerReport::Objects);
  EXPECT_EQ(report.verdict, Verdict::Race);
  EXPECT_EQ(report.words, "Error: Race reported between Write access at k+0xb0");
  report = readReport("initcheck", 86, "========= Uninitialized __global__ memory read of size 4 bytes\n");
  EXPECT_EQ(report.verdict, Verdict::Fault);
  EXPECT_EQ(readReport("memcheck", 0, "", ProcessResult::End::TimedOut).outcome, SanitizerReport::Unknown);
  // The tool could not do its work: nothing is known, and nothing is held against the candidate.
  report =
      readReport("memcheck", 86, "========= Error: Target application terminated before first instrumented call\n");
  EXPECT_EQ(report.outcome, SanitizerReport::Unknown);
  EXPECT_EQ(readReport("memcheck", 1, "kgen: no CUDA driver on this machine\n").outcome, SanitizerReport::Unknown);
}
