//===- HostDevice.cpp - Kernels that the host compiler built --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Device/CandidateProcess.h"
#include "kgen/Device/Device.h"
#include "kgen/Device/Digest.h"
#include "kgen/Toolchain/Process.h"

#include "HostLibrary.h"
#include "HostRun.h"
#include "host/kgen_host_abi.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <sys/mman.h>
#include <thread>

using namespace kgen;
using namespace kgen::device;

char CandidateError::ID = 0;
char RunKilled::ID = 0;

static uint64_t lookAtBytes(const DigestJob &job, const char *bytes, unsigned threads) {
  if (job.same)
    return memcmp(bytes, job.same, job.bytes) != 0;
  return job.poison ? countOthers(*job.poison, bytes, job.bytes / 4) : digestBytes(bytes, job.bytes, job.key, threads);
}

static llvm::Error reject(const std::string &why) {
  return llvm::make_error<CandidateError>(candidate::Verdict::Reject, why);
}

namespace {

class HostDevice : public Device {
public:
  ~HostDevice() override {
    for (auto &mapping : mappings)
      munmap(mapping.first, mapping.second);
  }

  std::string name() const override { return "host"; }

  llvm::Error load(llvm::StringRef artifact, const candidate::LaunchPlan &plan) override {
    // The compiler made sure that nothing in it runs before the first launch, which another process makes.
    std::vector<void *> libraries;
    std::vector<std::string> files = splitArtifacts(artifact);
    if (files.size() != std::max<size_t>(plan.modules.size(), 1))
      return llvm::createStringError("%zu files of machine code for %zu modules", files.size(), plan.modules.size());
    for (const std::string &file : files) {
      libraries.push_back(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL));
      if (!libraries.back())
        return reject(std::string("the system's loader refuses it: ") + dlerror());
    }
    std::vector<bool> known(files.size()); // what the library may write
    unsigned threads = 0;                  // of the largest block whose threads wait for each other
    for (const candidate::Launch &launch : plan.launches) {
      auto symbol = [&](const char *prefix) {
        return dlsym(libraries[launch.module], (prefix + launch.kernel).c_str());
      };
      if (symbol("kgen_host_fibres_"))
        threads = std::max(threads, unsigned(launch.block[0] * launch.block[1] * launch.block[2]));
      auto function = reinterpret_cast<KGenHostKernel>(symbol("kgen_host_launch_"));
      if (!function)
        return reject("the plan launches " + launch.kernel + ", which kernel.cu does not define");
      auto *count = static_cast<const unsigned *>(symbol("kgen_host_parameters_"));
      if (count && count[0] != launch.arguments.size())
        return reject(launch.kernel + " takes " + std::to_string(count[0]) + " parameters, the plan passes " +
                      std::to_string(launch.arguments.size()));
      for (size_t i = 0; count && i < launch.arguments.size(); ++i) {
        unsigned size = unsigned(candidate::parameterBytes(launch.arguments[i]));
        if (count[1 + i] != size)
          return reject("parameter " + std::to_string(i) + " of " + launch.kernel + " has " +
                        std::to_string(count[1 + i]) + " bytes, the plan passes " + std::to_string(size));
      }
      kernels.push_back(function);
      launches.push_back(&launch);
      if (!known[launch.module])
        if (llvm::Error error = library.remember(reinterpret_cast<const void *>(function), files[launch.module]))
          return error;
      known[launch.module] = true;
    }
    return process.prepare(threads);
  }

  size_t granularity() const override { return 4096; }
  llvm::Expected<DeviceAddress> allocate(size_t bytes) override {
    const size_t page = 4096;
    // Mapped memory costs nothing until it is poisoned; then it would cost the machine.
    if (available && (taken += bytes) > available)
      return reject("its buffers take more than the " + std::to_string(available >> 20) +
                    " MiB of memory that this machine has left");
    char *base = static_cast<char *>(
        mmap(nullptr, bytes + 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (base == MAP_FAILED)
      return llvm::createStringError("no memory for a buffer of %zu bytes", bytes);
    mappings.push_back({base, bytes + 2 * page});
    mprotect(base, page, PROT_NONE);
    mprotect(base + page + bytes, page, PROT_NONE);
    if (bytes >= (4u << 20))
      madvise(base + page, bytes, MADV_HUGEPAGE);
    return reinterpret_cast<DeviceAddress>(base + page);
  }
  llvm::Expected<SharedBlock> allocateShared(size_t bytes) override {
    auto memory = SharedMemory::create(bytes);
    if (!memory)
      return memory.takeError();
    shared.push_back(std::move(*memory));
    return SharedBlock{reinterpret_cast<DeviceAddress>(shared.back().data()), shared.back().descriptor()};
  }
  llvm::Expected<unsigned> importShared(int descriptor, size_t bytes) override {
    void *base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (base == MAP_FAILED)
      return llvm::createStringError("cannot map another process's memory");
    imports.push_back(static_cast<char *>(base));
    mappings.push_back({imports.back(), bytes});
    return unsigned(imports.size() - 1);
  }
  llvm::Error copyShared(unsigned which, llvm::ArrayRef<SharedPiece> pieces, bool into) override {
    for (const SharedPiece &one : pieces) {
      auto *there = imports[which] + one.offset, *here = reinterpret_cast<char *>(one.at);
      memcpy(into ? there : here, into ? here : there, one.bytes);
    }
    return llvm::Error::success();
  }
  HostDevice() {
    // Asked now: the candidate's process may not read files later.
    std::ifstream file("/proc/meminfo");
    std::string name;
    for (size_t kilobytes; file >> name >> kilobytes; file.ignore(256, '\n'))
      if (name == "MemAvailable:")
        available = kilobytes << 10;
  }
  size_t freeMemory() override { return available - std::min(taken, available); }

  llvm::Error write(DeviceAddress to, const void *from, size_t bytes) override {
    memcpy(reinterpret_cast<void *>(to), from, bytes);
    return llvm::Error::success();
  }
  llvm::Error read(void *to, DeviceAddress from, size_t bytes) override {
    memcpy(to, reinterpret_cast<const void *>(from), bytes);
    return llvm::Error::success();
  }
  llvm::Error fill(DeviceAddress at, const Poison &poison, size_t bytes) override {
    fillPoison(poison, reinterpret_cast<void *>(at), bytes / 4);
    return llvm::Error::success();
  }

  /// The form that kgen_host_hopper.h reads.
  llvm::Expected<TensorMapBytes> encode(const candidate::TensorMapSpec &spec, DeviceAddress base) override {
    TensorMapBytes bytes;
    static_assert(sizeof bytes == runtime::tensorMapBytes, "a tensor map has 128 bytes");
    runtime::encodeForHost(runtime::TensorMapShape::of(spec.elementName(), spec), reinterpret_cast<void *>(base),
                           &bytes);
    return bytes;
  }

  llvm::Error look(llvm::ArrayRef<DigestJob> jobs, llvm::MutableArrayRef<uint64_t> results) override {
    for (size_t i = 0; i < jobs.size(); ++i)
      results[i] = lookAtBytes(jobs[i], reinterpret_cast<const char *>(jobs[i].at), 1);
    return llvm::Error::success();
  }

  llvm::Error launch(size_t index, llvm::ArrayRef<void *> values, bool descending, bool poison) override {
    const candidate::Launch &launch = *launches[index];
    char message[640] = "";
    KGenHostLaunch call = {};
    for (int d = 0; d < 3; ++d) {
      call.grid[d] = unsigned(launch.grid[d]);
      call.block[d] = unsigned(launch.block[d]);
      if (launch.cluster[d] != 1)
        return llvm::make_error<CandidateError>(candidate::Verdict::Unsupported,
                                                "device host has no thread block clusters");
    }
    if (launch.cooperative && launch.grid[0] * launch.grid[1] * launch.grid[2] > 1)
      return llvm::make_error<CandidateError>(
          candidate::Verdict::Unsupported,
          "device host runs one block after the other, so they cannot wait for each other");
    call.sharedBytes = unsigned(launch.sharedBytes);
    call.descending = descending;
    call.poison = poison ? process.sharedPoison() : nullptr;
    call.first = 0;
    call.step = 1;
    call.args = const_cast<void **>(values.data());
    call.message = message;
    call.messageSize = sizeof message;
    process.lend(call);
    if (kernels[index](&call) != 0)
      return llvm::make_error<CandidateError>(candidate::Verdict::Fault, launch.kernel + ": " + message);
    return llvm::Error::success();
  }

  llvm::Error synchronize() override { return llvm::Error::success(); }

  void expect(DeviceAddress at, size_t bytes) override { process.expect(reinterpret_cast<char *>(at), bytes); }
  llvm::Expected<RunTimes> timedRun(const RunOrder &order) override {
    return process.run(order, script, library, mappings);
  }
  bool runsApart() const override { return true; }
  llvm::Error scrub(uint32_t seed) override {
    process.scrub(seed);
    return llvm::Error::success();
  }

private:
  std::vector<KGenHostKernel> kernels;
  std::vector<const candidate::Launch *> launches;
  std::vector<std::pair<char *, size_t>> mappings;
  std::vector<SharedMemory> shared;
  std::vector<char *> imports;
  HostLibrary library;
  HostRun process;
  size_t available = 0, taken = 0;
};

} // namespace

std::vector<std::string> kgen::device::splitArtifacts(llvm::StringRef artifact) {
  std::vector<std::string> files;
  for (llvm::StringRef rest = artifact; !rest.empty();) {
    auto [file, next] = rest.split('\n');
    files.push_back(file.str());
    rest = next;
  }
  return files;
}

llvm::Error Device::copy(DeviceAddress to, DeviceAddress from, size_t bytes) {
  constexpr size_t most = 16u << 20;
  std::vector<char> piece(std::min(bytes, most));
  for (size_t done = 0; done < bytes; done += piece.size()) {
    const size_t count = std::min(piece.size(), bytes - done);
    if (llvm::Error error = read(piece.data(), from + done, count))
      return error;
    if (llvm::Error error = write(to + done, piece.data(), count))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error Device::fill(DeviceAddress at, const Poison &poison, size_t bytes) {
  std::vector<uint32_t> words(bytes / 4);
  fillPoison(poison, words.data(), words.size());
  return write(at, words.data(), bytes);
}

llvm::Error Device::look(llvm::ArrayRef<DigestJob> jobs, llvm::MutableArrayRef<uint64_t> results) {
  const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
  std::vector<char> bytes;
  for (size_t i = 0; i < jobs.size(); ++i) {
    bytes.resize(jobs[i].bytes);
    if (llvm::Error error = read(bytes.data(), jobs[i].at, jobs[i].bytes))
      return error;
    results[i] = lookAtBytes(jobs[i], bytes.data(), threads);
  }
  return llvm::Error::success();
}

std::unique_ptr<Device> kgen::device::createHostDevice() { return std::make_unique<HostDevice>(); }

llvm::Expected<std::unique_ptr<Device>> kgen::device::createDevice(llvm::StringRef spec) {
  if (spec == "host")
    return createHostDevice();
  int ordinal = 0;
  if (spec.consume_front("cuda") && (spec.empty() || (spec.consume_front(":") && !spec.getAsInteger(10, ordinal))))
    return createCudaDevice(ordinal);
  return llvm::createStringError("unknown device, expected host, cuda:N or auto");
}
