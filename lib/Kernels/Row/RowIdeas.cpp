//===- RowIdeas.cpp - Builtin ideas ---------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row reductions: softmax, norms, sums. Catalogue.h explains the fields.
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Ideas/Predicates.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace kgen::ideas {
using C = IdeaCategory;

/// Whether elements are written, so that what is read of a row is of use after its statistic.
static bool writesElements(const DispatchFacts &f) { return f.elements >= f.rows * f.columns; }
static bool reducesStridedRows(const DispatchFacts &f) {
  return stridedRows(f) && f.apart >= 128 && !writesElements(f);
}

/// The rules of RowChoice.cpp that depend on how long rows are: what they refuse need not be tried.
static bool fitsRows(const DispatchFacts &f, const std::map<std::string, std::string> &settings) {
  auto wordOf = [&](const char *key) {
    auto it = settings.find(key);
    return it == settings.end() ? StringRef() : StringRef(it->second);
  };
  auto numberOf = [&](const char *key, int64_t fallback) {
    int64_t value;
    return wordOf(key).getAsInteger(10, value) ? fallback : value;
  };
  if (f.columns <= 0)
    return true;
  const bool strided = f.apart > 1;
  const int64_t bytes = f.f32 ? 4 : 2;
  // Rows of odd length go in whole packs, too, which begin at the first boundary.
  const int64_t widest = strided ? 1 : f.columns >= 2048 ? 16 / bytes : std::min(f.columns & -f.columns, 16 / bytes);
  const int64_t vec = numberOf("vec", widest), packs = (f.columns + vec - 1) / vec;
  if (vec * bytes > 16)
    return false;
  const int64_t few = std::min<int64_t>(32, PowerOf2Ceil(packs));
  const int64_t some = std::min<int64_t>(1024, PowerOf2Ceil((packs + 3) / 4));
  const int64_t split = numberOf("split_rows", 1);
  const int64_t threads = numberOf("threads_per_row", strided ? 16 : split > 1 ? 256 : packs <= 256 ? few : some);
  const int64_t rows = numberOf("rows_per_block", split > 1 ? 1 : std::max<int64_t>(strided ? 16 : 1, 128 / threads));
  const int64_t most = threads * rows > 512 ? 32 : 64; // floats of a row that a thread may hold
  const int64_t ofThread = (f.columns + split * threads * vec - 1) / (split * threads * vec);
  if (numberOf("min_blocks", 1) * threads * rows > 2048)
    return false;
  const StringRef resident = wordOf("resident");
  if (resident == "reg")
    return ofThread * vec <= most && (split > 1 || writesElements(f));
  if (resident == "grid" || resident == "cluster")
    return writesElements(f);
  if (resident != "hybrid" && resident != "smem")
    return true;
  const int64_t room = Chip().sharedBytesPerBlock - 2 * (threads / 32) * 12 - 1024;
  const int64_t shared = std::min(ofThread, room / (threads * 16));
  return writesElements(f) && f.f32 && vec == 4 && f.columns % vec == 0 && rows == 1 && threads >= 64 && shared >= 1 &&
         (ofThread - shared) * vec <= most - 16;
}

std::vector<CatalogueEntry> getRowIdeas() {
  std::vector<CatalogueEntry> entries = {
      {"softmax-over-cluster",
       C::Parallel,
       "Let the blocks of a cluster hold one row in their registers: each element is read once and becomes its "
       "exponential once, the blocks exchange maximum and sum through each other's shared memory, and several small "
       "clusters on a multiprocessor hide each other's waits.",
       {"row"},
       0,
       118,
       longSoftmax,
       "memory|bandwidth|read twice|spill|latency",
       {},
       {"resident=reg; split_rows=4; threads_per_row=256; rows_per_block=1; min_blocks=3; reduce=two_pass; "
        "fast_math=on; cache_hint=none; -lead; -column_packs; -unroll",
        "resident=reg; split_rows=4; threads_per_row=256; rows_per_block=1; min_blocks=3; reduce=two_pass; "
        "cache_hint=none; -fast_math; -lead; -column_packs; -unroll",
        "resident=reg; split_rows=4; threads_per_row=512; rows_per_block=1; min_blocks=2; reduce=two_pass; "
        "fast_math=on; cache_hint=none; -lead; -column_packs; -unroll",
        "resident=reg; split_rows=8; threads_per_row=128; rows_per_block=1; min_blocks=6; reduce=two_pass; "
        "fast_math=on; cache_hint=none; -lead; -column_packs; -unroll"}},
      {"row-over-cluster",
       C::Parallel,
       "Let the blocks of a cluster hold one row in their registers and exchange its statistic through each other's "
       "shared memory: each element is read once, and several small clusters on a multiprocessor hide each other's "
       "waits.",
       {"row"},
       0,
       112,
       clusterRows,
       "memory|bandwidth|read twice|spill|latency",
       {},
       {"resident=reg; split_rows=4; threads_per_row=256; rows_per_block=1; min_blocks=3; cache_hint=none; -lead; "
        "-column_packs; -unroll; -reduce",
        "resident=reg; split_rows=2; threads_per_row=256; rows_per_block=1; min_blocks=3; cache_hint=none; -lead; "
        "-column_packs; -unroll; -reduce",
        "resident=cluster; -split_rows; -threads_per_row; -rows_per_block; -min_blocks; cache_hint=none; -lead; "
        "-column_packs; -unroll; -reduce",
        "resident=reg; split_rows=8; threads_per_row=512; rows_per_block=1; -min_blocks; cache_hint=none; -lead; "
        "-column_packs; -unroll; -reduce"}},
      {"row-over-grid",
       C::Parallel,
       "Let all multiprocessors hold one row in their shared memories, each a part: they tell each other their part of "
       "the statistic through memory while the rest of the row before is written and the next row's elements travel, "
       "and each keeps the weights of its columns. Every element crosses the memory bus once in each direction.",
       {"row"},
       0,
       118,
       gridRows,
       "memory|bandwidth|read twice|occupancy|parallel",
       {},
       {"resident=grid; -split_rows; threads_per_row=256; -rows_per_block; -min_blocks; cache_hint=streaming; -lead; "
        "-column_packs; -unroll; -reduce",
        "resident=grid; -split_rows; threads_per_row=256; -rows_per_block; -min_blocks; cache_hint=streaming; lead=4; "
        "-column_packs; -unroll; -reduce",
        "resident=grid; -split_rows; threads_per_row=256; -rows_per_block; -min_blocks; cache_hint=none; lead=4; "
        "-column_packs; -unroll; -reduce",
        "resident=grid; -split_rows; threads_per_row=512; -rows_per_block; -min_blocks; cache_hint=none; -lead; "
        "-column_packs; unroll=2; -reduce"}},
      {"row-ring",
       C::Async,
       "Keep a ring of packs in shared memory: the next rows' elements travel while this one is written, also where a "
       "row's length is odd and elements travel one by one.",
       {"row"},
       0,
       80,
       ringRows,
       "memory|bandwidth|read twice|latency",
       {},
       {"resident=cluster; split_rows=1; -threads_per_row; -rows_per_block; -min_blocks; -lead; -column_packs; "
        "-unroll; "
        "-reduce",
        "resident=cluster; split_rows=1; threads_per_row=1024; -rows_per_block; -min_blocks; -lead; -column_packs; "
        "-unroll; -reduce"}},
      {"neighbour-rows",
       C::Memory,
       "Where the elements of a row lie apart and neighbours are of different rows, as in a softmax over the channels "
       "of "
       "an image, give neighbouring threads neighbouring rows, so that a warp's access is one line of memory, and "
       "share "
       "a row among few threads that keep it in registers.",
       {"row"},
       0,
       119,
       stridedRows,
       "memory|bandwidth|read twice|sector|coalesce|latency",
       {},
       {"resident=reg; threads_per_row=8; rows_per_block=32; -vec; -split_rows",
        "resident=reg; threads_per_row=4; rows_per_block=64; -vec; -split_rows",
        "resident=reg; threads_per_row=16; rows_per_block=32; -vec; -split_rows",
        "resident=reg; threads_per_row=2; rows_per_block=128; -vec; -split_rows",
        "resident=none; threads_per_row=8; rows_per_block=32; -vec; -split_rows",
        "resident=reg; threads_per_row=32; rows_per_block=32; -vec; -split_rows",
        "resident=none; threads_per_row=1; rows_per_block=256; -vec; -split_rows"}},
      {"wide-neighbour-rows",
       C::Memory,
       "Where the elements of a row lie apart and only what is made of them is written, let a block read many "
       "neighbouring rows at once, a few elements of each: lines and sectors that two blocks would share are few.",
       {"row"},
       0,
       119,
       reducesStridedRows,
       "memory|bandwidth|sector|coalesce",
       {},
       {"resident=none; threads_per_row=8; rows_per_block=128; cache_hint=none; -vec; -split_rows; -unroll",
        "resident=none; threads_per_row=4; rows_per_block=256; cache_hint=none; -vec; -split_rows; -unroll"}},
      {"thread-per-row",
       C::Parallel,
       "Let one thread reduce a whole row: no shuffles and no barriers at all.",
       {"row"},
       97,
       12,
       nullptr,
       "barrier|synchron|latency",
       {"threads_per_row=1; rows_per_block=32; resident=none; split_rows=1",
        "threads_per_row=1; rows_per_block=8; resident=none; split_rows=1",
        "threads_per_row=1; rows_per_block=1; resident=none; split_rows=1",
        "threads_per_row=1; rows_per_block=128; resident=none; split_rows=1"},
       {"threads_per_row=1; rows_per_block=128; resident=none"}},
      {"warp-per-row",
       C::Parallel,
       "Give each row to one warp, which reduces it by shuffles alone; several rows share a block.",
       {"row"},
       55,
       75,
       shortRows,
       "barrier|synchron|occupancy",
       {"threads_per_row=32; rows_per_block=1; resident=none", "threads_per_row=32; rows_per_block=4"},
       {"threads_per_row=32; rows_per_block=8; resident=reg", "threads_per_row=32; rows_per_block=4; resident=reg",
        "threads_per_row=16; rows_per_block=16; resident=reg"}},
      {"few-threads",
       C::Control,
       "Use few threads per row, each with a long run of elements: less of the time goes to the reduction's tree.",
       {"row"},
       82,
       20,
       nullptr,
       "barrier|synchron|latency|reduction",
       {"threads_per_row=2; rows_per_block=16; resident=none", "threads_per_row=4; rows_per_block=8; resident=none",
        "threads_per_row=8; rows_per_block=4; resident=none"},
       {"threads_per_row=64; rows_per_block=4", "threads_per_row=128; rows_per_block=2"}},
      {"row-in-registers",
       C::Memory,
       "Keep the row in registers between the reduction and the output, so that memory is read once.",
       {"row"},
       50,
       85,
       rowsFitShared,
       "memory|bandwidth|read twice",
       {"resident=reg; threads_per_row=64; rows_per_block=1", "resident=reg; threads_per_row=128; rows_per_block=1"},
       {"resident=reg; threads_per_row=512; rows_per_block=1", "resident=reg; threads_per_row=1024; rows_per_block=1",
        "resident=reg; threads_per_row=256; rows_per_block=1", "resident=reg; threads_per_row=128; rows_per_block=1"}},
      {"row-on-chip",
       C::Memory,
       "Keep the row on chip between the passes, in shared memory and what does not fit there in registers, and fetch "
       "the "
       "next row while this one is written: each element crosses the memory bus once in each direction.",
       {"row"},
       30,
       93,
       longRows,
       "memory|bandwidth|read twice|spill",
       {"resident=smem; threads_per_row=64; rows_per_block=1"},
       {"resident=smem; threads_per_row=1024; rows_per_block=1", "resident=smem; threads_per_row=512; rows_per_block=1",
        "resident=hybrid; threads_per_row=1024; rows_per_block=1; unroll=2",
        "resident=smem; threads_per_row=256; rows_per_block=1"}},
      {"split-rows",
       C::Parallel,
       "Split each long row over several blocks and combine their partial results in a second kernel, so that the "
       "whole "
       "card works on few rows.",
       {"row"},
       8,
       92,
       fewRows,
       "occupancy|parallel|waves|few blocks",
       {"split_rows=2; -rows_per_block; -threads_per_row; resident=none"},
       {"split_rows=64; -rows_per_block; -threads_per_row; resident=none",
        "split_rows=32; -rows_per_block; -threads_per_row; resident=none",
        "split_rows=128; -rows_per_block; -threads_per_row; resident=none",
        "split_rows=256; -rows_per_block; -threads_per_row; resident=none",
        "split_rows=512; -rows_per_block; -threads_per_row; resident=none"}},
      {"second-read",
       C::Control,
       "Read the row a second time instead of keeping it: the second read hits the cache, and without the buffer more "
       "blocks are resident.",
       {"row"},
       62,
       40,
       nullptr,
       "occupancy|register|spill",
       {"resident=none", "resident=none; threads_per_row=1; rows_per_block=16"},
       {"resident=none; threads_per_row=512; rows_per_block=1", "resident=none; threads_per_row=256; rows_per_block=1",
        "resident=none; threads_per_row=1024; rows_per_block=1"}},
      {"row-vectors",
       C::Memory,
       "Load and store 16 bytes at a time, so that a row needs a quarter of the instructions; or fewer, for more even "
       "work.",
       {"row"},
       40,
       55,
       nullptr,
       "memory|bandwidth|load",
       {"vec=1", "vec=2", "vec=4"},
       {"vec=4", "vec=8", "vec=2"}},
      {"row-caching",
       C::Memory,
       "Let loads and stores go through the cache in the ordinary way: what one pass fetched is there for the next.",
       {"row"},
       25,
       45,
       nullptr,
       "cache|l2|memory",
       {"cache_hint=none"},
       {"cache_hint=none", "cache_hint=streaming"}},
      {"row-fast-math",
       C::DType,
       "Use the hardware's approximate exponential and reciprocal; the error stays far below the tolerance of the "
       "precision class.",
       {"row"},
       20,
       45,
       isF32,
       "compute|special function|instruction",
       {"fast_math=on"},
       {"fast_math=on"}},
      {"row-unroll",
       C::Control,
       "Unroll the loop over a row, so that several loads are in flight per thread.",
       {"row"},
       45,
       55,
       nullptr,
       "latency|stall|load",
       {"unroll=8", "unroll=1", "unroll=2", "unroll=16"},
       {"unroll=8", "unroll=2", "unroll=16"}},
      {"row-occupancy",
       C::Parallel,
       "Ask for more resident blocks, so that one row's reduction hides behind another row's loads.",
       {"row"},
       0,
       38,
       nullptr,
       "occupancy|latency|stall",
       {},
       {"min_blocks=2", "min_blocks=4", "min_blocks=1"}},
  };
  for (CatalogueEntry &entry : entries)
    entry.fits = fitsRows;
  return entries;
}

} // namespace kgen::ideas
