//===- SharedMemory.cpp - Memory that a child can map ---------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Device/CandidateProcess.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace kgen;
using namespace kgen::device;

llvm::Expected<SharedMemory> SharedMemory::create(size_t bytes) {
  SharedMemory memory;
  memory.bytes = bytes ? bytes : 4096;
  memory.fd = memfd_create("kgen", MFD_CLOEXEC);
  if (memory.fd < 0 || ftruncate(memory.fd, off_t(memory.bytes)) != 0)
    return llvm::createStringError("no shared memory of %zu bytes: %s", bytes, strerror(errno));
  void *base = mmap(nullptr, memory.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.fd, 0);
  if (base == MAP_FAILED)
    return llvm::createStringError("no shared memory of %zu bytes: %s", bytes, strerror(errno));
  memory.base = static_cast<char *>(base);
  if (bytes >= (4u << 20)) // gigabytes of inputs are some million pages
    madvise(base, memory.bytes, MADV_HUGEPAGE);
  std::string name = "/proc/self/fd/" + std::to_string(memory.fd);
  memory.readFd = open(name.c_str(), O_RDONLY | O_CLOEXEC);
  return std::move(memory);
}

SharedMemory &SharedMemory::operator=(SharedMemory &&other) noexcept {
  std::swap(base, other.base);
  std::swap(bytes, other.bytes);
  std::swap(fd, other.fd);
  std::swap(readFd, other.readFd);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (base)
    munmap(base, bytes);
  for (int descriptor : {fd, readFd})
    if (descriptor >= 0)
      close(descriptor);
}

double kgen::device::availableMemory() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  double kilobytes;
  while (file >> name >> kilobytes) {
    if (name == "MemAvailable:")
      return kilobytes * 1024;
    file.ignore(256, '\n');
  }
  return 4e9;
}

std::vector<size_t> kgen::device::packBuffers(llvm::ArrayRef<candidate::BufferSpec> specs, size_t header,
                                              size_t &total) {
  std::vector<size_t> offsets;
  total = header;
  for (const candidate::BufferSpec &spec : specs) {
    offsets.push_back(total);
    total += (spec.bytes() + 4095) / 4096 * 4096;
  }
  return offsets;
}
