//===- Progress.h - What a search says while it runs ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

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
  /// What is going on right now: "compiling 8 candidates", "measuring round-01/b03".
  virtual void activity(llvm::StringRef what) = 0;
  /// BRANCHESLEFT is the expected number of branches after this one.
  virtual void branchDone(const BranchNews &news, int branchesLeft) = 0;
  virtual void finished() = 0;
};

/// Prints one line per branch to OS. With LIVE a status line with progress and time left is kept
/// below them, redrawn in place; without, plain lines only.
std::unique_ptr<Progress> createTableProgress(llvm::raw_ostream &os, trajectory::Clock &clock, bool live, int columns);
/// Says nothing.
std::unique_ptr<Progress> createSilentProgress();

} // namespace kgen::report
