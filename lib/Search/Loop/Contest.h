//===- Contest.h - Who of a round may be its best ---------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Search. With several cards each candidate of a round is measured
// once, by whoever is free, and cards of one model differ by some percent. So
// that time only says who may be the best. What has to be done to know is
// decided here, from times alone: no thread, no journal, no clock.
//
//   Retime   on the run's reference, in turns with the best so far
//   Check    compute-sanitizer, on any card
//   Compare  in turns with the one to beat, both on one card, whichever
//
// The fastest one is the leader. It is timed again and checked, at the same
// time on two cards, as soon as half of the round is measured, if it is faster
// than the best so far by more than cards differ. Those about as fast as the
// leader, or as the best, meet it on any card; only who surely wins there goes
// to the reference as well.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace kgen::search {

class Contest {
public:
  enum class Kind { Retime, Check, Compare };
  struct Step {
    Kind kind;
    std::string id;
    std::string rival; ///< of a comparison: a leader, or the best so far
  };
  /// What a leader's two looks came to.
  enum class Outcome {
    Best,  ///< it is the run's best one now
    Lost,  ///< it is right, and not faster than the best one
    Wrong, ///< it is not right after all, or could not be looked at: nothing is known of those compared with it
  };

  /// EXPECTED candidates are being measured; the best so far is BESTID, of BESTUS on the reference; 0: none.
  Contest(size_t expected, std::string bestId, double bestUs)
      : expected(expected), pending(expected), bestId(std::move(bestId)), bestUs(bestUs) {}

  /// ID passed, in US on some card. It is one of those expected, or was measured by an earlier process.
  void measured(llvm::StringRef id, double us, bool wasExpected = true);
  /// One of those expected cannot win.
  void failed() { --pending; }
  /// Nobody else is measured.
  void endMeasuring() { pending = 0; }

  /// What may begin now; each step is named once.
  std::vector<Step> takeSteps();
  /// The leader was timed again: US on the reference, or why it lost.
  void retimed(Outcome outcome, double us);
  void checked(bool clean);
  /// ID was compared with the rival of its step, and is at least RATIO times as fast.
  void compared(llvm::StringRef id, double ratio);
  /// ID could not be compared.
  void dropped(llvm::StringRef id);

  /// The leader, while it is being looked at.
  bool hasLeader() const { return leader.has_value(); }
  /// Whether both looks at the leader are through; settleLeader() then says what it came to, and the next may come.
  bool leaderIsKnown() const;
  Outcome settleLeader();
  /// Nothing is left to do, nothing under way.
  bool isOver() const;
  /// Those that will not be timed on the reference.
  std::vector<std::string> getPassedOver() const;
  /// The fastest time that is known, wherever it was taken; 0: none. A kernel clearly slower needs no precise time.
  double getFastestUs() const;

private:
  struct Entry {
    std::string id;
    double us = 0;
    enum { Waiting, Comparing, Won, Out, Looked } state = Waiting;
    std::string rival; ///< that it was last compared with
    double ratio = 0;  ///< what came of that
  };
  struct Leader {
    std::string id;
    double us = 0;
    std::optional<bool> clean;
    std::optional<Outcome> time;
    double retimedUs = 0;
  };

  Entry *find(llvm::StringRef id);
  const Entry *findNextLeader() const;
  void takeComparisons(std::vector<Step> &steps);

  size_t expected, pending;
  std::string bestId;
  double bestUs;
  std::vector<Entry> entries; ///< fastest first
  std::optional<Leader> leader;
  int tries = 0, comparisons = 0; ///< since all are measured
};

} // namespace kgen::search
