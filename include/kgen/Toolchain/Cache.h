//===- Cache.h - Artifacts kept by content --------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <string>

namespace kgen::toolchain {

/// KGEN_CACHE_DIR, else XDG_CACHE_HOME/kgen, else ~/.cache/kgen, else a folder of the user in /tmp.
std::string cacheRoot();

/// Hexadecimal SHA-256 of the parts, each framed by its length.
std::string contentKey(llvm::ArrayRef<llvm::StringRef> parts);

/// A folder whose content is a function of its key. Filled under a temporary name and renamed, so that
/// it is whole or absent whatever dies; two writers of one key both succeed.
class ContentCache {
public:
  /// KIND is a folder below ROOT, e.g. "compile".
  ContentCache(std::string root, std::string kind) : folder(std::move(root) + "/" + std::move(kind)) {}

  /// The folder of KEY; when absent, FILL writes it. FILL returns whether to keep the folder: what it
  /// wrote is then lost. The result is empty in that case.
  llvm::Expected<std::string> get(llvm::StringRef key, bool &hit,
                                  const std::function<llvm::Expected<bool>(const std::string &folder)> &fill);
  /// Forgets KEY, whose folder is not what was written into it.
  llvm::Error remove(llvm::StringRef key);

private:
  std::string pathOf(llvm::StringRef key) const;

  std::string folder;
};

/// Writes TEXT to PATH under a temporary name and renames it.
llvm::Error writeFileAtomically(llvm::StringRef path, llvm::StringRef text);
/// The whole file, or the system's words for why not.
llvm::Expected<std::string> readWholeFile(llvm::StringRef path, uint64_t limit = 1ull << 32);

} // namespace kgen::toolchain
