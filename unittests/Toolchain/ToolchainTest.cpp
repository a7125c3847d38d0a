//===- ToolchainTest.cpp - Processes, the cache, resource facts -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Compiler.h"
#include "kgen/Toolchain/Process.h"
#include "kgen/Toolchain/Resources.h"
#include "kgen/Toolchain/Scratch.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <atomic>
#include <csignal>
#include <optional>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace kgen;
using namespace kgen::toolchain;
namespace fs = llvm::sys::fs;

namespace {

struct TemporaryFolder {
  llvm::SmallString<128> path;
  TemporaryFolder() { fs::createUniqueDirectory("kgen-test", path); }
  ~TemporaryFolder() { fs::remove_directories(path); }
};

ProcessResult shell(const std::string &script, ProcessLimits limits = {}) {
  ProcessRequest request;
  request.arguments = {"/bin/sh", "-c", script};
  auto result = runProcess(request, limits);
  EXPECT_TRUE(bool(result)) << llvm::toString(result.takeError());
  return result ? *result : ProcessResult();
}

/// A compiler that counts, and fails on texts that say so.
class FakeCompiler : public Compiler {
public:
  std::atomic<int> calls{0};
  std::string version() override { return "fake"; }
  llvm::Expected<CompileResult> compile(llvm::StringRef source, const CompileOptions &) override {
    ++calls;
    if (source == "broken")
      return llvm::createStringError("no compiler");
    if (source == "wrong")
      return CompileResult(CompileFailed{"wrong", "", false, false});
    Compiled out;
    out.artifact = source.str();
    return CompileResult(out);
  }
};

} // namespace

TEST(Process, OutputAndCode) {
  ProcessResult result = shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(result.end, ProcessResult::End::Exited);
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.output, "out\nerr\n");
}

TEST(Process, WallLimitKillsTheWholeGroup) {
  ProcessLimits limits;
  limits.wallSeconds = 0.3;
  double start = monotonicSeconds();
  ProcessResult result = shell("sleep 60 & sleep 60", limits);
  EXPECT_EQ(result.end, ProcessResult::End::TimedOut);
  EXPECT_LT(monotonicSeconds() - start, 5);
}

TEST(Process, OutputIsCapped) {
  ProcessLimits limits;
  limits.outputBytes = 1000;
  EXPECT_EQ(shell("yes | head -c 1000000", limits).output.size(), 1000u);
}

TEST(Process, MemoryLimit) {
  ProcessLimits limits;
  limits.memoryBytes = 64 << 20;
  ProcessResult result = shell("x=$(head -c 200000000 /dev/zero | tr '\\0' a); echo ${#x}", limits);
  EXPECT_EQ(result.output.find("200000000"), std::string::npos);
}

TEST(Process, EnvironmentIsAnAllowList) {
  setenv("SOMEONES_API_KEY", "secret", 1);
  setenv("KGEN_LLM_KEY", "secret", 1);
  EXPECT_EQ(shell("env").output.find("secret"), std::string::npos);
}

TEST(Process, SignalIsTold) {
  ProcessResult result = shell("kill -SEGV $$");
  EXPECT_EQ(result.end, ProcessResult::End::Signalled);
  EXPECT_EQ(result.code, 11);
}

TEST(Process, AChildOutlivesTheThreadThatAskedForIt) {
  ProcessRequest request;
  request.arguments = {"sleep", "30"};
  std::optional<ChildProcess> child;
  std::thread([&] { child = llvm::cantFail(ChildProcess::start(request)); }).join();
  ProcessResult result;
  EXPECT_FALSE(child->waitFor(0.2, result)) << "signal " << result.code;
}

TEST(Process, MissingProgram) {
  ProcessRequest request;
  request.arguments = {"/no/such/program"};
  auto result = runProcess(request, {});
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(llvm::toString(result.takeError()), "cannot start /no/such/program: No such file or directory");
}

TEST(Process, NoDescriptorLeaks) {
  int leak = dup(1);
  EXPECT_EQ(shell("for i in 3 4 5 6 7 8 9; do [ -e /proc/$$/fd/$i ] && echo $i; done; true").output, "");
  close(leak);
}

TEST(Cache, FillsOnceAndKeepsNothingHalf) {
  TemporaryFolder folder;
  ContentCache cache(folder.path.str().str(), "kind");
  int fills = 0;
  bool hit = true;
  auto fill = [&](const std::string &at) -> llvm::Expected<bool> {
    ++fills;
    return !writeFileAtomically(at + "/file", "text");
  };
  auto first = cache.get("abcd", hit, fill);
  ASSERT_TRUE(bool(first));
  EXPECT_FALSE(hit);
  auto second = cache.get("abcd", hit, fill);
  ASSERT_TRUE(bool(second));
  EXPECT_TRUE(hit);
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(fills, 1);
  EXPECT_EQ(llvm::cantFail(readWholeFile(*first + "/file")), "text");

  // A fill that fails leaves nothing that a later one could take for whole.
  auto failed = cache.get("abff", hit, [](const std::string &at) -> llvm::Expected<bool> {
    llvm::cantFail(writeFileAtomically(at + "/half", ""));
    return llvm::createStringError("no");
  });
  ASSERT_FALSE(bool(failed));
  llvm::consumeError(failed.takeError());
  EXPECT_FALSE(fs::exists(folder.path + "/kind/ab/abff"));
}

/// What a killed process left goes, what a living one holds stays.
TEST(Scratch, OrphansAreTidiedUp) {
  ScratchFolder parent = llvm::cantFail(ScratchFolder::create("test"));
  setenv("TMPDIR", parent.path().c_str(), 1);
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  pid_t child = fork();
  if (child == 0) {
    ScratchFolder orphan = llvm::cantFail(ScratchFolder::create("orphan"));
    llvm::cantFail(writeFileAtomically(orphan.path() + "/file", "text"));
    (void)!write(ready[1], orphan.path().c_str(), orphan.path().size());
    pause();
  }
  char name[512] = {};
  ASSERT_GT(read(ready[0], name, sizeof name - 1), 0);
  ScratchFolder::tidy();
  EXPECT_TRUE(llvm::sys::fs::exists(std::string(name) + "/file"));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ScratchFolder::tidy();
  EXPECT_FALSE(llvm::sys::fs::exists(name));
  std::string own;
  {
    ScratchFolder mine = llvm::cantFail(ScratchFolder::create("mine")), moved = std::move(mine);
    own = moved.path();
    EXPECT_TRUE(llvm::sys::fs::is_directory(own));
  }
  EXPECT_FALSE(llvm::sys::fs::exists(own));
  setenv("TMPDIR", "/no/such/folder", 1);
  auto none = ScratchFolder::create("none");
  unsetenv("TMPDIR");
  ASSERT_FALSE(bool(none));
  EXPECT_EQ(llvm::toString(none.takeError()),
            "cannot make a temporary folder in /no/such/folder: No such file or directory");
  close(ready[0]), close(ready[1]);
}

TEST(Cache, KeysFrameTheirParts) {
  EXPECT_NE(contentKey({"ab", "c"}), contentKey({"a", "bc"}));
  EXPECT_NE(contentKey({"ab"}), contentKey({"ab", ""}));
  EXPECT_EQ(contentKey({"a"}).size(), 64u);
}

TEST(Cache, ErrorsNameTheFile) {
  llvm::Error error = writeFileAtomically("/proc/no/file", "x");
  EXPECT_EQ(llvm::toString(std::move(error)), "cannot write /proc/no/file: No such file or directory");
  auto text = readWholeFile("/no/file");
  ASSERT_FALSE(bool(text));
  EXPECT_EQ(llvm::toString(text.takeError()), "cannot read /no/file: No such file or directory");
  // Opening a pipe that nobody writes to would wait.
  TemporaryFolder folder;
  std::string pipe = (folder.path + "/pipe").str();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(llvm::toString(readWholeFile(pipe).takeError()), "cannot read " + pipe + ": it is no regular file");
}

TEST(CompileAll, KeepsTheOrder) {
  FakeCompiler compiler;
  auto results = compileAll(compiler, {"a", "wrong", "broken", "b"}, {}, 3);
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(compiler.calls, 4);
  EXPECT_EQ(std::get<Compiled>(*results[0]).artifact, "a");
  EXPECT_EQ(std::get<CompileFailed>(*results[1]).reason, "wrong");
  EXPECT_EQ(llvm::toString(results[2].takeError()), "no compiler");
  EXPECT_EQ(std::get<Compiled>(*results[3]).artifact, "b");
}

TEST(Resources, NameWhatPtxasGivesUp) {
  EXPECT_EQ(findLostInstructions("ptxas info    : 0 bytes gmem\nptxas info    : Used 40 registers\n"), "");
  EXPECT_EQ(
      findLostInstructions("ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to "
                           "determine register count at entry.\n"),
      "ptxas gives up what the kernel asks for: 'setmaxnreg' ignored; unable to determine register count at entry.");
  EXPECT_EQ(findLostInstructions("ptxas info    : (C7514) Potential Performance Loss: wgmma.mma_async instructions are "
                                 "serialized due to x in the function 'k'\nptxas info    : Used 40 registers\n"),
            "ptxas gives up what the kernel asks for: wgmma.mma_async instructions are serialized due to x in the "
            "function 'k'");
}

TEST(Resources, MachineCodeThatCannotBeReadMayCallAnything) {
  EXPECT_NE(findRuntimeCalls("no cubin").find("cannot be read"), std::string::npos);
}

TEST(Resources, TheDriversRegistersAreItsOwn) {
  EXPECT_NE(findDriversRegisters("{ mov.b32 %r1,%envreg2; }").find("%envreg"), std::string::npos);
  EXPECT_EQ(findDriversRegisters("mov.u32 %r1, %smid;\nmov.u64 %rd2, %globaltimer;\n"), "");
}

TEST(Resources, PtxasLog) {
  auto kernels =
      parsePtxasLog("ptxas info    : 4 bytes gmem\n"
                    "ptxas info    : Compiling entry function 'bad' for 'sm_90a'\n"
                    "ptxas info    : Function properties for bad\n"
                    "ptxas         .     120 bytes stack frame, 116 bytes spill stores, 100 bytes spill loads\n"
                    "ptxas info    : Used 254 registers, used 0 barriers, 120 bytes cumulative stack size\n"
                    "ptxas info    : Compiling entry function 'sum' for 'sm_90a'\n"
                    "ptxas info    : Function properties for sum\n"
                    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                    "ptxas info    : Used 15 registers, used 1 barriers, 128 bytes smem, 376 bytes cmem[0]\n");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].kernel, "bad");
  EXPECT_EQ(kernels[0].registers, 254);
  EXPECT_EQ(kernels[0].spillBytes, 216);
  EXPECT_EQ(kernels[0].stackBytes, 120);
  EXPECT_EQ(kernels[1].registers, 15);
  EXPECT_EQ(kernels[1].sharedBytes, 128);
  EXPECT_EQ(kernels[1].spillBytes, 0);
}

TEST(Resources, TensorCoresByKernel) {
  std::vector<candidate::KernelResources> kernels(2);
  kernels[0].kernel = "gemm";
  kernels[1].kernel = "gemm_epilogue";
  markTensorCores(".visible .entry gemm_epilogue(\n)\n{\n add.f32;\n}\n"
                  ".visible .entry gemm(\n)\n{\n wgmma.mma_async.sync;\n}\n",
                  kernels);
  EXPECT_TRUE(kernels[0].tensorCore);
  EXPECT_FALSE(kernels[1].tensorCore);
}

TEST(Resources, Occupancy) {
  candidate::KernelResources kernel;
  kernel.registers = 32;
  EXPECT_EQ(occupancy(kernel, 256, 0), 1.0);
  kernel.registers = 255; // 8192 registers a warp: 8 warps
  EXPECT_EQ(occupancy(kernel, 256, 0), 8 * 32 / 2048.0);
  kernel.registers = 32;
  EXPECT_EQ(occupancy(kernel, 128, 100 * 1024), 2 * 128 / 2048.0); // two blocks by shared memory
  kernel.registers = 128;
  EXPECT_EQ(occupancy(kernel, 1024, 0), 0); // 131072 registers for one block
}
