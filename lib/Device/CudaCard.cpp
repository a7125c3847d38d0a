//===- CudaCard.cpp - What the driver says of a card ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Runtime/CudaDriver.h"

#include "kgen/Device/Device.h"

using namespace kgen;
using namespace kgen::device;

llvm::Expected<CardFacts> kgen::device::queryCard(int ordinal) {
  std::string failure;
  const cuda::Driver *driver = cuda::Driver::get(failure);
  if (!driver)
    return llvm::createStringError(failure);
  const cuda::Driver &d = *driver;
  int count = 0;
  d.deviceGetCount(&count);
  if (ordinal < 0 || ordinal >= count)
    return llvm::createStringError("no card cuda:%d, the driver sees %d", ordinal, count);
  cuda::DeviceId id;
  if (int error = d.deviceGet(&id, ordinal))
    return llvm::createStringError("cuda:%d: %s", ordinal, d.describe(error));
  CardFacts facts;
  char name[128] = "";
  d.deviceGetName(name, sizeof name, id);
  facts.name = name;
  auto attribute = [&](int which) {
    int value = 0;
    d.deviceGetAttribute(&value, which, id);
    return value;
  };
  // From Hopper on, matrix instructions belong to the "a" variant of an architecture.
  int major = attribute(cuda::Major), minor = attribute(cuda::Minor);
  facts.arch = "sm_" + std::to_string(major * 10 + minor) + (major >= 9 ? "a" : "");
  facts.multiprocessors = attribute(cuda::MultiprocessorCount);
  facts.sharedBytesPerBlock = attribute(cuda::SharedPerBlockOptin);
  facts.l2Bytes = attribute(cuda::L2Bytes);
  size_t memory = 0;
  d.deviceTotalMem(&memory, id);
  facts.memoryBytes = int64_t(memory);
  // Two transfers per clock.
  facts.peakBytesPerSecond = 2e3 * attribute(cuda::MemoryClockKHz) * attribute(cuda::BusWidthBits) / 8;
  return facts;
}
