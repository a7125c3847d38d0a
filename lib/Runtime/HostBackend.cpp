//===- HostBackend.cpp - Kernels that the host compiler built -------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"

#include "../Device/host/kgen_host_abi.h"

#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <stdexcept>
#include <sys/mman.h>

namespace kgen::runtime {
namespace {

/// Stacks for a block's threads and memory for what is under way, taken as they are used, for as long as the process
/// lives: a library keeps pointers into them. One launch at a time has them.
struct HostMemory {
  static constexpr unsigned threads = 1024;
  static constexpr size_t queueBytes = size_t(1) << 30, guardBytes = 4096;
  char *stacks = map(size_t(threads) * KGEN_HOST_STACK_BYTES), *queues = map(queueBytes);
  std::mutex running;

  HostMemory() {
    // A page that is not there, below each stack, turns unbounded recursion into a fault.
    for (unsigned i = 0; i < threads; ++i)
      mprotect(stacks + size_t(i) * KGEN_HOST_STACK_BYTES, guardBytes, PROT_NONE);
  }
  static char *map(size_t bytes) {
    void *at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
      throw std::runtime_error("no memory for the stacks of a block's threads");
    return static_cast<char *>(at);
  }
  static HostMemory &get() {
    static HostMemory *memory = new HostMemory;
    return *memory;
  }
};

class HostBackend : public Backend {
public:
  explicit HostBackend(const Bundle &bundle) : bundle(bundle) {
    library = dlopen(bundle.image.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      throw std::runtime_error("cannot load " + bundle.image + ": " + dlerror());
    for (const Launch &launch : bundle.plan.launches) {
      auto *symbol = dlsym(library, ("kgen_host_launch_" + launch.kernel).c_str());
      if (!symbol)
        throw std::runtime_error("the plan launches " + launch.kernel + ", which " + bundle.image + " does not define");
      kernels.push_back(reinterpret_cast<KGenHostKernel>(symbol));
    }
  }
  ~HostBackend() override { dlclose(library); }

  void encode(const TensorMap &map, void *base, Slot &to) override {
    KGenHostTensorMap out = {};
    out.magic = KGEN_HOST_TENSOR_MAP_MAGIC;
    out.rank = static_cast<unsigned char>(map.dims.size());
    out.elementBytes = map.dtype == "f32" || map.dtype == "i32"   ? 4
                       : map.dtype == "f64" || map.dtype == "i64" ? 8
                       : map.dtype == "i8" || map.dtype == "i1"   ? 1
                                                                  : 2;
    out.swizzle = map.swizzle == 128 ? 1 : map.swizzle == 64 ? 2 : map.swizzle == 32 ? 3 : 0;
    out.base = reinterpret_cast<unsigned long long>(base);
    for (size_t d = 0; d < map.dims.size(); ++d) {
      out.dims[d] = map.dims[d];
      out.box[d] = static_cast<unsigned short>(map.box[d]);
      if (d)
        out.strides[d - 1] = map.strides[d - 1];
    }
    static_assert(sizeof out == sizeof to.bytes, "a tensor map has 128 bytes");
    memcpy(to.bytes, &out, sizeof out);
  }

  void launch(size_t index, void **arguments, void *) override {
    const Launch &launch = bundle.plan.launches[index];
    char message[640] = "";
    KGenHostLaunch call = {};
    for (int d = 0; d < 3; ++d) {
      call.grid[d] = launch.grid[d];
      call.block[d] = launch.block[d];
      if (launch.cluster[d] != 1)
        throw std::runtime_error("device host has no thread block clusters");
    }
    call.sharedBytes = launch.sharedBytes;
    call.poison = nullptr;
    call.step = 1;
    call.args = arguments;
    call.message = message;
    call.messageSize = sizeof message;
    // The library's threads are fibres over variables of its own.
    HostMemory &memory = HostMemory::get();
    call.stacks = memory.stacks;
    call.stackCount = HostMemory::threads;
    call.queues = memory.queues;
    call.queuesEnd = memory.queues + HostMemory::queueBytes;
    std::lock_guard<std::mutex> one(memory.running);
    if (kernels[index](&call) != 0)
      throw std::runtime_error(launch.kernel + ": " + message);
  }

private:
  const Bundle &bundle;
  void *library = nullptr;
  std::vector<KGenHostKernel> kernels;
};

} // namespace

std::unique_ptr<Backend> createHostBackend(const Bundle &bundle) { return std::make_unique<HostBackend>(bundle); }

} // namespace kgen::runtime
