//===- SanitizeTest.cpp - What compute-sanitizer is asked and says --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Evaluate/Sanitize.h"

#include "gtest/gtest.h"

using namespace kgen;
using namespace kgen::evaluate;

static SanitizerReport readReport(const char *tool, int code, const char *output,
                                  toolchain::ProcessResult::End end = toolchain::ProcessResult::End::Exited) {
  toolchain::ProcessResult run;
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
  EXPECT_EQ(report.verdict, candidate::Verdict::Race);
  EXPECT_EQ(report.words, "Error: Race reported between Write access at k+0xb0");
  report = readReport("initcheck", 86, "========= Uninitialized __global__ memory read of size 4 bytes\n");
  EXPECT_EQ(report.verdict, candidate::Verdict::Fault);
  EXPECT_EQ(readReport("memcheck", 0, "", toolchain::ProcessResult::End::TimedOut).outcome, SanitizerReport::Unknown);
  // The tool could not do its work: nothing is known, and nothing is held against the candidate.
  report =
      readReport("memcheck", 86, "========= Error: Target application terminated before first instrumented call\n");
  EXPECT_EQ(report.outcome, SanitizerReport::Unknown);
  EXPECT_EQ(readReport("memcheck", 1, "kgen: no CUDA driver on this machine\n").outcome, SanitizerReport::Unknown);
}
