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

std::vector<CatalogueEntry> getAttentionIdeas() {
  return {
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
        "mma=mma_sync; tile=[64, 32]; stages=3", "mma=mma_sync; tile=[32, 64]; stages=2"}},
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
