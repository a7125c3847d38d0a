//===- CudaMemory.cpp - Memory of a card ----------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CudaMemory.h"

using namespace kgen;
using namespace kgen::device;

llvm::Error kgen::device::cardFault(const cuda::Driver &driver, cuda::Result error) {
  if (!error)
    return llvm::Error::success();
  return llvm::make_error<CandidateError>(candidate::Verdict::Fault, (cardReports + driver.describe(error)).str());
}

CudaMemory::CudaMemory(const cuda::Driver &driver, cuda::DeviceId id) : driver(driver), id(id) {
  if (!driver.memGranularity || !driver.memReserve || !driver.memCreate || !driver.memMap || !driver.memSetAccess)
    return;
  cuda::AllocationProperties properties;
  properties.location = id;
  size_t bytes = 0;
  virtualMemory = driver.memGranularity(&bytes, &properties, 0) == 0 && bytes >= 256 && bytes % 256 == 0;
  if (virtualMemory)
    piece = bytes;
}

llvm::Expected<DeviceAddress> CudaMemory::allocate(size_t bytes) {
  auto failed = [&](int error) {
    return llvm::createStringError("cannot allocate %zu bytes on the card: %s", bytes, driver.describe(error));
  };
  cuda::Pointer pointer;
  if (virtualMemory && mapApart(pointer, bytes) == 0)
    return pointer;
  if (int error = driver.memAlloc(&pointer, bytes))
    return failed(error);
  return pointer;
}

/// Addresses with nothing behind them on both sides: an access there is a fault.
cuda::Result CudaMemory::mapApart(cuda::Pointer &pointer, size_t bytes) {
  cuda::AllocationProperties properties;
  properties.location = id;
  cuda::AccessDescription access;
  access.location = id;
  unsigned long long handle;
  const size_t guard = 32 * piece;
  if (int error = driver.memReserve(&pointer, bytes + 2 * guard, 0, 0, 0))
    return error;
  pointer += guard;
  if (int error = driver.memCreate(&handle, bytes, &properties, 0))
    return error;
  if (int error = driver.memMap(pointer, bytes, 0, handle, 0))
    return error;
  return driver.memSetAccess(pointer, bytes, &access, 1);
}

bool CudaMemory::canShare() const {
  return piece > 256 && driver.memUnmap && driver.memAddressFree && driver.memExport && driver.memImport;
}

cuda::Result CudaMemory::mapHandle(cuda::Pointer &at, unsigned long long handle, size_t bytes, bool writable) {
  cuda::AccessDescription access;
  access.location = id;
  access.flags = writable ? 3 : 1;
  if (int error = driver.memReserve(&at, bytes, 0, 0, 0))
    return error;
  int error = driver.memMap(at, bytes, 0, handle, 0);
  if (!error) {
    error = driver.memSetAccess(at, bytes, &access, 1);
    if (error)
      driver.memUnmap(at, bytes);
  }
  if (error)
    driver.memAddressFree(at, bytes);
  return error;
}

llvm::Expected<SharedBlock> CudaMemory::allocateShared(size_t bytes) {
  cuda::AllocationProperties properties;
  properties.location = id;
  properties.handleTypes = 1;
  unsigned long long handle;
  SharedBlock block;
  cuda::Pointer at = 0;
  size_t whole = (bytes + piece - 1) / piece * piece;
  int error = driver.memCreate(&handle, whole, &properties, 0);
  if (!error)
    error = driver.memExport(&block.descriptor, handle, 1, 0);
  if (!error)
    error = mapHandle(at, handle, whole, true);
  block.at = at;
  if (error)
    return llvm::createStringError("cannot share %zu bytes of the card: %s", bytes, driver.describe(error));
  return block;
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
  cuda::Pointer base;
  if (int error = mapHandle(base, handle, bytes, into))
    return llvm::createStringError("cannot map another process's memory: %s", driver.describe(error));
  int error = 0;
  for (const SharedPiece &one : pieces)
    if (!error)
      error = into ? driver.copyOnDevice(base + one.offset, one.at, one.bytes)
                   : driver.copyOnDevice(one.at, base + one.offset, one.bytes);
  if (int late = driver.contextSynchronize(); !error)
    error = late;
  driver.memUnmap(base, bytes);
  driver.memAddressFree(base, bytes);
  return cardFault(driver, error);
}
