//===- GuardedCompiler.h - Lowering what a model wrote --------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Graph/GraphCompiler.h"

namespace kgen::search {

/// Passes everything on to INNER, which outlives it, but lowers directives and sources in a forked
/// child: a transform script can crash MLIR or keep it busy for ever. A child that dies or takes longer
/// than SECONDS is an Error in one sentence. The bytes are those that INNER would give. With TRUSTSCRIPTS
/// only sources are: the builtin proposer's scripts are kgen's own, a kernel may still be a person's.
std::unique_ptr<graph::GraphCompiler> createGuardedCompiler(graph::GraphCompiler &inner, double seconds = 60,
                                                            bool trustScripts = false);

/// Who lowers for a run whose ideas are LLM's: nothing that a model or a person wrote is applied in this process.
struct RunCompilers {
  std::unique_ptr<graph::GraphCompiler> own;     ///< for what LLM proposed
  std::unique_ptr<graph::GraphCompiler> foreign; ///< for what was given by hand, whoever proposes

  RunCompilers(graph::GraphCompiler &inner, llvm::StringRef llm);
};

/// INNER, which outlives it, for several threads at once, some of which lower through createGuardedCompiler(): no child
/// is forked while a call is at work here, because the child would hold its locks for ever.
std::unique_ptr<graph::GraphCompiler> createSharedCompiler(graph::GraphCompiler &inner);

} // namespace kgen::search
