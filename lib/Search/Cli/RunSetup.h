//===- RunSetup.h - What a run's search takes beside its evaluator --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Search: a search of one graph and each task of a network begin
// with the same.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "RunLibrary.h"
#include "RunLog.h"
#include "kgen/Search/GuardedCompiler.h"

namespace kgen::search {

/// Who proposes for a run, who lowers what was proposed, and what the kernel library knows of its graph.
struct RunSetup {
  RunLog log;
  RunLibrary library;
  std::string leftOut; ///< what of the library is not used, and why; empty: nothing is left out
  std::unique_ptr<propose::Proposer> proposer;
  std::vector<propose::LibraryKernel> examples;
  RunCompilers compilers;

  /// For RUN, which outlives it. OPTIONS' log and stop are set here. CONFINES as RunLibrary::findSeeds() takes it.
  static llvm::Expected<std::unique_ptr<RunSetup>> open(const SearchToolWorld &world, trajectory::RunFolder &run,
                                                        const SearchConfig &config, propose::ProposerOptions options,
                                                        bool confines);

private:
  RunSetup(trajectory::RunFolder &run, graph::GraphCompiler &compiler, llvm::StringRef llm)
      : log(run), compilers(compiler, llm) {}
};

} // namespace kgen::search
