//===- Parallel.h - Loops on several threads ------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace kgen::device {

/// Runs BODY(begin, end) over [0, count) in THREADS pieces.
void parallelFor(int64_t count, unsigned threads, const std::function<void(int64_t, int64_t)> &body);

/// Runs BODY(0) to BODY(COUNT - 1) on up to THREADS threads, this one among them; each takes the next that nobody has.
void parallelEach(size_t count, size_t threads, const std::function<void(size_t)> &body);

} // namespace kgen::device
