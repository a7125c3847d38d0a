//===- ClusterIdeas.cpp - Tiles of products of few rows -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Ideas/ClusterTiles.h"
#include "kgen/Kernels/Ideas/Predicates.h"
#include "kgen/Support/Chip.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace kgen::ideas {
using llvm::divideCeil;

// Of an H200, for each cycle of a multiprocessor at some 1.7 GHz.
constexpr double clockGHz = 1.7;
constexpr double halfProducts = 2048; // multiply-adds of 16-bit operands; tf32 has half of it
constexpr double sharedBytes = 128;   // that products read of shared memory
constexpr double l2Bytes = 36;        // where all of them read; one alone gets at most l2Most
constexpr double l2Most = 60;
constexpr double memoryCycles = 1600; // from a copy's start to its end; as many stages as fit, at most 8, are under way
constexpr double stageCycles = 40;    // of barriers, for each stage
constexpr double fillCycles = 1500;   // from the first copy to the first product, and from the last one to the end
constexpr double meetCycles = 900;    // two barriers of a cluster
constexpr double resultBytes = 30;    // that a block stores

/// Clusters of RANKS blocks lie within a group of some 16 multiprocessors, a block on each: an H200 has room for 66 of
/// 2 and 30 of 4. Of other sizes a careful guess, since one cluster too many is a second wave.
static int64_t clustersAtOnce(int64_t ranks, int64_t multiprocessors) {
  int64_t usable = ranks <= 2 ? multiprocessors : ranks == 4 ? multiprocessors * 10 / 11 : multiprocessors * 7 / 8;
  return std::max<int64_t>(1, usable / ranks);
}

ProductSize clusterSize(const DispatchFacts &facts) {
  // Groups of about equal size, as well as one can say.
  if (productOfRowGroups(facts))
    return {facts.groups, int64_t(divideCeil(facts.m, facts.groups)), facts.n, facts.k, facts.f32 ? 4 : 2, 64};
  if (!plainProduct(facts))
    return {1, facts.m, facts.n, facts.k, facts.f32 ? 4 : 2};
  if (facts.f32)
    return {1, facts.n, facts.m, facts.k, 4};
  return {1, facts.m, facts.n, facts.k, 2, 64};
}

double estimateClusterTile(const ProductSize &size, const ClusterTile &tile, int64_t multiprocessors) {
  int64_t clusters = divideCeil(size.m, tile.m * tile.cluster) * divideCeil(size.n, tile.n) * size.batch;
  int64_t atOnce = clustersAtOnce(tile.ranks(), multiprocessors), waves = divideCeil(clusters, atOnce);
  double running = double(std::min(clusters, atOnce) * tile.ranks());
  // 128 bytes of k for each row of a tile.
  double deep = 128.0 / double(size.element);
  double steps = std::ceil(std::ceil(double(size.k) / double(tile.k)) / double(tile.split)) * double(tile.k) / deep;
  double m = double(tile.m), n = double(tile.n);
  double products = m * n * deep / (halfProducts * 2 / double(size.element)) / 0.9;
  double operands = m / 64 * (64 + n) * 128 / sharedBytes;
  double rows = std::min(m, double(size.m)); // rows outside the matrix are not read
  double copies =
      (rows + n / double(tile.cluster)) * 128 / std::min(l2Most, l2Bytes * double(multiprocessors) / running);
  double slabs = double(tile.k) / deep;
  double stages = std::clamp(std::floor(double(Chip::mostSharedBytes) / ((m + n) * 128 * slabs)), 1.0, 8.0);
  double waits = memoryCycles / (stages * slabs);
  double block = fillCycles + steps * (std::max({products, operands, copies, waits}) + stageCycles / slabs) +
                 rows * n * 4 / double(tile.split) / resultBytes;
  if (tile.split > 1)
    block += meetCycles + 2 * m * n * 4 / sharedBytes;
  if (tile.cluster > 1)
    block += meetCycles / 2;
  double bytes =
      double(size.batch) * double(size.element) * (double(size.m) * double(size.k) + double(size.n) * double(size.k));
  // Who has nothing to do asks for nothing.
  double idle = 1 - double(clusters * tile.ranks()) / double(waves * multiprocessors);
  double fromMemory = bytes / getDefaultRates().copyBytes * 1e6 * (1 + 0.2 * idle);
  return std::max(double(waves) * block / clockGHz / 1000, fromMemory + double(waves) * fillCycles / clockGHz / 1000);
}

std::vector<ClusterTile> rankClusterTiles(const ProductSize &size, int64_t multiprocessors) {
  const int64_t deep = 128 / size.element;
  std::vector<std::pair<double, ClusterTile>> tiles;
  for (int64_t m : {64, 128})
    for (int64_t n : {16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256})
      for (int64_t cluster : {1, 2, 4})
        for (int64_t split = 1; split * cluster <= mostRanks; ++split)
          for (int64_t k : {deep, 2 * deep, 4 * deep}) {
            ClusterTile tile = {m, n, k, cluster, split};
            int64_t depth = divideCeil(size.k, k);
            bool tooWide = n > 16 && n / 2 >= size.n, tooHigh = m > 64 && m / 2 >= size.m;
            bool isEmpty = (split - 1) * int64_t(divideCeil(depth, split)) >= depth;
            bool fits = k == deep || 4 * (m + n) * k * size.element <= Chip::mostSharedBytes - 64;
            if (tooWide || tooHigh || isEmpty || !fits || n % (size.piece * cluster) ||
                int64_t(divideCeil(size.m, m)) < cluster)
              continue;
            tiles.push_back({estimateClusterTile(size, tile, multiprocessors), tile});
          }
  // Equal ones: smaller clusters first.
  llvm::stable_sort(tiles, [](const auto &x, const auto &y) {
    return std::make_tuple(x.first, x.second.ranks()) < std::make_tuple(y.first, y.second.ranks());
  });
  std::vector<ClusterTile> ranked;
  for (const auto &[us, tile] : tiles)
    ranked.push_back(tile);
  return ranked;
}

} // namespace kgen::ideas
