//===- Scratch.h - Temporary folders that nobody has to tidy up -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <utility>

namespace kgen::toolchain {

/// A folder PARENT/kgen-scratch-NAME-XXXXXX that goes with this object. One whose process was killed goes when a later
/// process makes its first one beside it, or tidies up: a lock tells whose process lives.
class ScratchFolder {
public:
  ScratchFolder() = default;
  ScratchFolder(ScratchFolder &&other) noexcept { *this = std::move(other); }
  ScratchFolder &operator=(ScratchFolder &&other) noexcept;
  ~ScratchFolder();

  /// PARENT is TMPDIR, else /tmp, unless given. Fails with the folder and the system's words.
  static llvm::Expected<ScratchFolder> create(llvm::StringRef name, std::string parent = "");
  const std::string &path() const { return folder; }
  /// Removes what killed processes left, in TMPDIR and in memory.
  static void tidy();

private:
  std::string folder;
  int lock = -1;
};

} // namespace kgen::toolchain
