//===- Nvml.cpp - Clock, power and temperature of a card ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Nvml.h"

#include <dlfcn.h>

using namespace kgen;
using namespace kgen::device;

namespace {

/// The part of nvml.h that is used.
struct Nvml {
  using Handle = struct OpaqueCard *;
  int (*init)() = nullptr;
  int (*find)(const char *, Handle *) = nullptr;
  int (*clock)(Handle, int, unsigned *) = nullptr;
  int (*power)(Handle, unsigned *) = nullptr;
  int (*temperature)(Handle, int, unsigned *) = nullptr;
  bool usable = false;

  Nvml() {
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return;
    auto get = [&](auto &slot, const char *name) {
      slot = reinterpret_cast<std::decay_t<decltype(slot)>>(dlsym(library, name));
      return slot != nullptr;
    };
    usable = get(init, "nvmlInit_v2") && get(find, "nvmlDeviceGetHandleByPciBusId_v2") &&
             get(clock, "nvmlDeviceGetClockInfo") && get(power, "nvmlDeviceGetPowerUsage") &&
             get(temperature, "nvmlDeviceGetTemperature") && init() == 0;
  }
};

} // namespace

candidate::Conditions kgen::device::queryConditions(const char *bus) {
  static const Nvml nvml;
  candidate::Conditions out;
  Nvml::Handle card = nullptr;
  if (!nvml.usable || nvml.find(bus, &card) != 0)
    return out;
  unsigned value = 0;
  if (nvml.clock(card, 1 /* NVML_CLOCK_SM */, &value) == 0)
    out.clockMHz = value;
  if (nvml.power(card, &value) == 0) // milliwatts
    out.powerWatts = value / 1e3;
  if (nvml.temperature(card, 0 /* NVML_TEMPERATURE_GPU */, &value) == 0)
    out.temperature = value;
  return out;
}
