//===- Orders.h - What comes before what ------------------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plain way to the orders that LaunchBranches finds: every pair is looked at.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Runtime/LaunchBranches.h"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace kgen::runtime {

using Launches = std::vector<std::vector<Access>>;

/// before[j][i]: launch I is over when J begins.
using Order = std::vector<std::vector<bool>>;

/// Whether one of A and B writes bytes that the other one uses.
inline bool areInConflict(const std::vector<Access> &a, const std::vector<Access> &b) {
  for (const Access &one : a)
    for (const Access &other : b)
      if (one.memory == other.memory && (one.writes || other.writes) &&
          std::max(one.begin, other.begin) < std::min(one.end, other.end))
        return true;
  return false;
}

/// What ACTIONS order, as streams and events do: FREE receives the launches that do not wait for what lies before the
/// run, LOOSE those that what follows the run does not wait for.
inline Order orderOf(const std::vector<StreamAction> &actions, size_t count, std::set<size_t> &free,
                     std::set<size_t> &loose) {
  // Launch COUNT stands for what lies before the run.
  using Past = std::vector<bool>;
  std::vector<Past> streams(mostStreams, Past(count + 1)), events(actions.size(), Past(count + 1));
  auto join = [](Past &into, const Past &other) {
    for (size_t i = 0; i < into.size(); ++i)
      into[i] = into[i] || other[i];
  };
  streams[0][count] = true;
  Order before(count);
  for (const StreamAction &action : actions) {
    Past &stream = streams[action.stream];
    switch (action.kind) {
    case StreamAction::Kind::Launch:
      before[action.index] = stream;
      if (!stream[count])
        free.insert(action.index);
      stream[action.index] = true;
      break;
    case StreamAction::Kind::Record:
      events[action.index] = stream;
      break;
    case StreamAction::Kind::Wait:
      join(stream, events[action.index]);
      break;
    }
  }
  for (size_t i = 0; i < count; ++i)
    if (!streams[0][i])
      loose.insert(i);
  return before;
}

/// A recurrent network: LAYERS of STEPS, whose states lie one after the other in a value of each layer.
inline Launches recurrent(unsigned layers, unsigned steps) {
  Launches launches;
  for (unsigned l = 0; l < layers; ++l)
    for (int64_t t = 0; t < int64_t(steps); ++t) {
      std::vector<Access> uses = {{l + 1, t * 256, t * 256 + 256, true}, {l, t * 256, t * 256 + 256, false}};
      if (t)
        uses.push_back({l + 1, t * 256 - 256, t * 256, false});
      launches.push_back(uses);
    }
  return launches;
}

/// COUNT launches that use a few pieces of a few memories.
inline Launches randomLaunches(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  auto below = [&](unsigned limit) { return unsigned(random() % limit); };
  Launches launches(count);
  const unsigned memories = 1 + below(12), size = 1 + below(200);
  for (auto &uses : launches)
    for (unsigned i = 0, all = below(4); i < all; ++i) {
      const int64_t begin = below(size), end = begin + 1 + below(below(8) ? 4 : size);
      uses.push_back({below(memories), begin, end, below(3) == 0});
    }
  return launches;
}

} // namespace kgen::runtime
