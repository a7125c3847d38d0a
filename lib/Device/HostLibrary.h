//===- HostLibrary.h - The variables of a loaded kernel library -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Device/Device.h"

namespace kgen::device {

/// What a library of kernels may write of its own: kept as it was when it was loaded.
class HostLibrary {
public:
  /// INSIDE is any address of the library loaded from the file ARTIFACT, nothing of which has run yet.
  llvm::Error remember(const void *inside, llvm::StringRef artifact);
  /// Puts everything back. The runtime's stacks are made anew at the next launch.
  void restore();
  /// Puts shared memory and what else stands in functions back; the runtime's state stays.
  void clearShared();
  /// The candidate's own variables; the runtime's and shared memory are not among them.
  const std::vector<DigestJob> &variables() const { return own; }

private:
  struct Segment {
    char *at;
    std::vector<char> bytes;
  };
  std::vector<Segment> segments, shared;
  std::vector<DigestJob> own;
};

} // namespace kgen::device
