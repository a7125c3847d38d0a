//===- Prior.cpp ----------------------------------------------------------===//

#include "Prior.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace kgen {
namespace {

/// What a device reaches, all multiprocessors together.
struct Machine {
  double bytes, fp32, tf32, half; ///< per second
  double shared;                  ///< bytes of a multiprocessor
  double launchUs;
};

/// Of the H200 (DeviceTable.cpp); ranks are the same on its kin. The host has one core, and a barrier
/// costs each fibre some 30 ns.
constexpr Machine card = {4.3e12, 67e12, 395e12, 790e12, 227 * 1024.0, 3};
constexpr Machine hostCore = {1e10, 4e9, 4e9, 4e9, 227 * 1024.0, 1};
constexpr double barrierSeconds = 30e-9;

bool onHost(const DispatchFacts &facts) { return facts.device == "host"; }

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
};

BlockShape shapeOf(double bm, double bn, double perThread, double threads, const ScheduleSettings &settings) {
  double blocks = numberOf(settings, "min_blocks", 1);
  double registers = std::min(255.0, 65536 / (std::max(threads, 32.0) * blocks));
  constexpr double others = 88; // addresses, operands, loop counters
  return {threads, perThread + others > registers};
}

double estimateProduct(const DispatchFacts &f, const ScheduleSettings &settings, double bytes) {
  StringRef mma = textOf(settings, "mma"), dtype = textOf(settings, "dtype");
  bool host = onHost(f);
  // What the families choose by themselves: tensor cores where the class allows them.
  bool plain = mma == "none" || (mma.empty() && (host || (f.f32 && f.precision == "strict-fp32")));
  bool warpgroup = mma == "wgmma";
  const Machine &machine = host ? hostCore : card;
  bool half = !f.f32 || dtype == "fp16" || dtype == "bf16";
  double rate = plain ? machine.fp32 * 0.7 : (half ? machine.half : machine.tf32) * (warpgroup ? 0.85 : 0.5);
  double m = std::max<double>(f.m, 1), n = std::max<double>(f.n, 1), k = std::max<double>(f.k, 1);
  double width = std::clamp(std::ceil(n / 16) * 16, 16.0, 128.0);
  double bm = elementOf(settings, "tile", 0, plain ? 64 : 128);
  double bn = elementOf(settings, "tile", 1, plain ? 64 : warpgroup && f.channels == 0 ? 2 * width : width);
  double bk = elementOf(settings, "tile", 2, plain ? 16 : warpgroup ? 64 : 32);
  double split = numberOf(settings, "split_k", 1), stages = numberOf(settings, "stages", warpgroup ? 4 : 3);
  double rows = std::ceil(m / bm), columns = std::ceil(n / bn), blocks = rows * columns * split;
  double element = plain || !half ? 4 : 2;

  // Reuse: what a block's tile, and in it a warp's or thread's, computes from each element that it loads.
  double reuse = bm * bn / (bm + bn);
  double seconds = 2 * rows * bm * columns * bn * k / rate * (1 + 16 / reuse);
  BlockShape shape = {384, false};
  if (plain) {
    double tm = elementOf(settings, "thread_tile", 0, 4), tn = elementOf(settings, "thread_tile", 1, 4);
    seconds *= 1 + (tm + tn) / (tm * tn);
    shape = shapeOf(bm, bn, tm * tn + tm + tn, bm * bn / (tm * tn), settings);
  } else if (!warpgroup) {
    double wm = elementOf(settings, "warp_tile", 0, std::min(64.0, bm));
    double wn = elementOf(settings, "warp_tile", 1, bn > 64 ? bn / 2 : bn);
    seconds *= 1 + 10 * (wm + wn) / (wm * wn);
    shape = shapeOf(bm, bn, wm * wn / 32, 32 * std::max(1.0, bm / wm) * std::max(1.0, bn / wn), settings);
    // Rows of a tile that start in the same bank.
    if (textOf(settings, "smem_pad") == "0" && textOf(settings, "swizzle").empty())
      seconds *= 2;
  }
  if (host)
    return 1e6 * (seconds + blocks * std::ceil(k / split / bk) * 2 * shape.threads * barrierSeconds) + machine.launchUs;
  if (shape.spills)
    seconds *= shape.threads >= 256 ? 4 : 1.6;
  double wide = numberOf(settings, "vec", half ? 8 : 4);
  if (f.channels == 0 && wide * element < 16)
    seconds *= wide * element < 8 ? 2 : 1.3;

  // The last wave is as long as a full one.
  double sharedBytes = stages * (bm + bn) * bk * element;
  double perMultiprocessor = std::clamp(std::floor(machine.shared / sharedBytes), 1.0, 4.0);
  perMultiprocessor = std::min(perMultiprocessor, std::max(1.0, std::floor(1024 / shape.threads)));
  double slots = f.multiprocessors * perMultiprocessor;
  seconds *= std::ceil(blocks / slots) * slots / blocks;
  if (stages < 3)
    seconds *= stages < 2 ? 1.5 : 1.05;
  // Tiles are read again by other blocks, from the L2 cache, which is some 2.5 times as fast.
  double again = (m * k * columns + n * k * rows) * element / (2.5 * machine.bytes);
  double once = (bytes + (split > 1 ? 2 * split * m * n * 4 : 0)) / machine.bytes;
  return 1e6 * std::max({seconds, f.channels ? 0 : again, once}) + machine.launchUs * (split > 1 ? 2 : 1);
}

double estimateRows(const DispatchFacts &f, const ScheduleSettings &settings, double bytes) {
  const Machine &machine = onHost(f) ? hostCore : card;
  double rows = std::max<double>(f.rows, 1), columns = std::max<double>(f.columns, 1);
  double perRow = numberOf(settings, "threads_per_row", 128), split = numberOf(settings, "split_rows", 1);
  StringRef resident = textOf(settings, "resident"), reduce = textOf(settings, "reduce");
  // Half of the bytes are read; a row that is not kept is read again.
  double reads = resident == "reg" || resident == "smem" ? 1 : reduce == "two_pass" ? 3 : 2;
  double seconds = bytes / 2 * (reads + 1) / machine.bytes;
  if (onHost(f))
    return 1e6 * (seconds + rows * columns * 4e-9 + (perRow > 1 ? rows * perRow * 8 * barrierSeconds : 0));
  double width = numberOf(settings, "vec", 4);
  seconds *= width >= 4 ? 1 : width >= 2 ? 1.1 : 1.35;
  // Loads in flight: about 16 KiB for each multiprocessor keep the memory busy.
  double threads = rows * split * perRow, wanted = f.multiprocessors * 1024.0;
  // Left alone, the family splits few long rows over the card.
  bool chosen = split > 1 || settings.count("threads_per_row") || settings.count("rows_per_block");
  if (chosen && threads < wanted)
    seconds *= std::sqrt(wanted / threads);
  if (resident == "reg" && columns / split / perRow > 96)
    seconds *= 2.5; // spills
  double blocks = rows * split / numberOf(settings, "rows_per_block", 1);
  double slots = f.multiprocessors * std::clamp(std::floor(2048 / std::max(perRow, 32.0)), 1.0, 16.0);
  if (chosen && blocks > slots / 2)
    seconds *= std::ceil(blocks / slots) * slots / blocks * 0.3 + 0.7; // a tail, partly hidden
  return 1e6 * seconds + machine.launchUs * (split > 1 ? 2 : 1);
}

} // namespace

double estimateGeneric(const DispatchFacts &facts, double bytes) {
  const Machine &machine = onHost(facts) ? hostCore : card;
  return 1e6 * 1.5 * bytes / machine.bytes + machine.launchUs;
}

double estimateDispatch(const DispatchFacts &facts, const ScheduleSettings &settings, double bytes) {
  StringRef family = facts.dispatch->family;
  const Machine &machine = onHost(facts) ? hostCore : card;
  if (family == "gemm" || family == "conv")
    return estimateProduct(facts, settings, bytes);
  if (family == "row")
    return estimateRows(facts, settings, bytes);
  double width = onHost(facts) ? 4 : numberOf(settings, "vec", 4);
  return 1e6 * bytes / machine.bytes * (width >= 4 ? 1 : width >= 2 ? 1.1 : 1.35) + machine.launchUs;
}

} // namespace kgen
