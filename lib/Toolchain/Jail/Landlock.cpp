//===- Landlock.cpp - File rules of the kernel ----------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structures are spelled out, because the kernel's header on a build
// machine is often older than the kernel it runs on.
//
//===----------------------------------------------------------------------===//
#include "Landlock.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace kgen;
using namespace kgen::toolchain;

namespace {

enum Access : uint64_t {
  Execute = 1 << 0,
  WriteFile = 1 << 1,
  ReadFile = 1 << 2,
  ReadFolder = 1 << 3,
  RemoveFile = 1 << 5,
  MakeFile = 1 << 8,
  FirstVersion = (1 << 13) - 1,
  Refer = 1 << 13,       // version 2
  Truncate = 1 << 14,    // version 3
  DeviceIoctl = 1 << 15, // version 5
  OfFiles = Execute | WriteFile | ReadFile | Truncate | DeviceIoctl
};

struct RulesetAttributes {
  uint64_t files, network, scopes;
};
enum : uint64_t { BindAndConnectTcp = 3, AbstractSocketsAndSignals = 3 };

struct __attribute__((packed)) PathRule {
  uint64_t allowed;
  int32_t folder;
};

enum { CreateRuleset = 444, AddRule = 445, RestrictSelf = 446, RuleBelowPath = 1, AskVersion = 1 };

} // namespace

int kgen::toolchain::landlockVersion() {
  static const int version = int(syscall(CreateRuleset, nullptr, 0, AskVersion));
  return version > 0 ? version : 0;
}

int kgen::toolchain::makeLandlockRules(const FileRules &files) {
  int version = landlockVersion();
  if (version == 0)
    return -1;
  RulesetAttributes attributes = {FirstVersion, 0, 0};
  size_t size = 8;
  if (version >= 2)
    attributes.files |= Refer;
  if (version >= 3)
    attributes.files |= Truncate;
  if (version >= 4) {
    attributes.network = BindAndConnectTcp;
    size = 16;
  }
  if (version >= 5)
    attributes.files |= DeviceIoctl;
  if (version >= 6) {
    attributes.scopes = AbstractSocketsAndSignals;
    size = 24;
  }
  int ruleset = int(syscall(CreateRuleset, &attributes, size, 0));
  if (ruleset < 0)
    return -1;
  auto allow = [&](const std::vector<std::string> &paths, uint64_t rights) {
    for (const std::string &path : paths) {
      int fd = open(path.c_str(), O_PATH | O_CLOEXEC);
      struct stat info;
      if (fd < 0)
        continue;
      uint64_t allowed = rights & attributes.files;
      if (fstat(fd, &info) == 0 && !S_ISDIR(info.st_mode))
        allowed &= OfFiles;
      PathRule rule = {allowed, fd};
      syscall(AddRule, ruleset, RuleBelowPath, &rule, 0);
      close(fd);
    }
  };
  allow(files.read, ReadFile | ReadFolder);
  allow(files.execute, ReadFile | ReadFolder | Execute);
  allow(files.write, ReadFile | ReadFolder | WriteFile | Truncate | MakeFile | RemoveFile | DeviceIoctl);
  return ruleset;
}

int kgen::toolchain::enterLandlock(int ruleset) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(RestrictSelf, ruleset, 0) != 0)
    return errno;
  return 0;
}
