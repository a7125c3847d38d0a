//===- RealClock.cpp ------------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Trajectory/Clock.h"

#include <chrono>

namespace kgen::trajectory {
namespace {

class RealClock : public Clock {
public:
  double seconds() override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  double wallSeconds() override {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  }
};

} // namespace

std::unique_ptr<Clock> createRealClock() { return std::make_unique<RealClock>(); }

} // namespace kgen::trajectory
