//===- NetworkReport.h - What a network's search found --------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Report/RunReport.h"

namespace kgen::report {

/// One task of a network.
struct NetworkTaskRow {
  std::string name; ///< "00-conv2d"
  int count = 0;    ///< steps of a run that compute it
  int prepares = 0; ///< steps that compute it when weights change
  double genericUs = 0, bestUs = 0, floorUs = 0;
  double share = 0; ///< of the sum of all tasks' best times, in percent
  int rounds = 0, branches = 0;
  std::string bestId, idea, settings, precision;
  bool inNetworkOnly = false; ///< its kernel, bestId `first`, was not measured alone: bestUs and share are 0
};

/// One network put together.
struct NetworkRound {
  std::string id, verdict, detail;
  std::string partition; ///< the idea that cut it otherwise, in words; empty: it is cut as the best was
  int round = 0;
  int firsts = 0;       ///< tasks in it whose kernel was not measured alone
  double timeUs = 0;    ///< 0 unless PASS; without what is prepared of weights
  double prepareUs = 0; ///< that; 0: nothing is
  double graphUs = 0;   ///< as one CUDA graph; 0: not measured
  double seconds = 0;
};

/// What tasks.json of a network names where a task has the kernel that the catalogue would try first, which was
/// measured in the network only.
constexpr llvm::StringLiteral firstKernelChoice = "first";

struct NetworkReport {
  std::string run, problem, size, device, precision, isolation;
  std::optional<trajectory::StopReason> stopReason;
  int steps = 0;
  std::vector<NetworkTaskRow> tasks; ///< in the network's order; those of the best partition
  int otherTasks = 0;                ///< of other partitions
  std::vector<NetworkRound> rounds;
  std::string bestId;
  double bestUs = 0, floorUs = 0;
  double genericUs = 0;              ///< of the network of round 0, or where there was none of its tasks together
  double prepareUs = 0, graphUs = 0; ///< of the best
  std::map<std::string, double> baselines;
  int64_t launches = 0, arenaBytes = 0, valueBytes = 0; ///< of the best's runs; valueBytes: without sharing
  int64_t prepareLaunches = 0, preparedBytes = 0;
  double seconds = 0;
  std::string sanitizer; ///< what compute-sanitizer said of the best; empty: it was not asked
  std::vector<std::string> warnings;
};

/// Reads what the run of a network in FOLDER recorded.
llvm::Expected<NetworkReport> summarizeNetwork(trajectory::FileSystem &fs, trajectory::Clock &clock,
                                               llvm::StringRef folder);
std::string printNetworkText(const NetworkReport &report);
std::string printNetworkMarkdown(const NetworkReport &report);
std::string printNetworkJson(const NetworkReport &report);
/// One page, with nothing from elsewhere.
std::string printNetworkHtml(const NetworkReport &report);

} // namespace kgen::report
