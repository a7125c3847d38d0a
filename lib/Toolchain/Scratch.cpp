//===- Scratch.cpp --------------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Toolchain/Scratch.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kgen;
using namespace kgen::toolchain;
namespace fs = llvm::sys::fs;

static constexpr char prefix[] = "kgen-scratch-";

static std::string temporaryParent() {
  const char *chosen = getenv("TMPDIR");
  return chosen && *chosen ? chosen : "/tmp";
}

/// A descriptor that locks FOLDER, or -1 and errno: it is not a folder of this user, or somebody else has it.
static int lockFolder(const std::string &folder) {
  int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return -1;
  struct stat info, there;
  int code = 0;
  if (fstat(fd, &info) != 0 || flock(fd, LOCK_EX | LOCK_NB) != 0)
    code = errno;
  else if (info.st_uid != getuid())
    code = EPERM;
  else if (lstat(folder.c_str(), &there) != 0 || there.st_ino != info.st_ino) // tidied up before the lock
    code = ENOENT;
  if (!code)
    return fd;
  close(fd);
  errno = code;
  return -1;
}

static void removeOrphans(const std::string &parent) {
  std::error_code error;
  for (fs::directory_iterator entry(parent, error, /*follow_symlinks=*/false), end; entry != end && !error;
       entry.increment(error)) {
    if (!llvm::sys::path::filename(entry->path()).starts_with(prefix))
      continue;
    if (int fd = lockFolder(entry->path()); fd >= 0) {
      fs::remove_directories(entry->path());
      close(fd);
    }
  }
}

void ScratchFolder::tidy() {
  removeOrphans(temporaryParent());
  removeOrphans("/dev/shm");
}

llvm::Expected<ScratchFolder> ScratchFolder::create(llvm::StringRef name, std::string parent) {
  if (parent.empty())
    parent = temporaryParent();
  {
    static std::mutex turn;
    static std::set<std::string> tidied;
    std::lock_guard<std::mutex> guard(turn);
    if (tidied.insert(parent).second)
      removeOrphans(parent);
  }
  for (;;) {
    std::string pattern = parent + "/" + prefix + name.str() + "-XXXXXX";
    if (!mkdtemp(pattern.data()))
      return llvm::createStringError("cannot make a temporary folder in %s: %s", parent.c_str(), strerror(errno));
    ScratchFolder out;
    out.folder = pattern;
    out.lock = lockFolder(out.folder);
    // Somebody who tidies up may have been faster. Where there are no locks nobody does.
    if (out.lock >= 0 || (errno != ENOENT && errno != EWOULDBLOCK))
      return std::move(out);
  }
}

ScratchFolder &ScratchFolder::operator=(ScratchFolder &&other) noexcept {
  if (this != &other) {
    std::swap(folder, other.folder);
    std::swap(lock, other.lock);
  }
  return *this;
}

ScratchFolder::~ScratchFolder() {
  if (!folder.empty())
    fs::remove_directories(folder);
  if (lock >= 0)
    close(lock);
}
