//===- PointwiseIdeas.cpp - Builtin ideas ---------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise chains. Catalogue.h explains the fields.
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Ideas/Predicates.h"

using namespace llvm;

namespace kgen::ideas {
using C = IdeaCategory;

std::vector<CatalogueEntry> getPointwiseIdeas() {
  return {
      {"wide-access",
       C::Memory,
       "Move 16 bytes per load and store: fewer instructions for the same bytes.",
       {"pointwise"},
       60,
       80,
       large,
       "memory|bandwidth|load",
       {"vec=4", "vec=8", "vec=2"},
       {"vec=4", "vec=8", "vec=2"}},
      {"coarsen",
       C::Parallel,
       "Let each thread compute several elements a stride apart: more loads in flight, fewer blocks to start.",
       {"pointwise"},
       70,
       60,
       nullptr,
       "latency|memory|tail",
       {"coarsen=8", "coarsen=16", "coarsen=4"},
       {"coarsen=4", "coarsen=2", "coarsen=8"}},
      {"block-size",
       C::Parallel,
       "Change the number of threads of a block, to balance the tail of the grid against the cost of a block.",
       {"pointwise"},
       45,
       45,
       nullptr,
       "occupancy|tail",
       {"block=64", "block=32", "block=128"},
       {"block=128", "block=512", "block=256", "block=1024"}},
      {"streaming",
       C::Memory,
       "Mark loads and stores that are used once as streaming, so that they leave the cache to others.",
       {"pointwise"},
       0,
       45,
       large,
       "cache|l2|memory",
       {},
       {"cache_hint=streaming"}},
  };
}

} // namespace kgen::ideas
