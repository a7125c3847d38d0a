//===- CudaDevice.cpp - A card through the Driver API ---------------------===//
#include "kgen/Evaluate/Device.h"

#include "CudaDriver.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Process.h"

#include <algorithm>
#include <cstring>

using namespace kgen;
using cuda::Driver;

static llvm::Error reject(const std::string &why) { return llvm::make_error<CandidateError>(Verdict::Reject, why); }

namespace {

class CudaDevice : public Device {
public:
  static llvm::Expected<std::unique_ptr<Device>> create(int ordinal) {
    auto driver = Driver::get();
    if (!driver)
      return driver.takeError();
    std::unique_ptr<CudaDevice> device(new CudaDevice(**driver, ordinal));
    int count = 0;
    (*driver)->deviceGetCount(&count);
    if (ordinal < 0 || ordinal >= count)
      return llvm::createStringError("no card cuda:%d, the driver sees %d", ordinal, count);
    cuda::DeviceId id;
    if (int error = (*driver)->deviceGet(&id, ordinal))
      return device->broken("cuDeviceGet", error);
    char name[128] = "";
    (*driver)->deviceGetName(name, sizeof name, id);
    device->cardName = name;
    (*driver)->deviceGetAttribute(&device->l2Bytes, cuda::L2Bytes, id);
    (*driver)->deviceGetAttribute(&device->maxShared, cuda::SharedPerBlockOptin, id);
    (*driver)->deviceGetAttribute(&device->multiprocessors, cuda::MultiprocessorCount, id);
    cuda::Context context;
    if (int error = (*driver)->primaryRetain(&context, id))
      return device->broken("cuDevicePrimaryCtxRetain", error);
    if (int error = (*driver)->setCurrent(context))
      return device->broken("cuCtxSetCurrent", error);
    return std::unique_ptr<Device>(std::move(device));
  }

  std::string name() const override { return "cuda:" + std::to_string(ordinal) + " " + cardName; }

  llvm::Error load(llvm::StringRef artifact, const LaunchPlan &plan) override {
    auto cubin = readWholeFile(artifact);
    if (!cubin)
      return cubin.takeError();
    cuda::Module module;
    // A cubin for another architecture fails here, with the driver's words.
    if (int error = driver.moduleLoadData(&module, cubin->data()))
      return reject(std::string("the driver refuses the machine code: ") + driver.describe(error));
    for (const Launch &launch : plan.launches) {
      cuda::Function function;
      // C++ names would be mangled, hence the contract's extern "C".
      if (driver.moduleGetFunction(&function, module, launch.kernel.c_str()))
        return reject("the plan launches " + launch.kernel + ", which kernel.cu does not define as extern \"C\"");
      if (llvm::Error error = checkParameters(function, launch))
        return error;
      int staticShared = 0;
      driver.functionGetAttribute(&staticShared, cuda::StaticShared, function);
      if (staticShared + launch.sharedBytes > maxShared)
        return reject(launch.kernel + " needs " + std::to_string(staticShared + launch.sharedBytes) +
                      " bytes of shared memory, the card gives a block at most " + std::to_string(maxShared));
      // More than 48 KiB of dynamic shared memory has to be asked for.
      if (launch.sharedBytes + staticShared > 48 * 1024)
        if (int error = driver.functionSetAttribute(function, cuda::MaxDynamicShared, int(launch.sharedBytes)))
          return reject(launch.kernel + ": " + driver.describe(error));
      if (launch.cluster[0] * launch.cluster[1] * launch.cluster[2] > 8)
        driver.functionSetAttribute(function, cuda::NonPortableCluster, 1);
      if (llvm::Error error = checkResidency(function, launch))
        return error;
      functions.push_back(function);
      launches.push_back(&launch);
    }
    return llvm::Error::success();
  }

  llvm::Expected<DeviceAddress> allocate(size_t bytes) override {
    cuda::Pointer pointer;
    if (int error = driver.memAlloc(&pointer, bytes))
      return llvm::createStringError("cannot allocate %zu bytes on the card: %s", bytes, driver.describe(error));
    return pointer;
  }
  llvm::Error write(DeviceAddress to, const void *from, size_t bytes) override {
    return check(driver.copyToDevice(to, from, bytes));
  }
  llvm::Error read(void *to, DeviceAddress from, size_t bytes) override {
    return check(driver.copyToHost(to, from, bytes));
  }
  llvm::Error fill(DeviceAddress at, uint32_t pattern, size_t bytes) override {
    return check(driver.memset32(at, pattern, bytes / 4, nullptr));
  }
  void registerHostMemory(void *memory, size_t bytes) override {
    // Without it copies are slower, that is all.
    if (bytes)
      driver.hostRegister(memory, bytes, 0);
  }

  llvm::Expected<TensorMapBytes> encode(const TensorMapSpec &spec, DeviceAddress base) override {
    if (!driver.encodeTiled)
      return llvm::make_error<CandidateError>(Verdict::Unsupported, "this driver has no tensor maps");
    // CUtensorMapDataType, in the order of DType.
    static const int types[] = {8, 7, 6, 9, 5, 3, 0, 0};
    auto log = [](int bytes, int first) { return bytes == 0 ? 0 : bytes == first ? 1 : bytes == 2 * first ? 2 : 3; };
    TensorMapBytes map;
    uint64_t dims[5] = {}, strides[5] = {};
    uint32_t box[5] = {}, steps[5] = {1, 1, 1, 1, 1};
    std::copy(spec.dims.begin(), spec.dims.end(), dims);
    std::copy(spec.strides.begin(), spec.strides.end(), strides);
    std::copy(spec.box.begin(), spec.box.end(), box);
    if (int error = driver.encodeTiled(&map, types[size_t(spec.dtype)], unsigned(spec.dims.size()),
                                       reinterpret_cast<void *>(base), dims, strides, box, steps, 0,
                                       log(spec.swizzle, 32), log(spec.l2, 64), 0))
      return reject(std::string("the driver refuses a tensor map: ") + driver.describe(error));
    return map;
  }

  llvm::Error launch(size_t index, llvm::ArrayRef<void *> values, bool, int) override {
    const Launch &l = *launches[index];
    void **arguments = const_cast<void **>(values.data());
    int error;
    bool clustered = l.cluster[0] * l.cluster[1] * l.cluster[2] > 1;
    if (clustered || l.cooperative) {
      if (!driver.launchEx)
        return llvm::make_error<CandidateError>(Verdict::Unsupported,
                                                "this driver has no clusters and no cooperative launches by attribute");
      cuda::LaunchAttribute attributes[2] = {};
      unsigned count = 0;
      if (clustered) {
        attributes[count].id = cuda::AttributeCluster;
        attributes[count++].value.cluster = {unsigned(l.cluster[0]), unsigned(l.cluster[1]), unsigned(l.cluster[2])};
      }
      if (l.cooperative) {
        attributes[count].id = cuda::AttributeCooperative;
        attributes[count++].value.cooperative = 1;
      }
      cuda::LaunchConfig config = {unsigned(l.grid[0]),
                                   unsigned(l.grid[1]),
                                   unsigned(l.grid[2]),
                                   unsigned(l.block[0]),
                                   unsigned(l.block[1]),
                                   unsigned(l.block[2]),
                                   unsigned(l.sharedBytes),
                                   nullptr,
                                   attributes,
                                   count};
      error = driver.launchEx(&config, functions[index], arguments, nullptr);
    } else {
      error = driver.launch(functions[index], unsigned(l.grid[0]), unsigned(l.grid[1]), unsigned(l.grid[2]),
                            unsigned(l.block[0]), unsigned(l.block[1]), unsigned(l.block[2]), unsigned(l.sharedBytes),
                            nullptr, arguments, nullptr);
    }
    if (error)
      return reject("the driver refuses the launch of " + l.kernel + ": " + driver.describe(error));
    return llvm::Error::success();
  }

  llvm::Error synchronize() override { return check(driver.contextSynchronize()); }

  llvm::Expected<std::vector<double>> time(const TimingRequest &request,
                                           const std::function<llvm::Error()> &run) override {
    // Twice the L2 cache: everything that a kernel reads comes from memory.
    cuda::Pointer flush = 0;
    size_t flushBytes = request.cold ? size_t(std::max(l2Bytes, 32 << 20)) * 2 : 0;
    if (flushBytes && driver.memAlloc(&flush, flushBytes))
      return llvm::createStringError("no room on the card to flush its cache");
    cuda::Event begin, end;
    if (int error = driver.eventCreate(&begin, 0))
      return broken("cuEventCreate", error);
    if (int error = driver.eventCreate(&end, 0))
      return broken("cuEventCreate", error);
    std::vector<double> samples;
    double start = monotonicSeconds();
    int wanted = std::max(request.samples, 5), warm = 3;
    // The host only queues: the flush keeps the card busy while events and launches are submitted, so launch
    // latency stays out of the sample.
    for (int i = 0; i < wanted + warm; ++i) {
      if (flushBytes)
        driver.memset32(flush, unsigned(i), flushBytes / 4, nullptr);
      driver.eventRecord(begin, nullptr);
      if (llvm::Error error = run())
        return std::move(error);
      driver.eventRecord(end, nullptr);
      if (llvm::Error error = check(driver.eventSynchronize(end)))
        return std::move(error);
      float milliseconds = 0;
      driver.eventElapsed(&milliseconds, begin, end);
      if (i < warm) {
        if (milliseconds > 50)
          warm = i + 1; // long kernels are warm after one run
        continue;
      }
      samples.push_back(double(milliseconds) * 1e3);
      if (milliseconds > 50)
        wanted = std::min(wanted, 10);
      if (samples.size() >= 5 && monotonicSeconds() - start > request.budgetSeconds)
        break;
    }
    if (flush)
      driver.memFree(flush);
    return samples;
  }

private:
  CudaDevice(const Driver &driver, int ordinal) : driver(driver), ordinal(ordinal) {}

  llvm::Error broken(const char *call, int error) {
    return llvm::createStringError("cuda:%d: %s: %s", ordinal, call, driver.describe(error));
  }

  /// Any error after a launch is the kernel's: the context was sound before it.
  llvm::Error check(int error) {
    if (!error)
      return llvm::Error::success();
    return llvm::make_error<CandidateError>(Verdict::Fault, std::string("the card reports: ") + driver.describe(error));
  }

  /// Blocks that wait for each other have to be resident together.
  llvm::Error checkResidency(cuda::Function function, const Launch &launch) {
    if (!launch.cooperative)
      return llvm::Error::success();
    int perMultiprocessor = 0;
    int64_t blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
    if (int error = driver.maxActiveBlocks(&perMultiprocessor, function,
                                           int(launch.block[0] * launch.block[1] * launch.block[2]),
                                           size_t(launch.sharedBytes)))
      return reject(launch.kernel + ": " + driver.describe(error));
    int64_t resident = int64_t(perMultiprocessor) * multiprocessors;
    if (blocks > resident)
      return reject(launch.kernel + " is cooperative and has " + std::to_string(blocks) +
                    " blocks, the card holds at most " + std::to_string(resident) + " of them at once");
    return llvm::Error::success();
  }

  /// A launch with too few parameters would make the driver read past our array.
  llvm::Error checkParameters(cuda::Function function, const Launch &launch) {
    if (!driver.functionGetParamInfo)
      return llvm::Error::success();
    size_t offset, size, count = 0;
    while (driver.functionGetParamInfo(function, count, &offset, &size) == 0) {
      if (count < launch.arguments.size()) {
        const LaunchArgument &argument = launch.arguments[count];
        size_t passed = parameterBytes(argument);
        if (size != passed)
          return reject("parameter " + std::to_string(count) + " of " + launch.kernel + " has " + std::to_string(size) +
                        " bytes, the plan passes " + std::to_string(passed));
      }
      ++count;
    }
    if (count != launch.arguments.size())
      return reject(launch.kernel + " takes " + std::to_string(count) + " parameters, the plan passes " +
                    std::to_string(launch.arguments.size()));
    return llvm::Error::success();
  }

  const Driver &driver;
  int ordinal;
  std::string cardName;
  int l2Bytes = 0, maxShared = 0, multiprocessors = 0;
  std::vector<cuda::Function> functions;
  std::vector<const Launch *> launches;
};

} // namespace

llvm::Expected<std::unique_ptr<Device>> kgen::createCudaDevice(int ordinal) { return CudaDevice::create(ordinal); }

llvm::Expected<CardFacts> kgen::queryCard(int ordinal) {
  auto driver = Driver::get();
  if (!driver)
    return driver.takeError();
  const Driver &d = **driver;
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
