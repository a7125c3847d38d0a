//===- SanitizeTest.cpp - What compute-sanitizer is asked and says --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Evaluate/Sanitize.h"
#include "kgen/Evaluate/Evaluator.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Scratch.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include "gtest/gtest.h"

#include <sys/stat.h>

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

TEST(Sanitize, RacecheckIsKnownToBeSlowOnlyWithMatrixInstructions) {
  EXPECT_EQ(expectedRacecheckSeconds("wgmma.mma_async.sync.aligned", 0, 0), 0);
  EXPECT_EQ(expectedRacecheckSeconds("st.shared.f32 [%r1], %f1;", 1e5, 1e9), 0);
  // As seen on H200s within 10 s: 2.95 ms came to an end, 3.7 ms and more never did.
  const char *tensors = "wgmma.mma_async.sync.aligned; cp.async.bulk.tensor.2d.shared::cluster.global";
  EXPECT_LT(expectedRacecheckSeconds("mma.sync.aligned", 2953, 0), 10);
  EXPECT_GT(expectedRacecheckSeconds(tensors, 3703, 0), 10);
  EXPECT_LT(expectedRacecheckSeconds(tensors, 2510, 2e9), 10);
  // Where threads fill the tiles: 342 us took 8 s, 1.1 ms 9, and 1.56 ms did not come to an end.
  EXPECT_LT(expectedRacecheckSeconds("wgmma.mma_async.sync.aligned", 1104, 0), 10);
  EXPECT_GT(expectedRacecheckSeconds("wgmma.mma_async.sync.aligned", 1565, 0), 10);
  // Where threads fill one operand's, and copies the other's: 490 us took 7.6 s, 653 us did not.
  const char *copies = "wgmma.mma_async.sync.aligned; cp.async.bulk.shared::cluster.global";
  EXPECT_LT(expectedRacecheckSeconds(copies, 490, 0), 10);
  EXPECT_GT(expectedRacecheckSeconds(copies, 653, 0), 10);
  EXPECT_GT(expectedRacecheckSeconds(copies, 490, 8e9), 10);
}

namespace {

/// Any text compiles; its kernels use everything, as far as anybody knows.
class AnyCompiler : public toolchain::Compiler {
public:
  std::string version() override { return "fake"; }
  llvm::Expected<toolchain::CompileResult> compile(llvm::StringRef text, const toolchain::CompileOptions &) override {
    toolchain::Compiled compiled;
    compiled.artifact = ("artifact of " + text).str();
    candidate::KernelResources kernel;
    kernel.kernel = text.str();
    kernel.registers = 40;
    compiled.kernels = {kernel};
    return toolchain::CompileResult(compiled);
  }
};

/// y = g(f(x)), two tasks of a kernel each, before a sanitizer that is a script.
class SanitizedNetworkTest : public ::testing::Test {
protected:
  std::string folder;
  toolchain::ScratchFolder scratch;
  EvaluateOptions options;
  CandidateFiles files;
  std::unique_ptr<Evaluator> evaluator;

  void SetUp() override {
    auto made = toolchain::ScratchFolder::create("test");
    ASSERT_TRUE(bool(made)) << llvm::toString(made.takeError());
    scratch = std::move(*made);
    folder = scratch.path();
    candidate::LaunchPlan plan;
    plan.problem = "net";
    plan.arch = "sm_90a";
    plan.precision = "strict-fp32";
    plan.inputs = {{"in0", candidate::DType::F32, {8}}};
    plan.outputs = {{"out0", candidate::DType::F32, {8}}};
    candidate::WorkspaceSpec between;
    between.name = "v1";
    between.bytes = 32;
    between.last = 1;
    plan.workspace = {between};
    const candidate::BufferRef in{candidate::BufferKind::Input}, middle{candidate::BufferKind::Workspace},
        out{candidate::BufferKind::Output};
    candidate::Launch first, second;
    first.kernel = "t00_f";
    first.arguments = {in, middle};
    second.kernel = "t01_g";
    second.module = 1;
    second.arguments = {middle, out};
    plan.launches = {first, second};
    plan.modules = {"00-f.cu", "01-g.cu"};
    plan.steps = {{"00-f", 1, {{in}}, {{middle}}}, {"01-g", 1, {{middle}}, {{out}}}};
    files.plan = plan.print();
    files.modules = {"t00_f", "t01_g"};
    const char *buffers = R"("inputs": [{"dtype": "f32", "shape": [8]}], "outputs": [{"dtype": "f32", "shape": [8]}])";
    files.tasks = std::string(R"({"tasks": [{"name": "00-f", "graph": "f", "precision": "strict-fp32", )") + buffers +
                  R"(}, {"name": "01-g", "graph": "g", "precision": "strict-fp32", )" + buffers + "}]}";
    EvaluatorParts parts;
    parts.device = "cuda:0";
    parts.card.memoryBytes = size_t(16) << 30;
    parts.compiler = std::make_shared<AnyCompiler>();
    evaluator = std::make_unique<Evaluator>(std::move(parts));
  }
  void TearDown() override { unsetenv("KGEN_SANITIZER"); }

  /// What becomes of a network that passed. SAYS: what the tools say of which plan, as lines of a shell's case, where
  /// the word is the tool, a space and the kernel's name, or "whole".
  candidate::Measurement sanitize(const std::string &says) {
    const std::string script = folder + "/sanitizer";
    llvm::cantFail(
        toolchain::writeFileAtomically(script, "#!/bin/sh\n"
                                               "for word in \"$@\"; do case $word in *.json) plan=$word;; "
                                               "esac; done\n"
                                               "who=whole\n"
                                               "grep -q modules $plan || who=$(grep -o 't0[01]_[fg]' $plan)\n"
                                               "echo \"$2 $who\" >> " +
                                                   folder +
                                                   "/log\n"
                                                   "echo 'kgen: the candidate has run'\n"
                                                   "case \"$2 $who\" in " +
                                                   says + "esac\n"));
    chmod(script.c_str(), 0755);
    setenv("KGEN_SANITIZER", script.c_str(), 1);
    candidate::Measurement out;
    out.verdict = candidate::Verdict::Pass;
    if (llvm::Error error = evaluator->sanitize(files, options, out))
      ADD_FAILURE() << llvm::toString(std::move(error));
    return out;
  }
  /// "initcheck t00_f", ... of the last look, sorted.
  std::vector<std::string> takeRuns() {
    std::string text = llvm::cantFail(toolchain::readWholeFile(folder + "/log"));
    remove((folder + "/log").c_str());
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
    std::vector<std::string> runs(lines.begin(), lines.end());
    std::sort(runs.begin(), runs.end());
    return runs;
  }
};

} // namespace

TEST_F(SanitizedNetworkTest, EachTaskIsLookedAtByItself) {
  candidate::Measurement clean = sanitize("");
  EXPECT_TRUE(clean.passed()) << clean.detail;
  EXPECT_NE(clean.sanitizer.find("2 tasks by themselves"), std::string::npos) << clean.sanitizer;
  EXPECT_TRUE(clean.warnings.empty());
  EXPECT_EQ(takeRuns(),
            (std::vector<std::string>{"initcheck t00_f", "initcheck t01_g", "initcheck whole", "memcheck t00_f",
                                      "memcheck t01_g", "memcheck whole", "racecheck t00_f", "racecheck t01_g",
                                      "synccheck t00_f", "synccheck t01_g"}));
  // What was clean is so in the next network.
  sanitize("");
  EXPECT_EQ(takeRuns(), (std::vector<std::string>{"initcheck whole", "memcheck whole"}));
}

TEST_F(SanitizedNetworkTest, NamesTheTaskThatIsAtFault) {
  candidate::Measurement race =
      sanitize("'racecheck t01_g') echo '========= Error: Race reported between Write access'; exit 86;; ");
  EXPECT_EQ(race.verdict, candidate::Verdict::Race);
  EXPECT_EQ(race.detail,
            "task 01-g is at fault: compute-sanitizer's racecheck: Error: Race reported between Write access");
  // In the whole the tool's words name the kernel.
  candidate::Measurement fault =
      sanitize("'memcheck whole') echo '========= Invalid __global__ write of size 4 bytes'; "
               "echo '=========     at t00_f+0x150 in net.cu:7'; exit 86;; ");
  EXPECT_EQ(fault.verdict, candidate::Verdict::Fault);
  EXPECT_EQ(fault.detail, "task 00-f is at fault: compute-sanitizer's memcheck: Invalid __global__ write of size 4 "
                          "bytes at t00_f+0x150");
}

TEST_F(SanitizedNetworkTest, SaysWhatItHadNoTimeFor) {
  options.checkSeconds = 1; // no tool starts in that
  candidate::Measurement none = sanitize("");
  EXPECT_TRUE(none.passed());
  ASSERT_EQ(none.warnings.size(), 1u);
  EXPECT_EQ(none.warnings[0],
            "compute-sanitizer had no time for: 00-f (synccheck, racecheck, memcheck, initcheck); 01-g (synccheck, "
            "racecheck, memcheck, initcheck); the whole (memcheck, initcheck)");
}

TEST_F(SanitizedNetworkTest, GivesATaskOfPartsBuffersOfItsOwn) {
  // Of three rows f reads the second, and writes the second of two; g reads both of these.
  candidate::LaunchPlan plan = llvm::cantFail(candidate::LaunchPlan::parse(files.plan));
  plan.inputs[0].shape = {3, 64};
  plan.outputs[0].shape = {2, 64};
  plan.workspace[0].bytes = 512;
  auto partOf = [](candidate::BufferKind kind) {
    candidate::BufferRange range{{kind, 0, 256}};
    range.bytes = 256;
    return range;
  };
  plan.steps[0].inputs = {partOf(candidate::BufferKind::Input)};
  plan.steps[0].outputs = {partOf(candidate::BufferKind::Workspace)};
  candidate::TensorMapSpec map;
  map.buffer = {candidate::BufferKind::Input, 0, 256 + 128};
  map.dtype = candidate::DType::F32;
  map.dims = map.box = {32};
  plan.launches[0].arguments = {candidate::BufferRef{candidate::BufferKind::Input, 0, 256 + 64},
                                candidate::BufferRef{candidate::BufferKind::Workspace, 0, 256}, map};
  files.plan = plan.print();
  auto buffers = [](const char *inputs, const char *outputs) {
    return std::string(R"("inputs": [{"dtype": "f32", "shape": [)") + inputs +
           R"(]}], "outputs": [{"dtype": "f32", "shape": [)" + outputs + "]}]";
  };
  files.tasks = R"({"tasks": [{"name": "00-f", "graph": "f", "precision": "strict-fp32", )" + buffers("64", "64") +
                R"(}, {"name": "01-g", "graph": "g", "precision": "strict-fp32", )" + buffers("2, 64", "2, 64") + "}]}";
  sanitize("'memcheck t00_f') cp $plan " + folder + "/cut.json;; ");
  auto cut = candidate::LaunchPlan::parse(llvm::cantFail(toolchain::readWholeFile(folder + "/cut.json")));
  ASSERT_TRUE(bool(cut)) << llvm::toString(cut.takeError());
  EXPECT_EQ(cut->inputs[0].bytes(), 256u);
  EXPECT_EQ(cut->outputs[0].bytes(), 256u);
  EXPECT_TRUE(cut->workspace.empty());
  const std::vector<candidate::LaunchArgument> &arguments = cut->launches[0].arguments;
  EXPECT_EQ(std::get<candidate::BufferRef>(arguments[0]).offset, 64);
  EXPECT_EQ(std::get<candidate::BufferRef>(arguments[1]).kind, candidate::BufferKind::Output);
  EXPECT_EQ(std::get<candidate::BufferRef>(arguments[1]).offset, 0);
  EXPECT_EQ(std::get<candidate::TensorMapSpec>(arguments[2]).buffer.offset, 128);
}
