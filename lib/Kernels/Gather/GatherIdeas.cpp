//===- GatherIdeas.cpp - Builtin ideas ------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows and elements at positions that are read at run time. Catalogue.h explains the fields.
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Ideas/Predicates.h"

using namespace llvm;

namespace kgen::ideas {
using C = IdeaCategory;

static bool copiesRows(const DispatchFacts &f) { return f.rows > 0; }
static bool copiesElements(const DispatchFacts &f) { return f.rows == 0; }

std::vector<CatalogueEntry> getGatherIdeas() {
  return {
      {"gather-warp-rows",
       C::Parallel,
       "Give each row to one warp: its threads read neighbouring packs of the row, and the position is read once for "
       "all of them.",
       {"gather"},
       30,
       85,
       copiesRows,
       "memory|latency|load",
       {"threads_per_row=1; unroll=4; block=32"},
       {"threads_per_row=32; -unroll", "threads_per_row=32; unroll=4", "threads_per_row=64; -unroll"}},
      {"gather-short-rows",
       C::Parallel,
       "Let a few threads copy a row, so that a warp serves several rows and more positions are in flight.",
       {"gather"},
       70,
       70,
       copiesRows,
       "latency|occupancy|tail",
       {"threads_per_row=1; -unroll; block=64", "threads_per_row=2; -unroll; block=64"},
       {"threads_per_row=16; -unroll", "threads_per_row=8; -unroll", "threads_per_row=4; -unroll"}},
      {"gather-in-flight",
       C::Async,
       "Read several packs before the first one is written: positions are scattered, so each load waits for memory by "
       "itself.",
       {"gather"},
       40,
       65,
       copiesRows,
       "latency|stall|memory",
       {"unroll=4", "unroll=8"},
       {"unroll=8", "unroll=4", "unroll=2"}},
      {"gather-coarsen",
       C::Async,
       "Let each thread gather several packs a block apart: more loads in flight, fewer blocks to start.",
       {"gather"},
       60,
       65,
       copiesElements,
       "latency|stall|memory|tail",
       {"coarsen=8", "coarsen=16"},
       {"coarsen=4", "coarsen=1", "coarsen=8"}},
      {"gather-block",
       C::Parallel,
       "Change the number of threads of a block, to balance the tail of the grid against the cost of a block.",
       {"gather"},
       45,
       40,
       nullptr,
       "occupancy|tail",
       {"block=64", "block=32"},
       {"block=128", "block=512"}},
      {"gather-streaming",
       C::Memory,
       "Mark stores as used once, so that the rows which positions name again stay in the cache.",
       {"gather"},
       0,
       50,
       large,
       "cache|l2|memory",
       {},
       {"cache_hint=streaming"}},
  };
}

} // namespace kgen::ideas
