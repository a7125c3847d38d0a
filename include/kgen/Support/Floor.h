//===- Floor.h - What no kernel beats -------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Support/Chip.h"

namespace kgen {

/// Operations per second of the fastest unit that PRECISION's class admits: docs/precision.md.
double fastestRate(const ChipRates &rates, llvm::StringRef precision);

/// The bytes of a copy that takes as long as reading READ bytes and writing WRITTEN: reads go at the memory's peak, and
/// writes are as much slower as makes a copy what was measured.
double copyBytesOf(const ChipRates &rates, double read, double written);

} // namespace kgen
