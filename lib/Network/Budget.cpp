//===- Budget.cpp - Which task the next round is for ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Network/Network.h"

#include <algorithm>

using namespace kgen;
using namespace kgen::network;

double kgen::network::expectedGain(const TaskState &state) {
  if (state.bestUs.empty())
    return 0;
  const double above = std::max(state.bestUs.back() - state.floorUs, 0.0);
  // Half of what is above the floor until a round showed what a round does, and never nothing: ideas differ.
  constexpr double unknown = 0.5, least = 0.02;
  double share = unknown;
  if (state.bestUs.size() > 1) {
    auto gained = [&](size_t round) { return 1 - state.bestUs[round] / state.bestUs[round - 1]; };
    share = gained(state.bestUs.size() - 1);
    if (state.bestUs.size() > 2)
      share = (share + gained(state.bestUs.size() - 2)) / 2;
    share = std::max(share, least);
  }
  return state.count * above * share;
}

std::vector<size_t> kgen::network::chooseTasks(llvm::ArrayRef<TaskState> states, size_t most) {
  std::vector<std::pair<double, size_t>> gains;
  for (size_t i = 0; i < states.size(); ++i)
    if (!states[i].exhausted && states[i].count > 0)
      gains.push_back({-expectedGain(states[i]), i});
  std::sort(gains.begin(), gains.end());
  std::vector<size_t> chosen;
  for (size_t i = 0; i < std::min(most, gains.size()); ++i)
    chosen.push_back(gains[i].second);
  return chosen;
}

std::vector<size_t> kgen::network::chooseBatch(llvm::ArrayRef<TaskState> states, size_t fewest, size_t most) {
  constexpr double share = 0.2;
  std::vector<size_t> chosen = chooseTasks(states, most);
  while (chosen.size() > fewest && expectedGain(states[chosen.back()]) < share * expectedGain(states[chosen.front()]))
    chosen.pop_back();
  return chosen;
}

double kgen::network::ClosingTime::reserve() const {
  constexpr double margin = 1.25; // a measurement is never as long as the one before
  const int networks = firsts > 0 ? 2 : 1;
  return std::min(margin * networks * assembly + firsts + checks + inFlight, limit / 2);
}
