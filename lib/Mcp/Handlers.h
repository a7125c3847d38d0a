//===- Handlers.h - What the rows of the table call ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Mcp. Arguments have been checked against the row's shape.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Mcp/Tools.h"

namespace kgen::mcp {

// ProblemTools.cpp
llvm::Expected<Json> listProblems(Workspace &workspace, const Json &arguments, Call &call);
llvm::Expected<Json> describeProblem(Workspace &workspace, const Json &arguments, Call &call);
llvm::Expected<Json> importProblem(Workspace &workspace, const Json &arguments, Call &call);
llvm::Expected<Json> listIdeas(Workspace &workspace, const Json &arguments, Call &call);
llvm::Expected<Json> readGuide(Workspace &workspace, const Json &arguments, Call &call);

// WorkTools.cpp
llvm::Expected<Json> openRun(Workspace &workspace, const Json &arguments, Call &call);
llvm::Expected<Json> propose(Workspace &workspace, const Json &arguments, Call &call);
llvm::Expected<Json> evaluate(Workspace &workspace, const Json &arguments, Call &call);
llvm::Expected<Json> startSearch(Workspace &workspace, const Json &arguments, Call &call);
llvm::Expected<Json> searchState(Workspace &workspace, const Json &arguments, Call &call);
llvm::Expected<Json> cancelSearch(Workspace &workspace, const Json &arguments, Call &call);

/// What is told of work of which DONE branches are done and STEPS things have happened since: it grows with both, as
/// progress has to, and never says more than DONE, for no further branch need come. Before the first is done it stays
/// below a half.
double toldProgress(int done, int steps);

// RunTools.cpp
llvm::Expected<Json> listRuns(Workspace &workspace, const Json &arguments, Call &call);
llvm::Expected<Json> listBranches(Workspace &workspace, const Json &arguments, Call &call);
llvm::Expected<Json> readBranch(Workspace &workspace, const Json &arguments, Call &call);
llvm::Expected<Json> readReport(Workspace &workspace, const Json &arguments, Call &call);
llvm::Expected<Json> replayRun(Workspace &workspace, const Json &arguments, Call &call);

/// BRANCH as results have it. GENERICUS is round 0's time; 0: unknown.
Json printBranch(const trajectory::BranchRecord &branch, double genericUs);
/// How RUN stands.
Json printState(Workspace &workspace, const trajectory::RunFolder &run, llvm::StringRef name);

} // namespace kgen::mcp
