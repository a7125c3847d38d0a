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

std::vector<CatalogueEntry> getPoolIdeas() {
  return {
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
