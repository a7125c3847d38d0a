//===- RecoveryTest.cpp - Faults, hangs, and a device that is gone --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Evaluate/Recovery.h"

#include "gtest/gtest.h"

#include <cstring>
#include <sys/mman.h>

using namespace kgen;
using namespace kgen::evaluate;

namespace {

class FakeCompiler : public toolchain::Compiler {
public:
  int calls = 0;
  std::string version() override { return "fake"; }
  llvm::Expected<toolchain::CompileResult> compile(llvm::StringRef, const toolchain::CompileOptions &) override {
    ++calls;
    toolchain::Compiled compiled;
    compiled.artifact = "artifact";
    return toolchain::CompileResult(compiled);
  }
};

/// A device that answers rightly, wrongly, late or not at all, and counts.
struct FakeDevice {
  std::optional<candidate::Verdict> candidate = candidate::Verdict::Fault; ///< what becomes of candidates
  std::optional<device::CandidateFailure> knownFails;
  float offset = 1; ///< 2 x + offset
  bool stale = false;
  bool brings = false; ///< candidates bring their workers down
  int knownRuns = 0, candidateRuns = 0, alive = 0;
  std::vector<float> lastInput;
};

class FakeProcess : public device::CandidateProcess {
public:
  FakeProcess(FakeDevice &device, const device::CandidateJob &job)
      : device(device), job(job), known(job.plan->problem == "known_answer") {
    ++device.alive;
  }
  ~FakeProcess() override { --device.alive; }
  Outcome run(unsigned, const device::RunRequest &, device::RunReport &) override {
    if (!known) {
      ++device.candidateRuns;
      if (device.brings)
        return llvm::make_error<device::WorkerFailed>("the worker ended with status 7");
      return device.candidate ? std::optional(device::CandidateFailure{*device.candidate, "candidate"}) : std::nullopt;
    }
    // The candidate's process is gone before anything else runs.
    EXPECT_EQ(device.alive, 1);
    ++device.knownRuns;
    if (device.knownFails)
      return device.knownFails;
    const float *x = reinterpret_cast<const float *>(job.inputSets[0]->data());
    std::vector<float> input(x, x + 1024);
    EXPECT_NE(input, device.lastInput);
    if (!device.stale || device.lastInput.empty())
      device.lastInput = input;
    out.resize(1024);
    for (int i = 0; i < 1024; ++i)
      out[i] = 2 * device.lastInput[i] + device.offset;
    return std::nullopt;
  }
  Outcome reload() override {
    return device.candidate ? std::optional(device::CandidateFailure{*device.candidate, "candidate"}) : std::nullopt;
  }
  candidate::Conditions conditions() override { return {}; }
  const char *output(unsigned) const override { return reinterpret_cast<const char *>(out.data()); }
  std::string deviceName() const override { return "fake"; }

private:
  FakeDevice &device;
  device::CandidateJob job;
  bool known;
  std::vector<float> out;
};

class FakeRunner : public device::CandidateRunner {
public:
  explicit FakeRunner(FakeDevice &device) : device(device) {}
  device::CandidateProcess::Outcome start(const device::CandidateJob &job,
                                          std::unique_ptr<device::CandidateProcess> &process) override {
    process = std::make_unique<FakeProcess>(device, job);
    return std::nullopt;
  }
  FakeDevice &device;
};

class RecoveryTest : public ::testing::Test {
protected:
  FakeDevice device;
  std::shared_ptr<FakeCompiler> compiler = std::make_shared<FakeCompiler>();
  RecoveringRunner runner{std::make_unique<FakeRunner>(device), "cuda:0", "sm_90a", compiler};
  candidate::LaunchPlan plan;
  device::CandidateJob job;

  void SetUp() override {
    plan.problem = "candidate";
    job.plan = &plan;
  }
  /// A verdict's name, "ok", or the error's text.
  std::string candidate(bool reloads = false) {
    std::unique_ptr<device::CandidateProcess> process;
    device::RunReport report;
    auto outcome = runner.start(job, process);
    if (outcome && !*outcome)
      outcome = reloads ? process->reload() : process->run(0, {}, report);
    if (!outcome)
      return llvm::toString(outcome.takeError());
    return *outcome ? candidate::verdictName((*outcome)->verdict).str() : "ok";
  }
};

} // namespace

TEST_F(RecoveryTest, FaultsAndHangsAreFollowedByAQuestion) {
  EXPECT_EQ(candidate(), "FAULT");
  EXPECT_EQ(device.knownRuns, 1);
  device.candidate = candidate::Verdict::Timeout;
  EXPECT_EQ(candidate(), "TIMEOUT");
  EXPECT_EQ(candidate(/*reloads=*/true), "TIMEOUT");
  EXPECT_EQ(device.knownRuns, 3);
  EXPECT_EQ(runner.recoverySeconds().size(), 3u);
  device.candidate = std::nullopt;
  EXPECT_EQ(candidate(), "ok");
  device.candidate = candidate::Verdict::Reject; // nothing ran
  EXPECT_EQ(candidate(), "REJECT");
  EXPECT_EQ(device.knownRuns, 3);
  EXPECT_EQ(compiler->calls, 1);
  EXPECT_EQ(device.alive, 0);
}

TEST_F(RecoveryTest, WhoBringsItsWorkerDownHasAFault) {
  device.brings = true;
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(candidate(), "FAULT");
  EXPECT_EQ(device.knownRuns, 5);
  // Unless nothing answers: then it is the machine.
  device.knownFails = device::CandidateFailure{candidate::Verdict::Fault, "its process ended with status 7"};
  EXPECT_EQ(candidate(),
            "cuda:0 does not answer its known-answer kernel (its process ended with status 7); left alone");
}

TEST_F(RecoveryTest, ADeviceThatHangsIsLeftAlone) {
  device.candidate = candidate::Verdict::Timeout;
  device.knownFails = device::CandidateFailure{candidate::Verdict::Timeout, "no answer within 5 s"};
  const char *sentence = "cuda:0 does not answer its known-answer kernel (no answer within 5 s); left alone";
  EXPECT_EQ(candidate(), sentence);
  // Also when it would answer again: nobody asks.
  device.knownFails = std::nullopt;
  device.candidate = std::nullopt;
  EXPECT_EQ(candidate(), sentence);
  EXPECT_EQ(device.knownRuns, 1);
  EXPECT_EQ(device.candidateRuns, 1);
}

TEST_F(RecoveryTest, AWrongAnswerIsNone) {
  device.offset = 1.5f;
  EXPECT_NE(candidate().find("cuda:0 does not answer its known-answer kernel (element 0 is "), std::string::npos);
}

TEST_F(RecoveryTest, AnOldAnswerIsNone) {
  device.stale = true;
  EXPECT_EQ(candidate(), "FAULT"); // the first one is right
  EXPECT_NE(candidate().find("left alone"), std::string::npos);
}

TEST(SharedMemory, AReaderCannotMakeItsMappingWritable) {
  device::SharedMemory memory = llvm::cantFail(device::SharedMemory::create(4096));
  memory.data()[0] = 'x';
  int fd = memory.readOnlyDescriptor();
  EXPECT_EQ(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
  char *view = static_cast<char *>(mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0));
  ASSERT_NE(view, MAP_FAILED);
  EXPECT_EQ(view[0], 'x');
  EXPECT_NE(mprotect(view, 4096, PROT_READ | PROT_WRITE), 0);
  munmap(view, 4096);
}
