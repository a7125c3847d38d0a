//===- Clock.h - Time, as a run sees it -----------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <memory>

namespace kgen::trajectory {

class Clock {
public:
  virtual ~Clock() = default;
  /// Seconds that only grow, from an arbitrary start.
  virtual double seconds() = 0;
  /// Seconds since 1970, for the record only: nothing is decided by it.
  virtual double wallSeconds() = 0;
};

std::unique_ptr<Clock> createRealClock();

} // namespace kgen::trajectory
