//===- CudaMemory.cpp - Memory of a card ----------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CudaMemory.h"

#include <unistd.h>

using namespace kgen;
using namespace kgen::device;

llvm::Error kgen::device::cardFault(const cuda::Driver &driver, cuda::Result error) {
  if (!error)
    return llvm::Error::success();
  return llvm::make_error<CandidateError>(candidate::Verdict::Fault, (cardReports + driver.describe(error)).str());
}

CudaMemory::CudaMemory(const cuda::Driver &driver, cuda::DeviceId id) : driver(driver), id(id) {
  if (!driver.memGranularity || !driver.memReserve || !driver.memCreate || !driver.memMap || !driver.memSetAccess ||
      !driver.memUnmap || !driver.memAddressFree || !driver.memRelease)
    return;
  cuda::AllocationProperties properties;
  properties.location = id;
  size_t bytes = 0;
  virtualMemory = driver.memGranularity(&bytes, &properties, 0) == 0 && bytes >= 256 && bytes % 256 == 0;
  if (virtualMemory)
    piece = bytes;
}

CudaMemory::~CudaMemory() {
  for (cuda::Pointer pointer : plain)
    driver.memFree(pointer);
  for (const Mapping &mapping : mappings)
    unmap(mapping);
  for (int descriptor : descriptors)
    close(descriptor);
  for (auto &import : imports)
    driver.memRelease(import.first);
}

llvm::Expected<DeviceAddress> CudaMemory::allocate(size_t bytes) {
  cuda::Pointer pointer;
  if (virtualMemory && mapApart(pointer, bytes) == 0)
    return pointer;
  if (int error = driver.memAlloc(&pointer, bytes))
    return llvm::createStringError("cannot allocate %zu bytes on the card: %s", bytes, driver.describe(error));
  plain.push_back(pointer);
  return pointer;
}

/// Addresses with nothing behind them on both sides: an access there is a fault.
cuda::Result CudaMemory::mapApart(cuda::Pointer &pointer, size_t bytes) {
  cuda::AllocationProperties properties;
  properties.location = id;
  unsigned long long handle;
  if (int error = driver.memCreate(&handle, bytes, &properties, 0))
    return error;
  Mapping mapping{0, bytes, 32 * piece};
  int error = map(mapping, handle, true);
  driver.memRelease(handle);
  if (error)
    return error;
  mappings.push_back(mapping);
  pointer = mapping.at;
  return 0;
}

bool CudaMemory::canShare() const { return piece > 256 && driver.memExport && driver.memImport; }

/// MAPPING has its sizes, and gets its address.
cuda::Result CudaMemory::map(Mapping &mapping, unsigned long long handle, bool writable) {
  cuda::AccessDescription access;
  access.location = id;
  access.flags = writable ? 3 : 1;
  auto &[at, bytes, guard] = mapping;
  cuda::Pointer reserved;
  if (int error = driver.memReserve(&reserved, bytes + 2 * guard, 0, 0, 0))
    return error;
  at = reserved + guard;
  int error = driver.memMap(at, bytes, 0, handle, 0);
  if (!error) {
    error = driver.memSetAccess(at, bytes, &access, 1);
    if (error)
      driver.memUnmap(at, bytes);
  }
  if (error)
    driver.memAddressFree(reserved, bytes + 2 * guard);
  return error;
}

void CudaMemory::unmap(const Mapping &mapping) {
  driver.memUnmap(mapping.at, mapping.bytes);
  driver.memAddressFree(mapping.at - mapping.guard, mapping.bytes + 2 * mapping.guard);
}

llvm::Expected<SharedBlock> CudaMemory::allocateShared(size_t bytes) {
  cuda::AllocationProperties properties;
  properties.location = id;
  properties.handleTypes = 1;
  auto failed = [&](int error) {
    return llvm::createStringError("cannot share %zu bytes of the card: %s", bytes, driver.describe(error));
  };
  Mapping mapping{0, (bytes + piece - 1) / piece * piece, 0};
  unsigned long long handle;
  if (int error = driver.memCreate(&handle, mapping.bytes, &properties, 0))
    return failed(error);
  int descriptor = -1, error = driver.memExport(&descriptor, handle, 1, 0);
  if (!error) {
    descriptors.push_back(descriptor);
    error = map(mapping, handle, true);
  }
  driver.memRelease(handle);
  if (error)
    return failed(error);
  mappings.push_back(mapping);
  return SharedBlock{mapping.at, descriptor};
}

llvm::Expected<unsigned> CudaMemory::importShared(int descriptor, size_t bytes) {
  unsigned long long handle;
  auto number = reinterpret_cast<void *>(static_cast<uintptr_t>(descriptor));
  if (int error = driver.memImport(&handle, number, 1))
    return llvm::createStringError("cannot take memory of another process: %s", driver.describe(error));
  imports.push_back({handle, (bytes + piece - 1) / piece * piece});
  return unsigned(imports.size() - 1);
}

llvm::Error CudaMemory::copyShared(unsigned which, llvm::ArrayRef<SharedPiece> pieces, bool into) {
  auto [handle, bytes] = imports[which];
  Mapping mapping{0, bytes, 0};
  if (int error = map(mapping, handle, into))
    return llvm::createStringError("cannot map another process's memory: %s", driver.describe(error));
  const cuda::Pointer base = mapping.at;
  int error = 0;
  for (const SharedPiece &one : pieces)
    if (!error)
      error = into ? driver.copyOnDevice(base + one.offset, one.at, one.bytes)
                   : driver.copyOnDevice(one.at, base + one.offset, one.bytes);
  if (int late = driver.contextSynchronize(); !error)
    error = late;
  unmap(mapping);
  return cardFault(driver, error);
}
