//===- TaskSearch.h - A task of a network and its run -----------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "FirstKernels.h"

#include "kgen/Network/Network.h"
#include "kgen/Search/Search.h"
#include "kgen/Search/SearchTool.h"

#include <optional>
#include <set>

namespace kgen::search {

/// One task and its run.
struct TaskSearch {
  std::string name;
  std::unique_ptr<trajectory::RunFolder> run;
  SearchConfig config;
  network::TaskState state;
  bool asksAhead = true;            ///< for its right answers, before its first round
  std::set<std::string> banned;     ///< branches that were wrong in the network; `first` may be among them
  std::optional<FirstKernel> first; ///< what stands in for a round that there was no time for, once that was asked
};

/// The fastest branch of a task's RUN up to ROUND that is right and not BANNED, and its time in us; "" and 0: none.
/// STATE receives the floor.
std::pair<std::string, double> findBest(const trajectory::RunFolder &run, int round,
                                        const std::set<std::string> &banned, network::TaskState &state);

/// The network as a problem: the form of its plan, and the file of its graph.
struct WholeProblem {
  const candidate::LaunchPlan *plan = nullptr; ///< null: there is none
  std::string graphFile;
};

/// Compiles the round 0 of all TASKS at once, and has the right answers of those that ask ahead ready; their own
/// searches find both. The first of them has number FIRST. WHOLE's answers take longest and are asked for at the same
/// time.
void prepareTasks(const SearchToolWorld &world, const SearchConfig &config, CandidateEvaluator &evaluator,
                  llvm::ArrayRef<TaskSearch> tasks, size_t first, const WholeProblem &whole = {});

} // namespace kgen::search
