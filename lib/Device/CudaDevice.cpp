//===- CudaDevice.cpp - A card through the Driver API ---------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Device/Device.h"

#include "CudaMemory.h"
#include "CudaModule.h"
#include "Nvml.h"
#include "TrustedKernels.h"
#include "kgen/Candidate/PlanBranches.h"
#include "kgen/Runtime/LaunchForms.h"
#include "kgen/Runtime/SideStreams.h"
#include "kgen/Toolchain/Process.h"

#include <algorithm>

using namespace kgen;
using namespace kgen::device;

static llvm::Error reject(const std::string &why) {
  return llvm::make_error<CandidateError>(candidate::Verdict::Reject, why);
}

namespace {

class CudaDevice : public Device {
public:
  /// The card's context must be current.
  CudaDevice(const cuda::Driver &driver, int ordinal, cuda::DeviceId id)
      : driver(driver), ordinal(ordinal), id(id), memory(driver, id), module(driver, id) {
    char name[128] = "";
    driver.deviceGetName(name, sizeof name, id);
    cardName = name;
    driver.deviceGetAttribute(&l2Bytes, cuda::L2Bytes, id);
  }
  /// On a thread where the context is current, too.
  ~CudaDevice() override {
    // Nothing that is freed may be in use.
    stream ? driver.streamSynchronize(stream) : driver.contextSynchronize();
    for (cuda::Event event : events)
      if (event)
        driver.eventDestroy(event);
    if (sides)
      sides->free();
    if (graphStream)
      driver.streamDestroy(graphStream);
    if (flush)
      driver.memFree(flush);
  }

  std::string name() const override { return "cuda:" + std::to_string(ordinal) + " " + cardName; }

  llvm::Error load(llvm::StringRef artifact, const candidate::LaunchPlan &given) override {
    plan = &given;
    return module.load(artifact, given);
  }
  llvm::Error reload() override { return module.reload(); }
  std::vector<DigestJob> variables() override { return module.variables(); }

  llvm::Error loadTrusted(llvm::StringRef artifact) override {
    return trusted.load(driver, artifact, module.sharedBytesPerBlock(), module.multiprocessorCount());
  }
  llvm::Error scrub(uint32_t pattern) override { return check(trusted.scrub(pattern, module.localBytes())); }
  llvm::Error look(llvm::ArrayRef<DigestJob> jobs, llvm::MutableArrayRef<uint64_t> results) override {
    if (!trusted.loaded())
      return Device::look(jobs, results);
    return check(trusted.look(jobs, results));
  }
  candidate::Conditions conditions() override {
    char bus[64] = "";
    driver.deviceBusId(bus, sizeof bus, id);
    return queryConditions(bus);
  }

  size_t granularity() const override { return memory.granularity(); }
  llvm::Expected<DeviceAddress> allocate(size_t bytes) override { return memory.allocate(bytes); }
  void usePlainMemory() override { memory.usePlainMemory(); }

  llvm::Expected<SharedBlock> allocateShared(size_t bytes) override {
    return memory.canShare() ? memory.allocateShared(bytes) : Device::allocateShared(bytes);
  }
  llvm::Expected<unsigned> importShared(int descriptor, size_t bytes) override {
    return memory.canShare() ? memory.importShared(descriptor, bytes) : Device::importShared(descriptor, bytes);
  }
  llvm::Error copyShared(unsigned which, llvm::ArrayRef<SharedPiece> pieces, bool into) override {
    return memory.copyShared(which, pieces, into);
  }
  size_t freeMemory() override {
    size_t free = 0, total = 0;
    driver.memInfo(&free, &total);
    return free;
  }
  llvm::Error write(DeviceAddress to, const void *from, size_t bytes) override {
    return stream ? finish(driver.queueCopyToDevice(to, from, bytes, stream))
                  : check(driver.copyToDevice(to, from, bytes));
  }
  llvm::Error read(void *to, DeviceAddress from, size_t bytes) override {
    return stream ? finish(driver.queueCopyToHost(to, from, bytes, stream)) : check(driver.copyToHost(to, from, bytes));
  }
  llvm::Error copy(DeviceAddress to, DeviceAddress from, size_t bytes) override {
    return check(stream ? driver.queueCopyOnDevice(to, from, bytes, stream) : driver.copyOnDevice(to, from, bytes));
  }
  llvm::Error fill(DeviceAddress at, const Poison &poison, size_t bytes) override {
    return trusted.loaded() ? check(trusted.fill(at, poison, bytes)) : Device::fill(at, poison, bytes);
  }
  void registerHostMemory(void *memory, size_t bytes) override {
    // Without it copies are slower, that is all.
    if (bytes)
      driver.hostRegister(memory, bytes, 0);
  }
  void unregisterHostMemory(void *memory) override { driver.hostUnregister(memory); }
  void useThreadOrder() override { stream = cuda::threadStream(); }

  llvm::Expected<TensorMapBytes> encode(const candidate::TensorMapSpec &spec, DeviceAddress base) override {
    TensorMapBytes map;
    auto shape = runtime::TensorMapShape::of(spec.elementName(), spec);
    int error = runtime::encodeForCard(driver, shape, reinterpret_cast<void *>(base), &map);
    if (error == runtime::driverLacksIt)
      return llvm::make_error<CandidateError>(candidate::Verdict::Unsupported, "this driver has no tensor maps");
    if (error)
      return reject(std::string("the driver refuses a tensor map: ") + driver.describe(error));
    return map;
  }

  llvm::Error launch(size_t index, llvm::ArrayRef<void *> values, bool, bool) override {
    // A run's time begins where nothing before it is under way, so its first launch does not overlap.
    const bool follows = launched && index == *launched + 1;
    launched = index;
    if (capturing && !queued.empty()) {
      queued[index - plan->prepareLaunches()] = values;
      return llvm::Error::success();
    }
    return module.launch(index, values, capturing ? capturing : stream, follows);
  }

  llvm::Error synchronize() override {
    return check(stream ? driver.streamSynchronize(stream) : driver.contextSynchronize());
  }

  llvm::Expected<RunTimes> timedRun(const RunOrder &order) override {
    const bool cold = order.cold;
    launched.reset();
    if (llvm::Error error = prepareTiming(cold))
      return std::move(error);
    CapturedGraph graph(driver);
    if (order.graph)
      if (llvm::Error error = capture(order, graph))
        return std::move(error);
    cuda::Stream timed = order.graph ? graphStream : nullptr;
    if (int error = driver.contextSynchronize())
      return check(error);
    // The host only queues: the flush keeps the card busy while events and launches are submitted, so launch
    // latency stays out of the time.
    double start = toolchain::monotonicSeconds();
    driver.eventRecord(events[0], timed);
    if (cold && flush) {
      if (driver.resetPersistingL2)
        driver.resetPersistingL2();
      driver.memset32(flush, unsigned(++flushes), flushBytes / 4, timed);
    }
    // The flush keeps the card from other processes' kernels until all of this is queued.
    if (int error = trusted.scrubSharedAgain(timed))
      return check(error);
    driver.eventRecord(events[1], timed);
    if (order.graph) {
      if (int error = driver.graphLaunch(graph.executable, timed))
        return check(error);
    } else if (llvm::Error error = script.launch(order)) {
      return std::move(error);
    }
    if (order.waitNanoseconds >= 0)
      if (int error = trusted.wait(order.waitNanoseconds))
        return broken("the waiting kernel", error);
    driver.eventRecord(events[2], timed);
    if (llvm::Error error = check(driver.eventSynchronize(events[2])))
      return std::move(error);
    double wall = (toolchain::monotonicSeconds() - start) * 1e6;
    if (llvm::Error error = check(driver.contextSynchronize()))
      return std::move(error);
    float launches = 0, total = 0;
    driver.eventElapsed(&launches, events[1], events[2]);
    driver.eventElapsed(&total, events[0], events[2]);
    return RunTimes{launches * 1e3, total * 1e3, wall};
  }

  bool canCaptureGraphs() const override {
    return driver.beginCapture && driver.endCapture && driver.graphInstantiate && driver.graphUpload &&
           driver.graphLaunch && driver.graphExecDestroy && driver.graphDestroy;
  }

private:
  struct CapturedGraph {
    explicit CapturedGraph(const cuda::Driver &driver) : driver(driver) {}
    ~CapturedGraph() { clear(); }
    void clear() {
      if (executable)
        driver.graphExecDestroy(executable);
      if (graph)
        driver.graphDestroy(graph);
      executable = nullptr;
      graph = nullptr;
    }
    const cuda::Driver &driver;
    cuda::Graph graph = nullptr;
    cuda::GraphExec executable = nullptr;
  };

  /// The launches of ORDER in GRAPH, on the card already, so that what is timed is their run and nothing else.
  llvm::Error capture(const RunOrder &order, CapturedGraph &graph) {
    constexpr int relaxed = 2;
    if (!graphStream)
      if (int error = driver.streamCreate(&graphStream, cuda::StreamNonBlocking))
        return broken("cuStreamCreate", error);
    if (plan->isNetwork() && !sides)
      sides.emplace(driver, runtime::findBranches(findAccesses(*plan, module.keepsVariables(), /*inArena=*/true)));
    if (int error = driver.beginCapture(graphStream, relaxed))
      return broken("cuStreamBeginCapture", error);
    capturing = graphStream;
    if (sides && sides->areThere() && !order.prepare && !order.empty)
      queued.resize(plan->launches.size() - plan->prepareLaunches());
    llvm::Error launched = script.launch(order);
    const bool isBranched = !launched && !queued.empty();
    if (isBranched)
      launched = launchQueued();
    queued.clear();
    capturing = nullptr;
    int error = driver.endCapture(graphStream, &graph.graph);
    if (launched && !isBranched)
      return launched;
    if (!launched && !error)
      error = driver.graphInstantiate(&graph.executable, graph.graph, 0);
    if (!launched && !error)
      error = driver.graphUpload(graph.executable, graphStream);
    if (!launched && !error)
      return llvm::Error::success();
    if (isBranched) {
      // A driver that takes no graph of several streams may take a chain.
      llvm::consumeError(std::move(launched));
      sides->free();
      graph.clear();
      return capture(order, graph);
    }
    return reject(std::string("the driver makes no graph of its launches: ") + driver.describe(error));
  }

  /// The launches of a run that is captured, on several streams.
  llvm::Error launchQueued() {
    for (runtime::SideRun run(*sides, graphStream);;) {
      if (int error = run.advance())
        return reject(std::string("the driver takes no run on several streams: ") + driver.describe(error));
      if (!run.isAtLaunch())
        return llvm::Error::success();
      if (llvm::Error error =
              module.launch(plan->prepareLaunches() + run.launch, queued[run.launch], run.stream, run.overlaps))
        return error;
    }
  }

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

  llvm::Error broken(const char *call, int error) {
    return llvm::createStringError("cuda:%d: %s: %s", ordinal, call, driver.describe(error));
  }

  llvm::Error check(int error) { return cardFault(driver, error); }
  /// ERROR of a copy that was queued, or its end.
  llvm::Error finish(int error) { return check(error ? error : driver.streamSynchronize(stream)); }

  const cuda::Driver &driver;
  int ordinal;
  cuda::DeviceId id;
  std::string cardName;
  int l2Bytes = 0;
  CudaMemory memory;
  CudaModule module;
  TrustedKernels trusted;
  const candidate::LaunchPlan *plan = nullptr;
  std::optional<runtime::SideStreams> sides; ///< of graphs
  cuda::Event events[3] = {};
  cuda::Stream graphStream = nullptr;
  cuda::Stream stream = nullptr;              ///< of what is not timed; null: the default one, which all threads share
  cuda::Stream capturing = nullptr;           ///< where launches go instead
  std::vector<llvm::ArrayRef<void *>> queued; ///< of the run that is captured: values by launch, until all are known
  std::optional<size_t> launched;             ///< the last launch of the run
  cuda::Pointer flush = 0;
  size_t flushBytes = 0;
  unsigned flushes = 0;
};

} // namespace

llvm::Expected<std::unique_ptr<Device>> kgen::device::createCudaDevice(int ordinal) {
  std::string failure;
  const cuda::Driver *driver = cuda::Driver::get(failure);
  if (!driver)
    return llvm::createStringError(failure);
  const cuda::Driver &d = *driver;
  auto failed = [&](const char *call, int error) {
    return llvm::createStringError("cuda:%d: %s: %s", ordinal, call, d.describe(error));
  };
  int count = 0;
  d.deviceGetCount(&count);
  if (ordinal < 0 || ordinal >= count)
    return llvm::createStringError("no card cuda:%d, the driver sees %d", ordinal, count);
  cuda::DeviceId id;
  if (int error = d.deviceGet(&id, ordinal))
    return failed("cuDeviceGet", error);
  // The context is there until the process ends.
  cuda::Context context;
  if (int error = d.primaryRetain(&context, id))
    return failed("cuDevicePrimaryCtxRetain", error);
  if (int error = d.setCurrent(context))
    return failed("cuCtxSetCurrent", error);
  return std::make_unique<CudaDevice>(d, ordinal, id);
}
