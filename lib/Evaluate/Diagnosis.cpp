//===- Diagnosis.cpp - What bounds a candidate, in words ------------------===//
//
// Rates are of the whole candidate against what the card reaches (DeviceTable.h).
// A resource that is used to 60 % or more is the bound; when none is, the
// shape of the launches says whether there were too few threads, or whether
// those that there were waited.
//
//===----------------------------------------------------------------------===//
#include "kgen/Evaluate/Diagnosis.h"
#include "kgen/Evaluate/DeviceTable.h"

#include <algorithm>

using namespace kgen;

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
};

Shape lookAt(const Measurement &m, const LaunchPlan &plan) {
  Shape shape;
  for (const Launch &launch : plan.launches)
    shape.blocks = std::max(shape.blocks, launch.grid[0] * launch.grid[1] * launch.grid[2]);
  for (const KernelResources &kernel : m.kernels) {
    shape.tensorCore |= kernel.tensorCore;
    if (kernel.occupancy > 0)
      shape.occupancy = std::min(shape.occupancy, kernel.occupancy);
  }
  return shape;
}

std::string nameBound(const Measurement &m, const LaunchPlan &plan, const DeviceRates &rates, double bytes,
                      double flops, const Shape &shape) {
  double seconds = m.timeUs * 1e-6;
  double memory = bytes / seconds / rates.copyBytes;
  double tensorRate = plan.precision == "tf32" ? rates.tf32 : rates.half;
  double rate = shape.tensorCore ? tensorRate : rates.fp32;
  double arithmetic = rate > 0 ? flops / seconds / rate : 0;
  std::string numbers =
      format("%.3g GB/s of compulsory traffic are %.0f %% of a copy's, %.3g TFLOP/s are %.0f %% of the "
             "%s",
             bytes / seconds * 1e-9, 100 * memory, flops / seconds * 1e-12, 100 * arithmetic,
             shape.tensorCore ? "matrix units' rate" : "fp32 units' rate");
  std::string bound;
  constexpr int multiprocessors = 132;
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

} // namespace

std::string kgen::diagnose(const Measurement &m, const LaunchPlan &plan, double flops) {
  std::string out;
  auto say = [&](const std::string &sentence) { out += (out.empty() ? "" : "; ") + sentence; };
  double bytes = plan.compulsoryBytes();
  bool host = m.device == "host";
  auto rates = host ? std::nullopt : findDeviceRates(m.device);
  Shape shape = lookAt(m, plan);
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
  return out;
}
