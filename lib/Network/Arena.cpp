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

std::vector<int64_t> kgen::network::placeInArena(llvm::ArrayRef<Lifetime> lives) {
  std::vector<size_t> order(lives.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return lives[a].bytes > lives[b].bytes; });
  std::vector<int64_t> offsets(lives.size(), 0);
  std::vector<size_t> placed;
  for (size_t one : order) {
    std::vector<std::pair<int64_t, int64_t>> taken; // begin and end
    for (size_t other : placed)
      if (lives[other].first <= lives[one].last && lives[one].first <= lives[other].last)
        taken.push_back({offsets[other], offsets[other] + lives[other].bytes});
    std::sort(taken.begin(), taken.end());
    int64_t at = 0;
    for (auto [begin, end] : taken) {
      if (at + lives[one].bytes <= begin)
        break;
      at = std::max(at, (end + bufferAlignment - 1) / bufferAlignment * bufferAlignment);
    }
    offsets[one] = at;
    placed.push_back(one);
  }
  return offsets;
}
