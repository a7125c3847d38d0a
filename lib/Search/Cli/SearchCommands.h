//===- SearchCommands.h - Commands that have a file of their own ----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Search/SearchTool.h"
#include "kgen/Trajectory/HandWritten.h"

namespace kgen::search {

// Each returns the exit code, or an Error in one sentence.

/// The ideas and kernels that COMMAND names, in order: all of them can be read, and an idea for the
/// builtin proposer is one of its own. LLM is who will carry ideas out.
llvm::Expected<std::vector<trajectory::HandWritten>> readGiven(const SearchCommand &command,
                                                               const SearchToolWorld &world, llvm::StringRef llm);
/// Puts them into the inbox of run folder RUN.
llvm::Error dropAll(const std::vector<trajectory::HandWritten> &given, llvm::StringRef run,
                    const SearchToolWorld &world);
/// Puts the prices of the models that CONFIG asks into it. With a limit in dollars each must have one.
llvm::Error choosePrices(const SearchCommand &command, const SearchToolWorld &world, SearchConfig &config);
/// Lays the limits of a `resume` over CONFIG. An Error when one of them is reached already.
llvm::Error raiseLimits(const SearchCommand &command, const trajectory::RunFolder &run, SearchConfig &config);

/// The evaluators to go on with a run of CONFIG with: those that COMMAND names, else the run's.
EvaluatorRequest requestToResume(const SearchCommand &command, const SearchConfig &config);

/// An Error where CONFIG, out of a run folder that somebody else may have written, has commands started or keys sent,
/// where neither COMMAND says that it may nor this user began the run.
llvm::Error checkReach(const SearchCommand &command, const SearchToolWorld &world, const trajectory::RunFolder &run,
                       const SearchConfig &config);

/// Remembers a run that begins as this user's own, so that checkReach asks nothing when it goes on. Where that cannot
/// be written it will ask.
void rememberOwnRun(const SearchToolWorld &world, const SearchConfig &config);

/// `add RUN`
llvm::Expected<int> addToRun(const SearchCommand &command, const SearchToolWorld &world);

/// `export RUN...`: lines of JSON on standard output, or in the file that --out names.
llvm::Expected<int> exportRuns(const SearchCommand &command, const SearchToolWorld &world);

/// `compare RUN...`
llvm::Expected<int> compareRuns(const SearchCommand &command, const SearchToolWorld &world);
/// `compare-policies`: a search by each policy, then compareRuns. A run that is there already is gone on
/// with.
llvm::Expected<int> comparePolicies(const SearchCommand &command, const SearchToolWorld &world);
/// `ideas`: the catalogue, or what of it applies to a problem.
llvm::Expected<int> listIdeas(const SearchCommand &command, const SearchToolWorld &world);
/// `prior RUN...`: how well the prior ranks what the runs measured, by family.
llvm::Expected<int> rankPrior(const SearchCommand &command, const SearchToolWorld &world);
/// `first`: kernels of a graph without a search.
llvm::Expected<int> makeFirstKernels(const SearchCommand &command, const SearchToolWorld &world);
/// `prompt RUN BRANCH`
llvm::Expected<int> printPrompts(const SearchCommand &command, const SearchToolWorld &world);

} // namespace kgen::search
