//===- Chip.h - What is known of a chip -----------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only facts about chips: limits of what may be launched, rates of what can be reached. Everything that needs a
// number of a chip takes it from here: code generation, checks of plans, floors, the prior, defaults of pass options.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace kgen {

/// What a chip reaches at best, in units per second. Measured values where there are some, because a floor that no
/// code reaches teaches nothing. 0: unknown.
struct ChipRates {
  double copyBytes = 0;      ///< device-to-device copy, bytes read plus written
  double peakBytes = 0;      ///< of the memory, by datasheet
  double fp32 = 0;           ///< plain fp32 arithmetic, datasheet
  double tf32 = 0, half = 0; ///< tensor cores, dense
};

/// The chip that code is generated for. The default is the one that is meant where nobody names one: an H200.
struct Chip {
  std::string arch = "sm_90a";
  int64_t sharedBytesPerBlock = mostSharedBytes; ///< opt-in dynamic shared memory, bytes
  int64_t multiprocessors = 132;
  int64_t threadsPerBlock = 1024;
  int64_t registersPerMultiprocessor = 65536;

  /// Shared memory of a block on any chip that kgen knows, bytes. Device host has as much.
  static constexpr int64_t mostSharedBytes = 232448;
  /// What a kernel may declare, and a launch take without asking, on any of them, bytes.
  static constexpr int64_t staticSharedBytes = 48 << 10;

  /// Whether it has sm_90a's instructions: wgmma, bulk copies, clusters.
  bool isHopper() const { return arch == "sm_90a"; }
};

/// The rates of a card by the driver's name for it ("NVIDIA H200"); none for an unknown one.
std::optional<ChipRates> findChipRates(llvm::StringRef deviceName);

/// The rates of the default Chip.
const ChipRates &getDefaultRates();

/// max(BYTES / copy bandwidth, FLOPS / the rate of PRECISION's class), in microseconds.
double floorMicroseconds(const ChipRates &rates, double bytes, double flops, llvm::StringRef precision);

} // namespace kgen
