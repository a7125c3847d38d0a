//===- FileSystem.h - The disk, as a run sees it --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every outside effect of a run folder goes through this interface, so that a
// test can fill the disk, take permissions away or pull the plug between two
// writes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kgen::trajectory {

/// A file that only grows. Destruction closes it.
class AppendFile {
public:
  virtual ~AppendFile() = default;
  /// Adds BYTES and returns once they are on disk (fdatasync). After an Error the file ends where it
  /// ended before, or in a part of BYTES, and takes no more.
  virtual llvm::Error append(llvm::StringRef bytes) = 0;
};

/// Held until destruction.
class FileLock {
public:
  virtual ~FileLock() = default;
};

/// Errors are one sentence with the path in it: "cannot write runs/a/run.json: No space left on
/// device".
class FileSystem {
public:
  virtual ~FileSystem() = default;

  virtual bool exists(llvm::StringRef path) = 0;
  virtual llvm::Expected<std::string> read(llvm::StringRef path) = 0;
  virtual llvm::Error createFolders(llvm::StringRef path) = 0;
  /// All or nothing: a temporary file beside PATH, fsync, rename. The temporary never survives an
  /// Error.
  virtual llvm::Error writeAtomic(llvm::StringRef path, llvm::StringRef text) = 0;
  /// The same for several files of one folder, by name. Without WAIT they are on disk after the next
  /// sync() only: a power cut before may lose them or leave them empty, a killed process may not.
  virtual llvm::Error writeAllAtomic(llvm::StringRef folder, const std::map<std::string, std::string> &files,
                                     bool wait) = 0;
  /// Waits until everything that was written to PATH's file system is on disk.
  virtual llvm::Error sync(llvm::StringRef path) = 0;
  /// Cuts the file to LENGTH bytes first and creates it when absent.
  virtual llvm::Expected<std::unique_ptr<AppendFile>> openAppend(llvm::StringRef path, uint64_t length) = 0;
  /// Makes or replaces the symbolic link PATH.
  virtual llvm::Error link(llvm::StringRef target, llvm::StringRef path) = 0;
  /// Names in a folder, sorted; empty when there is none.
  virtual std::vector<std::string> list(llvm::StringRef folder) = 0;
  virtual llvm::Error removeFile(llvm::StringRef path) = 0;
  /// An exclusive lock on file PATH (created when absent), or "run in use by pid N".
  virtual llvm::Expected<std::unique_ptr<FileLock>> lock(llvm::StringRef path) = 0;
};

std::unique_ptr<FileSystem> createRealFileSystem();

} // namespace kgen::trajectory
