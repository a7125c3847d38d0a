//===- RealFileSystem.cpp - The disk through POSIX ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Trajectory/FileSystem.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace kgen::trajectory {
namespace {

Error fail(const char *verb, StringRef path, int code) {
  return createStringError(Twine("cannot ") + verb + " " + path + ": " + std::strerror(code));
}

/// Writes all of BYTES; 0 or an errno.
int writeAll(int fd, StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR)
        continue;
      return errno;
    }
    bytes = bytes.drop_front(n);
  }
  return 0;
}

/// A rename is only durable once its folder is.
void syncFolder(StringRef folder) {
  int fd = ::open(folder.str().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return;
  ::fsync(fd);
  ::close(fd);
}

class RealAppendFile : public AppendFile {
public:
  RealAppendFile(int fd, std::string path, uint64_t length) : fd(fd), path(std::move(path)), length(length) {}
  ~RealAppendFile() override { ::close(fd); }

  Error append(StringRef bytes) override {
    // What a failed write or sync left on the disk is not known until the file is read again.
    if (broken)
      return fail("write", path, EIO);
    int code = writeAll(fd, bytes);
    if (!code && ::fdatasync(fd) < 0)
      code = errno;
    if (code) {
      broken = true;
      // Half a record is cut here, or when the file is opened again.
      if (::ftruncate(fd, length) < 0)
        return fail("write or restore", path, code);
      return fail("write", path, code);
    }
    length += bytes.size();
    return Error::success();
  }

private:
  int fd;
  std::string path;
  uint64_t length;
  bool broken = false;
};

class RealFileLock : public FileLock {
public:
  explicit RealFileLock(int fd) : fd(fd) {}
  ~RealFileLock() override { ::close(fd); }

private:
  int fd;
};

class RealFileSystem : public FileSystem {
public:
  bool exists(StringRef path) override { return sys::fs::exists(path); }

  Expected<std::string> read(StringRef path) override {
    // A pipe that nobody writes to would be waited for, and /dev/zero never ends.
    if (sys::fs::exists(path) && !sys::fs::is_regular_file(path) && !sys::fs::is_directory(path))
      return createStringError(Twine("cannot read ") + path + ": it is no regular file");
    // Not waiting for the other end of a pipe, nor for the end of a device.
    int fd = ::open(path.str().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
      return fail("read", path, errno);
    struct stat info;
    int code = ::fstat(fd, &info) < 0 ? errno : S_ISDIR(info.st_mode) ? EISDIR : 0;
    std::string text;
    if (!code && !S_ISREG(info.st_mode)) {
      ::close(fd);
      return createStringError(Twine("cannot read ") + path + ": it is no regular file");
    }
    text.reserve(code ? 0 : info.st_size);
    char buffer[65536];
    for (ssize_t got; !code && (got = ::read(fd, buffer, sizeof(buffer))) != 0;)
      if (got > 0)
        text.append(buffer, got);
      else if (errno != EINTR)
        code = errno;
    ::close(fd);
    if (code)
      return fail("read", path, code);
    return text;
  }

  Error createFolders(StringRef path) override {
    if (std::error_code ec = sys::fs::create_directories(path))
      return createStringError(Twine("cannot create folder ") + path + ": " + ec.message());
    return Error::success();
  }

  Error writeAtomic(StringRef path, StringRef text) override {
    StringRef folder = sys::path::parent_path(path);
    return writeAllAtomic(folder.empty() ? "." : folder, {{sys::path::filename(path).str(), text.str()}},
                          /*wait=*/true);
  }

  Error sync(StringRef path) override {
    int fd = ::open(path.str().c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
      return fail("sync", path, errno);
    int code = ::syncfs(fd) < 0 ? errno : 0;
    ::close(fd);
    return code ? fail("sync", path, code) : Error::success();
  }

  Error writeAllAtomic(StringRef folder, const std::map<std::string, std::string> &files, bool wait) override {
    std::string suffix = ".tmp" + std::to_string(::getpid());
    std::vector<std::pair<std::string, int>> open; // path and descriptor of each temporary
    auto closeAll = [&](bool remove) {
      for (auto &[path, fd] : open) {
        ::close(fd);
        if (remove)
          ::unlink((path + suffix).c_str());
      }
    };
    for (const auto &[name, text] : files) {
      std::string path = (folder == "." ? name : (folder + "/" + name).str());
      int fd = ::open((path + suffix).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
      int code = fd < 0 ? errno : 0;
      if (fd >= 0) {
        open.push_back({path, fd});
        code = writeAll(fd, text);
      }
      if (code) {
        closeAll(/*remove=*/true);
        return fail("write", path, code);
      }
    }
    // All are written before the first one is waited for: the disk commits them together.
    for (auto &[path, fd] : open)
      if (wait && ::fsync(fd) < 0) {
        int code = errno;
        closeAll(/*remove=*/true);
        return fail("write", path, code);
      }
    for (auto &[path, fd] : open)
      if (::rename((path + suffix).c_str(), path.c_str()) < 0) {
        int code = errno;
        closeAll(/*remove=*/true);
        return fail("write", path, code);
      }
    closeAll(/*remove=*/false);
    if (wait)
      syncFolder(folder);
    return Error::success();
  }

  Expected<std::unique_ptr<AppendFile>> openAppend(StringRef path, uint64_t length) override {
    // A folder that somebody else made may hold a link to a file of ours.
    int fd = ::open(path.str().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
    if (fd < 0)
      return fail("open", path, errno);
    if (::ftruncate(fd, length) < 0) {
      int code = errno;
      ::close(fd);
      return fail("cut", path, code);
    }
    return std::make_unique<RealAppendFile>(fd, path.str(), length);
  }

  Error link(StringRef target, StringRef path) override {
    std::string temporary = (path + ".tmp" + Twine(::getpid())).str();
    ::unlink(temporary.c_str());
    if (::symlink(target.str().c_str(), temporary.c_str()) < 0)
      return fail("link", path, errno);
    if (::rename(temporary.c_str(), path.str().c_str()) < 0) {
      int code = errno;
      ::unlink(temporary.c_str());
      return fail("link", path, code);
    }
    return Error::success();
  }

  std::vector<std::string> list(StringRef folder) override {
    std::vector<std::string> names;
    std::error_code ec;
    for (sys::fs::directory_iterator it(folder, ec), end; it != end && !ec; it.increment(ec))
      names.push_back(sys::path::filename(it->path()).str());
    std::sort(names.begin(), names.end());
    return names;
  }

  Error removeFile(StringRef path) override {
    if (::unlink(path.str().c_str()) < 0)
      return fail("remove", path, errno);
    return Error::success();
  }

  Expected<std::unique_ptr<FileLock>> lock(StringRef path) override {
    int fd = ::open(path.str().c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
    if (fd < 0)
      return fail("lock", path, errno);
    if (::flock(fd, LOCK_EX | LOCK_NB) < 0) {
      int code = errno;
      char owner[32] = {};
      ssize_t n = ::pread(fd, owner, sizeof(owner) - 1, 0);
      ::close(fd);
      if (code != EWOULDBLOCK)
        return fail("lock", path, code);
      StringRef pid = StringRef(owner, n > 0 ? n : 0).trim();
      return createStringError(Twine("BUSY: run in use by pid ") + (pid.empty() ? "?" : pid) + ": " +
                               sys::path::parent_path(path));
    }
    // Who holds it, for the sentence above; the lock itself is the kernel's.
    std::string pid = std::to_string(::getpid()) + "\n";
    if (::ftruncate(fd, 0) == 0)
      writeAll(fd, pid);
    return std::make_unique<RealFileLock>(fd);
  }
};

} // namespace

std::unique_ptr<FileSystem> createRealFileSystem() { return std::make_unique<RealFileSystem>(); }

} // namespace kgen::trajectory
