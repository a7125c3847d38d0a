//===- Diagnosis.cpp - What bounds a candidate, in words ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rates are of the whole candidate against what the card reaches (Chip.h).
// A resource that is used to 60 % or more is the bound; when none is, the
// shape of the launches says whether there were too few threads, or whether
// those that there were waited.
//
// Behind that come the kinds of instructions that the machine code holds and
// what Nsight Compute saw, in sentences of their own (machineCodeMark).
//
//===----------------------------------------------------------------------===//
#include "kgen/Candidate/Diagnosis.h"
#include "kgen/Support/Chip.h"

#include <algorithm>

using namespace kgen;
using namespace kgen::candidate;

template <class... T>
static std::string format(const char *text, T... values) {
  char buffer[256];
  snprintf(buffer, sizeof buffer, text, values...);
  return buffer;
}

namespace {

constexpr double busy = 0.6;             ///< share of a rate from which on it is the bound
constexpr double launchMicroseconds = 3; ///< of one launch with its synchronisation, about
constexpr double fewThreads = 0.25;      ///< share of a multiprocessor's threads

/// How large the kernels are, and how many blocks the largest launch has.
struct Shape {
  int64_t blocks = 0;
  double occupancy = 1; ///< the least of all kernels
  bool tensorCore = false;
  double tensorRate = 0; ///< of the slowest kind of product in the machine code
  const char *tensorKind = "";
};

bool holds(const KernelResources &kernel, llvm::StringRef ending) {
  for (const auto &[kind, count] : kernel.code.kinds)
    if (llvm::StringRef(kind).contains("MMA") && llvm::StringRef(kind).ends_with(ending))
      return true;
  return false;
}

Shape lookAt(const Measurement &m, const LaunchPlan &plan, const ChipRates &rates) {
  Shape shape;
  // fp32 data may be multiplied as fp16, so the class does not say which units are at work: the code does.
  bool half = false, tf32 = false;
  for (const KernelResources &kernel : m.kernels) {
    half |= holds(kernel, "F16"); // BF16 too
    tf32 |= holds(kernel, "TF32");
  }
  if (!half && !tf32)
    (plan.precision == "tf32" ? tf32 : half) = true;
  shape.tensorRate = tf32 ? rates.tf32 : rates.half;
  shape.tensorKind = tf32 ? "TF32" : "16-bit";
  for (const Launch &launch : plan.launches)
    shape.blocks = std::max(shape.blocks, launch.grid[0] * launch.grid[1] * launch.grid[2]);
  for (const KernelResources &kernel : m.kernels) {
    shape.tensorCore |= kernel.tensorCore;
    if (kernel.occupancy > 0)
      shape.occupancy = std::min(shape.occupancy, kernel.occupancy);
  }
  return shape;
}

std::string nameBound(const Measurement &m, const LaunchPlan &plan, const ChipRates &rates, double bytes, double flops,
                      const Shape &shape) {
  double seconds = m.timeUs * 1e-6;
  double memory = bytes / seconds / rates.copyBytes;
  double rate = shape.tensorCore ? shape.tensorRate : rates.fp32;
  double arithmetic = rate > 0 ? flops / seconds / rate : 0;
  std::string units =
      shape.tensorCore ? std::string("matrix units' ") + shape.tensorKind + " rate" : "fp32 units' rate";
  std::string numbers =
      format("%.3g GB/s of compulsory traffic are %.0f %% of a copy's, %.3g TFLOP/s are %.0f %% of the "
             "%s",
             bytes / seconds * 1e-9, 100 * memory, flops / seconds * 1e-12, 100 * arithmetic, units.c_str());
  std::string bound;
  const int multiprocessors = Chip().multiprocessors;
  if (memory >= busy && memory >= arithmetic)
    bound = "memory bound";
  else if (arithmetic >= busy)
    bound = shape.tensorCore ? "tensor-core bound" : "arithmetic bound";
  else if (m.timeUs < 2 * launchMicroseconds * plan.launches.size())
    bound = format("launch bound (%zu launches of about %.0f us)", plan.launches.size(), launchMicroseconds);
  else if (shape.blocks < multiprocessors)
    bound = format("occupancy bound (at most %lld blocks for %d multiprocessors)", (long long)shape.blocks,
                   multiprocessors);
  else if (shape.occupancy < fewThreads && !shape.tensorCore)
    bound = format("occupancy bound (%.0f %% of a multiprocessor's threads)", 100 * shape.occupancy);
  else
    bound = "latency bound";
  return bound + ": " + numbers;
}

/// "64 FFMA, 8 LDS.128": the most frequent kinds first.
std::string listKinds(const InstructionCounts &counts) {
  std::vector<std::pair<int, std::string>> order;
  for (const auto &[kind, count] : counts.kinds)
    order.push_back({-count, kind});
  std::sort(order.begin(), order.end());
  std::string out;
  for (size_t i = 0; i < order.size() && i < 8; ++i)
    out += (i ? ", " : "") + std::to_string(-order[i].first) + " " + order[i].second;
  return out;
}

/// ". Machine code of k: ..."; "" when the code was not looked at.
std::string describeCode(const KernelResources &k) {
  if (k.code.total == 0)
    return "";
  std::string out = machineCodeMark.str() + k.kernel;
  out += format(": %d instructions, %d registers, %.0f %% of a multiprocessor's threads", k.code.total, k.registers,
                100 * k.occupancy);
  const InstructionCounts &counts = k.loop.total > 0 ? k.loop : k.code;
  if (k.loop.total > 0)
    out += format("; its busiest loop has %d: ", k.loop.total);
  else
    out += "; no loop: ";
  return out + (counts.kinds.empty() ? "index arithmetic only" : listKinds(counts));
}

std::string describeProfile(const KernelProfile &p) {
  std::string out = ". Profiled " + p.kernel + ": ";
  out += format("%.3g us, DRAM %.0f %% of its peak, matrix units %.0f %%, issue slots %.0f %%, %.0f %% of all warps "
                "resident, %.0f %% L2 hits",
                p.timeUs, p.dram, p.tensor, p.issue, p.warps, p.l2Hits);
  if (!p.stall.empty())
    out += format("; a warp waits longest for %s (%.1f cycles an instruction)", p.stall.c_str(), p.stallCycles);
  return out;
}

} // namespace

std::string kgen::candidate::diagnose(const Measurement &m, const LaunchPlan &plan, double flops) {
  std::string out;
  auto say = [&](const std::string &sentence) { out += (out.empty() ? "" : "; ") + sentence; };
  double bytes = plan.compulsoryBytes();
  bool host = m.device == "host";
  auto rates = host ? std::nullopt : findChipRates(m.device);
  Shape shape = lookAt(m, plan, rates.value_or(ChipRates()));
  if (rates && m.timeUs > 0)
    say(nameBound(m, plan, *rates, bytes, flops, shape));
  else if (m.timeUs > 0)
    say(format("%.3g GB/s of compulsory traffic", bytes / m.timeUs * 1e-3));
  if (m.floorUs > 0 && m.timeUs > 0)
    say(format("%.0f %% of the floor's speed", 100 * m.floorUs / m.timeUs));
  if (plan.launches.size() > 1)
    say(format("%zu launches pass intermediates through memory", plan.launches.size()));
  for (const KernelResources &k : m.kernels) {
    if (host)
      break;
    if (k.spillBytes > 0)
      say(k.kernel + format(" spills %d bytes of registers per thread", k.spillBytes));
    else if (k.stackBytes > 0)
      say(k.kernel + format(" keeps %d bytes per thread in local arrays", k.stackBytes));
    if (k.occupancy > 0 && k.occupancy < fewThreads)
      say(k.kernel + format(" fills %.0f %% of a multiprocessor's threads (%d registers, %d bytes static shared)",
                            100 * k.occupancy, k.registers, k.sharedBytes));
  }
  if (host)
    say("host time, which says nothing of a card");
  else if (shape.tensorCore)
    say("matrix instructions are in the machine code");
  for (const KernelResources &k : m.kernels)
    out += describeCode(k);
  for (const KernelProfile &p : m.profile)
    out += describeProfile(p);
  return out;
}
