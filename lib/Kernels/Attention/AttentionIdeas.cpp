//===- AttentionIdeas.cpp - Builtin ideas ---------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scaled dot product attention. Catalogue.h explains the fields.
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Ideas/Predicates.h"

using namespace llvm;

namespace kgen::ideas {
using C = IdeaCategory;

static bool warpgroups(const DispatchFacts &f) { return is16Bit(f) && onHopper(f) && !f.masked; }
static bool warpProducts(const DispatchFacts &f) { return is16Bit(f) || allowsTf32(f); }

/// Tiles of 16 of the queries whose heads share their keys.
static int64_t rowTiles(const DispatchFacts &f) {
  const int64_t keyHeads = std::max<int64_t>(f.keyHeads, 1);
  return keyHeads * divideCeil(divideCeil(f.heads, keyHeads) * f.m, 16);
}

static bool fewQueries(const DispatchFacts &f) {
  return is16Bit(f) && f.heads > 0 && f.keyHeads > 0 && f.n > 0 && rowTiles(f) <= 2 * f.multiprocessors;
}

/// As many parts as multiprocessors have a block for, joined by a cluster where there is one; then fewer, and more by
/// another launch.
static std::vector<std::string> deriveKeyParts(const DispatchFacts &f) {
  const int64_t most = std::max<int64_t>(1, divideCeil(f.n, f.n > 64 ? 32 : 16));
  auto legal = [&](int64_t parts) { return std::clamp<int64_t>(parts, 1, std::min<int64_t>(64, most)); };
  const int64_t filling = legal(llvm::bit_floor(uint64_t(std::max<int64_t>(1, f.multiprocessors / rowTiles(f)))));
  const int64_t cluster = std::min<int64_t>(8, filling);
  std::vector<std::string> variants;
  auto add = [&](int64_t parts, bool byCluster, const char *more = "") {
    std::string text = formatv(
        "mma=mma_sync; -tile; -stages; -consumers; -pingpong; -overlap; -lazy; -pipeline; split_keys={0}; {1}{2}",
        parts, byCluster && parts > 1 ? "split_at=cluster" : "-split_at", more);
    if (!is_contained(variants, text))
      variants.push_back(text);
  };
  if (f.hopper) {
    add(cluster, true);
    add(cluster, true, "; warp_tile=[16, 16]");
    add(legal(2 * cluster <= 8 ? 2 * cluster : cluster / 2), true);
  }
  add(filling, false);
  add(legal(2 * filling), false);
  add(legal(filling / 2), false);
  return variants;
}

/// Of few queries and keys, a tile that is no larger than they are.
static std::vector<std::string> deriveSmallTile(const DispatchFacts &f) {
  if (f.m <= 0 || f.n <= 0 || f.m > 32)
    return {};
  const int64_t keys = std::min<int64_t>(64, alignTo(uint64_t(f.n), 16));
  return {formatv("mma=mma_sync; tile=[{0}, {1}]; stages=2", alignTo(uint64_t(f.m), 16), keys).str()};
}

std::vector<CatalogueEntry> getAttentionIdeas() {
  return {
      {"keys-in-parts",
       C::Parallel,
       "Give each block a part of the keys of all queries that share them, and each of its warps a part of that, "
       "copied at "
       "once; join maxima, sums and results in the shared memory of a cluster, or by a small second launch.",
       {"attention"},
       0,
       116,
       fewQueries,
       "occupancy|latency|memory|parallel",
       {},
       {},
       false,
       false,
       deriveKeyParts},
      {"warpgroup-attention",
       C::Compute,
       "Give the copies to one warpgroup and 64 queries to each of the others; multiply by warpgroup instructions that "
       "read keys and values where tensor maps put them, with scores and weights in registers.",
       {"attention"},
       0,
       115,
       warpgroups,
       "compute|tensor|instruction|latency",
       {},
       {"mma=wgmma; -tile; -stages; -pingpong; -overlap; -lazy",
        "mma=wgmma; tile=[192, 80]; -stages; pingpong=off; overlap=on",
        "mma=wgmma; tile=[192, 64]; stages=3; -pingpong; overlap=on",
        "mma=wgmma; tile=[128, 112]; -stages; -pingpong; overlap=on"}},
      {"turns-and-overlap",
       C::Async,
       "Keep the tensor cores busy while exponentials are computed: let warpgroups take turns, let each compute the "
       "exponentials of a tile while its product with the values before runs, or only one of both.",
       {"attention"},
       0,
       88,
       warpgroups,
       "tensor|latency|issue|stall",
       {},
       {"mma=wgmma; pingpong=on; overlap=off", "mma=wgmma; pingpong=off; overlap=on",
        "mma=wgmma; pingpong=on; overlap=on", "mma=wgmma; pingpong=off; overlap=off"}},
      {"deeper-ring",
       C::Async,
       "Let copies run further ahead: another pair of key and value tiles in shared memory, smaller ones where they do "
       "not fit.",
       {"attention"},
       0,
       70,
       warpgroups,
       "memory|latency|stall",
       {},
       {"mma=wgmma; stages=3", "mma=wgmma; stages=4", "mma=wgmma; tile=[128, 96]; stages=3", "mma=wgmma; stages=2"}},
      {"first-maximum",
       C::Compute,
       "Shift all exponentials of a row by the maximum of its first tile, which the quotient does not notice, and "
       "rescale only when a tile's sum shows that weights have grown: no maxima stand between scores and exponentials.",
       {"attention"},
       0,
       60,
       warpgroups,
       "instruction|issue|compute",
       {},
       {"mma=wgmma; lazy=on", "mma=wgmma; lazy=off"}},
      {"scores-in-registers",
       C::Compute,
       "Compute scores by warp matrix instructions and leave them in the accumulators, where they become weights and "
       "then the left operand of the product with the values: scores never reach shared memory.",
       {"attention"},
       15,
       90,
       warpProducts,
       "compute|tensor|shared memory|instruction",
       {"mma=mma_sync; -tile; -stages"},
       {"mma=mma_sync; tile=[128, 64]; stages=2", "mma=mma_sync; tile=[128, 64]; stages=3",
        "mma=mma_sync; tile=[64, 64]; stages=2", "mma=mma_sync; tile=[128, 32]; stages=3",
        "mma=mma_sync; tile=[64, 32]; stages=3", "mma=mma_sync; tile=[32, 64]; stages=2"},
       false,
       false,
       deriveSmallTile},
      {"attention-tile",
       C::Parallel,
       "Change how many queries share a tile of keys: more queries use a key more often, fewer keep more blocks busy.",
       {"attention"},
       80,
       40,
       nullptr,
       "occupancy|latency|memory",
       {"mma=none; -dtype; -stages; tile=[64, 128]", "mma=none; -dtype; -stages; tile=[32, 128]",
        "mma=none; -dtype; -stages; tile=[128, 32]", "mma=none; -dtype; -stages; tile=[32, 32]"},
       {"mma=none; -dtype; -stages; tile=[32, 64]", "mma=none; -dtype; -stages; tile=[64, 32]"}},
  };
}

} // namespace kgen::ideas
