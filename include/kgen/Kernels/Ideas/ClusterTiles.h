//===- ClusterTiles.h - Tiles of products of few rows -----------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How products of less than a wave of tiles are cut for gemm_cluster.cuh: what
// the family chooses where the schedule leaves it open, what the catalogue
// proposes, and what the prior expects are the same numbers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <vector>

namespace kgen::ideas {

/// BATCH products of M x N with a sum over K; ELEMENT bytes for each operand's element, 2 or 4 (tf32). PIECE: columns
/// that are copied together, 8 of what is contiguous along k, else 128 bytes.
struct ProductSize {
  int64_t batch = 1, m = 1, n = 1, k = 1, element = 4, piece = 8;
};

/// A block computes M x N of the result, K elements at a time; CLUSTER tiles, one below the other, share copies, SPLIT
/// blocks of the same cluster share a tile.
struct ClusterTile {
  int64_t m = 128, n = 128, k = 32, cluster = 1, split = 1;

  /// Blocks of a cluster.
  int64_t ranks() const { return cluster * split; }
};

/// The most blocks of a cluster that every card of sm_90 takes.
constexpr int64_t mostRanks = 8;

struct DispatchFacts;
/// The product of FACTS as clusters compute it: of f32 whose right operand lies across k, the transposed one.
ProductSize clusterSize(const DispatchFacts &facts);

/// What TILE takes, about, in microseconds, without the launch: a model of the tensor cores, of shared memory, of the
/// ways from L2 and memory, and of waves of clusters.
double estimateClusterTile(const ProductSize &size, const ClusterTile &tile, int64_t multiprocessors);

/// Tiles worth a try, the most promising first; never empty.
std::vector<ClusterTile> rankClusterTiles(const ProductSize &size, int64_t multiprocessors);

} // namespace kgen::ideas
