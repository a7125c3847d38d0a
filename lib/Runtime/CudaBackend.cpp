//===- CudaBackend.cpp - Kernels on a card --------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"

#include "kgen/Runtime/LaunchForms.h"
#include "kgen/Runtime/SideStreams.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
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
    std::vector<std::string> code;
    for (const Image &image : bundle.images) {
      std::ifstream file(image.path, std::ios::binary);
      std::string bytes((std::istreambuf_iterator<char>(file)), {});
      modules.push_back(nullptr);
      if (int error = driver().moduleLoadData(&modules.back(), bytes.data()))
        fail("the driver refuses " + image.path, error);
      code.push_back(std::move(bytes));
    }
    for (const Launch &launch : bundle.plan.launches) {
      functions.push_back(prepare(launch));
      waits.push_back(waitsForLaunches(code[launch.module].data(), code[launch.module].size(), launch.kernel.c_str()));
    }
    // Made now: while somebody captures is no time for it.
    sides.emplace(driver(), findBranches(accessesBesides(code)));
  }
  // The modules and streams go with their context: when this runs the driver may have shut down.

  void encode(const TensorMap &map, void *base, Slot &to) override {
    TensorMapShape shape = TensorMapShape::of(map.dtype.c_str(), map);
    if (int error = encodeForCard(driver(), shape, base, to.bytes))
      error == driverLacksIt ? throw std::runtime_error("this driver has no tensor maps")
                             : fail("the driver refuses a tensor map", error);
  }

  void launch(size_t index, void **arguments, void *stream, Run *run) override {
    const Launch &launch = bundle.plan.launches[index];
    auto to = static_cast<cuda::Stream>(stream);
    // Behind other people's kernels a first launch overlaps, too; not behind the ends of several streams.
    const bool isFirst = index == 0 || index == bundle.plan.prepareLaunches;
    bool overlaps = !isFirst || (!run && CaptureState::of(driver(), to).behindKernel);
    if (run)
      static_cast<BranchedRun *>(run)->place(to, overlaps);
    int error =
        launchKernel(driver(), functions[index], LaunchShape::of(launch), to, arguments, overlaps && waits[index]);
    if (error == driverLacksIt)
      throw std::runtime_error("this driver has no clusters and no cooperative launches by attribute");
    if (error)
      fail("the driver refuses the launch of " + launch.kernel, error);
  }

  void copy(void *to, const void *from, size_t bytes, void *stream) override {
    if (int error =
            driver().queueCopyOnDevice(reinterpret_cast<cuda::Pointer>(to), reinterpret_cast<cuda::Pointer>(from),
                                       bytes, static_cast<cuda::Stream>(stream)))
      fail("the driver refuses a copy", error);
  }

  std::unique_ptr<Run> beginRun(void *stream) override {
    auto origin = static_cast<cuda::Stream>(stream);
    if (!sides->areThere())
      return nullptr;
    const CaptureState state = CaptureState::of(driver(), origin);
    if (!state.capture)
      return nullptr;
    auto run = std::make_unique<BranchedRun>(*this, origin, state, branching);
    return sides->areFree(state.capture) ? std::move(run) : nullptr;
  }

private:
  class BranchedRun : public Run {
  public:
    BranchedRun(const CudaBackend &backend, cuda::Stream origin, const CaptureState &state, std::mutex &branching)
        : alone(branching), run(*backend.sides, origin), prepares(backend.bundle.plan.prepareLaunches),
          behindKernel(state.behindKernel) {}
    bool next(size_t &index) override {
      isFirst = !begun;
      begun = true;
      if (int error = run.advance())
        fail("the driver refuses a run on several streams", error);
      index = prepares + run.launch;
      return run.isAtLaunch();
    }
    void place(cuda::Stream &stream, bool &overlaps) const {
      stream = run.stream;
      overlaps = run.overlaps || (isFirst && behindKernel);
    }

  private:
    std::lock_guard<std::mutex> alone;
    SideRun run;
    const size_t prepares;
    const bool behindKernel; ///< its first launch
    bool begun = false, isFirst = false;
  };

  /// What launches use, and the variables that modules of CODE have.
  std::vector<std::vector<Access>> accessesBesides(const std::vector<std::string> &code) const {
    const Plan &plan = bundle.plan;
    std::vector<std::vector<Access>> accesses = plan.accesses;
    for (size_t i = 0; i < accesses.size(); ++i) {
      const size_t module = plan.launches[plan.prepareLaunches + i].module;
      if (keepsVariables(code[module].data(), code[module].size()))
        accesses[i].push_back({plan.memories + unsigned(module), 0, 1, true});
    }
    return accesses;
  }

  cuda::Function prepare(const Launch &launch) {
    cuda::Function function = nullptr;
    if (int error = driver().moduleGetFunction(&function, modules[launch.module], launch.kernel.c_str()))
      fail("the plan launches " + launch.kernel + ", which " + bundle.images[launch.module].path + " does not define",
           error);
    int fixed = 0;
    driver().functionGetAttribute(&fixed, cuda::StaticShared, function);
    if (int error = allowLaunch(driver(), function, LaunchShape::of(launch), unsigned(fixed)))
      fail(launch.kernel, error);
    return function;
  }

  const Bundle &bundle;
  std::vector<cuda::Module> modules;     ///< by image
  std::vector<cuda::Function> functions; ///< by launch
  std::vector<bool> waits;               ///< by launch: its kernel waits by itself for those before
  std::optional<SideStreams> sides;
  std::mutex branching; ///< one run at a time has them
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
