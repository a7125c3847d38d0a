//===- PoolIdeas.cpp - Builtin ideas --------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows: pooling. Catalogue.h explains the fields.
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Ideas/Predicates.h"

using namespace llvm;

namespace kgen::ideas {
using C = IdeaCategory;

/// Windows along one dimension.
static bool poolsRows(const DispatchFacts &f) { return f.op == "aten.max_pool1d" || f.op == "aten.avg_pool1d"; }

std::vector<CatalogueEntry> getPoolIdeas() {
  return {
      {"pool-rows",
       C::Memory,
       "Let a stretch of a row pass through shared memory, 16 bytes at a time, and give a thread windows that share "
       "their taps; results leave by whole lines.",
       {"pool"},
       60,
       70,
       poolsRows,
       "load|memory|bandwidth|instruction",
       {"resident=smem; block=96; coarsen=7", "resident=none"},
       {"resident=smem; block=96; coarsen=7", "resident=smem; block=192; coarsen=7",
        "resident=smem; block=128; coarsen=11", "resident=smem; block=96; coarsen=15",
        "resident=smem; block=96; coarsen=11"}},
      {"pool-coarsen",
       C::Parallel,
       "Let each thread compute several neighbouring windows, which share most of what they read.",
       {"pool"},
       70,
       60,
       nullptr,
       "load|latency|instruction",
       {"coarsen=4", "coarsen=8", "coarsen=2"},
       {"coarsen=2", "coarsen=4", "coarsen=8"}},
      {"pool-block",
       C::Parallel,
       "Change the number of threads of a block, to balance the tail of the grid against the cost of a block.",
       {"pool"},
       50,
       40,
       nullptr,
       "occupancy|tail",
       {"block=64", "block=32", "block=128"},
       {"block=128", "block=256", "block=512"}},
  };
}

} // namespace kgen::ideas
