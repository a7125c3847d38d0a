//===- ProblemSource.h - Where op graphs come from ------------------------===//
#pragma once

#include "kgen/Trajectory/FileSystem.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kgen {

/// The folder of the registered problems and that of the Python package: KGEN_PROBLEMS and
/// KGEN_FRONTEND, else ../share/kgen beside the program (an archive), else the source tree above it.
struct SourceFolders {
  std::string problems, frontend;
};
SourceFolders findSourceFolders(FileSystem &fs, llvm::StringRef programFolder);

/// Names of the registered problems, sorted.
std::vector<std::string> listProblems(FileSystem &fs, const SourceFolders &folders);

/// The level 1 text that SOURCE stands for: a registered name, FILE.mlir, or FILE.py (imported by
/// `python3 -m kgen import`). The Error is one sentence.
llvm::Expected<std::string> readProblem(FileSystem &fs, const SourceFolders &folders, llvm::StringRef source,
                                        llvm::StringRef programFolder);

/// GRAPH with the module attribute kgen.precision set to PRECISION.
std::string withPrecision(llvm::StringRef graph, llvm::StringRef precision);

} // namespace kgen
