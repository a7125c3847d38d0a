//===- GemmIdeas.cpp - Builtin ideas --------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products alone; ideas shared with convolutions are in ProductIdeas.cpp. Catalogue.h explains the fields.
//
//===----------------------------------------------------------------------===//

#include "ProductIdeas.h"
#include "kgen/Kernels/Ideas/ClusterTiles.h"
#include "kgen/Kernels/Ideas/Predicates.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace llvm;

namespace kgen::ideas {
using C = IdeaCategory;

/// The best tiles of different sizes.
static std::vector<std::string> deriveClusterTiles(const DispatchFacts &facts) {
  std::vector<std::string> variants;
  std::set<std::pair<int64_t, int64_t>> taken;
  for (const ClusterTile &tile : rankClusterTiles(clusterSize(facts), facts.multiprocessors)) {
    if (variants.size() == 6)
      break;
    if (productOfRowGroups(facts) && tile.cluster > 1)
      continue;
    if (taken.insert({tile.m, tile.n}).second)
      variants.push_back(formatv("mma=wgmma; split_at=cluster; tile=[{0}, {1}, {2}]; cluster={3}; split_k={4}", tile.m,
                                 tile.n, tile.k, tile.cluster, tile.split));
  }
  return variants;
}

/// Tiles of as many rows as stay: all filters, or about equal parts of at most 128.
static std::vector<std::string> derivePassingColumns(const DispatchFacts &facts) {
  const int64_t m = std::max<int64_t>(facts.m, 1), even = divideCeil(m, divideCeil(m, 128));
  const int64_t rows = even <= 16 ? 16 : alignTo(even, 32), step = facts.f32 ? 8 : 16;
  const int64_t slab = std::clamp<int64_t>(PowerOf2Ceil(std::max<int64_t>(facts.k, 1)), step, 4 * step);
  auto variant = [&](int64_t columns, int64_t k, int64_t blocks) {
    return std::string(
        formatv("mma=mma_sync; persistent=static; tile=[{0}, {1}, {2}]; min_blocks={3}", rows, columns, k, blocks));
  };
  return {"mma=mma_sync; persistent=static",
          "mma=mma_sync; persistent=static; min_blocks=1",
          variant(64, slab, 3),
          variant(256, slab, 1),
          variant(128, std::max(slab / 2, step), 2),
          variant(256, std::max(slab / 2, step), 1)};
}

/// Operands that are read once: wide tiles of two blocks, which share their tiles of one of them.
static std::vector<std::string> deriveRoundedTiles(const DispatchFacts &facts) {
  if (plainLinear(facts) || facts.n <= 128 || facts.m <= 128)
    return {};
  return {"mma=wgmma; dtype=tf32; tile=[128, 256, 32]; cluster=2"};
}

static std::vector<CatalogueEntry> getOwnIdeas() {
  return {
      {"passing-columns",
       C::Memory,
       "Keep the filters of a convolution of one tap in shared memory for the whole life of a block and let the pixels "
       "pass by: images are read and written with their channels first, as they are, by 16 bytes of neighbouring "
       "pixels, and the copies of the next tiles are under way while results are stored.",
       {"gemm"},
       0,
       131,
       passingColumns,
       "memory|bandwidth|latency|shared memory|launches",
       {},
       {},
       /*restart=*/true,
       /*pools=*/false,
       derivePassingColumns},
      {"lines-by-packs",
       C::Memory,
       "A matrix times a vector reads each element once: let a block sum some lines of it at a time, by 16 bytes for "
       "each "
       "thread and line and several of them under way, share what it loads of the vector among them, and add slices of "
       "long lines in a second kernel.",
       {"gemm"},
       0,
       129,
       withVectors,
       "memory|bandwidth|latency|load",
       {},
       {"mma=none; rows_per_block=4", "mma=none; rows_per_block=8", "mma=none; rows_per_block=2"},
       /*restart=*/true},
      {"cluster-tiles",
       C::Parallel,
       "Give each tile of a product of few rows to a cluster of blocks: they share copies of the weight by multicast, "
       "each "
       "multiplies a slice of the reduction, and the slices are added in their shared memory. Operands are copied as "
       "they "
       "are, so there is one launch, and small tiles give every multiprocessor work.",
       {"gemm"},
       0,
       130,
       fewTiles,
       "occupancy|latency|tail|waves|launches|parallel",
       {},
       {},
       /*restart=*/true,
       /*pools=*/false,
       deriveClusterTiles},
      {"group-tiles",
       C::Parallel,
       "Give each group of rows tiles of its own, which meet the matrix of that group alone: a block finds out which "
       "rows "
       "are its, copies them and the matrix by tensor map, and the matrices of all groups are read once.",
       {"gemm"},
       0,
       130,
       groupTiles,
       "memory|bandwidth|tensor|compute|latency",
       {},
       {},
       /*restart=*/true,
       /*pools=*/false,
       deriveClusterTiles},
      {"small-warpgroup-tiles",
       C::Parallel,
       "Cut a product of few rows into so small tiles of warpgroups that most multiprocessors have one: larger ones "
       "read "
       "less often, but there are few of them.",
       {"gemm"},
       0,
       116,
       fewOtherTiles,
       "occupancy|latency|tail|waves|parallel",
       {},
       {"mma=wgmma; tile=[64, 64, 64]", "mma=wgmma; tile=[128, 64, 64]", "mma=wgmma; tile=[64, 128, 64]",
        "mma=wgmma; tile=[128, 128, 64]"},
       /*restart=*/true},
      {"rounded-operands",
       C::DType,
       "Let warpgroups multiply fp32 operands as tf32 out of shared memory, rounded by the copy that brings them: no "
       "launch "
       "prepares them, or one that lays out the small one along the reduction.",
       {"gemm"},
       0,
       117,
       roundedOperands,
       "tensor|latency|launches|workspace|memory|bandwidth",
       {},
       {"mma=wgmma; dtype=tf32; tile=[128, 192, 32]; cluster=2",
        "mma=wgmma; dtype=tf32; tile=[128, 256, 32]; cluster=2", "mma=wgmma; dtype=tf32; tile=[128, 128, 32]",
        "mma=wgmma; dtype=tf32"},
       /*restart=*/true,
       /*pools=*/false,
       deriveRoundedTiles},
      {"halves-in-registers",
       C::DType,
       "Let the larger fp32 operand become fp16 in the registers of the warpgroups that multiply it, each row under a "
       "power of two that fits what it had so far: it is read as it is, and no launch rewrites it.",
       {"gemm"},
       0,
       119,
       halvesInRegisters,
       "tensor|launches|workspace|memory|bandwidth",
       {},
       {"mma=wgmma; dtype=fp16; convert_at=registers; tile=[128, 256, 64]; cluster=2",
        "mma=wgmma; dtype=fp16; convert_at=registers; tile=[128, 256, 64]",
        "mma=wgmma; dtype=fp16; convert_at=registers; tile=[128, 128, 64]; cluster=2"},
       /*restart=*/true},
      {"triangle-tiles",
       C::Control,
       "Where only a triangle of the product is kept, leave out the products of tiles that are all zeros: smaller "
       "tiles, "
       "so that the diagonal wastes less, and the next one for whichever multiprocessor is free.",
       {"gemm"},
       90,
       118,
       emptyTiles,
       "tensor|tail|compute",
       {"mma=none; tile=[32, 32, 16]", "mma=none; tile=[64, 64, 16]"},
       {"mma=wgmma; tile=[128, 128, 64]; persistent=none", "mma=wgmma; tile=[128, 128, 64]; cluster=2; persistent=none",
        "mma=wgmma; tile=[128, 256, 64]; persistent=none", "mma=wgmma; tile=[256, 128, 64]; persistent=none"},
       /*restart=*/true},
      {"warpgroups",
       C::Compute,
       "Let whole warpgroups multiply out of shared memory while one thread copies the next tiles by tensor map; "
       "blocks "
       "stay on their multiprocessor and share tiles of the right operand inside a cluster.",
       {"gemm"},
       0,
       115,
       fitsWarpgroups,
       "tensor|latency|memory|instruction",
       {},
       {"mma=wgmma; tile=[128, 256, 64]; cluster=2", "mma=wgmma; tile=[128, 256, 64]; cluster=2; mma_inflight=0",
        "mma=wgmma; tile=[128, 256, 64]; cluster=2; raster=16", "mma=wgmma; tile=[128, 256, 64]",
        "mma=wgmma; tile=[256, 128, 64]", "mma=wgmma; tile=[128, 128, 64]; cluster=2", "mma=wgmma"},
       /*restart=*/true},
      {"split-operands",
       C::DType,
       "Write each fp32 operand as the sum of two scaled fp16 matrices and multiply three times on tensor cores, "
       "adding "
       "short chains in fp32: the digits of fp32 at several times its speed.",
       {"gemm"},
       0,
       115,
       fitsSplitWarpgroups,
       "tensor|latency|compute|instruction",
       {},
       {"mma=wgmma; tile=[128, 128, 64]; cluster=2; promote_k=128",
        "mma=wgmma; tile=[128, 128, 64]; cluster=2; promote_k=64", "mma=wgmma; tile=[128, 128, 64]; promote_k=128",
        "mma=wgmma"},
       /*restart=*/true},
      {"register-tile",
       C::Compute,
       "Give each thread a tile of the product in registers, so that every value it reads from shared memory is used "
       "several times and the loop is bound by multiplies instead of loads.",
       {"gemm"},
       95,
       60,
       nullptr,
       "shared memory|latency|instruction|load",
       {"mma=none; -dtype; -warp_tile; tile=[64, 64, 16]; thread_tile=[8, 8]; stages=2",
        "mma=none; -dtype; -warp_tile; tile=[64, 64, 32]; thread_tile=[8, 16]; stages=2",
        "mma=none; -dtype; -warp_tile; tile=[32, 64, 32]; thread_tile=[8, 8]; stages=2",
        "mma=none; -dtype; -warp_tile; tile=[128, 64, 16]; thread_tile=[16, 8]; stages=2"},
       {"mma=none; -dtype; -warp_tile; tile=[128, 128, 16]; thread_tile=[8, 8]",
        "mma=none; -dtype; -warp_tile; tile=[128, 64, 16]; thread_tile=[8, 8]",
        "mma=none; -dtype; -warp_tile; tile=[256, 128, 16]; thread_tile=[16, 8]",
        "mma=none; -dtype; -warp_tile; tile=[64, 64, 16]; thread_tile=[4, 4]"}},
      {"wmma",
       C::Compute,
       "Use the portable warp matrix API, which lets the compiler choose how fragments lie in registers.",
       {"gemm"},
       8,
       40,
       wmmaProduct,
       "tensor|register|spill",
       {"mma=wmma; -tile; -thread_tile"},
       {"mma=wmma; -tile; -thread_tile; -warp_tile", "mma=wmma; -thread_tile"}},
      {"raster-groups",
       C::Parallel,
       "Walk through the tiles in groups, so that blocks which run at the same time share rows and columns in the L2 "
       "cache.",
       {"gemm"},
       8,
       60,
       manyTiles,
       "memory|bandwidth|l2|cache",
       {"raster=4"},
       {"raster=4", "raster=16", "raster=2", "raster=32"}},
      {"narrow-promotion",
       C::Memory,
       "Let the L2 cache fetch fewer bytes ahead for each copy by tensor map: where tiles are narrow or used once, "
       "what it "
       "fetches beyond them displaces what others reuse.",
       {"gemm"},
       0,
       35,
       fitsWarpgroups,
       "l2|cache|memory|bandwidth",
       {},
       {"mma=wgmma; l2_promotion=128", "mma=wgmma; l2_promotion=64", "mma=wgmma; l2_promotion=0"}},
      {"split-reduction",
       C::Parallel,
       "Split the long reduction over several blocks and add their partial sums, so that every multiprocessor has "
       "work.",
       {"gemm"},
       5,
       70,
       tallReduction,
       "occupancy|tail|waves|parallel",
       {"split_k=2"},
       {"split_k=4", "split_k=8", "split_k=2", "split_k=16", "split_k=32"},
       /*restart=*/false,
       /*pools=*/false,
       /*derive=*/nullptr,
       shortSlices},
      {"one-pass",
       C::Parallel,
       "Do not split the reduction: the partial sums' way through memory costs more than idle multiprocessors.",
       {"gemm"},
       60,
       45,
       nullptr,
       "memory|workspace|launches",
       {"split_k=1"},
       {"split_k=1"}},
      {"narrow-loads",
       C::Memory,
       "Change the width of the loads from global memory: narrower ones need less alignment and spread over more "
       "threads.",
       {"gemm"},
       10,
       30,
       nullptr,
       "memory|bandwidth|load",
       {"vec=2", "vec=1"},
       {"vec=2", "vec=8", "vec=4"}},
  };
}

std::vector<CatalogueEntry> getGemmIdeas() {
  std::vector<CatalogueEntry> ideas = getProductIdeas();
  llvm::append_range(ideas, getOwnIdeas());
  return ideas;
}

} // namespace kgen::ideas
