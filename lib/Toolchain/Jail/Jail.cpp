//===- Jail.cpp - What a process may still reach --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Toolchain/Jail.h"

#include "JailCalls.h"
#include "Landlock.h"
#include "MountJail.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kgen;
using namespace kgen::toolchain;

struct Jail::Parts {
  int ruleset = -1;
  MountPlan mounts;
  std::vector<sock_filter> filter;
  CallRules calls = CallRules::All;
};

Jail::Jail(const FileRules &files, CallRules calls) : parts(std::make_unique<Parts>()) {
  const Isolation &isolation = supportedIsolation();
  if (isolation.files == Isolation::Files::Landlock)
    parts->ruleset = makeLandlockRules(files);
  else if (isolation.files == Isolation::Files::MountNamespace)
    parts->mounts = planMounts(files);
  parts->calls = calls;
  if (isolation.calls)
    parts->filter = makeCallFilter(calls);
}

Jail::~Jail() {
  if (parts->ruleset >= 0)
    close(parts->ruleset);
}

int Jail::enterInChild() const {
  const Isolation &isolation = supportedIsolation();
  bool mounts = isolation.files == Isolation::Files::MountNamespace;
  if (isolation.emptyNetwork || mounts)
    if (int code = enterNamespaces(mounts ? &parts->mounts : nullptr))
      return code;
  if (isolation.files == Isolation::Files::Landlock)
    if (int code = parts->ruleset < 0 ? EINVAL : enterLandlock(parts->ruleset))
      return code;
  return parts->filter.empty() ? 0 : installCallFilter(parts->filter);
}

/// What KGEN_ISOLATION leaves over.
static std::string isolationLimit() {
  const char *asked = getenv("KGEN_ISOLATION");
  return asked ? asked : "";
}

std::string kgen::toolchain::confineThisProcess(const FileRules &files, CallRules calls) {
  std::string limit = isolationLimit();
  if (limit == "none")
    return "";
  if (landlockVersion() > 0 && limit != "mounts") {
    int ruleset = makeLandlockRules(files), code = ruleset < 0 ? errno : enterLandlock(ruleset);
    if (ruleset >= 0)
      close(ruleset);
    if (code)
      return std::string("files are not confined: ") + strerror(code);
  }
  if (int code = confineCalls(calls))
    return std::string("system calls are not filtered: ") + strerror(code);
  return "";
}

int kgen::toolchain::confineCalls(CallRules calls) {
  if (isolationLimit() == "none")
    return 0;
  // EINVAL: a kernel that was built without filters.
  const int code = installCallFilter(makeCallFilter(calls));
  return code == EINVAL ? 0 : code;
}

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

/// Runs STEP in a child, which says by its exit code whether the isolation held.
template <class Step>
static bool holds(Step step) {
  pid_t child = fork();
  if (child < 0)
    return false;
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    _exit(step() ? 0 : 1);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// A file that any process can read as long as nothing confines it.
static bool readsFiles() {
  int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
  return fd >= 0;
}

static Isolation measure() {
  Isolation out;
  std::string limit = isolationLimit();
  if (limit == "none")
    return out;
  auto filter = makeCallFilter(CallRules::Program);
  out.calls = holds([&] { return installCallFilter(filter) == 0 && socket(AF_INET, SOCK_STREAM, 0) < 0; });
  out.emptyNetwork = holds([] { return enterNamespaces(nullptr) == 0; });
  int ruleset = limit == "mounts" ? -1 : makeLandlockRules({{"/usr"}, {}, {}});
  if (ruleset >= 0) {
    if (holds([&] {
          return readsFiles() && enterLandlock(ruleset) == 0 && !readsFiles() && open("/usr", O_RDONLY) >= 0;
        })) {
      out.files = Isolation::Files::Landlock;
      out.landlockVersion = landlockVersion();
    }
    close(ruleset);
  }
  if (!out.confinesFiles() && limit != "landlock" && out.emptyNetwork) {
    MountPlan plan = planMounts({});
    if (holds([&] {
          return readsFiles() && enterNamespaces(&plan) == 0 && !readsFiles() && open("/usr", O_RDONLY) >= 0;
        }))
      out.files = Isolation::Files::MountNamespace;
  }
  return out;
}

const Isolation &kgen::toolchain::supportedIsolation() {
  static const Isolation measured = measure();
  return measured;
}

std::string kgen::toolchain::describeIsolation(const Isolation &isolation) {
  std::string text = "files ";
  switch (isolation.files) {
  case Isolation::Files::Landlock:
    text += "landlock v" + std::to_string(isolation.landlockVersion);
    break;
  case Isolation::Files::MountNamespace:
    text += "mount namespace";
    break;
  case Isolation::Files::Open:
    text += "OPEN";
    break;
  }
  text += isolation.calls ? ", calls seccomp" : ", calls OPEN";
  text += isolation.closesNetwork() ? ", network none" : ", network OPEN";
  return text;
}

std::string kgen::toolchain::explainUnconfinedCompile(llvm::StringRef whose) {
  return "this system cannot keep a compiler away from your files (no Landlock, no user namespaces), and " +
         whose.str() + "; --allow-unconfined-compile runs it all the same";
}
