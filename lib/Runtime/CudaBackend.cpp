//===- CudaBackend.cpp - Kernels on a card --------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"

#include "kgen/Runtime/CudaDriver.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace kgen::runtime {
namespace {

const cuda::Driver &driver() {
  std::string failure;
  const cuda::Driver *found = cuda::Driver::get(failure);
  if (!found)
    throw std::runtime_error(failure);
  return *found;
}

[[noreturn]] void fail(const std::string &what, int error) {
  throw std::runtime_error(what + ": " + driver().describe(error));
}

/// "sm_90a" is 9 and 0; an "a" architecture runs on that very one only.
void checkArchitecture(const Bundle &bundle) {
  cuda::DeviceId device = 0;
  if (int error = driver().currentDevice(&device))
    fail("no CUDA device is current", error);
  int major = 0, minor = 0;
  driver().deviceGetAttribute(&major, cuda::Major, device);
  driver().deviceGetAttribute(&minor, cuda::Minor, device);
  std::string digits = bundle.arch.substr(std::min<size_t>(3, bundle.arch.size()));
  bool exact = !digits.empty() && digits.back() == 'a';
  int wanted = digits.empty() ? 0 : std::stoi(digits), found = major * 10 + minor;
  // Machine code of one major version runs on its later minor versions.
  if (exact ? wanted != found : wanted / 10 != major || wanted % 10 > minor)
    throw std::runtime_error("the bundle is for " + bundle.arch + ", this card is sm_" + std::to_string(found));
}

class CudaBackend : public Backend {
public:
  explicit CudaBackend(const Bundle &bundle) : bundle(bundle) {
    checkArchitecture(bundle);
    std::ifstream file(bundle.image, std::ios::binary);
    std::string image((std::istreambuf_iterator<char>(file)), {});
    if (int error = driver().moduleLoadData(&module, image.data()))
      fail("the driver refuses " + bundle.image, error);
    for (const Launch &launch : bundle.plan.launches)
      functions.push_back(prepare(launch));
  }
  // The module goes with its context: when this runs the driver may have shut down.

  void encode(const TensorMap &map, void *base, Slot &to) override {
    if (!driver().encodeTiled)
      throw std::runtime_error("this driver has no tensor maps");
    auto log = [](int bytes, int first) { return bytes == 0 ? 0 : bytes == first ? 1 : bytes == 2 * first ? 2 : 3; };
    uint64_t dims[5] = {}, strides[5] = {};
    uint32_t box[5] = {}, steps[5] = {1, 1, 1, 1, 1};
    std::copy(map.dims.begin(), map.dims.end(), dims);
    std::copy(map.strides.begin(), map.strides.end(), strides);
    std::copy(map.box.begin(), map.box.end(), box);
    if (int error = driver().encodeTiled(to.bytes, typeOf(map.dtype), unsigned(map.dims.size()), base, dims, strides,
                                         box, steps, 0, log(map.swizzle, 32), log(map.l2, 64), 0))
      fail("the driver refuses a tensor map", error);
  }

  void launch(size_t index, void **arguments, void *stream) override {
    const Launch &l = bundle.plan.launches[index];
    cuda::LaunchAttribute attributes[2] = {};
    unsigned count = 0;
    if (l.cluster[0] * l.cluster[1] * l.cluster[2] > 1) {
      attributes[count].id = cuda::AttributeCluster;
      attributes[count++].value.cluster = {l.cluster[0], l.cluster[1], l.cluster[2]};
    }
    if (l.cooperative) {
      attributes[count].id = cuda::AttributeCooperative;
      attributes[count++].value.cooperative = 1;
    }
    auto queue = static_cast<cuda::Stream>(stream);
    int error;
    if (count && !driver().launchEx)
      throw std::runtime_error("this driver has no clusters and no cooperative launches by attribute");
    if (count) {
      cuda::LaunchConfig config = {l.grid[0],  l.grid[1],     l.grid[2], l.block[0], l.block[1],
                                   l.block[2], l.sharedBytes, queue,     attributes, count};
      error = driver().launchEx(&config, functions[index], arguments, nullptr);
    } else {
      error = driver().launch(functions[index], l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1], l.block[2],
                              l.sharedBytes, queue, arguments, nullptr);
    }
    if (error)
      fail("the driver refuses the launch of " + l.kernel, error);
  }

private:
  /// CUtensorMapDataType.
  static int typeOf(const std::string &dtype) {
    static const std::pair<const char *, int> types[] = {{"f64", 8}, {"f32", 7}, {"f16", 6}, {"bf16", 9},
                                                         {"i64", 5}, {"i32", 3}, {"i8", 0},  {"i1", 0}};
    for (auto &[name, type] : types)
      if (dtype == name)
        return type;
    throw std::runtime_error("a tensor map has elements of " + dtype);
  }

  cuda::Function prepare(const Launch &launch) {
    cuda::Function function = nullptr;
    if (int error = driver().moduleGetFunction(&function, module, launch.kernel.c_str()))
      fail("the plan launches " + launch.kernel + ", which " + bundle.image + " does not define", error);
    // More than 48 KiB of shared memory has to be asked for.
    int fixed = 0;
    driver().functionGetAttribute(&fixed, cuda::StaticShared, function);
    if (launch.sharedBytes + unsigned(fixed) > 48 * 1024)
      if (int error = driver().functionSetAttribute(function, cuda::MaxDynamicShared, int(launch.sharedBytes)))
        fail(launch.kernel, error);
    if (launch.cluster[0] * launch.cluster[1] * launch.cluster[2] > 8)
      driver().functionSetAttribute(function, cuda::NonPortableCluster, 1);
    return function;
  }

  const Bundle &bundle;
  cuda::Module module = nullptr;
  std::vector<cuda::Function> functions;
};

} // namespace

void *currentCudaContext() {
  cuda::Context context = nullptr;
  driver().getCurrent(&context);
  if (!context)
    throw std::runtime_error("no CUDA context is current in this thread");
  return context;
}

std::unique_ptr<Backend> createCudaBackend(const Bundle &bundle) { return std::make_unique<CudaBackend>(bundle); }

} // namespace kgen::runtime
