//===- Parallel.cpp - A loop in pieces ------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Device/Parallel.h"

#include "kgen/Toolchain/TimeTrace.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

void kgen::device::parallelFor(int64_t count, unsigned threads, const std::function<void(int64_t, int64_t)> &body) {
  constexpr int64_t smallest = 1 << 16; // below this a thread costs more than it gives
  int64_t pieces = std::min<int64_t>(threads ? threads : 1, (count + smallest - 1) / smallest);
  if (pieces <= 1)
    return body(0, count);
  std::vector<std::thread> pool;
  for (int64_t p = 0; p < pieces; ++p)
    pool.emplace_back([&, p] {
      toolchain::ThreadTrace trace;
      body(count * p / pieces, count * (p + 1) / pieces);
    });
  for (std::thread &t : pool)
    t.join();
}

void kgen::device::parallelEach(size_t count, size_t threads, const std::function<void(size_t)> &body) {
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i; (i = next++) < count;)
      body(i);
  };
  std::vector<std::thread> pool;
  for (size_t i = 1; i < std::min(count, threads); ++i)
    pool.emplace_back([&] {
      toolchain::ThreadTrace trace;
      work();
    });
  work();
  for (std::thread &t : pool)
    t.join();
}
