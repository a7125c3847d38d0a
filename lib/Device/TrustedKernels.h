//===- TrustedKernels.h - kgen's own kernels beside a candidate's ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Runtime/CudaDriver.h"

#include "kgen/Device/Device.h"

#include <array>
#include <optional>

namespace kgen::device {

/// The kernels of trusted_kernels.cu in a module of their own. Driver codes come out as they are.
class TrustedKernels {
public:
  TrustedKernels() = default;
  ~TrustedKernels();
  TrustedKernels(const TrustedKernels &) = delete;
  /// SHAREDBYTES: the most that a block may have.
  llvm::Error load(const cuda::Driver &driver, llvm::StringRef artifact, int sharedBytes, int multiprocessors);
  bool loaded() const { return digest != nullptr; }

  /// Fills the shared memory and the registers of every multiprocessor, and the local memory of as many threads as fit,
  /// up to what a thread with LOCALBYTES and a stack beside it has; LOCALBYTES is at most mostLocalBytes.
  cuda::Result scrub(uint32_t seed, size_t localBytes);
  /// Queues on STREAM the filling of every multiprocessor's shared memory once more, by the last scrub's seed; nothing
  /// before the first. Right in front of the launches: where this process lets the card rest another one may have its
  /// turn, and what was filled in is not what the next kernel finds.
  cuda::Result scrubSharedAgain(cuda::Stream stream);
  static constexpr size_t mostLocalBytes = 131072 - 1024;
  /// Queues the filling of BYTES, a multiple of 4.
  cuda::Result fill(cuda::Pointer at, const Poison &poison, size_t bytes);
  /// Queues a kernel that takes this long.
  cuda::Result wait(double nanoseconds);
  /// See Device::look. Results are set to 0 after the candidate's last kernel and before ours.
  cuda::Result look(llvm::ArrayRef<DigestJob> jobs, llvm::MutableArrayRef<uint64_t> results);

private:
  unsigned blocksFor(size_t bytes) const;

  const cuda::Driver *driver = nullptr;
  cuda::Module module = nullptr;
  cuda::Function digest = nullptr, filler = nullptr, count = nullptr, scrubber = nullptr, waiter = nullptr;
  std::array<cuda::Function, 2> registers = {};      ///< the scrubbers of these
  std::array<cuda::Function, 4> localScrubbers = {}; ///< by size, found when needed
  cuda::Result scrubShared(uint32_t seed, cuda::Stream stream);

  cuda::Pointer counters = 0, arrived = 0;
  std::optional<uint32_t> lastSeed; ///< of scrub()
  size_t room = 0;
  int sharedBytes = 0, multiprocessors = 0;
};

} // namespace kgen::device
