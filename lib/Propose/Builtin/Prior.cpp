//===- Prior.cpp ----------------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prior.h"
#include "kgen/Kernels/Ideas/ClusterTiles.h"
#include "kgen/Kernels/Ideas/Predicates.h"
#include "kgen/Support/Chip.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace kgen::propose {
namespace {

/// What a device reaches, all multiprocessors together.
struct Machine {
  double bytes, fp32, tf32, half; ///< per second
  double launchUs;
};

/// The default card, whatever the real one: ranks are the same on its kin. The host has one core, and a barrier costs
/// each fibre some 30 ns.
const Machine card = {getDefaultRates().copyBytes, getDefaultRates().fp32, getDefaultRates().tf32,
                      getDefaultRates().half, 3};
constexpr Machine hostCore = {1e10, 4e9, 4e9, 4e9, 1};
constexpr double barrierSeconds = 30e-9;

bool onHost(const ideas::DispatchFacts &facts) { return facts.device == "host"; }

StringRef textOf(const ScheduleSettings &settings, const char *key) {
  auto it = settings.find(key);
  return it == settings.end() ? StringRef() : StringRef(it->second);
}

double numberOf(const ScheduleSettings &settings, const char *key, double otherwise) {
  int64_t value;
  return textOf(settings, key).getAsInteger(10, value) || value <= 0 ? otherwise : double(value);
}

/// Element INDEX of "[64, 96, 16]".
double elementOf(const ScheduleSettings &settings, const char *key, int index, double otherwise) {
  StringRef text = textOf(settings, key).trim("[]");
  for (int i = 0; i < index; ++i)
    text = text.split(',').second;
  int64_t value;
  return text.split(',').first.trim().getAsInteger(10, value) || value <= 0 ? otherwise : double(value);
}

/// Threads of a block, and whether what a thread holds fits its registers, of which min_blocks blocks
/// want theirs too.
struct BlockShape {
  double threads;
  bool spills;
  double resident; ///< blocks that the registers of a multiprocessor hold
};

/// OTHERS: of addresses, operands, loop counters.
BlockShape shapeOf(double perThread, double others, double threads, const ScheduleSettings &settings) {
  double blocks = numberOf(settings, "min_blocks", 1);
  double registers = std::min(255.0, 65536 / (std::max(threads, 32.0) * blocks));
  double wanted = std::min(perThread + others, registers);
  return {threads, perThread + others > registers, std::max(1.0, std::floor(65536 / (wanted * threads)))};
}

/// Tiles of TILE that cover SIZE compute that much more.
double wasteOf(double size, double tile) { return std::ceil(size / tile) * tile / size; }

/// A product whose left operand stays in shared memory while columns pass by: the memory's time, unless there is more
/// to multiply; other parts of the left operand's rows read the columns again, from the L2 cache.
double estimatePassing(const ideas::DispatchFacts &f, const ScheduleSettings &settings, double bytes) {
  const bool half = !f.f32 || textOf(settings, "dtype") == "fp16" || textOf(settings, "dtype") == "bf16";
  const double m = std::max<double>(f.m, 1), n = std::max<double>(f.n, 1), k = std::max<double>(f.k, 1);
  const double parts = std::ceil(m / 128), rows = std::max(16.0, std::ceil(m / parts / 32) * 32);
  const double bm = elementOf(settings, "tile", 0, rows);
  const double multiplied = 2 * std::ceil(m / bm) * bm * n * k / ((half ? card.half : card.tf32) * 0.45);
  const double again = (std::ceil(m / bm) - 1) * n * k * (half ? 2 : 4) / (2.5 * card.bytes);
  return 1e6 * std::max(multiplied, 1.05 * bytes / card.bytes + again) + card.launchUs;
}

double estimateProduct(const ideas::DispatchFacts &f, const ScheduleSettings &settings, double bytes) {
  if (textOf(settings, "split_at") == "cluster") {
    const ideas::ProductSize size = ideas::clusterSize(f);
    auto sizeOf = [&](int index, double otherwise) { return int64_t(elementOf(settings, "tile", index, otherwise)); };
    ideas::ClusterTile tile = {sizeOf(0, 128), sizeOf(1, 128), sizeOf(2, 128.0 / double(size.element)),
                               int64_t(numberOf(settings, "cluster", 1)), int64_t(numberOf(settings, "split_k", 1))};
    return estimateClusterTile(size, tile, f.multiprocessors) + card.launchUs;
  }
  if (settings.count("rows_per_block"))
    return 1e6 * 1.02 * bytes / card.bytes + 2 * card.launchUs;
  StringRef mma = textOf(settings, "mma"), dtype = textOf(settings, "dtype");
  bool host = onHost(f);
  // What the families choose by themselves: tensor cores where the class allows them.
  bool plain = mma == "none" || (mma.empty() && (host || (f.f32 && f.precision == "strict-fp32")));
  bool warpgroup = mma == "wgmma";
  const bool planes = f.family == "gemm" && StringRef(f.op).starts_with("aten.conv");
  if (!host && !plain && (textOf(settings, "persistent") == "static" ? !warpgroup : planes && mma.empty()))
    return estimatePassing(f, settings, bytes);
  const Machine &machine = host ? hostCore : card;
  // Warpgroups multiply f32 data as tf32, or as scaled halves: once, or three times for the digits of f32.
  bool convolution = f.channels > 0;
  bool copied = convolution && (textOf(settings, "pipeline") == "tma" || textOf(settings, "im2col") == "halo");
  bool half = (warpgroup && dtype != "tf32" && !copied) || !f.f32 || dtype == "fp16" || dtype == "bf16";
  double rate = plain ? machine.fp32 * 0.7 : (half ? machine.half : machine.tf32) * (warpgroup ? 0.85 : 0.5);
  double m = std::max<double>(f.m, 1), n = std::max<double>(f.n, 1), k = std::max<double>(f.k, 1);
  // Products of a batch, or of groups; images of a convolution, and its planes, are in m or n.
  const double groups = convolution ? double(f.groups) : 1;
  n /= groups;
  const double batch = convolution || planes ? groups : std::max(1.0, std::round(double(f.elements) / (m * n)));
  double width = std::clamp(std::ceil(n / 16) * 16, 16.0, 128.0);
  const double side = plain && !host ? 128 : 64;
  double bm = elementOf(settings, "tile", 0, plain || (convolution && warpgroup) ? side : convolution ? 288 : 128);
  double bn = elementOf(settings, "tile", 1, plain ? 64 : warpgroup && !convolution ? 2 * width : width);
  double bk = elementOf(settings, "tile", 2, plain ? 16 : warpgroup || (half && !convolution && !host) ? 64 : 32);
  double split = numberOf(settings, "split_k", 1);
  // Left open, slices give every multiprocessor a tile.
  if (!settings.count("split_k") && !convolution && !host && !plain)
    split = std::clamp(std::floor(std::min(double(f.multiprocessors) / (batch * std::ceil(m / bm) * std::ceil(n / bn)),
                                           std::ceil(k / bk) / 8)),
                       1.0, 64.0);
  double stages = numberOf(settings, "stages", warpgroup ? 4 : 3);
  if (ideas::productOfRowGroups(f)) // each matrix is read, and each group has a tile that is not full
    bytes += double(f.groups - 1) * n * k * (f.f32 ? 4 : 2);
  double rows = std::ceil(m / bm) + (ideas::productOfRowGroups(f) ? double(f.groups - 1) : 0),
         columns = std::ceil(n / bn), blocks = batch * rows * columns * split;
  double element = plain || !half ? 4 : 2;

  // Reuse: what a block's tile, and in it a warp's or thread's, computes from each element that it loads.
  double reuse = bm * bn / (bm + bn);
  double seconds = 2 * batch * rows * bm * columns * bn * k / rate * (1 + 16 / reuse);
  BlockShape shape = {384, false, 1};
  if (plain) {
    double tm = elementOf(settings, "thread_tile", 0, side / 16), tn = elementOf(settings, "thread_tile", 1, side / 16);
    seconds *= 1 + (tm + tn) / (tm * tn);
    shape = shapeOf(1.3 * tm * tn + tm + tn, 70, bm * bn / (tm * tn), settings);
  } else if (warpgroup) {
    if (f.f32 && f.precision == "strict-fp32")
      seconds *= 3;
    // One warpgroup multiplies or finishes, two take turns; three and clusters of four do not fit well.
    double consumers = numberOf(settings, "consumers", 2), cluster = numberOf(settings, "cluster", 1);
    seconds *= (consumers < 2 ? 1.12 : consumers > 2 ? 1.4 : 1) * (cluster > 2 ? 1.8 : cluster > 1 ? 0.97 : 1);
    seconds *= 1 + 2 / numberOf(settings, "promote_k", 1e9);
  } else {
    double wm = elementOf(settings, "warp_tile", 0, convolution ? 48 : std::min(64.0, bm));
    double wn = elementOf(settings, "warp_tile", 1, convolution && bn == 96 ? 48 : bn > 64 ? bn / 2 : bn);
    seconds *= (1 + 10 * (wm + wn) / (wm * wn)) * wasteOf(bm, wm) * wasteOf(bn, wn);
    shape = shapeOf(wm * wn / 32, 56, 32 * std::ceil(bm / wm) * std::ceil(bn / wn), settings);
    if (shape.threads < (convolution ? 256 : 128)) // those of a convolution gather, too
      seconds *= 1.2;                              // too few warps to hide each other's waits
    // Rows of a tile that start in the same bank; a convolution's are never beside each other.
    if (!convolution && textOf(settings, "smem_pad") == "0" && textOf(settings, "swizzle").empty())
      seconds *= 2;
    if (mma == "wmma")
      seconds *= half ? 1.08 : 1.6;
  }
  if (!warpgroup && !host && bk * element > 128)
    seconds *= 1.6;
  // A pooling behind it computes rows of borders again, and its windows pass through shared memory; warpgroups keep
  // them in registers and write less.
  if (f.poolFollows)
    seconds *= warpgroup ? 0.9 : 1.15 + bm / 2000;
  if (host)
    return 1e6 * (seconds + blocks * std::ceil(k / split / bk) * 2 * shape.threads * barrierSeconds) + machine.launchUs;
  if (shape.spills)
    seconds *= plain ? 8 : shape.threads >= 256 ? 4 : 1.6;
  double wide = numberOf(settings, "vec", half ? 8 : 4);
  if (!convolution && wide * element < 16)
    seconds *= wide * element < 8 ? 2 : 1.3;

  // The last wave is as long as a full one.
  double sharedBytes = convolution ? 1 : stages * (bm + bn) * bk * element;
  double perMultiprocessor = std::clamp(std::floor(Chip::mostSharedBytes / sharedBytes), 1.0, 4.0);
  perMultiprocessor = std::min({perMultiprocessor, shape.resident, std::max(1.0, std::floor(1024 / shape.threads))});
  // Blocks of one multiprocessor share its fp32 units, so that the last ones of a wave run faster.
  double slots = f.multiprocessors * (plain ? 1 : perMultiprocessor);
  seconds *= std::ceil(blocks / slots) * slots / blocks;
  // Alone, nobody multiplies while a block waits for the next slice: one of 64 bytes is soon over, and four warps are
  // few to have it.
  if (!plain && !warpgroup && !convolution && perMultiprocessor == 1 && (bk * element <= 64 || shape.threads < 256))
    seconds *= 1.2;
  // A multiprocessor has four schedulers: with less than four warps some are idle.
  if (plain)
    seconds *= std::max(
        1.0, 128 / (shape.threads * std::clamp(std::floor(blocks / f.multiprocessors), 1.0, perMultiprocessor)));
  if (plain)
    seconds *= stages < 2 ? 1.5 : 1;
  else if (stages < 4)
    seconds *= stages < 2 ? 1.5 : stages < 3 ? 1.03 : 1.005;
  // Tiles are read again by other blocks, from the L2 cache, which is some 2.5 times as fast.
  double again = batch * (m * k * columns + n * k * rows) * element / (2.5 * machine.bytes);
  double once = (bytes + (split > 1 ? 2 * split * batch * m * n * 4 : 0)) / machine.bytes;
  // Blocks of one tile that is soon multiplied: nothing is on its way while results are stored.
  if (planes && !warpgroup && k / bk < 8)
    once *= 1.3;
  // Results that are many beside the operands take turns with their few steps, as no block has two tiles (level1/9 and
  // 11 of the benchmark took 7 times the memory's time).
  if (!planes && !convolution && !plain && !warpgroup && k / bk < 16 && m * n > 2 * (m + n) * k)
    once *= 5;
  // Products of scaled halves have a launch before them for each operand, which reads it and writes half of it; twice,
  // where it lies across k, and where a row does not stay in registers. Of tf32 what lies across k is laid out along
  // it, unless it is so large that registers read it.
  const bool linear = f.op == "aten.linear", copies = warpgroup && f.f32 && !convolution;
  const bool rightIsSmall = 8 * n * k <= m * k + n * k + m * n;
  const bool scaled = copies && half, arranged = copies && !half && !linear && rightIsSmall;
  // Registers take what would be the longer one's launch.
  const bool passes = scaled && textOf(settings, "convert_at") == "registers";
  const bool rightPasses = passes && (linear ? 6 : 10) * n > 6 * m;
  const double along = k > 8192 ? 12 : k < 1024 ? 10 : 6; // bytes; of short rows few threads have a part
  const double left = scaled && (!passes || rightPasses) ? along * m * k : 0;
  const double right = (scaled && !rightPasses ? (linear ? along : 10) : arranged ? 8 : 0) * n * k;
  if (passes) // f32 takes twice as much of shared memory (docs/gemm.md)
    seconds *= 1.3;
  // Images of groups become channels-last in front.
  const bool moved = copied && groups > 1 && !f.channelsLast;
  const double image = moved ? 2 * m * double(f.channels) * (f.f32 ? 4 : 2) : 0;
  const double before = (batch * (left + right) + image) / machine.bytes;
  const double launches = (split > 1 ? 2 : 1) + 2 * scaled + arranged + moved;
  return 1e6 * (before + std::max({seconds, convolution ? 0 : again, once})) + machine.launchUs * launches;
}

/// Queries and keys that tiles of ROWS by COLUMNS compute for one head.
double attentionWork(const ideas::DispatchFacts &f, double rows, double columns) {
  double work = 0, queries = double(f.m), keys = double(f.n);
  for (double row = 0; row < queries; row += rows)
    work += rows * std::ceil((f.causal ? std::min(keys, row + rows) : keys) / columns) * columns;
  return work;
}

/// Bytes of an attention whose operands have BYTES: keys and values that heads share are there once.
double attentionBytes(const ideas::DispatchFacts &f, double bytes) {
  const double repeated = f.keyHeads > 0 ? double(f.heads - f.keyHeads) : 0;
  return bytes - 2 * repeated * double(f.n) * double(f.k) * (f.f32 ? 4 : 2);
}

/// Seconds until BLOCKS blocks are done, of which PER_MULTIPROCESSOR run at a time and each takes SECONDS.
double wavesOf(const ideas::DispatchFacts &f, double blocks, double perMultiprocessor, double seconds) {
  return std::ceil(blocks / (double(f.multiprocessors) * perMultiprocessor)) * seconds;
}

/// Blocks that each copy a part of the keys of 16 rows, all that their shared memory holds at once, and are joined by
/// a cluster or another launch.
double estimateSplitKeys(const ideas::DispatchFacts &f, const ScheduleSettings &settings, double bytes) {
  constexpr double latency = 1e-6, bytesOfMultiprocessor = 50e9, clusterSeconds = 0.8e-6, tileSeconds = 0.3e-6;
  const double keyHeads = std::max<double>(f.keyHeads, 1), depth = std::max<double>(f.k, 1);
  const double rowTiles = std::ceil(double(f.heads) / keyHeads * double(f.m) / 16);
  const double parts = numberOf(settings, "split_keys", 1);
  const double columns = elementOf(settings, "warp_tile", 1, f.n > 64 ? 32 : 16);
  const double tiles = std::ceil(std::ceil(double(f.n) / columns) / parts);
  const double warps = numberOf(settings, "block", 32 * std::clamp(tiles, 1.0, 8.0)) / 32;
  const double copied = 2 * tiles * columns * depth * 2;
  const double seconds = latency + copied / bytesOfMultiprocessor + std::ceil(tiles / warps) * tileSeconds;
  const double together = std::max(1.0, std::min(std::floor(2e5 / copied), std::floor(10 / warps)));
  const double joined = parts == 1 ? 0 : settings.count("split_at") ? clusterSeconds : card.launchUs * 1e-6;
  return 1e6 * (std::max(bytes / card.bytes, wavesOf(f, keyHeads * rowTiles * parts, together, seconds)) + joined) +
         card.launchUs;
}

/// Two products and an exponential for each pair of a query and a key. On a Hopper card 16 of a multiprocessor's
/// exponentials take as long as a product of 64 by 64 for them: at depth 64 they are half of the work, and who hides
/// them beside products wins.
double estimateAttention(const ideas::DispatchFacts &f, const ScheduleSettings &settings, double bytes) {
  bytes = attentionBytes(f, bytes);
  if (settings.count("split_keys"))
    return estimateSplitKeys(f, settings, bytes);
  StringRef mma = textOf(settings, "mma");
  const bool half = !f.f32 || textOf(settings, "dtype") == "fp16" || textOf(settings, "dtype") == "bf16";
  const bool hopper = f.hopper && half && !f.f32 && !f.masked && f.k <= 128;
  const double depth = std::max<double>(f.k, 1), heads = std::max<double>(f.heads, 1);
  auto secondsOf = [&](double rows, double columns, double rate) {
    return 4 * depth * attentionWork(f, rows, columns) * heads / rate;
  };
  // Few blocks wait for their own copies: a block goes through the tiles of keys one by one.
  auto atLeast = [&](double rows, double columns, double tileSeconds) {
    constexpr double latency = 1e-6;
    const double tiles = attentionWork(f, rows, columns) / (rows * columns) / std::ceil(double(f.m) / rows);
    return wavesOf(f, heads * std::ceil(double(f.m) / rows), 2, latency + tiles * tileSeconds);
  };
  double seconds;
  if (onHost(f) || mma == "none" || (mma.empty() && f.f32 && f.precision == "strict-fp32")) {
    const double rows = elementOf(settings, "tile", 0, 64), columns = elementOf(settings, "tile", 1, 64);
    const Machine &machine = onHost(f) ? hostCore : card;
    seconds = secondsOf(rows, columns, machine.fp32 * 0.5) * (1 + 8 * (1 / rows + 1 / columns));
    if (onHost(f)) // a tile has two barriers, and 256 fibres wait at each
      seconds += 2 * 256 * barrierSeconds * attentionWork(f, rows, columns) / (rows * columns) * heads;
    else // element by element, of which each of 256 threads has 16 loads under way
      seconds = std::max(seconds, atLeast(rows, columns, 2 * columns * depth / 256 * 0.3e-6));
  } else if (mma == "mma_sync" || (mma.empty() && !hopper)) {
    const double rows = elementOf(settings, "tile", 0, 128), columns = elementOf(settings, "tile", 1, 64);
    seconds = secondsOf(rows, columns, (half ? card.half : card.tf32) * 0.4) * (1 + 16 / rows + 6 / columns) *
              (numberOf(settings, "stages", 2) < 2 ? 1.3 : 1);
    seconds = std::max(seconds, atLeast(rows, columns, 0.7e-6 * columns / 64));
  } else {
    const bool deep = depth > 64;
    const double rows = elementOf(settings, "tile", 0, 64 * numberOf(settings, "consumers", deep ? 2 : 3));
    const double columns = elementOf(settings, "tile", 1, 128);
    auto isOn = [&](const char *key, bool otherwise) {
      StringRef word = textOf(settings, key);
      return word.empty() ? otherwise : word == "on";
    };
    const bool turns = isOn("pingpong", rows > 64), overlaps = isOn("overlap", rows < 192), three = rows >= 192;
    seconds = secondsOf(rows, columns, card.half * (deep ? 0.98 : 0.8)) * (1 + 6 / columns);
    // Three warpgroups hide each other's exponentials by taking turns; two need to overlap their own as well, and at
    // depth 64 cannot hide them all. Of deep rows three hold so many registers that one way to overlap is enough.
    if (three && deep)
      seconds *= turns && overlaps ? 1 : overlaps ? 0.95 : turns ? 0.97 : 1.05;
    else if (three)
      seconds *= turns && !overlaps ? 1 : turns ? 1.02 : overlaps ? 1.025 : 1.1;
    else
      seconds *= (rows < 128 ? 1.3 : 1) * (deep ? 1 : 1.16) *
                 (turns && overlaps ? 1
                  : overlaps        ? 1.005
                  : turns           ? 1.045
                                    : 1.15);
    if (textOf(settings, "lazy") == "off")
      seconds *= 1.03;
    // Tiles of queries that are left when all multiprocessors had as many: without a causal mask all take the same.
    const double tiles = heads * std::ceil(double(f.m) / rows), slots = double(f.multiprocessors);
    seconds *= f.causal ? std::max(1.0, slots / tiles) : std::ceil(tiles / slots) * slots / tiles;
  }
  if (onHost(f))
    return 1e6 * seconds + hostCore.launchUs;
  return 1e6 * std::max(seconds, bytes / card.bytes) + card.launchUs;
}

double estimateRows(const ideas::DispatchFacts &f, const ScheduleSettings &settings, double bytes) {
  const Machine &machine = onHost(f) ? hostCore : card;
  double rows = std::max<double>(f.rows, 1), columns = std::max<double>(f.columns, 1);
  // Few long rows are split by the family itself.
  const bool strided = f.apart > 1;
  const bool few = !onHost(f) && !strided && rows < 2 * f.multiprocessors && columns > 80 * 1024 &&
                   textOf(settings, "resident") != "grid" && !settings.count("rows_per_block") &&
                   !settings.count("threads_per_row");
  double split = numberOf(settings, "split_rows", few ? 32 : 1);
  // Of rows whose elements lie apart, neighbouring threads take neighbouring ones; few threads share each.
  const double shared = std::clamp(std::exp2(std::floor(std::log2(std::max(1.0, columns / 8)))), 1.0, 16.0);
  double perRow = numberOf(settings, "threads_per_row",
                           strided                                ? shared
                           : !onHost(f) && columns / split > 8192 ? 512
                                                                  : 128);
  StringRef resident = textOf(settings, "resident"), reduce = textOf(settings, "reduce");
  bool chosen = split > 1 || settings.count("threads_per_row") || settings.count("rows_per_block");
  double perBlock = numberOf(settings, "rows_per_block", strided ? std::max(32.0, std::floor(256 / perRow)) : 1);
  // Left alone, the family keeps a row where it fits: registers and shared memory hold some 80 k elements.
  bool fits = strided ? columns / perRow <= 64
                      : columns <= 80 * 1024 && (!chosen || (perBlock == 1 && perRow >= 256 && split == 1));
  bool kept = resident.empty() ? fits && !onHost(f) : resident != "none";
  double again = kept ? 0 : reduce == "two_pass" ? 2 : 1; // reads beside the first
  if (onHost(f))
    return 1e6 * (bytes / 2 * (2 + again) / machine.bytes + rows * columns * 4e-9 +
                  (perRow > 1 ? rows * perRow * 8 * barrierSeconds : 0));
  // Rows in flight that the L2 cache holds are read again at more than twice the speed.
  double blocksHere = std::min(16.0, std::max(1.0, std::floor(2048 / std::max(perRow * perBlock, 32.0))));
  double inFlight = rows * columns * 4;
  if (split == 1 && rows >= 2 * f.multiprocessors) // otherwise a second launch reads them all again
    inFlight = std::min(inFlight, f.multiprocessors * blocksHere * perBlock * columns * 4);
  again *= 1 - 0.6 * std::min(1.0, 40e6 / inFlight);
  double seconds = bytes / 2 * (2 + again) / machine.bytes;
  double width = numberOf(settings, "vec", 4);
  // Memory is read by 32 bytes, of which a block with fewer than eight neighbouring rows uses a part.
  if (strided)
    seconds *= std::max(1.0, 8 / perBlock) * (perBlock < 32 ? 1.15 : 1);
  else
    seconds *= width >= 4 ? 1 : width >= 2 ? (kept && columns > 16384 ? 1.3 : 1.02) : 1.35;
  // Loads in flight: about 16 KiB for each multiprocessor keep the memory busy. Rows across the grid see to that.
  seconds *= 1 + split / 20000;
  if (split > 1 && perRow >= 1024)
    seconds *= 1.15; // two blocks of a multiprocessor wait where eight do in turns
  double threads = rows * split * perRow, wanted = f.multiprocessors * 1024.0;
  if (resident == "grid")
    seconds *= 1.25; // blocks wait for each other's part of the statistic
  else if (chosen && threads < wanted)
    seconds *= std::sqrt(wanted / threads);
  // A warp reads 512 bytes of a row, or parts of several rows.
  if (!strided && perRow * width < 128)
    seconds *= std::min(16.0, 128 / (perRow * width));
  double held = columns / split / perRow;
  if (resident == "reg") {
    double registers = std::min(255.0, 65536 / (perRow * perBlock * numberOf(settings, "min_blocks", 1)));
    if (held > 96 || held + 12 > registers)
      seconds *= 2.5; // spills
    // One exponential for an element instead of two; a few large blocks hide less than many small ones.
    seconds *= (reduce == "two_pass" ? 1.03 : 1.07) * (split > 4 ? 1.03 : 1);
  } else if (resident == "cluster") {
    seconds *= 1.08;
  } else if (kept && resident != "grid") {
    seconds *= 1.05 + 8 / std::max(perRow, 256.0); // one block alone, persistent
  }
  if (textOf(settings, "fast_math") == "on")
    seconds *= 0.99;
  if (StringRef hint = textOf(settings, "cache_hint"); !hint.empty())
    seconds *= (hint == "none") == (resident != "grid") ? 0.995 : 1;
  // A turn of a block is a load, a reduction and a store, however short its rows are: 25,088 rows of 96 numbers take an
  // H200 13 us by 32 threads each, 179 us by 512 and 442 us by 1024.
  if (columns <= 4096 && split == 1 && (resident.empty() || resident == "reg" || resident == "none")) {
    // Left alone, 128 threads in a block and at most a warp for each row, as many as it has packs (RowChoice.cpp).
    const bool alone = !chosen && !strided && columns <= 1024;
    const double pack = double(std::min<int64_t>(f.columns & -f.columns, f.f32 ? 4 : 8));
    const double packs = std::exp2(std::ceil(std::log2(columns / pack)));
    const double lanes = alone ? std::min(32.0, packs) : perRow, together = alone ? 128 / lanes : perBlock;
    const double turns = f.multiprocessors * std::clamp(std::floor(2048 / (lanes * together)), 1.0, 16.0) * together;
    seconds = std::max(seconds, std::ceil(rows / turns) * (3e-6 + 1.6e-9 * lanes));
  }
  double blocks = rows * split / perBlock, slots = f.multiprocessors * blocksHere;
  if (chosen && !kept && blocks > slots / 2)
    seconds *= std::ceil(blocks / slots) * slots / blocks * 0.3 + 0.7; // a tail, partly hidden
  return 1e6 * seconds + machine.launchUs * (split > 1 ? 2 : 1);
}

} // namespace

double estimateGeneric(const ideas::DispatchFacts &facts, double bytes) {
  const Machine &machine = onHost(facts) ? hostCore : card;
  return 1e6 * 1.5 * bytes / machine.bytes + machine.launchUs;
}

double estimateDispatch(const ideas::DispatchFacts &facts, const ScheduleSettings &settings, double bytes) {
  StringRef family = facts.family;
  const Machine &machine = onHost(facts) ? hostCore : card;
  if (family == "gemm" || family == "conv")
    return estimateProduct(facts, settings, bytes);
  if (family == "row")
    return estimateRows(facts, settings, bytes);
  if (family == "attention" && facts.m > 0 && facts.n > 0)
    return estimateAttention(facts, settings, bytes);
  double width = onHost(facts) ? 4 : numberOf(settings, "vec", 4);
  return 1e6 * bytes / machine.bytes * (width >= 4 ? 1 : width >= 2 ? 1.1 : 1.35) + machine.launchUs;
}

} // namespace kgen::propose
