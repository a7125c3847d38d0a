//===- TrustedKernels.cpp - kgen's own kernels beside a candidate's -------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TrustedKernels.h"

#include "kgen/Device/Digest.h"
#include "kgen/Toolchain/Cache.h"

using namespace kgen;
using namespace kgen::device;

static constexpr size_t localSizes[] = {2048, 8192, 32768, 131072};
/// A context's limit for what calls put on the stack, which comes on top of a kernel's local arrays.
static constexpr size_t stackBytes = 1024;

TrustedKernels::~TrustedKernels() {
  for (cuda::Pointer memory : {counters, arrived})
    if (memory)
      driver->memFree(memory);
  if (module)
    driver->moduleUnload(module);
}

llvm::Error TrustedKernels::load(const cuda::Driver &with, llvm::StringRef artifact, int bytes, int processors) {
  driver = &with;
  auto image = toolchain::readWholeFile(artifact.str());
  if (!image)
    return image.takeError();
  if (int error = with.moduleLoadData(&module, image->data()))
    return llvm::createStringError("the driver refuses kgen's own kernels: %s", with.describe(error));
  auto find = [&](cuda::Function &slot, const char *name) { return with.moduleGetFunction(&slot, module, name); };
  cuda::Function found = nullptr;
  if (find(filler, "kgen_trusted_fill") || find(count, "kgen_trusted_count") || find(scrubber, "kgen_trusted_scrub") ||
      find(waiter, "kgen_trusted_wait") || find(registers[0], "kgen_trusted_registers_128") ||
      find(registers[1], "kgen_trusted_registers_168") || find(found, "kgen_trusted_digest"))
    return llvm::createStringError("kgen's own kernels are not in %s", artifact.str().c_str());
  if (int error = with.memAlloc(&arrived, 256))
    return llvm::createStringError("kgen's own kernels: %s", with.describe(error));
  sharedBytes = bytes;
  multiprocessors = processors;
  if (int error = with.functionSetAttribute(scrubber, cuda::MaxDynamicShared, sharedBytes))
    return llvm::createStringError("kgen's own kernels: %s", with.describe(error));
  digest = found;
  return llvm::Error::success();
}

cuda::Result TrustedKernels::scrub(uint32_t pattern, size_t localBytes) {
  if (!loaded())
    return 0;
  size_t which = 0;
  while (which + 1 < std::size(localSizes) && localSizes[which] < localBytes + stackBytes)
    ++which;
  // The driver sets memory for all threads aside, so a large one is asked for only where it is needed.
  cuda::Function &local = localScrubbers[which];
  if (!local)
    if (cuda::Result error = driver->moduleGetFunction(
            &local, module, ("kgen_trusted_local_" + std::to_string(localSizes[which])).c_str()))
      return error;
  if (cuda::Result error = driver->memset32(arrived, 0, 1, nullptr))
    return error;
  void *values[] = {&pattern, &arrived};
  if (cuda::Result error =
          driver->launch(local, unsigned(multiprocessors) * 2, 1, 1, 1024, 1, 1, 0, nullptr, values, nullptr))
    return error;
  int passes = 2;
  void *filled[] = {&pattern, &passes, &arrived};
  // A block takes all the registers of its multiprocessor.
  for (size_t i = 0; i < std::size(registers); ++i)
    if (cuda::Result error = driver->launch(registers[i], unsigned(multiprocessors), 1, 1, i == 0 ? 512 : 384, 1, 1, 0,
                                            nullptr, filled, nullptr))
      return error;
  lastSeed = pattern;
  return scrubShared(pattern, nullptr);
}

cuda::Result TrustedKernels::scrubSharedAgain(cuda::Stream stream) {
  if (!lastSeed)
    return 0;
  if (cuda::Result error = scrubShared(*lastSeed, stream))
    return error;
  // What is timed follows a kernel that has no shared memory, as it would anywhere.
  return driver->memset32(arrived, 0, 1, stream);
}

cuda::Result TrustedKernels::scrubShared(uint32_t seed, cuda::Stream stream) {
  int words = sharedBytes / 4;
  void *arguments[] = {&seed, &words};
  // A block takes all the shared memory of its multiprocessor, so there is one block on each.
  return driver->launch(scrubber, unsigned(multiprocessors), 1, 1, 512, 1, 1, unsigned(sharedBytes), stream, arguments,
                        nullptr);
}

cuda::Result TrustedKernels::wait(double nanoseconds) {
  if (!loaded())
    return 1; // CUDA_ERROR_INVALID_VALUE
  auto time = static_cast<unsigned long long>(nanoseconds);
  void *arguments[] = {&time};
  return driver->launch(waiter, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
}

cuda::Result TrustedKernels::fill(cuda::Pointer at, const Poison &poison, size_t bytes) {
  unsigned long long words = bytes / 4, first = poison.first;
  unsigned seed = poison.seed, salt = poison.salt;
  void *arguments[] = {&at, &words, &seed, &salt, &first};
  return driver->launch(filler, blocksFor(bytes), 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr);
}

unsigned TrustedKernels::blocksFor(size_t bytes) const {
  return unsigned(std::min<size_t>(bytes / 4096 + 1, size_t(multiprocessors) * 8));
}

cuda::Result TrustedKernels::look(llvm::ArrayRef<DigestJob> jobs, llvm::MutableArrayRef<uint64_t> results) {
  if (jobs.empty())
    return 0;
  if (room < jobs.size()) {
    if (counters)
      driver->memFree(counters);
    room = jobs.size() + 64;
    if (cuda::Result error = driver->memAlloc(&counters, room * 8))
      return error;
  }
  if (cuda::Result error = driver->memset32(counters, 0, jobs.size() * 2, nullptr))
    return error;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const DigestJob &job = jobs[i];
    cuda::Pointer at = job.at, result = counters + 8 * i;
    unsigned long long size = job.poison ? job.bytes / 4 : job.bytes, key = job.key, step = digestStep(job.key);
    Poison poison = job.poison.value_or(Poison());
    unsigned long long first = poison.first;
    void *digested[] = {&at, &size, &key, &step, &result},
         *counted[] = {&at, &size, &poison.seed, &poison.salt, &first, &result};
    if (cuda::Result error = driver->launch(job.poison ? count : digest, blocksFor(job.bytes), 1, 1, 256, 1, 1, 0,
                                            nullptr, job.poison ? counted : digested, nullptr))
      return error;
  }
  return driver->copyToHost(results.data(), counters, jobs.size() * 8);
}

llvm::StringRef kgen::device::trustedKernelsText() {
  static const struct {
    const char *name, *text;
  } texts[] = {
#include "TrustedKernels.inc"
  };
  static const std::string whole = std::string(texts[0].text) + texts[1].text;
  return whole;
}
