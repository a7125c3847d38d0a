//===- RunLibrary.h - A run's side of the kernel library ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Search.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "SearchCommands.h"
#include "kgen/Library/KernelLibrary.h"

namespace kgen::search {

/// What run.json says for the library that the user did not name: the path is no part of a run.
inline constexpr llvm::StringLiteral defaultLibrary = "default";

/// The library of one run; none at all when CONFIG has none.
class RunLibrary {
public:
  static llvm::Expected<RunLibrary> open(const SearchToolWorld &world, const trajectory::RunFolder &run,
                                         const SearchConfig &config);

  /// The kernels to begin with, at most two. CONFINES: compilers are kept away from the user's files, or
  /// the user does not mind. Otherwise CUDA-C of a library that the user named is an Error, that of
  /// the default one is left out, and NOTE says so.
  llvm::Expected<std::vector<library::LibraryEntry>> findSeeds(bool confines, std::string &note) const;
  /// The best kernels for similar graphs, at most two.
  llvm::Expected<std::vector<propose::LibraryKernel>> findExamples() const;
  /// Keeps the three fastest kernels of RUN, as their replies made them; round 0 needs no keeping.
  llvm::Error storeBest(const trajectory::RunFolder &run) const;

private:
  std::unique_ptr<library::KernelLibrary> store; ///< null: none
  std::string name;                              ///< as the user gave it
  library::LibraryKey key;
  std::string problem, shapes;
};

} // namespace kgen::search
