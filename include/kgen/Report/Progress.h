//===- Progress.h - What a search says while it runs ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Propose/ModelWait.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>

namespace kgen::trajectory {
class Clock;
} // namespace kgen::trajectory

namespace kgen::report {

/// A branch that has just been measured.
struct BranchNews {
  std::string id;
  std::string idea;     ///< in words
  std::string settings; ///< in short
  std::string verdict;
  std::string detail;
  std::string sameAs;   ///< the branch with the same code whose measurement this one shares
  double timeUs = 0;    ///< 0 unless PASS
  double genericUs = 0; ///< round 0's time, 0 while unknown
  double eagerUs = 0;   ///< PyTorch eager's, 0 when not measured
  double floorUs = 0;   ///< 0 when unknown
  bool isBest = false;
};

/// Called by the search from one thread.
class Progress {
public:
  virtual ~Progress() = default;
  /// One line before the first round: problem, device, size, precision, run folder.
  virtual void note(llvm::StringRef line) = 0;
  virtual void beginRound(int round, int rounds, int branches) = 0;
  /// COUNT more in this round: refills, repairs, tuning.
  virtual void moreBranches(int count) = 0;
  /// What is going on right now: "compiling 8 candidates", "measuring round-01/b03".
  virtual void activity(llvm::StringRef what) = 0;
  /// A model is waited for, or is no more (null).
  virtual void waiting(const propose::ModelWait *wait) = 0;
  /// BRANCHESLEFT is the expected number of branches after this one, of all rounds.
  virtual void branchDone(const BranchNews &news, int branchesLeft) = 0;
  virtual void finished() = 0;
};

struct TableOptions {
  bool live = false;      ///< a terminal that takes control sequences: a status line is redrawn in place
  bool colour = false;    ///< it has colours, and the user wants them
  int columns = 100;      ///< of a terminal; without one only sentences are cut
  double secondsLeft = 0; ///< until the time limit ends the search; 0: there is none
};

/// Prints one line per branch to OS. With LIVE ideas stand above the branches that carry them out, and a status line
/// with progress, the time left and what is waited for is kept below them and redrawn each second; without, plain lines
/// only.
std::unique_ptr<Progress> createTableProgress(llvm::raw_ostream &os, trajectory::Clock &clock,
                                              const TableOptions &options);
/// Says nothing.
std::unique_ptr<Progress> createSilentProgress();

} // namespace kgen::report
