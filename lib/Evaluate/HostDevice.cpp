//===- HostDevice.cpp - Kernels that the host compiler built --------------===//
#include "kgen/Evaluate/Device.h"
#include "kgen/Toolchain/Process.h"

#include "host/kgen_host_abi.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>

using namespace kgen;

char CandidateError::ID = 0;

static llvm::Error reject(const std::string &why) { return llvm::make_error<CandidateError>(Verdict::Reject, why); }

namespace {

class HostDevice : public Device {
public:
  ~HostDevice() override {
    for (auto &mapping : mappings)
      munmap(mapping.first, mapping.second);
  }

  std::string name() const override { return "host"; }

  llvm::Error load(llvm::StringRef artifact, const LaunchPlan &plan) override {
    // The compiler made sure that nothing in it runs before the first launch.
    void *library = dlopen(artifact.str().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return llvm::createStringError("cannot load %s: %s", artifact.str().c_str(), dlerror());
    for (const Launch &launch : plan.launches) {
      auto symbol = [&](const char *prefix) { return dlsym(library, (prefix + launch.kernel).c_str()); };
      auto function = reinterpret_cast<KGenHostKernel>(symbol("kgen_host_launch_"));
      if (!function)
        return reject("the plan launches " + launch.kernel + ", which kernel.cu does not define");
      auto *count = static_cast<const unsigned *>(symbol("kgen_host_parameters_"));
      if (count && count[0] != launch.arguments.size())
        return reject(launch.kernel + " takes " + std::to_string(count[0]) + " parameters, the plan passes " +
                      std::to_string(launch.arguments.size()));
      for (size_t i = 0; count && i < launch.arguments.size(); ++i) {
        unsigned size = unsigned(parameterBytes(launch.arguments[i]));
        if (count[1 + i] != size)
          return reject("parameter " + std::to_string(i) + " of " + launch.kernel + " has " +
                        std::to_string(count[1 + i]) + " bytes, the plan passes " + std::to_string(size));
      }
      kernels.push_back(function);
      launches.push_back(&launch);
    }
    return llvm::Error::success();
  }

  /// The buffer ends where an unreadable page begins (within 255 bytes), so far accesses fault at once;
  /// near ones hit the red zones of the session.
  llvm::Expected<DeviceAddress> allocate(size_t bytes) override {
    const size_t page = 4096;
    size_t body = (bytes + page - 1) / page * page;
    char *base = static_cast<char *>(
        mmap(nullptr, body + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (base == MAP_FAILED)
      return llvm::createStringError("no memory for a buffer of %zu bytes", bytes);
    mappings.push_back({base, body + 2 * page});
    mprotect(base, page, PROT_NONE);
    mprotect(base + page + body, page, PROT_NONE);
    if (bytes >= (4u << 20))
      madvise(base + page, body, MADV_HUGEPAGE);
    return reinterpret_cast<DeviceAddress>(base + page + (body - (bytes + 255) / 256 * 256));
  }

  llvm::Error write(DeviceAddress to, const void *from, size_t bytes) override {
    memcpy(reinterpret_cast<void *>(to), from, bytes);
    return llvm::Error::success();
  }
  llvm::Error read(void *to, DeviceAddress from, size_t bytes) override {
    memcpy(to, reinterpret_cast<const void *>(from), bytes);
    return llvm::Error::success();
  }
  llvm::Error fill(DeviceAddress at, uint32_t pattern, size_t bytes) override {
    std::fill_n(reinterpret_cast<uint32_t *>(at), bytes / 4, pattern);
    return llvm::Error::success();
  }

  /// The form that kgen_host_hopper.h reads.
  llvm::Expected<TensorMapBytes> encode(const TensorMapSpec &spec, DeviceAddress base) override {
    KGenHostTensorMap map = {};
    map.magic = KGEN_HOST_TENSOR_MAP_MAGIC;
    map.rank = static_cast<unsigned char>(spec.dims.size());
    map.elementBytes = static_cast<unsigned char>(byteSize(spec.dtype));
    map.swizzle = spec.swizzle == 128 ? 1 : spec.swizzle == 64 ? 2 : spec.swizzle == 32 ? 3 : 0;
    map.base = base;
    for (size_t d = 0; d < spec.dims.size(); ++d) {
      map.dims[d] = static_cast<unsigned long long>(spec.dims[d]);
      map.box[d] = static_cast<unsigned short>(spec.box[d]);
      if (d)
        map.strides[d - 1] = static_cast<unsigned long long>(spec.strides[d - 1]);
    }
    TensorMapBytes bytes;
    static_assert(sizeof map == sizeof bytes, "a tensor map has 128 bytes");
    memcpy(&bytes, &map, sizeof bytes);
    return bytes;
  }

  llvm::Error launch(size_t index, llvm::ArrayRef<void *> values, bool descending, int poison) override {
    const Launch &launch = *launches[index];
    char message[640] = "";
    KGenHostLaunch call = {};
    for (int d = 0; d < 3; ++d) {
      call.grid[d] = unsigned(launch.grid[d]);
      call.block[d] = unsigned(launch.block[d]);
      if (launch.cluster[d] != 1)
        return llvm::make_error<CandidateError>(Verdict::Unsupported, "device host has no thread block clusters");
    }
    if (launch.cooperative && launch.grid[0] * launch.grid[1] * launch.grid[2] > 1)
      return llvm::make_error<CandidateError>(
          Verdict::Unsupported, "device host runs one block after the other, so they cannot wait for each other");
    call.sharedBytes = unsigned(launch.sharedBytes);
    call.descending = descending;
    call.poison = poison;
    call.first = 0;
    call.step = 1;
    call.args = const_cast<void **>(values.data());
    call.message = message;
    call.messageSize = sizeof message;
    if (kernels[index](&call) != 0)
      return llvm::make_error<CandidateError>(Verdict::Fault, launch.kernel + ": " + message);
    return llvm::Error::success();
  }

  llvm::Error synchronize() override { return llvm::Error::success(); }

  llvm::Expected<std::vector<double>> time(const TimingRequest &request,
                                           const std::function<llvm::Error()> &run) override {
    std::vector<double> samples;
    double begin = monotonicSeconds();
    // The machine is shared and has no steady clock: a few runs, and the median of them.
    int wanted = std::max(5, std::min(request.samples, 30));
    while (int(samples.size()) < wanted &&
           (samples.size() < 5 || monotonicSeconds() - begin < std::min(request.budgetSeconds, 1.0))) {
      double start = monotonicSeconds();
      if (llvm::Error error = run())
        return std::move(error);
      samples.push_back((monotonicSeconds() - start) * 1e6);
      // Five runs of a kernel that takes minutes would help nobody.
      if (monotonicSeconds() - begin > 20 && samples.size() >= 1)
        break;
    }
    return samples;
  }

private:
  std::vector<KGenHostKernel> kernels;
  std::vector<const Launch *> launches;
  std::vector<std::pair<char *, size_t>> mappings;
};

} // namespace

std::unique_ptr<Device> kgen::createHostDevice() { return std::make_unique<HostDevice>(); }

llvm::Expected<std::unique_ptr<Device>> kgen::createDevice(llvm::StringRef spec) {
  if (spec == "host")
    return createHostDevice();
  int ordinal = 0;
  if (spec.consume_front("cuda") && (spec.empty() || (spec.consume_front(":") && !spec.getAsInteger(10, ordinal))))
    return createCudaDevice(ordinal);
  return llvm::createStringError("unknown device, expected host, cuda:N or auto");
}
