//===- Parallel.h - A loop in pieces --------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <functional>

namespace kgen::device {

/// Runs BODY(begin, end) over [0, count) in THREADS pieces.
void parallelFor(int64_t count, unsigned threads, const std::function<void(int64_t, int64_t)> &body);

} // namespace kgen::device
