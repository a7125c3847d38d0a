//===- ScanIdeas.cpp - Builtin ideas --------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running sums and products. Catalogue.h explains the fields.
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Ideas/Predicates.h"

using namespace llvm;

namespace kgen::ideas {
using C = IdeaCategory;

std::vector<CatalogueEntry> getScanIdeas() {
  return {
      {"scan-warps",
       C::Compute,
       "Let each warp scan a run of packs by shuffles and let the warps' totals meet once for each step of the block: "
       "an element is read and written once.",
       {"scan"},
       60,
       90,
       nullptr,
       "memory|latency|barrier",
       {"block=32; unroll=1", "block=32; unroll=4"},
       {"block=512; unroll=4", "block=256; unroll=4", "block=1024; unroll=2"}},
      {"scan-few-barriers",
       C::Control,
       "Give each thread a longer run, so that a row needs fewer steps and barriers; or a shorter one, so that more "
       "blocks are resident.",
       {"scan"},
       50,
       70,
       nullptr,
       "barrier|synchron|latency|occupancy",
       {"unroll=8", "unroll=2"},
       {"unroll=8", "unroll=2", "block=128; unroll=8", "block=256; unroll=2"}},
      {"scan-caching",
       C::Memory,
       "Let stores go through the cache in the ordinary way, or mark them as used once.",
       {"scan"},
       0,
       45,
       nullptr,
       "cache|l2|memory",
       {},
       {"cache_hint=none", "cache_hint=streaming"}},
  };
}

} // namespace kgen::ideas
