//===- Cache.cpp - Artifacts kept by content ------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Toolchain/Cache.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kgen;
using namespace kgen::toolchain;
namespace fs = llvm::sys::fs;

std::string kgen::toolchain::cacheRoot() {
  if (const char *dir = getenv("KGEN_CACHE_DIR"); dir && *dir)
    return dir;
  if (const char *dir = getenv("XDG_CACHE_HOME"); dir && *dir)
    return std::string(dir) + "/kgen";
  if (const char *dir = getenv("HOME"); dir && *dir)
    return std::string(dir) + "/.cache/kgen";
  // In a folder that everybody writes to, a name may be a stranger's: what lies there would be run.
  std::string name = "/tmp/kgen-cache-" + std::to_string(getuid()), chosen = name;
  for (int i = 2; i < 100; ++i, chosen = name + "-" + std::to_string(i)) {
    struct stat info;
    if (mkdir(chosen.c_str(), 0700) == 0 || (lstat(chosen.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
                                             info.st_uid == getuid() && !(info.st_mode & (S_IWGRP | S_IWOTH))))
      break;
  }
  return chosen;
}

std::string kgen::toolchain::contentKey(llvm::ArrayRef<llvm::StringRef> parts) {
  llvm::SHA256 hash;
  for (llvm::StringRef part : parts) {
    // Without the length, ("ab", "c") and ("a", "bc") would be one key.
    hash.update(std::to_string(part.size()) + ":");
    hash.update(part);
  }
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

std::string ContentCache::pathOf(llvm::StringRef key) const {
  llvm::SmallString<128> absolute(folder);
  fs::make_absolute(absolute);
  return absolute.str().str() + "/" + key.take_front(2).str() + "/" + key.str();
}

llvm::Error ContentCache::remove(llvm::StringRef key) {
  // Its name is free at once; of two that do this one is late, which does no harm.
  std::string path = pathOf(key), away = path + ".tmp." + std::to_string(getpid());
  if (rename(path.c_str(), away.c_str()) != 0 && errno != ENOENT)
    return llvm::createStringError("%s is damaged and cannot be removed: %s", path.c_str(), strerror(errno));
  fs::remove_directories(away);
  return llvm::Error::success();
}

llvm::Expected<std::string> ContentCache::get(llvm::StringRef key, bool &hit,
                                              const std::function<llvm::Expected<bool>(const std::string &)> &fill) {
  std::string final = pathOf(key), parent = llvm::sys::path::parent_path(final).str();
  // A folder has its final name only when it is whole, so existing is all that has to be asked.
  hit = fs::is_directory(final);
  if (hit)
    return final;
  if (std::error_code error = fs::create_directories(parent))
    return llvm::createStringError("cannot make the cache folder %s: %s", parent.c_str(), error.message().c_str());
  llvm::SmallString<128> temporary;
  if (std::error_code error = fs::createUniqueDirectory(parent + "/.tmp", temporary))
    return llvm::createStringError("cannot write in the cache folder %s: %s", parent.c_str(), error.message().c_str());
  auto keep = fill(temporary.str().str());
  if (!keep || !*keep) {
    fs::remove_directories(temporary);
    if (!keep)
      return keep.takeError();
    return std::string();
  }
  if (rename(temporary.c_str(), final.c_str()) != 0) {
    int error = errno;
    fs::remove_directories(temporary);
    // Somebody else was faster: what they wrote is the same.
    if (error != EEXIST && error != ENOTEMPTY)
      return llvm::createStringError("cannot write %s: %s", final.c_str(), strerror(error));
  }
  return final;
}

llvm::Error kgen::toolchain::writeFileAtomically(llvm::StringRef path, llvm::StringRef text) {
  // Beside the target, because a rename cannot cross file systems.
  std::string temporary = path.str() + ".tmp." + std::to_string(getpid());
  auto fail = [&](const char *what) {
    int error = errno;
    unlink(temporary.c_str());
    return llvm::createStringError("cannot %s %s: %s", what, path.str().c_str(), strerror(error));
  };
  int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0)
    return fail("write");
  for (size_t at = 0; at < text.size();) {
    ssize_t put = write(fd, text.data() + at, text.size() - at);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0) {
      close(fd);
      return fail("write");
    }
    at += size_t(put);
  }
  // A full disk may show only at close.
  if (close(fd) != 0 || rename(temporary.c_str(), path.str().c_str()) != 0)
    return fail("write");
  return llvm::Error::success();
}

llvm::Expected<std::string> kgen::toolchain::readWholeFile(llvm::StringRef path, uint64_t limit) {
  // A pipe that nobody writes to would be waited for.
  int fd = open(path.str().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    std::string why = fd < 0 ? strerror(errno) : S_ISDIR(info.st_mode) ? strerror(EISDIR) : "it is no regular file";
    if (fd >= 0)
      close(fd);
    return llvm::createStringError("cannot read %s: %s", path.str().c_str(), why.c_str());
  }
  std::string text;
  char buffer[65536];
  ssize_t got;
  while ((got = read(fd, buffer, sizeof buffer)) > 0 && text.size() < limit)
    text.append(buffer, size_t(got));
  close(fd);
  if (text.size() > limit)
    return llvm::createStringError("%s is longer than %llu bytes", path.str().c_str(), (unsigned long long)limit);
  return text;
}
