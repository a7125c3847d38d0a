//===- HostLibrary.h - The variables of a loaded kernel library -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Device/Device.h"

namespace kgen::device {

/// What a library of kernels may write of its own.
class HostLibrary {
public:
  /// INSIDE is any address of the library loaded from the file ARTIFACT, nothing of which has run yet.
  llvm::Error remember(const void *inside, llvm::StringRef artifact);
  /// Whether one of the candidate's own variables is not what it was; shared memory and the runtime's do not count.
  bool changed() const;
  /// Touches each page that it may write, and reads each other one: what a first access costs is no kernel's time.
  void touch() const;

private:
  struct Segment {
    char *at;
    std::vector<char> bytes;
  };
  struct Pages {
    char *at;
    size_t bytes;
    bool writable;
  };
  std::vector<Segment> own;
  std::vector<Pages> pages;
};

/// Touches each page of BYTES at AT; WRITE: so that writing costs nothing later.
void touchPages(char *at, size_t bytes, bool write);

} // namespace kgen::device
