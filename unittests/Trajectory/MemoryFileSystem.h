//===- MemoryFileSystem.h - A disk that fails when told to ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Trajectory/Clock.h"
#include "kgen/Trajectory/FileSystem.h"

#include <map>
#include <mutex>
#include <set>
#include <string>

namespace kgen::test {

/// A file system in memory. It can run full, deny paths, and lose power: after `powerAfter` more
/// writes everything fails, the last append leaving half its bytes behind.
class MemoryFileSystem : public trajectory::FileSystem {
public:
  std::map<std::string, std::string> files;
  std::map<std::string, std::string> links;
  std::set<std::string> locked;
  std::string denied; ///< paths that hold this text cannot be written
  int powerAfter = -1;
  /// Write number failAt fails, once: nothing of it is there (Clean), half of it (Short), or all (Late: the
  /// error comes from the wait for the disk).
  enum Fault { Clean, Short, Late } fault = Clean;
  int failAt = -1;
  int writes = 0;
  size_t capacity = SIZE_MAX;

  bool powerIsOff() const { return powerAfter == 0; }

  bool exists(llvm::StringRef path) override {
    std::lock_guard<std::recursive_mutex> guard(mutex);
    if (files.count(path.str()))
      return true;
    auto it = files.lower_bound(path.str() + "/");
    return it != files.end() && llvm::StringRef(it->first).starts_with(path.str() + "/");
  }
  llvm::Expected<std::string> read(llvm::StringRef path) override {
    std::lock_guard<std::recursive_mutex> guard(mutex);
    auto it = files.find(path.str());
    if (it == files.end())
      return llvm::createStringError("cannot read " + path + ": No such file or directory");
    return it->second;
  }
  llvm::Error createFolders(llvm::StringRef path) override {
    if (!denied.empty() && path.contains(denied))
      return llvm::createStringError("cannot create folder " + path + ": Permission denied");
    return llvm::Error::success();
  }
  llvm::Error writeAtomic(llvm::StringRef path, llvm::StringRef text) override {
    std::lock_guard<std::recursive_mutex> guard(mutex);
    if (llvm::Error error = check(path, text.size()))
      return error;
    files[path.str()] = text.str();
    return failing() ? llvm::createStringError("cannot write " + path + ": Input/output error")
                     : llvm::Error::success();
  }
  llvm::Error writeAllAtomic(llvm::StringRef folder, const std::map<std::string, std::string> &all, bool) override {
    for (const auto &[name, text] : all)
      if (llvm::Error error = writeAtomic((folder + "/" + name).str(), text))
        return error;
    return llvm::Error::success();
  }
  llvm::Error sync(llvm::StringRef path) override {
    std::lock_guard<std::recursive_mutex> guard(mutex);
    return check(path, 0);
  }
  llvm::Expected<std::unique_ptr<trajectory::AppendFile>> openAppend(llvm::StringRef path, uint64_t length) override {
    std::lock_guard<std::recursive_mutex> guard(mutex);
    if (llvm::Error error = check(path, 0))
      return std::move(error);
    files[path.str()].resize(length);
    return std::make_unique<Append>(*this, path.str());
  }
  llvm::Error link(llvm::StringRef target, llvm::StringRef path) override {
    std::lock_guard<std::recursive_mutex> guard(mutex);
    links[path.str()] = target.str();
    return llvm::Error::success();
  }
  std::vector<std::string> list(llvm::StringRef folder) override {
    std::lock_guard<std::recursive_mutex> guard(mutex);
    std::set<std::string> names;
    for (const auto &entry : files) {
      llvm::StringRef rest = entry.first;
      if (rest.consume_front(folder.str() + "/"))
        names.insert(rest.split('/').first.str());
    }
    return {names.begin(), names.end()};
  }
  llvm::Error removeFile(llvm::StringRef path) override {
    std::lock_guard<std::recursive_mutex> guard(mutex);
    files.erase(path.str());
    return llvm::Error::success();
  }
  llvm::Expected<std::unique_ptr<trajectory::FileLock>> lock(llvm::StringRef path) override {
    if (!locked.insert(path.str()).second)
      return llvm::createStringError("BUSY: run in use by pid 42: " + path);
    return std::make_unique<Lock>(*this, path.str());
  }

  std::recursive_mutex mutex; ///< evaluators read while the search writes

private:
  bool failing() const { return writes == failAt && fault != Clean; }
  llvm::Error check(llvm::StringRef path, size_t bytes) {
    if (powerIsOff())
      return llvm::createStringError("power is off");
    if (!denied.empty() && path.contains(denied))
      return llvm::createStringError("cannot write " + path + ": Permission denied");
    size_t used = bytes;
    for (const auto &entry : files)
      used += entry.second.size();
    if (used > capacity)
      return llvm::createStringError("cannot write " + path + ": No space left on device");
    ++writes;
    if (writes == failAt && (fault == Clean || bytes == 0))
      return llvm::createStringError("cannot write " + path + ": No space left on device");
    if (powerAfter > 0)
      --powerAfter;
    return powerIsOff() ? llvm::createStringError("power is off") : llvm::Error::success();
  }

  struct Append : trajectory::AppendFile {
    Append(MemoryFileSystem &fs, std::string path) : fs(fs), path(std::move(path)) {}
    llvm::Error append(llvm::StringRef bytes) override {
      std::lock_guard<std::recursive_mutex> guard(fs.mutex);
      if (broken) // as on the real disk
        return llvm::createStringError("cannot write " + path + ": Input/output error");
      bool wasOff = fs.powerIsOff();
      llvm::Error error = fs.check(path, bytes.size());
      if (!error && fs.failing()) {
        fs.files[path] += bytes.take_front(fs.fault == Short ? bytes.size() / 2 : bytes.size()).str();
        error = llvm::createStringError("cannot write " + path + ": Input/output error");
      }
      if (error) {
        broken = true;
        if (fs.powerIsOff() && !wasOff)
          fs.files[path] += bytes.take_front(bytes.size() / 2).str(); // torn
        return error;
      }
      fs.files[path] += bytes.str();
      return llvm::Error::success();
    }
    MemoryFileSystem &fs;
    std::string path;
    bool broken = false;
  };
  struct Lock : trajectory::FileLock {
    Lock(MemoryFileSystem &fs, std::string path) : fs(fs), path(std::move(path)) {}
    ~Lock() override { fs.locked.erase(path); }
    MemoryFileSystem &fs;
    std::string path;
  };
};

/// Time moves when told to, and by STEP at each look.
class FakeClock : public trajectory::Clock {
public:
  double now = 1000, step = 0;
  double seconds() override { return now += step; }
  double wallSeconds() override { return 1e9 + now; }
};

} // namespace kgen::test
