//===- NetworkStandings.h - The networks put together so far ----*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "NetworkSearch.h"

#include "kgen/Candidate/Measurement.h"

#include <set>

namespace kgen::search {

/// Kernels that are left out, as (task, branch).
using Banned = std::set<std::pair<std::string, std::string>>;

/// What was put together so far, which of it is the best, and whose kernels were wrong in it. A function of the
/// network's journal: the search and replay keep one each, and add every measured branch in the journal's order.
class NetworkStandings {
public:
  /// BRANCH, cut as SCRIPT says, was measured with CHOICES. Returns the kernels that are left out from here on.
  Banned add(const trajectory::BranchRecord &branch, const candidate::Measurement &measurement,
             const TaskChoices &choices, llvm::StringRef script);
  /// The fastest that is right and has no kernel that is left out; "" and 0: there is none.
  llvm::StringRef bestId() const { return best ? llvm::StringRef(entries[*best].id) : llvm::StringRef(); }
  double bestUs() const { return best ? entries[*best].us : 0; }
  llvm::StringRef bestScript() const { return best ? llvm::StringRef(entries[*best].script) : llvm::StringRef(); }
  const TaskChoices *bestChoices() const { return best ? &entries[*best].choices : nullptr; }
  /// Whether the best one has been under compute-sanitizer.
  bool bestIsChecked() const { return best && entries[*best].checked; }
  /// Whether CHOICES, cut as SCRIPT says, are known to be right; with CHECKED, and to compute-sanitizer too.
  bool isKnown(const TaskChoices &choices, llvm::StringRef script, bool checked) const;
  /// Whether a network in which TASK has its first kernel was right.
  bool hadFirst(llvm::StringRef task) const;
  const Banned &banned() const { return leftOut; }

private:
  struct Entry {
    std::string id, script;
    double us = 0;
    TaskChoices choices;
    bool checked = false;
  };
  void chooseBest();

  std::vector<Entry> entries; ///< those that passed
  std::optional<size_t> best;
  TaskChoices taken; ///< of the last one that was taken on
  Banned leftOut;
};

} // namespace kgen::search
