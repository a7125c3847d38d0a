//===- HostBackend.cpp - Kernels that the host compiler built -------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"

#include "../Device/host/kgen_host_abi.h"
#include "kgen/Runtime/LaunchForms.h"

#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <stdexcept>

namespace kgen::runtime {
namespace {

/// For as long as the process lives: a library keeps pointers into its stacks. One launch at a time has them.
struct HostMemory {
  HostStacks stacks;
  std::mutex running;

  HostMemory() {
    if (!stacks.allocate(1024))
      throw std::runtime_error("no memory for the stacks of a block's threads");
  }
  static HostMemory &get() {
    static HostMemory *memory = new HostMemory;
    return *memory;
  }
};

class HostBackend : public Backend {
public:
  explicit HostBackend(const Bundle &bundle) : bundle(bundle) {
    for (const Image &image : bundle.images) {
      libraries.push_back(dlopen(image.path.c_str(), RTLD_NOW | RTLD_LOCAL));
      if (!libraries.back())
        throw std::runtime_error("cannot load " + image.path + ": " + dlerror());
    }
    for (const Launch &launch : bundle.plan.launches) {
      auto *symbol = dlsym(libraries[launch.module], ("kgen_host_launch_" + launch.kernel).c_str());
      if (!symbol)
        throw std::runtime_error("the plan launches " + launch.kernel + ", which " + bundle.images[launch.module].path +
                                 " does not define");
      kernels.push_back(reinterpret_cast<KGenHostKernel>(symbol));
    }
  }
  ~HostBackend() override {
    for (void *library : libraries)
      dlclose(library);
  }

  void encode(const TensorMap &map, void *base, Slot &to) override {
    encodeForHost(TensorMapShape::of(map.dtype.c_str(), map), base, to.bytes);
  }

  void launch(size_t index, void **arguments, void *, Run *) override {
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
    memory.stacks.lend(call);
    std::lock_guard<std::mutex> one(memory.running);
    if (kernels[index](&call) != 0)
      throw std::runtime_error(launch.kernel + ": " + message);
  }

  void copy(void *to, const void *from, size_t bytes, void *) override { memcpy(to, from, bytes); }

private:
  const Bundle &bundle;
  std::vector<void *> libraries; ///< by image
  std::vector<KGenHostKernel> kernels;
};

} // namespace

std::unique_ptr<Backend> createHostBackend(const Bundle &bundle) { return std::make_unique<HostBackend>(bundle); }

} // namespace kgen::runtime
