//===- Chip.cpp - What is known of a chip ---------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Support/Chip.h"

#include <algorithm>

namespace kgen {

namespace {
struct Card {
  llvm::StringLiteral name; ///< a part of the driver's name for it
  ChipRates rates;
};
} // namespace

// Copy and matrix rates of the H200 as measured with PyTorch (copy of 8 GB; 8192^3 products of random
// data); the others by datasheet, copies at nine tenths of it. The first is the default chip.
static constexpr Card cards[] = {
    {"H200", {4.3e12, 4.8e12, 67e12, 395e12, 790e12}},    {"H100 PCIe", {1.8e12, 2.0e12, 51e12, 378e12, 756e12}},
    {"H100", {3.0e12, 3.35e12, 67e12, 395e12, 790e12}},   {"A100", {1.4e12, 2.0e12, 19.5e12, 156e12, 312e12}},
    {"L40S", {0.78e12, 0.864e12, 91e12, 183e12, 362e12}},
};

std::optional<ChipRates> findChipRates(llvm::StringRef deviceName) {
  for (const Card &card : cards)
    if (deviceName.contains(card.name))
      return card.rates;
  return std::nullopt;
}

const ChipRates &getDefaultRates() { return cards[0].rates; }

double floorMicroseconds(const ChipRates &rates, double bytes, double flops, llvm::StringRef precision) {
  // Strict fp32 may still run on tensor cores, as three products of halves.
  double rate = precision == "tf32"                          ? rates.tf32
                : precision == "fp16" || precision == "bf16" ? rates.half
                                                             : std::max(rates.fp32, rates.half / 3);
  return std::max(bytes / rates.copyBytes, flops / rate) * 1e6;
}

} // namespace kgen
