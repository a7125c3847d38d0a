//===- Search.h - The loop ------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   parents -> ideas in words -> materialisations -> lowered -> compiled
//           -> measured -> journal -> the next round's parents
//
// The loop is a deterministic function of what the journal holds: each step
// first looks there. So a resumed run is the same loop over a longer journal.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Graph/GraphCompiler.h"
#include "kgen/Propose/Proposer.h"
#include "kgen/Report/Progress.h"
#include "kgen/Search/CandidateEvaluator.h"
#include "kgen/Search/Policy.h"
#include "kgen/Trajectory/Ledger.h"
#include "kgen/Trajectory/RunFolder.h"

#include <atomic>
#include <limits>
#include <string>

namespace kgen::search {

/// What run.json holds: everything that the trajectory depends on, and no key.
struct SearchConfig {
  std::string problem; ///< the function's name
  std::string source;  ///< the --problem as given
  std::string pytorch; ///< its PyTorch form, a file that baselines are timed on; may be empty
  std::string size = "full";
  std::string precision;       ///< class that candidates must keep
  std::string rules = "kgen";  ///< whose rules make verdicts (kgen/Judge/Rules.h)
  std::string device = "host"; ///< of the reference
  std::string deviceModel;
  std::string devices;                ///< all of them, as asked for; empty: that one
  std::vector<std::string> launchers; ///< what started their evaluators elsewhere
  std::string isolation;              ///< of the machine that the run was started on; for the reader
  std::string policy = "branch";
  std::string llm = "builtin";
  propose::ProposerOptions llmOptions; ///< url, name of the key's variable, effort, limits
  PolicyOptions options;
  std::string cut;           ///< of a network: keys of the partition catalogue that it begins with; empty: as it is
  std::string kernelLibrary; ///< file of the kernel library, or "default"; empty: none
  uint64_t seed = 0;
  int tune = 0;                 ///< neighbours of each round's best that are measured besides
  int maxBranches = 0;          ///< after round 0; 0 is no limit
  double maxMinutes = 0;        ///< of the whole run, resumed or not; 0 is no limit
  bool triesFirst = true;       ///< where round 0 took all of that, the first two branches after it are tried still
  int64_t maxTokens = 0;        ///< of all questions; 0 is no limit
  double maxDollars = 0;        ///< the same; 0 is no limit
  trajectory::PriceList prices; ///< of the models that are asked, as they were when the run began
  bool profile = false;         ///< new best kernels are watched by Nsight Compute
  bool checksBest = true; ///< the sanitizer looks at the best kernel; false, no part of run.json: a network's does
  double stopAtFloor = 0; ///< end when the floor over the best time reaches this share; 0: never
  int compileJobs = 2;
  Chip chip;
  /// The search ends after this round, whatever the policy has planned; no part of run.json. Going on with a higher one
  /// is a resumed run.
  int lastRound = std::numeric_limits<int>::max();

  trajectory::Json toJson() const;
  static llvm::Expected<SearchConfig> fromJson(const trajectory::Json &json);
};

/// The world around a search; tests put fakes here.
struct SearchEnvironment {
  trajectory::FileSystem &files;
  trajectory::Clock &clock;
  graph::GraphCompiler &compiler;
  propose::Proposer &proposer;
  CandidateEvaluator &evaluator;
  report::Progress &progress;
  /// Set from outside to end after the branch in flight.
  const std::atomic<bool> &stop;
  /// Verified kernels for similar graphs, for prompts.
  std::vector<propose::LibraryKernel> examples = {};
  /// A run on the same problem, device and rules: where round 0 has its code, it is not measured again. May be null.
  const trajectory::RunFolder *sibling = nullptr;
  /// Where the run's graph is a task of a network: what its tasks take, for prompts.
  std::string network = "";
  /// Lowers scripts that were given by hand, of which COMPILER need not be wary. Null: COMPILER does.
  graph::GraphCompiler *foreign = nullptr;
};

/// Runs or goes on with the search in RUN. The reason why it ended is in run.getStopReason(). An Error is
/// one sentence; the run can be resumed after it.
llvm::Error runSearch(const SearchEnvironment &environment, trajectory::RunFolder &run, const SearchConfig &config);

} // namespace kgen::search
