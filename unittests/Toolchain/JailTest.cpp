//===- JailTest.cpp - Programs that try to get out ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Toolchain/Jail.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Process.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kgen;
using namespace kgen::toolchain;
namespace fs = llvm::sys::fs;

namespace {

/// A folder that the jailed program may write, and a secret beside it.
class JailTest : public ::testing::Test {
protected:
  std::string folder, secret;
  FileRules rules;

  void SetUp() override {
    llvm::SmallString<128> base;
    ASSERT_FALSE(fs::createUniqueDirectory("kgen-jail", base));
    folder = base.str().str() + "/inside";
    secret = base.str().str() + "/secret";
    ASSERT_FALSE(fs::create_directory(folder));
    llvm::cantFail(writeFileAtomically(secret, "the secret"));
    rules.execute = {"/bin", "/usr", "/lib", "/lib64"};
    rules.read = {"/etc/ld.so.cache"};
    rules.write = {folder, "/dev/null"};
  }
  void TearDown() override { fs::remove_directories(llvm::StringRef(folder).drop_back(7)); }

  std::string shell(const std::string &script) {
    Jail jail(rules, CallRules::Program);
    ProcessRequest request;
    request.arguments = {"/bin/sh", "-c", script};
    request.directory = folder;
    request.jail = &jail;
    ProcessLimits limits;
    limits.wallSeconds = 20;
    auto result = runProcess(request, limits);
    if (!result)
      return "not started: " + llvm::toString(result.takeError());
    return result->output + (result->code ? " exit " + std::to_string(result->code) : "");
  }
};

/// What STEP returns in a child that gave up what RULES says; -SIGNAL when it died.
template <class Step>
int inProcess(CallRules rules, Step step) {
  pid_t child = fork();
  if (child == 0) {
    FileRules none;
    _exit(confineThisProcess(none, rules).empty() ? step() : 99);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

TEST_F(JailTest, ItsOwnFolderStaysUsable) {
  EXPECT_EQ(shell("echo one > a && mv a b && cat b && rm b && echo x > /dev/null && ls | wc -l"), "one\n0\n");
}

TEST_F(JailTest, NoOtherFileCanBeReadOrWritten) {
  if (!supportedIsolation().confinesFiles())
    GTEST_SKIP() << "this kernel has no file isolation";
  std::string text = shell("cat " + secret +
                           " /etc/passwd /proc/self/environ /proc/1/environ ../secret; "
                           "ls / /home /root /tmp; echo gone > ../secret; echo new > ../other");
  EXPECT_EQ(text.find("the secret"), std::string::npos) << text;
  EXPECT_EQ(text.find("root:"), std::string::npos) << text;
  EXPECT_EQ(text.find("PATH="), std::string::npos) << text;
  EXPECT_EQ(llvm::cantFail(readWholeFile(secret)), "the secret");
  EXPECT_FALSE(fs::exists(folder + "/../other"));
}

TEST_F(JailTest, TheSystemIsReadOnly) {
  if (!supportedIsolation().confinesFiles())
    GTEST_SKIP() << "this kernel has no file isolation";
  shell("echo x > /usr/kgen-was-here");
  EXPECT_FALSE(fs::exists("/usr/kgen-was-here"));
}

TEST_F(JailTest, NobodyIsLedAwayByALink) {
  if (!supportedIsolation().calls)
    GTEST_SKIP() << "this kernel has no seccomp";
  shell("ln -s " + secret + " kernel.so; ln " + secret + " compile.log; mkfifo pipe");
  EXPECT_FALSE(fs::is_symlink_file(folder + "/kernel.so"));
  EXPECT_FALSE(fs::exists(folder + "/compile.log"));
  EXPECT_FALSE(fs::exists(folder + "/pipe"));
}

TEST_F(JailTest, OtherProcessesAreOutOfReach) {
  if (!supportedIsolation().calls)
    GTEST_SKIP() << "this kernel has no seccomp";
  std::string text =
      shell("kill -9 " + std::to_string(getpid()) + " 2>/dev/null && echo killed; setsid true && echo left");
  EXPECT_EQ(text.find("killed"), std::string::npos) << text;
  EXPECT_EQ(text.find("left"), std::string::npos) << text;
}

TEST_F(JailTest, AProgramThatIsNotNamedCannotStart) {
  if (supportedIsolation().files != Isolation::Files::Landlock)
    GTEST_SKIP() << "a mount namespace shows all of /usr";
  rules.execute = {"/bin/sh", "/lib", "/lib64", "/usr/lib"};
  EXPECT_NE(shell("/usr/bin/env echo started").find("exit 126"), std::string::npos);
}

TEST(Confine, ComputingNeedsNoCalls) {
  if (!supportedIsolation().calls)
    GTEST_SKIP() << "this kernel has no seccomp";
  EXPECT_EQ(inProcess(CallRules::Kernel, [] { return 7; }), 7);
  EXPECT_EQ(inProcess(CallRules::Kernel, [] { return open("/etc/passwd", O_RDONLY) < 0 ? 3 : 4; }), -SIGSYS);
  // Memory that outlives a run, other names for what is open, and whatever would hide a fault.
  EXPECT_EQ(inProcess(CallRules::Kernel, [] { return syscall(SYS_mmap, 0, 4096, 3, 0x22, -1, 0) < 0 ? 3 : 4; }),
            -SIGSYS);
  EXPECT_EQ(inProcess(CallRules::Kernel, [] { return close(3) < 0 ? 3 : 4; }), -SIGSYS);
  EXPECT_EQ(inProcess(CallRules::Kernel, [] { return write(2, "", 0) < 0 ? 3 : 4; }), -SIGSYS);
  EXPECT_EQ(inProcess(CallRules::Kernel, [] { return write(1, "", 0) < 0 ? 3 : 4; }), 4);
  EXPECT_EQ(inProcess(CallRules::Kernel, [] { return signal(SIGSEGV, SIG_IGN) == SIG_ERR ? 3 : 4; }), -SIGSYS);
  EXPECT_EQ(inProcess(CallRules::Kernel, [] { return syscall(SYS_getppid) < 0 ? 3 : 4; }), -SIGSYS);
  EXPECT_EQ(inProcess(CallRules::Kernel, [] { return socket(AF_INET, SOCK_STREAM, 0) < 0 ? 3 : 4; }), -SIGSYS);
  EXPECT_EQ(inProcess(CallRules::Kernel, [] { return fork() < 0 ? 3 : 4; }), -SIGSYS);
  EXPECT_EQ(inProcess(CallRules::Kernel, [] { return kill(getppid(), 0) < 0 ? 3 : 4; }), -SIGSYS);
  EXPECT_EQ(inProcess(CallRules::Kernel, [] { return syscall(SYS_unlink, "/tmp/x") < 0 ? 3 : 4; }), -SIGSYS);
  EXPECT_EQ(inProcess(CallRules::Kernel, [] { return syscall(SYS_prctl, 0, 0) < 0 ? 3 : 4; }), -SIGSYS);
}

TEST(Confine, ComputingNeedsMemoryAndNoFiles) {
  if (!supportedIsolation().calls)
    GTEST_SKIP() << "this kernel has no seccomp";
  EXPECT_EQ(inProcess(CallRules::Compute, [] { return malloc(1 << 24) ? 7 : 4; }), 7);
  EXPECT_EQ(inProcess(CallRules::Compute, [] { return open("/etc/passwd", O_RDONLY) < 0 ? 3 : 4; }), 3);
  EXPECT_EQ(inProcess(CallRules::Compute, [] { return fork() < 0 ? 3 : 4; }), -SIGSYS);
}

/// Whoever ends a confined process by a foreign signal is not that process: its verdict is not the candidate's.
TEST(Confine, NobodySendsItselfForeignSignals) {
  if (!supportedIsolation().calls)
    GTEST_SKIP() << "this kernel has no seccomp";
  for (int signal = 1; signal < 32; ++signal) {
    int compute = inProcess(CallRules::Kernel, [=] { return raise(signal) < 0 ? 3 : 4; });
    int one = inProcess(CallRules::OneProcess, [=] { return raise(signal) < 0 ? 3 : 4; });
    bool own = signal == SIGABRT || signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL ||
               signal == SIGTRAP;
    EXPECT_EQ(compute, own ? -signal : -SIGSYS) << signal;
    EXPECT_EQ(one, own ? -signal : 3) << signal;
    if (own) {
      EXPECT_FALSE(isForeignSignal(signal)) << signal;
    }
  }
}

TEST(Confine, OneProcessStaysOne) {
  if (!supportedIsolation().calls)
    GTEST_SKIP() << "this kernel has no seccomp";
  for (CallRules rules : {CallRules::OneProcess, CallRules::NoPrograms, CallRules::Program})
    for (int domain : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK})
      EXPECT_EQ(inProcess(rules, [&] { return socket(domain, SOCK_DGRAM, 0) < 0 ? 3 : 4; }), 3) << domain;
  EXPECT_EQ(inProcess(CallRules::OneProcess, [] { return fork() < 0 ? 3 : 4; }), 3);
  EXPECT_EQ(inProcess(CallRules::OneProcess, [] { return execl("/bin/true", "true", nullptr) < 0 ? 3 : 4; }), 3);
  EXPECT_EQ(inProcess(CallRules::NoPrograms, [] { return execl("/bin/true", "true", nullptr) < 0 ? 3 : 4; }), 3);
  EXPECT_EQ(inProcess(CallRules::NoPrograms,
                      [] {
                        const pid_t child = fork();
                        if (child == 0)
                          _exit(5);
                        int status = 0;
                        return waitpid(child, &status, 0) == child ? WEXITSTATUS(status) : 4;
                      }),
            5);
  EXPECT_EQ(inProcess(CallRules::Program, [] { return syscall(SYS_unshare, 0x10000000) < 0 ? 3 : 4; }), 3);
  EXPECT_EQ(inProcess(CallRules::Program, [] { return syscall(SYS_ptrace, 0, 0, 0, 0) < 0 ? 3 : 4; }), 3);
  // The 32-bit-pointer names of the same calls.
  EXPECT_EQ(inProcess(CallRules::Program, [] { return syscall(0x40000000 + SYS_socket, 2, 1, 0) < 0 ? 3 : 4; }),
            -SIGSYS);
}

TEST(Isolation, IsToldInOneLine) {
  Isolation level;
  EXPECT_EQ(describeIsolation(level), "files OPEN, calls OPEN, network OPEN");
  level.files = Isolation::Files::Landlock;
  level.landlockVersion = 4;
  level.calls = true;
  EXPECT_EQ(describeIsolation(level), "files landlock v4, calls seccomp, network none");
  level.files = Isolation::Files::MountNamespace;
  level.calls = false;
  level.emptyNetwork = true;
  EXPECT_EQ(describeIsolation(level), "files mount namespace, calls OPEN, network none");
}
