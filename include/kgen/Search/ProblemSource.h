//===- ProblemSource.h - Where op graphs come from ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Trajectory/FileSystem.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kgen::search {

/// The folders of the registered problems, the Python package and the shipped price file: KGEN_PROBLEMS,
/// KGEN_FRONTEND and KGEN_PRICES, else ../share/kgen beside the program (an archive), else the source
/// tree above it.
struct SourceFolders {
  std::string problems, frontend, prices;
};
SourceFolders findSourceFolders(trajectory::FileSystem &fs, llvm::StringRef programFolder);

/// Names of the registered problems, sorted.
std::vector<std::string> listProblems(trajectory::FileSystem &fs, const SourceFolders &folders);

/// The level 1 text that SOURCE stands for: a registered name, FILE.mlir, or FILE.py (imported by
/// `python3 -m kgen import`). The Error is one sentence.
llvm::Expected<std::string> readProblem(trajectory::FileSystem &fs, const SourceFolders &folders,
                                        llvm::StringRef source, llvm::StringRef programFolder);

/// GRAPH with the module attribute kgen.precision set to PRECISION.
std::string withPrecision(llvm::StringRef graph, llvm::StringRef precision);

/// GRAPH with the module attribute kgen.tiled_products, by which the generic path computes products by tiles.
std::string withTiledProducts(llvm::StringRef graph);

} // namespace kgen::search
