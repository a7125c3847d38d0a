//===- Diagnosis.cpp - What bounds a candidate, in words ------------------===//
#include "kgen/Evaluate/DeviceTable.h"
#include "kgen/Evaluate/Evaluator.h"

using namespace kgen;

template <class... T>
static std::string format(const char *text, T... values) {
  char buffer[256];
  snprintf(buffer, sizeof buffer, text, values...);
  return buffer;
}

std::string kgen::diagnose(const Measurement &m, const LaunchPlan &plan) {
  std::string out;
  auto say = [&](const std::string &sentence) { out += (out.empty() ? "" : "; ") + sentence; };
  double bytes = plan.compulsoryBytes();
  if (m.timeUs > 0)
    say(format("%.3g GB/s of compulsory traffic", bytes / m.timeUs * 1e-3));
  if (m.device == "host") {
    if (plan.launches.size() > 1)
      say(format("%zu launches pass intermediates through memory", plan.launches.size()));
    say("host time, which says nothing of a card");
    return out;
  }
  if (m.floorUs > 0 && m.timeUs > 0) {
    double share = 100 * m.floorUs / m.timeUs;
    say(format("%.0f %% of the floor's speed", share));
    if (auto rates = findDeviceRates(m.device)) {
      bool memory = bytes / rates->copyBytes * 1e6 >= 0.99 * m.floorUs;
      say(memory ? "the floor is memory traffic" : "the floor is arithmetic");
    }
  }
  if (m.timeUs > 0 && m.timeUs < 10)
    say("launch overhead (about 5 us) weighs in");
  if (plan.launches.size() > 1)
    say(format("%zu launches pass intermediates through memory", plan.launches.size()));
  bool tensor = false;
  for (const KernelResources &k : m.kernels) {
    tensor |= k.tensorCore;
    if (k.spillBytes > 0)
      say(k.kernel + format(" spills %d bytes of registers per thread", k.spillBytes));
    else if (k.stackBytes > 0)
      say(k.kernel + format(" keeps %d bytes per thread in local memory", k.stackBytes));
    if (k.occupancy > 0 && k.occupancy < 0.25)
      say(k.kernel +
          format(" fills %.0f %% of a multiprocessor's threads (%d registers)", 100 * k.occupancy, k.registers));
  }
  int64_t blocks = 0;
  for (const Launch &launch : plan.launches)
    blocks = std::max(blocks, launch.grid[0] * launch.grid[1] * launch.grid[2]);
  if (blocks < 132)
    say(format("at most %lld blocks at once, fewer than the card has multiprocessors", (long long)blocks));
  if (tensor)
    say("tensor cores are in use");
  return out;
}
