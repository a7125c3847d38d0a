//===- Chip.cpp - What is known of a chip ---------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Support/Floor.h"

#include <algorithm>

namespace kgen {

namespace {
struct Card {
  llvm::StringLiteral name; ///< a part of the driver's name for it
  ChipRates rates;
};
} // namespace

// Copy and matrix rates of the H200 as measured with PyTorch (copy of 8 GB; 8192^3 products of random
// data); the others by datasheet (dense, fp32 sums), copies at nine tenths of it. The first is the default chip. The
// first name that a card's contains counts: A100 stands in front of A10, L40S of L4.
static constexpr Card cards[] = {
    // sm_90a
    {"H200", {4.3e12, 4.8e12, 67e12, 395e12, 790e12}},
    {"H100 PCIe", {1.8e12, 2.0e12, 51e12, 378e12, 756e12}},
    {"H100", {3.0e12, 3.35e12, 67e12, 395e12, 790e12}},
    // sm_80
    {"A100", {1.4e12, 2.0e12, 19.5e12, 156e12, 312e12}},
    {"A30", {0.84e12, 0.933e12, 10.3e12, 82e12, 165e12}},
    // sm_86
    {"A40", {0.62e12, 0.696e12, 37.4e12, 74.8e12, 149.7e12}},
    {"A10", {0.54e12, 0.6e12, 31.2e12, 62.5e12, 125e12}},
    {"RTX 3090", {0.84e12, 0.936e12, 35.6e12, 35.6e12, 71e12}},
    // sm_89
    {"L40S", {0.78e12, 0.864e12, 91e12, 183e12, 362e12}},
    {"L4", {0.27e12, 0.3e12, 30.3e12, 60e12, 121e12}},
    {"RTX 4090", {0.9e12, 1.008e12, 82.6e12, 82.6e12, 165.2e12}},
    // sm_100a
    {"B200", {7.2e12, 8.0e12, 80e12, 1.1e15, 2.25e15}},
    // sm_120
    {"RTX 5090", {1.6e12, 1.792e12, 104.8e12, 104.8e12, 209.5e12}},
};

std::optional<ChipRates> findChipRates(llvm::StringRef deviceName) {
  for (const Card &card : cards)
    if (deviceName.contains(card.name))
      return card.rates;
  return std::nullopt;
}

const ChipRates &getDefaultRates() { return cards[0].rates; }

double fastestRate(const ChipRates &rates, llvm::StringRef precision) {
  // Strict fp32 may still run on tensor cores, as three products of halves.
  if (precision == "strict-fp32")
    return std::max(rates.fp32, rates.half / 3);
  // tf32 admits fp16 under powers of two, whose mantissa is as long.
  return std::max(rates.tf32, rates.half);
}

double copyBytesOf(const ChipRates &rates, double read, double written) {
  double ofPeak = rates.copyBytes / rates.peakBytes;
  return read * ofPeak + written * (2 - ofPeak);
}

double floorMicroseconds(const ChipRates &rates, double bytes, double flops, llvm::StringRef precision) {
  return std::max(bytes / rates.copyBytes, flops / fastestRate(rates, precision)) * 1e6;
}

} // namespace kgen
