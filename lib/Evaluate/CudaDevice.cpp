//===- CudaDevice.cpp - A card through the Driver API ---------------------===//
#include "kgen/Evaluate/Device.h"

#include "CudaDriver.h"
#include "Nvml.h"
#include "TrustedKernels.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Process.h"

#include "llvm/Object/ELF.h"

#include <algorithm>
#include <cstring>

using namespace kgen;
using cuda::Driver;

static llvm::Error reject(const std::string &why) { return llvm::make_error<CandidateError>(Verdict::Reject, why); }

/// The variables of CUBIN, by the names of its symbol table.
static std::vector<std::string> variableNames(llvm::StringRef cubin) {
  std::vector<std::string> out;
  auto file = llvm::object::ELF64LEFile::create(cubin);
  if (!file)
    return llvm::consumeError(file.takeError()), out;
  auto sections = file->sections();
  if (!sections)
    return llvm::consumeError(sections.takeError()), out;
  for (const auto &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_SYMTAB)
      continue;
    auto symbols = file->symbols(&section);
    auto strings = file->getStringTableForSymtab(section);
    if (!symbols || !strings) {
      if (!symbols)
        llvm::consumeError(symbols.takeError());
      if (!strings)
        llvm::consumeError(strings.takeError());
      continue;
    }
    for (const auto &symbol : *symbols)
      if (symbol.getType() == llvm::ELF::STT_OBJECT && symbol.st_size > 0) {
        auto name = symbol.getName(*strings);
        if (name)
          out.push_back(name->str());
        else
          llvm::consumeError(name.takeError());
      }
  }
  return out;
}

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
    device->id = id;
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
    device->findVirtualMemory();
    return std::unique_ptr<Device>(std::move(device));
  }

  std::string name() const override { return "cuda:" + std::to_string(ordinal) + " " + cardName; }

  llvm::Error load(llvm::StringRef artifact, const LaunchPlan &plan) override {
    auto cubin = readWholeFile(artifact);
    if (!cubin)
      return cubin.takeError();
    image = std::move(*cubin);
    names = variableNames(image);
    for (const Launch &launch : plan.launches)
      launches.push_back(&launch);
    return loadModule();
  }

  llvm::Error reload() override {
    functions.clear();
    if (int error = driver.moduleUnload(module))
      return broken("cuModuleUnload", error);
    return loadModule();
  }

  std::vector<DigestJob> variables() override {
    std::vector<DigestJob> out;
    for (const std::string &name : names) {
      cuda::Pointer at;
      size_t bytes;
      // A name that the driver does not know belongs to no memory of its own.
      if (driver.moduleGetGlobal(&at, &bytes, module, name.c_str()) == 0 && bytes > 0)
        out.push_back({at, bytes, 0, std::nullopt});
    }
    return out;
  }

  llvm::Error loadTrusted(llvm::StringRef artifact) override {
    return trusted.load(driver, artifact, maxShared, multiprocessors);
  }
  llvm::Error scrub(uint32_t pattern) override { return check(trusted.scrub(pattern, localBytes)); }
  llvm::Error look(llvm::ArrayRef<DigestJob> jobs, llvm::MutableArrayRef<uint64_t> results) override {
    if (!trusted.loaded())
      return Device::look(jobs, results);
    return check(trusted.look(jobs, results));
  }
  Conditions conditions() override {
    char bus[64] = "";
    driver.deviceBusId(bus, sizeof bus, id);
    return queryConditions(bus);
  }

private:
  llvm::Error loadModule() {
    // A cubin for another architecture fails here, with the driver's words.
    if (int error = driver.moduleLoadData(&module, image.data()))
      return reject(std::string("the driver refuses the machine code: ") + driver.describe(error));
    for (const Launch *one : launches) {
      const Launch &launch = *one;
      cuda::Function function;
      // C++ names would be mangled, hence the contract's extern "C".
      if (driver.moduleGetFunction(&function, module, launch.kernel.c_str()))
        return reject("the plan launches " + launch.kernel + ", which kernel.cu does not define as extern \"C\"");
      if (llvm::Error error = checkParameters(function, launch))
        return error;
      int local = 0;
      driver.functionGetAttribute(&local, cuda::LocalBytes, function);
      localBytes = std::max(localBytes, size_t(local));
      if (localBytes > TrustedKernels::mostLocalBytes)
        return reject(launch.kernel + " keeps " + std::to_string(local) + " bytes of local memory for each thread, " +
                      std::to_string(TrustedKernels::mostLocalBytes) + " can be cleared between runs");
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
    }
    return llvm::Error::success();
  }

public:
  size_t granularity() const override { return piece; }
  llvm::Expected<DeviceAddress> allocate(size_t bytes) override {
    auto failed = [&](int error) {
      return llvm::createStringError("cannot allocate %zu bytes on the card: %s", bytes, driver.describe(error));
    };
    cuda::Pointer pointer;
    if (virtualMemory && mapApart(pointer, bytes) == 0)
      return pointer;
    if (int error = driver.memAlloc(&pointer, bytes))
      return failed(error);
    return pointer;
  }
  /// Addresses with nothing behind them on both sides: an access there is a fault.
  cuda::Result mapApart(cuda::Pointer &pointer, size_t bytes) {
    cuda::AllocationProperties properties;
    properties.location = id;
    cuda::AccessDescription access;
    access.location = id;
    unsigned long long handle;
    const size_t guard = 32 * piece;
    if (int error = driver.memReserve(&pointer, bytes + 2 * guard, 0, 0, 0))
      return error;
    pointer += guard;
    if (int error = driver.memCreate(&handle, bytes, &properties, 0))
      return error;
    if (int error = driver.memMap(pointer, bytes, 0, handle, 0))
      return error;
    return driver.memSetAccess(pointer, bytes, &access, 1);
  }
  void usePlainMemory() override { virtualMemory = false; }

  llvm::Expected<SharedBlock> allocateShared(size_t bytes) override {
    if (!canShare())
      return Device::allocateShared(bytes);
    cuda::AllocationProperties properties;
    properties.location = id;
    properties.handleTypes = 1;
    unsigned long long handle;
    SharedBlock block;
    cuda::Pointer at = 0;
    size_t whole = (bytes + piece - 1) / piece * piece;
    int error = driver.memCreate(&handle, whole, &properties, 0);
    if (!error)
      error = driver.memExport(&block.descriptor, handle, 1, 0);
    if (!error)
      error = mapHandle(at, handle, whole, true);
    block.at = at;
    if (error)
      return llvm::createStringError("cannot share %zu bytes of the card: %s", bytes, driver.describe(error));
    return block;
  }
  llvm::Expected<unsigned> importShared(int descriptor, size_t bytes) override {
    if (!canShare())
      return Device::importShared(descriptor, bytes);
    unsigned long long handle;
    auto number = reinterpret_cast<void *>(static_cast<uintptr_t>(descriptor));
    if (int error = driver.memImport(&handle, number, 1))
      return llvm::createStringError("cannot take memory of another process: %s", driver.describe(error));
    imports.push_back({handle, (bytes + piece - 1) / piece * piece});
    return unsigned(imports.size() - 1);
  }
  llvm::Error copyShared(unsigned which, llvm::ArrayRef<SharedPiece> pieces, bool into) override {
    auto [handle, bytes] = imports[which];
    cuda::Pointer base;
    if (int error = mapHandle(base, handle, bytes, into))
      return broken("mapping another process's memory", error);
    int error = 0;
    for (const SharedPiece &one : pieces)
      if (!error)
        error = into ? driver.copyOnDevice(base + one.offset, one.at, one.bytes)
                     : driver.copyOnDevice(one.at, base + one.offset, one.bytes);
    if (int late = driver.contextSynchronize(); !error)
      error = late;
    driver.memUnmap(base, bytes);
    driver.memAddressFree(base, bytes);
    return check(error);
  }
  size_t freeMemory() override {
    size_t free = 0, total = 0;
    driver.memInfo(&free, &total);
    return free;
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

  llvm::Expected<RunTimes> timedRun(bool cold, double waitNanoseconds,
                                    const std::function<llvm::Error()> &run) override {
    if (llvm::Error error = prepareTiming(cold))
      return std::move(error);
    if (int error = driver.contextSynchronize())
      return check(error);
    // The host only queues: the flush keeps the card busy while events and launches are submitted, so launch
    // latency stays out of the time.
    double start = monotonicSeconds();
    driver.eventRecord(events[0], nullptr);
    if (cold && flush) {
      if (driver.resetPersistingL2)
        driver.resetPersistingL2();
      driver.memset32(flush, unsigned(++flushes), flushBytes / 4, nullptr);
    }
    driver.eventRecord(events[1], nullptr);
    if (llvm::Error error = run())
      return std::move(error);
    if (waitNanoseconds >= 0)
      if (int error = trusted.wait(waitNanoseconds))
        return broken("the waiting kernel", error);
    driver.eventRecord(events[2], nullptr);
    if (llvm::Error error = check(driver.eventSynchronize(events[2])))
      return std::move(error);
    double wall = (monotonicSeconds() - start) * 1e6;
    if (llvm::Error error = check(driver.contextSynchronize()))
      return std::move(error);
    float launches = 0, total = 0;
    driver.eventElapsed(&launches, events[1], events[2]);
    driver.eventElapsed(&total, events[0], events[2]);
    return RunTimes{launches * 1e3, total * 1e3, wall};
  }

private:
  bool canShare() const {
    return piece > 256 && driver.memUnmap && driver.memAddressFree && driver.memExport && driver.memImport;
  }
  cuda::Result mapHandle(cuda::Pointer &at, unsigned long long handle, size_t bytes, bool writable) {
    cuda::AccessDescription access;
    access.location = id;
    access.flags = writable ? 3 : 1;
    if (int error = driver.memReserve(&at, bytes, 0, 0, 0))
      return error;
    int error = driver.memMap(at, bytes, 0, handle, 0);
    if (!error) {
      error = driver.memSetAccess(at, bytes, &access, 1);
      if (error)
        driver.memUnmap(at, bytes);
    }
    if (error)
      driver.memAddressFree(at, bytes);
    return error;
  }

  CudaDevice(const Driver &driver, int ordinal) : driver(driver), ordinal(ordinal) {}

  llvm::Error prepareTiming(bool cold) {
    for (cuda::Event &event : events)
      if (!event)
        if (int error = driver.eventCreate(&event, 0))
          return broken("cuEventCreate", error);
    // Twice the L2 cache: everything that a kernel reads comes from memory.
    if (cold && !flush) {
      flushBytes = size_t(std::max(l2Bytes, 32 << 20)) * 2;
      if (driver.memAlloc(&flush, flushBytes))
        return llvm::createStringError("no room on the card to flush its cache");
    }
    return llvm::Error::success();
  }

  void findVirtualMemory() {
    if (!driver.memGranularity || !driver.memReserve || !driver.memCreate || !driver.memMap || !driver.memSetAccess)
      return;
    cuda::AllocationProperties properties;
    properties.location = id;
    size_t bytes = 0;
    virtualMemory = driver.memGranularity(&bytes, &properties, 0) == 0 && bytes >= 256 && bytes % 256 == 0;
    if (virtualMemory)
      piece = bytes;
  }

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
  int l2Bytes = 0, maxShared = 0;
  size_t localBytes = 0; ///< the most that one of the candidate's kernels has for a thread
  cuda::DeviceId id = 0;
  int multiprocessors = 0;
  bool virtualMemory = false;
  size_t piece = 256;                                         ///< granularity of mappings
  std::vector<std::pair<unsigned long long, size_t>> imports; ///< handles of other processes' memory
  std::string image;                                          ///< the candidate's machine code
  std::vector<std::string> names;
  cuda::Module module = nullptr;
  std::vector<cuda::Function> functions;
  std::vector<const Launch *> launches;
  TrustedKernels trusted;
  cuda::Event events[3] = {};
  cuda::Pointer flush = 0;
  size_t flushBytes = 0;
  unsigned flushes = 0;
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
