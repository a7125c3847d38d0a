//===- GuardedCompilerTest.cpp --------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Search/GuardedCompiler.h"
#include "Fakes.h"
#include "kgen/Toolchain/Jail.h"

#include "gtest/gtest.h"

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace kgen;
using namespace kgen::search;
using namespace kgen::test;
using llvm::toString;

namespace {

/// Does what the script says.
class WildCompiler : public FakeCompiler {
public:
  /// Memory that a child has in common with the test.
  struct Shared {
    std::atomic<int> deaths, pid;
  };
  Shared *shared = nullptr;

  llvm::Expected<graph::LoweredGraph> lowerWithDirectives(llvm::StringRef graph, llvm::StringRef directives,
                                                          llvm::StringRef idea, llvm::StringRef category,
                                                          const Chip &chip) override {
    if (directives == "crash")
      ::raise(SIGSEGV);
    if (directives == "hang")
      for (;;)
        ::usleep(1000);
    if (directives == "reach")
      ::socket(AF_INET, SOCK_STREAM, 0);
    if (directives == "read")
      return llvm::createStringError(::open("/etc/passwd", O_RDONLY) < 0 ? "refused" : "read");
    if (directives == "await death" && shared && shared->deaths > 0)
      for (shared->pid = ::getpid();;)
        ::usleep(1000);
    if (directives == "vanish")
      ::_exit(0);
    return FakeCompiler::lowerWithDirectives(graph, directives, idea, category, chip);
  }
};

std::string errorOf(graph::GraphCompiler &compiler, llvm::StringRef script) {
  auto lowered = compiler.lowerWithDirectives("graph", script, "idea", "compute", {});
  return lowered ? "" : toString(lowered.takeError());
}

TEST(SharedCompiler, KeepsForksFromLocksThatAreHeld) {
  /// A compiler with a lock of the process, as MLIR has some.
  struct Locking : FakeCompiler {
    std::mutex lock;
    llvm::Expected<graph::GraphFacts> facts(llvm::StringRef graph) override {
      std::lock_guard<std::mutex> guard(lock);
      ::usleep(500);
      return FakeCompiler::facts(graph);
    }
    llvm::Expected<graph::LoweredGraph> lowerWithDirectives(llvm::StringRef graph, llvm::StringRef directives,
                                                            llvm::StringRef idea, llvm::StringRef category,
                                                            const Chip &chip) override {
      std::lock_guard<std::mutex> guard(lock);
      return FakeCompiler::lowerWithDirectives(graph, directives, idea, category, chip);
    }
  } inner;
  auto shared = createSharedCompiler(inner);
  auto guarded = createGuardedCompiler(*shared, /*seconds=*/5);
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done) {
      llvm::consumeError(shared->facts("graph").takeError());
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(errorOf(*guarded, "words"), ""); // a child that inherits the lock would wait for ever
  done = true;
  other.join();
}

TEST(GuardedCompiler, HandsARefusalOn) {
  WildCompiler inner;
  auto guarded = createGuardedCompiler(inner);
  auto lowered = guarded->lowerWithDirectives("graph", "raw_smem", "idea", "compute", {});
  ASSERT_FALSE(bool(lowered));
  std::optional<graph::Refusal> refusal;
  EXPECT_EQ(graph::takeRefusal(lowered.takeError(), refusal), "directive refused: found raw_smem");
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, graph::RefusalKind::OutOfRange);
  EXPECT_EQ(refusal->key, "key");
  EXPECT_EQ(refusal->found, "raw_smem");
  EXPECT_EQ(refusal->bound, "other words");
  lowered = guarded->lowerWithDirectives("graph", "read", "idea", "compute", {});
  ASSERT_FALSE(bool(lowered));
  refusal.reset();
  EXPECT_EQ(graph::takeRefusal(lowered.takeError(), refusal), "refused");
  EXPECT_FALSE(refusal);
}

TEST(GuardedCompiler, GivesTheSameBytes) {
  WildCompiler inner;
  auto guarded = createGuardedCompiler(inner);
  auto expected = inner.lowerWithDirectives("graph", "script", "idea", "compute", {});
  auto lowered = guarded->lowerWithDirectives("graph", "script", "idea", "compute", {});
  ASSERT_TRUE(expected && lowered);
  EXPECT_EQ(lowered->annotated, expected->annotated);
  EXPECT_EQ(lowered->lowered, expected->lowered);
  EXPECT_EQ(lowered->plan, expected->plan);
  EXPECT_EQ(lowered->cuda, expected->cuda);
  EXPECT_EQ(errorOf(*guarded, "raw_smem"), errorOf(inner, "raw_smem"));
}

TEST(GuardedCompiler, SurvivesItsChild) {
  WildCompiler inner;
  auto guarded = createGuardedCompiler(inner, 0.2);
  EXPECT_EQ(errorOf(*guarded, "crash"), "lowering it crashed the compiler (signal 11)");
  EXPECT_EQ(errorOf(*guarded, "hang"), "lowering it took longer than 0 s");
  EXPECT_EQ(errorOf(*guarded, "vanish"), "lowering it ended without an answer");
  if (!toolchain::supportedIsolation().calls)
    return;
  EXPECT_EQ(errorOf(*guarded, "reach"), "lowering it crashed the compiler (signal 31)");
  EXPECT_EQ(errorOf(*guarded, "read"), "refused");
}

/// The system does that when it has no more memory: once is no answer.
TEST(GuardedCompiler, TriesOnceMoreWhenItsChildIsKilled) {
  WildCompiler inner;
  inner.shared = static_cast<WildCompiler::Shared *>(
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  auto guarded = createGuardedCompiler(inner, 20);
  for (int deaths : {1, 2}) {
    inner.shared->deaths = deaths;
    std::thread killer([&] {
      while (inner.shared->deaths > 0) {
        if (int pid = inner.shared->pid.exchange(0)) {
          --inner.shared->deaths;
          ::kill(pid, SIGKILL);
        }
        ::usleep(1000);
      }
    });
    EXPECT_EQ(errorOf(*guarded, "await death"), deaths == 1 ? "" : "lowering it was killed (signal 9), twice");
    killer.join();
  }
  ::munmap(inner.shared, 4096);
}

} // namespace
