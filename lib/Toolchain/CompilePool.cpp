//===- CompilePool.cpp - Several compiles at once -------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Toolchain/Compiler.h"
#include "kgen/Toolchain/Process.h"

#include <atomic>
#include <optional>
#include <thread>

using namespace kgen;
using namespace kgen::toolchain;

ProcessLimits kgen::toolchain::compileLimits(const CompileOptions &options) {
  ProcessLimits limits;
  limits.wallSeconds = options.wallSeconds;
  // Parts of a compiler that live on when kgen is killed end by this one.
  limits.cpuSeconds = unsigned(options.wallSeconds) + 2;
  limits.memoryBytes = options.memoryBytes;
  limits.fileBytes = 256ull << 20;
  return limits;
}

std::vector<llvm::Expected<CompileResult>> kgen::toolchain::compileAll(Compiler &compiler,
                                                                       llvm::ArrayRef<std::string> sources,
                                                                       const CompileOptions &options,
                                                                       unsigned parallel) {
  std::vector<std::optional<llvm::Expected<CompileResult>>> slots(sources.size());
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i; (i = next++) < sources.size();)
      slots[i].emplace(compiler.compile(sources[i], options));
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < parallel && i < sources.size(); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  std::vector<llvm::Expected<CompileResult>> results;
  for (auto &slot : slots)
    results.push_back(std::move(*slot));
  return results;
}
