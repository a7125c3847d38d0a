//===- MountJail.cpp - A file tree that holds only what is allowed --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between fork and exec nothing may allocate, so paths are built in arrays on
// the stack.
//
//===----------------------------------------------------------------------===//
#include "MountJail.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <set>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace kgen;
using namespace kgen::toolchain;
namespace fs = llvm::sys::fs;

enum { MaxEntries = 128 };

/// Where the new root is mounted: a folder that every system has.
static const char place[] = "/tmp";

MountPlan kgen::toolchain::planMounts(const FileRules &files) {
  MountPlan plan;
  std::set<std::string> seen;
  auto bind = [&](const std::string &path, bool writable) {
    llvm::SmallString<256> real;
    struct stat info;
    if (fs::real_path(path, real) || stat(real.c_str(), &info) != 0 || plan.entries.size() == MaxEntries)
      return;
    std::string name = real.str().str();
    // Below a folder that is there already, unless this one may be written.
    for (const MountPlan::Entry &entry : plan.entries)
      if (entry.link.empty() && !writable && (name == entry.path || name.rfind(entry.path + "/", 0) == 0))
        return;
    if (name != "/" && seen.insert(name).second)
      plan.entries.push_back({name, "", S_ISDIR(info.st_mode), writable});
  };
  bind("/usr", false);
  for (const char *path : {"/lib", "/lib64", "/lib32", "/bin", "/sbin"}) {
    char target[256];
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length > 0)
      plan.entries.push_back({path, std::string(target, size_t(length)), false, false});
    else
      bind(path, false);
  }
  for (const char *path : {"/etc/alternatives", "/etc/ld.so.cache"})
    bind(path, false);
  for (auto *list : {&files.execute, &files.read})
    for (const std::string &path : *list)
      bind(path, false);
  for (const std::string &path : files.write)
    bind(path, true);
  return plan;
}

static int writeFile(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return errno;
  int code = write(fd, text, strlen(text)) < 0 ? errno : 0;
  close(fd);
  return code;
}

/// Makes the folders above PATH, and PATH itself as a folder or an empty file.
static void makeTarget(char *path, bool folder) {
  for (char *slash = strchr(path + sizeof place, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(path, 0755);
    *slash = '/';
  }
  if (folder)
    mkdir(path, 0755);
  else
    close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
}

static int bindEntry(const MountPlan::Entry &entry, int source) {
  char target[4096], from[64];
  if (snprintf(target, sizeof target, "%s%s", place, entry.path.c_str()) >= int(sizeof target))
    return ENAMETOOLONG;
  if (!entry.link.empty()) {
    makeTarget(target, true);
    rmdir(target);
    return symlink(entry.link.c_str(), target) == 0 ? 0 : errno;
  }
  snprintf(from, sizeof from, "/proc/self/fd/%d", source);
  makeTarget(target, entry.folder);
  if (mount(from, target, nullptr, MS_BIND | MS_REC, nullptr) != 0)
    return errno;
  if (entry.writable)
    return 0;
  // What the mount above forbids has to be forbidden again, or the kernel refuses.
  struct statvfs facts;
  unsigned long flags = MS_BIND | MS_REMOUNT | MS_RDONLY;
  if (statvfs(target, &facts) == 0) {
    flags |= facts.f_flag & ST_NOSUID ? MS_NOSUID : 0;
    flags |= facts.f_flag & ST_NODEV ? MS_NODEV : 0;
    flags |= facts.f_flag & ST_NOEXEC ? MS_NOEXEC : 0;
    flags |= facts.f_flag & ST_NOATIME ? MS_NOATIME : 0;
    flags |= facts.f_flag & ST_NODIRATIME ? MS_NODIRATIME : 0;
    flags |= facts.f_flag & ST_RELATIME ? MS_RELATIME : 0;
  }
  return mount(nullptr, target, nullptr, flags, nullptr) == 0 ? 0 : errno;
}

static int enterMounts(const MountPlan &plan) {
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return errno;
  // Opened before the new root hides what lies below it.
  int sources[MaxEntries + 8], code = 0;
  size_t count = plan.entries.size() < MaxEntries + 8 ? plan.entries.size() : MaxEntries + 8;
  for (size_t i = 0; i < count; ++i)
    sources[i] = plan.entries[i].link.empty() ? open(plan.entries[i].path.c_str(), O_PATH | O_CLOEXEC) : -1;
  // The descriptors' names go through /proc, which the new root does not have: so it is entered last.
  if (mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV, "size=16m,mode=755") != 0)
    return errno;
  for (size_t i = 0; i < count && !code; ++i)
    if (sources[i] >= 0 || !plan.entries[i].link.empty())
      code = bindEntry(plan.entries[i], sources[i]);
  for (size_t i = 0; i < count; ++i)
    if (sources[i] >= 0)
      close(sources[i]);
  char old[64];
  snprintf(old, sizeof old, "%s/.old", place);
  mkdir(old, 0700);
  if (!code && (syscall(SYS_pivot_root, place, old) != 0 || chdir("/") != 0 || umount2("/.old", MNT_DETACH) != 0))
    code = errno;
  rmdir("/.old");
  return code;
}

int kgen::toolchain::enterNamespaces(const MountPlan *plan) {
  char line[64];
  unsigned user = getuid(), group = getgid();
  // A parent that keeps its memory to itself would leave these files to root.
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC | (plan ? CLONE_NEWNS : 0)) != 0)
    return errno;
  // The same numbers inside as outside: files keep their owners.
  writeFile("/proc/self/setgroups", "deny");
  snprintf(line, sizeof line, "%u %u 1", user, user);
  writeFile("/proc/self/uid_map", line);
  snprintf(line, sizeof line, "%u %u 1", group, group);
  writeFile("/proc/self/gid_map", line);
  return plan ? enterMounts(*plan) : 0;
}
