//===- CudaMemory.h - Memory of a card ------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Runtime/CudaDriver.h"

#include "kgen/Device/Device.h"

#include <utility>

namespace kgen::device {

/// What the card said after a launch: any error is the kernel's, since the context was sound before it.
llvm::Error cardFault(const cuda::Driver &driver, cuda::Result error);

/// What Device promises of memory, by the driver's virtual memory where it has that.
class CudaMemory {
public:
  CudaMemory(const cuda::Driver &driver, cuda::DeviceId id);
  ~CudaMemory();
  CudaMemory(const CudaMemory &) = delete;

  /// Bytes; a multiple of 256.
  size_t granularity() const { return piece; }
  void usePlainMemory() { virtualMemory = false; }
  llvm::Expected<DeviceAddress> allocate(size_t bytes);

  /// Whether the driver can hand memory to another process.
  bool canShare() const;
  llvm::Expected<SharedBlock> allocateShared(size_t bytes);
  llvm::Expected<unsigned> importShared(int descriptor, size_t bytes);
  llvm::Error copyShared(unsigned which, llvm::ArrayRef<SharedPiece> pieces, bool into);

private:
  /// BYTES at AT, with as many addresses as GUARD, which nothing is behind, on both sides.
  struct Mapping {
    cuda::Pointer at = 0;
    size_t bytes = 0, guard = 0;
  };
  cuda::Result mapApart(cuda::Pointer &pointer, size_t bytes);
  cuda::Result map(Mapping &mapping, unsigned long long handle, bool writable);
  void unmap(const Mapping &mapping);

  const cuda::Driver &driver;
  cuda::DeviceId id;
  bool virtualMemory = false;
  size_t piece = 256;                                         ///< granularity of mappings
  std::vector<cuda::Pointer> plain;                           ///< of cuMemAlloc
  std::vector<Mapping> mappings;                              ///< of virtual memory
  std::vector<int> descriptors;                               ///< of memory for other processes
  std::vector<std::pair<unsigned long long, size_t>> imports; ///< handles of other processes' memory
};

} // namespace kgen::device
