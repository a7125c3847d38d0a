//===- ConvIdeas.cpp - Builtin ideas --------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions alone; ideas shared with matrix products are in ProductIdeas.cpp. Catalogue.h explains the fields.
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Ideas/HaloTiles.h"
#include "kgen/Kernels/Ideas/Predicates.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace kgen::ideas {
using C = IdeaCategory;

/// The rule of ConvHalo.cpp that depends on a transposed convolution's strides: each phase along the width has sums of
/// its own in a thread, each along the height a warpgroup. What it refuses need not be tried.
static bool fitsHalo(const DispatchFacts &f, const std::map<std::string, std::string> &settings) {
  auto tile = settings.find("tile");
  SmallVector<StringRef, 3> sizes;
  if (tile != settings.end())
    StringRef(tile->second).trim("[] ").split(sizes, ',');
  int64_t pixels = 0, filters = 0, channels = 0;
  if (sizes.size() != 3 || sizes[0].trim().getAsInteger(10, pixels) || sizes[1].trim().getAsInteger(10, filters) ||
      sizes[2].trim().getAsInteger(10, channels))
    return true; // left to the family
  const int64_t parts = filters / 64 * f.phaseRows;
  int64_t consumers = parts * haloTeams(parts);
  // More warpgroups hide how long the stores of several phases take, and more warps the loads of their small tiles; a
  // convolution with one phase only loses by them.
  int64_t producerWarps = haloProducerWarps;
  for (auto [key, value] : {std::pair("consumers", &consumers), std::pair("producer_warps", &producerWarps)})
    if (auto given = settings.find(key); given != settings.end())
      if (StringRef(given->second).getAsInteger(10, *value) || consumers % parts != 0 || f.phaseColumns == 1)
        return false;
  // What a step's channels lack is zeros.
  return consumers <= mostHaloConsumers && (channels <= 16 || f.channels * f.slices > channels / 2) &&
         pixels / 2 * f.phaseColumns + otherHaloRegisters <= haloRegisters(consumers, Chip(), producerWarps) &&
         (filters == 64 || filters <= int64_t(alignTo(uint64_t(std::max<int64_t>(f.n, 1)), 64)));
}

/// Tiles that divide a group's filters with hardly any left over, wide ones first: they read the group's pixels least
/// often.
static std::vector<std::string> deriveGroupTiles(const DispatchFacts &f) {
  const int64_t filters = f.n / f.groups, slab = f.f32 ? 32 : 64;
  std::vector<std::string> variants = {"mma=wgmma; pipeline=tma"};
  for (int64_t tiles = divideCeil(filters, 192), last = tiles + 2; tiles <= last; ++tiles)
    for (int64_t width : {8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 160, 192}) {
      if (width * tiles < filters)
        continue;
      if (tiles == divideCeil(filters, 192) || width * tiles * 4 <= filters * 5)
        for (int64_t pixels : {128, 64, 256})
          if (pixels * width <= 128 * 192)
            variants.push_back(formatv("mma=wgmma; pipeline=tma; tile=[{0}, {1}, {2}]", pixels, width, slab));
      break;
    }
  return variants;
}

/// f32 operands as fp16 where a step has enough of them.
static std::vector<std::string> derivePooledPixels(const DispatchFacts &f) {
  const bool halves = halvedTaps(f);
  const std::string way = halves ? "mma=wgmma; im2col=halo; dtype=fp16" : "mma=wgmma; im2col=halo";
  const int64_t step = f.f32 && !halves ? 8 : 16;
  std::vector<std::string> variants = {way};
  for (const char *tile : {"; consumers=4; tile=[48, 64, {0}]", "; producer_warps=8; tile=[64, 64, {0}]",
                           "; tile=[192, 64, {0}]", "; tile=[128, 64, {0}]", "; tile=[96, 64, {0}]",
                           "; tile=[256, 64, {0}]", "; tile=[192, 128, {0}]", "; tile=[256, 128, {0}]"})
    for (int64_t channels : {2 * step, step})
      variants.push_back(way + formatv(tile, channels).str());
  return variants;
}

std::vector<CatalogueEntry> getConvIdeas() {
  return {
      {"warpgroup-pool",
       C::Compute,
       "Multiply on warpgroups and pool on the spot: each warpgroup walks down its rows of convolution outputs, keeps "
       "the maximum of a window's rows in registers and writes pooled rows only, so that the convolution's own result "
       "never reaches memory.",
       {"conv"},
       0,
       118,
       warpgroupPooling,
       "compute|memory|launches|tensor|shared memory",
       {},
       {"mma=wgmma; producer_warps=2", "mma=wgmma; producer_warps=2; stages=6", "mma=wgmma",
        "mma=wgmma; consumers=1; producer_warps=4"},
       /*restart=*/true,
       /*pools=*/true},
      {"warpgroup-rows",
       C::Compute,
       "Multiply on warpgroups: the image lies in shared memory as chunks of 16 bytes that matrix descriptors address, "
       "so "
       "that nothing gathers; the weights stay for the whole life of a block, f32 data is rounded to fp16 under exact "
       "scales, and the pooling happens in registers.",
       {"conv"},
       0,
       116,
       warpgroupConvolution,
       "compute|arithmetic|tensor|shared memory|gather|instruction",
       {},
       {"mma=wgmma; producer_warps=2", "mma=wgmma; stages=6", "mma=wgmma; producer_warps=2; mma_inflight=1",
        "mma=wgmma", "mma=wgmma; consumers=1; producer_warps=4"},
       /*restart=*/true},
      {"implicit-product",
       C::Async,
       "Multiply on warpgroups what tensor copies bring: with its channels last, the box of pixels that a tap of the "
       "filter needs is one copy by tensor map, zeros outside of the image included, and lies in shared memory as a "
       "matrix descriptor wants it. The convolution is a sum of such products over taps and slabs of channels.",
       {"conv"},
       0,
       119,
       implicitProduct,
       "compute|memory|tensor|shared memory|gather|latency|instruction",
       {},
       {"mma=wgmma; pipeline=tma", "mma=wgmma; pipeline=tma; tile=[128, 128, 64]",
        "mma=wgmma; pipeline=tma; tile=[128, 64, 64]", "mma=wgmma; pipeline=tma; tile=[64, 64, 64]",
        "mma=wgmma; pipeline=tma; tile=[256, 128, 64]", "mma=wgmma; pipeline=tma; tile=[128, 256, 64]"},
       /*restart=*/true},
      {"grouped-product",
       C::Async,
       "Multiply each group of a convolution on warpgroups, with a tile for each of them: of an image with its "
       "channels "
       "last, one copy by tensor map brings a group's channels of a box of pixels, and zeros for what they lack to a "
       "row "
       "of shared memory. The groups of a box are neighbours, so that its pixels come from memory once.",
       {"conv"},
       0,
       119,
       groupedProduct,
       "compute|memory|tensor|shared memory|gather|latency|instruction|launches",
       {},
       {},
       /*restart=*/true,
       /*pools=*/false,
       deriveGroupTiles},
      {"shifted-halves",
       C::DType,
       "Fetch each input pixel once for all taps, and multiply f32 pixels as fp16 under exact powers of two: a box of "
       "pixels with its neighbours lies in shared memory, eight channels in 16 bytes, and every tap multiplies the "
       "same "
       "box, shifted by whole pixels. That is tf32's mantissa at twice its rate and half its shared memory; a power "
       "for "
       "each filter and each step keeps fp32's range.",
       {"conv"},
       0,
       118,
       shiftedHalves,
       "compute|arithmetic|tensor|memory|shared memory|gather|load|launches",
       {},
       {"mma=wgmma; im2col=halo; dtype=fp16", "mma=wgmma; im2col=halo; dtype=fp16; consumers=4; tile=[48, 64, 32]",
        "mma=wgmma; im2col=halo; dtype=fp16; consumers=4; tile=[48, 64, 16]",
        "mma=wgmma; im2col=halo; dtype=fp16; producer_warps=8; tile=[64, 64, 32]",
        "mma=wgmma; im2col=halo; dtype=fp16; tile=[192, 64, 16]",
        "mma=wgmma; im2col=halo; dtype=fp16; consumers=4; tile=[48, 64, 64]",
        "mma=wgmma; im2col=halo; dtype=fp16; producer_warps=8; tile=[80, 64, 32]",
        "mma=wgmma; im2col=halo; dtype=fp16; tile=[256, 128, 16]",
        "mma=wgmma; im2col=halo; dtype=fp16; tile=[256, 64, 16]",
        "mma=wgmma; im2col=halo; dtype=fp16; tile=[192, 128, 32]",
        "mma=wgmma; im2col=halo; dtype=fp16; tile=[96, 64, 32]",
        "mma=wgmma; im2col=halo; dtype=fp16; tile=[96, 64, 16]",
        "mma=wgmma; im2col=halo; dtype=fp16; tile=[160, 128, 16]",
        "mma=wgmma; im2col=halo; dtype=fp16; tile=[128, 64, 16]",
        "mma=wgmma; im2col=halo; dtype=fp16; tile=[256, 64, 32]",
        "mma=wgmma; im2col=halo; dtype=fp16; tile=[128, 64, 32]"},
       /*restart=*/true,
       /*pools=*/false,
       /*derive=*/nullptr,
       fitsHalo},
      {"shifted-pixels",
       C::Memory,
       "Fetch each input pixel once for all taps: a box of pixels with its neighbours lies in shared memory, 16 bytes "
       "of "
       "channels at a time, and every tap multiplies the same box, shifted by whole pixels. Images are read with their "
       "channels first, as they are, and the filters stay.",
       {"conv"},
       0,
       117,
       shiftedPixels,
       "memory|compute|tensor|gather|load|launches",
       {},
       {"mma=wgmma; im2col=halo", "mma=wgmma; im2col=halo; tile=[192, 64, 8]",
        "mma=wgmma; im2col=halo; tile=[256, 64, 8]", "mma=wgmma; im2col=halo; tile=[128, 64, 8]",
        "mma=wgmma; im2col=halo; tile=[192, 128, 8]", "mma=wgmma; im2col=halo; tile=[128, 64, 16]",
        "mma=wgmma; im2col=halo; tile=[256, 64, 16]"},
       /*restart=*/true,
       /*pools=*/false,
       /*derive=*/nullptr,
       fitsHalo},
      {"pool-pixels",
       C::Memory,
       "Pool what the convolution computes before it leaves: a tile has whole windows of its outputs, which meet in "
       "shared memory, so that only pooled outputs are written. Where the convolution is transposed the phases of its "
       "stride are what a window takes together.",
       {"conv"},
       0,
       121,
       pooledPixels,
       "memory|launches|pool|compute",
       {},
       {},
       /*restart=*/true,
       /*pools=*/true,
       derivePooledPixels,
       fitsHalo},
      {"fold-outputs",
       C::Memory,
       "Reduce what the convolution computes before it leaves: the reduction over channels, the softmax or the mean "
       "over "
       "all pixels happens while a tile's outputs pass through shared memory, so that the whole result is never "
       "written and read again.",
       {"conv"},
       0,
       121,
       foldedPixels,
       "memory|launches|reduction|compute",
       {},
       {"mma=wgmma; im2col=halo", "mma=wgmma; im2col=halo; mma_inflight=0", "mma=wgmma; im2col=halo; stages=2",
        "mma=wgmma; im2col=halo; tile=[128, 64, 8]", "mma=wgmma; im2col=halo; tile=[64, 128, 8]",
        "mma=wgmma; im2col=halo; tile=[64, 64, 8]", "mma=wgmma; im2col=halo; tile=[128, 64, 16]",
        "mma=wgmma; im2col=halo; tile=[64, 128, 16]", "mma=wgmma; im2col=halo; tile=[192, 64, 8]"},
       /*restart=*/true,
       /*pools=*/true},
      {"fold-halves",
       C::DType,
       "Reduce what the convolution computes before it leaves, and multiply f32 pixels as fp16 under exact powers of "
       "two, tf32's mantissa at twice its rate: the reduction over channels or the mean over all pixels happens while "
       "a tile's outputs, taken out of their powers, pass through shared memory.",
       {"conv"},
       0,
       122,
       foldedHalves,
       "compute|arithmetic|tensor|memory|reduction|launches",
       {},
       {"mma=wgmma; im2col=halo; dtype=fp16; tile=[128, 64, 32]", "mma=wgmma; im2col=halo; dtype=fp16",
        "mma=wgmma; im2col=halo; dtype=fp16; consumers=4; tile=[48, 64, 16]",
        "mma=wgmma; im2col=halo; dtype=fp16; tile=[64, 128, 16]",
        "mma=wgmma; im2col=halo; dtype=fp16; tile=[96, 64, 32]",
        "mma=wgmma; im2col=halo; dtype=fp16; tile=[128, 64, 16]",
        "mma=wgmma; im2col=halo; dtype=fp16; tile=[192, 64, 16]"},
       /*restart=*/true,
       /*pools=*/true,
       /*derive=*/nullptr,
       fitsHalo},
      {"warpgroup-ring",
       C::Async,
       "Change how many input rows a stream holds and how many warps load them: enough loads in flight to hide "
       "memory's "
       "latency, and registers left for the sums.",
       {"conv"},
       0,
       70,
       warpgroupConvolution,
       "latency|memory|occupancy",
       {},
       {"mma=wgmma; producer_warps=2", "mma=wgmma; stages=6", "mma=wgmma; stages=5",
        "mma=wgmma; consumers=3; producer_warps=2; stages=4"},
       /*restart=*/true},
      {"channel-lanes",
       C::Memory,
       "Give neighbouring threads neighbouring channels, whose filters they alone need: each reads the pixels of a run "
       "of "
       "outputs once, 16 bytes at a time, and holds their sums; weights wait in shared memory.",
       {"conv"},
       96,
       119,
       filterPerChannel,
       "memory|gather|load|latency|compute",
       {"thread_tile=[1, 7]", "thread_tile=[1, 4]", "thread_tile=[2, 4]; block=32"},
       {"min_blocks=4", "min_blocks=5", "thread_tile=[2, 4]; min_blocks=4", "thread_tile=[2, 7]; min_blocks=4",
        "thread_tile=[1, 4]; min_blocks=6", "thread_tile=[1, 7]; min_blocks=5", "thread_tile=[1, 14]",
        "thread_tile=[4, 4]; block=64"},
       /*restart=*/true},
      {"row-lanes",
       C::Memory,
       "Give neighbouring threads neighbouring outputs of a row, and each of them several rows: a pixel is read once "
       "for "
       "all rows whose taps meet it, and the channel's filter stays in registers.",
       {"conv"},
       97,
       118,
       filterPerChannel,
       "memory|gather|load|latency|compute",
       {"thread_tile=[8, 2]", "thread_tile=[8, 1]", "thread_tile=[4, 4]"},
       {"thread_tile=[16, 1]", "thread_tile=[8, 2]; block=256", "thread_tile=[4, 2]", "thread_tile=[8, 4]",
        "thread_tile=[16, 2]", "thread_tile=[8, 2]; min_blocks=6"},
       /*restart=*/true},
      {"pixel-tile",
       C::Compute,
       "Give each thread several pixels and several filters: a pixel in a register meets all of the thread's filters, "
       "and a filter in a register meets all of its pixels.",
       {"conv"},
       95,
       55,
       isProduct,
       "shared memory|latency|instruction|load",
       {"mma=none; -dtype; -warp_tile; tile=[64, $N, 16]; thread_tile=[8, 8]; stages=2",
        "mma=none; -dtype; -warp_tile; tile=[128, $N, 16]; thread_tile=[16, 8]; stages=2",
        "mma=none; -dtype; -warp_tile; tile=[64, $N, 32]; thread_tile=[8, 16]; stages=2"},
       {"mma=none; -dtype; -warp_tile; tile=[288, 48, 16]; thread_tile=[8, 8]",
        "mma=none; -dtype; -warp_tile; tile=[128, 96, 16]; thread_tile=[8, 8]",
        "mma=none; -dtype; -warp_tile; tile=[256, 96, 16]; thread_tile=[8, 12]"}},
      {"small-tiles",
       C::Parallel,
       "Cut the result into so small tiles that every multiprocessor has one: larger ones read less often, but of few "
       "pixels there are so few that most of the card is idle.",
       {"conv"},
       0,
       60,
       fewPixels,
       "occupancy|tail|latency",
       {},
       {"mma=none; -dtype; -warp_tile; tile=[32, 64, 16]; thread_tile=[4, 4]",
        "mma=none; -dtype; -warp_tile; tile=[32, 32, 16]; thread_tile=[4, 2]",
        "mma=none; -dtype; -warp_tile; tile=[16, 32, 16]; thread_tile=[2, 2]",
        "mma=none; -dtype; -warp_tile; tile=[16, 16, 16]; thread_tile=[2, 1]"}},
      {"fp16-operands",
       C::DType,
       "Round the operands to fp16 on their way to the tensor cores: it keeps the ten mantissa bits that TF32 keeps, "
       "at "
       "half the bytes and twice the rate; sums stay in fp32.",
       {"conv"},
       10,
       88,
       fp16Product,
       "compute|arithmetic|tensor|shared memory",
       {"mma=mma_sync; dtype=fp16; -tile; -thread_tile"},
       {"mma=mma_sync; dtype=fp16; -tile; -thread_tile; -warp_tile",
        "mma=mma_sync; dtype=fp16; tile=[288, 96, 64]; warp_tile=[48, 48]; -thread_tile"}},
      {"pool-tiles",
       C::Parallel,
       "Choose the pooled outputs of one block so that little of the convolution is computed twice at the borders.",
       {"conv"},
       75,
       80,
       poolInside,
       "recompute|halo|compute",
       {"pool_tile=[9, 9]", "pool_tile=[4, 9]", "pool_tile=[3, 27]", "pool_tile=[2, 4]"},
       {"pool_tile=[4, 9]; -tile; -warp_tile", "pool_tile=[3, 27]; -tile; -warp_tile",
        "pool_tile=[2, 9]; -tile; -warp_tile", "pool_tile=[9, 9]; -tile; -warp_tile",
        "pool_tile=[1, 27]; -tile; -warp_tile"}},
      {"slab",
       C::Memory,
       "Choose how many input channels of the image patch lie in shared memory at a time: all of them save copies, "
       "fewer "
       "leave room for another resident block.",
       {"conv"},
       40,
       60,
       isProduct,
       "memory|shared memory|occupancy|gather",
       {"slab_channels=1", "slab_channels=3", "slab_channels=4"},
       {"slab_channels=1", "slab_channels=3", "slab_channels=8", "slab_channels=16"}},
  };
}

} // namespace kgen::ideas
