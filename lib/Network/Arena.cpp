//===- Arena.cpp - Memory that several values share -----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Network/Network.h"

#include "kgen/Support/PlanLimits.h"

#include <algorithm>
#include <numeric>

using namespace kgen;

/// Whether all who use one are over when anybody who uses the other begins.
static bool isBefore(const network::BranchLife &one, const network::BranchLife &other) {
  for (size_t s = 0; s < one.last.size(); ++s)
    if (one.last[s] > other.over[s])
      return false;
  return true;
}

std::vector<int64_t> kgen::network::placeInArena(llvm::ArrayRef<Lifetime> lives, llvm::ArrayRef<BranchLife> branches) {
  std::vector<size_t> order(lives.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return lives[a].bytes > lives[b].bytes; });
  auto meet = [&](size_t a, size_t b) {
    if (lives[a].first > lives[b].last)
      std::swap(a, b);
    return lives[a].last >= lives[b].first || (!branches.empty() && !isBefore(branches[a], branches[b]));
  };
  std::vector<int64_t> offsets(lives.size(), 0);
  std::vector<size_t> placed; // the lowest first
  for (size_t one : order) {
    int64_t at = 0;
    for (size_t other : placed) {
      if (at + lives[one].bytes <= offsets[other])
        break;
      if (meet(one, other)) {
        const int64_t end = offsets[other] + lives[other].bytes;
        at = std::max(at, (end + bufferAlignment - 1) / bufferAlignment * bufferAlignment);
      }
    }
    offsets[one] = at;
    placed.insert(std::upper_bound(placed.begin(), placed.end(), one,
                                   [&](size_t a, size_t b) { return offsets[a] < offsets[b]; }),
                  one);
  }
  return offsets;
}
