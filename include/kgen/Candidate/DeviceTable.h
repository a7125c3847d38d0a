//===- DeviceTable.h - What a card can do at best -------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place with rates of cards. Measured values where there are some,
// because a floor that no code reaches teaches nothing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace kgen::candidate {

/// Rates in units per second.
struct DeviceRates {
  std::string card;          ///< a part of the driver's name for it
  double copyBytes = 0;      ///< device-to-device copy, bytes read plus written
  double peakBytes = 0;      ///< of the memory, by datasheet
  double fp32 = 0;           ///< plain fp32 arithmetic, datasheet
  double tf32 = 0, half = 0; ///< tensor cores, dense
};

/// The rates of a card by the driver's name for it ("NVIDIA H200"); none for an unknown one.
std::optional<DeviceRates> findDeviceRates(llvm::StringRef deviceName);

/// max(BYTES / copy bandwidth, FLOPS / the rate of PRECISION's class), in microseconds.
double floorMicroseconds(const DeviceRates &rates, double bytes, double flops, llvm::StringRef precision);

} // namespace kgen::candidate
