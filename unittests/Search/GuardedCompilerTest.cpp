//===- GuardedCompilerTest.cpp --------------------------------------------===//

#include "kgen/Search/GuardedCompiler.h"
#include "Fakes.h"
#include "kgen/Toolchain/Jail.h"

#include "gtest/gtest.h"

#include <csignal>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace kgen;
using namespace kgen::test;
using llvm::toString;

namespace {

/// Does what the script says.
class WildCompiler : public FakeCompiler {
public:
  llvm::Expected<LoweredGraph> lowerWithDirectives(llvm::StringRef graph, llvm::StringRef directives,
                                                   llvm::StringRef idea, llvm::StringRef category,
                                                   const TargetChip &chip) override {
    if (directives == "crash")
      ::raise(SIGSEGV);
    if (directives == "hang")
      for (;;)
        ::usleep(1000);
    if (directives == "reach")
      ::socket(AF_INET, SOCK_STREAM, 0);
    if (directives == "read")
      return llvm::createStringError(::open("/etc/passwd", O_RDONLY) < 0 ? "refused" : "read");
    if (directives == "vanish")
      ::_exit(0);
    return FakeCompiler::lowerWithDirectives(graph, directives, idea, category, chip);
  }
};

std::string errorOf(GraphCompiler &compiler, llvm::StringRef script) {
  auto lowered = compiler.lowerWithDirectives("graph", script, "idea", "compute", {});
  return lowered ? "" : toString(lowered.takeError());
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
  if (!supportedIsolation().calls)
    return;
  EXPECT_EQ(errorOf(*guarded, "reach"), "lowering it crashed the compiler (signal 31)");
  EXPECT_EQ(errorOf(*guarded, "read"), "refused");
}

} // namespace
