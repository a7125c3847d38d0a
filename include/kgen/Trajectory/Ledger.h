//===- Ledger.h - What a run cost -----------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over the journal, so that they hold after a kill and a resume: tokens and
// money of each question, device time of each measurement, wall time.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Trajectory/RunFolder.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kgen::trajectory {

/// What a model charges, in dollars per million tokens.
struct Price {
  double input = 0;  ///< prompt tokens that were not in the provider's cache
  double cached = 0; ///< prompt tokens that were
  double output = 0; ///< answer tokens, reasoning included

  double of(const propose::TokenUsage &usage) const;
};

/// A price file, or what a run took from it.
struct PriceList {
  std::string asOf; ///< the date that the file gives
  std::map<std::string, Price> models;

  /// Reads prices/prices.json or a user's; PATH is named in the Error.
  static llvm::Expected<PriceList> parse(llvm::StringRef text, llvm::StringRef path);
  /// The price of MODEL ("anthropic:NAME"); none when the list does not have it.
  std::optional<Price> find(llvm::StringRef model) const;
  Json toJson() const;
};

/// One part of the costs.
struct Costs {
  int branches = 0; ///< that were measured, each text once
  int requests = 0;
  int64_t input = 0, cached = 0, output = 0, reasoning = 0; ///< tokens
  double dollars = 0;                                       ///< of the models that have a price
  double deviceSeconds = 0;                                 ///< in which the device verified and timed
  double askSeconds = 0;                                    ///< in which a model was waited for

  int64_t tokens() const { return input + output; }
  Json toJson() const;
};

struct Ledger {
  Costs total;
  std::map<std::string, Costs> models;     ///< by model
  std::map<std::string, Costs> categories; ///< by idea category; "round 0"; questions that led to no branch are "none"
  std::map<std::string, Costs> branches;   ///< by branch id; a question's costs are shared by what came of it
  double seconds = 0;                      ///< wall time of all processes
  std::string pricesAsOf;                  ///< "" when nothing has a price
  std::vector<std::string> unpriced;       ///< models without one that were asked
};

/// Adds up RUN's journal, with the prices that its run.json holds.
Ledger addUp(const RunFolder &run);

} // namespace kgen::trajectory
