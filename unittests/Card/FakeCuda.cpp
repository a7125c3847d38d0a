//===- FakeCuda.cpp - A CUDA driver without a card ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts what is there and not freed. Machine code is any text with the names of
// its kernels, and a launch computes nothing: a kernel with "slow" in its name
// takes a second, one with "bad" is a fault, after which the context is lost.
//
//===----------------------------------------------------------------------===//
#include "FakeGraphs.h"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;
using Pointer = unsigned long long;
enum { Success = 0, InvalidValue = 1, OutOfMemory = 2, InvalidContext = 201, NotFound = 500, IllegalAddress = 700 };

constexpr size_t cardBytes = 256u << 20, piece = 2u << 20;

struct Module {
  std::string text;
};
struct Function {
  std::string name;
};
struct Block {
  int file;
  size_t bytes;
  int references;
};

struct State {
  std::mutex lock;
  size_t used = 0;
  std::map<Pointer, size_t> memory, reservations, mapped;
  std::map<Pointer, unsigned long long> handleOf; ///< by address of a mapping
  std::map<unsigned long long, Block> blocks;
  std::set<void *> registered;
  std::set<Module *> modules;
  std::map<std::string, Function> functions;
  unsigned long long lastHandle = 0;
  int contextWaits = 0, defaultStream = 0;
  bool lost = false;
  std::map<const void *, Clock::time_point> busyUntil; ///< by stream
};
State &state() {
  static State *only = new State;
  return *only;
}

thread_local bool current = false;
thread_local char ownStream; ///< its address stands for the thread's stream

const void *streamOf(void *handle) {
  if (handle == reinterpret_cast<void *>(2))
    return &ownStream;
  std::lock_guard<std::mutex> guard(state().lock);
  ++state().defaultStream;
  return nullptr;
}

int usable() {
  if (!current)
    return InvalidContext;
  std::lock_guard<std::mutex> guard(state().lock);
  return state().lost ? IllegalAddress : Success;
}

/// Waits for STREAM, or for all of them.
int await(const void *stream) {
  Clock::time_point end{};
  {
    std::lock_guard<std::mutex> guard(state().lock);
    for (auto &[each, until] : state().busyUntil)
      if (!stream || each == stream)
        end = std::max(end, until);
  }
  std::this_thread::sleep_until(end);
  return usable();
}

/// With the lock held.
void dropBlock(unsigned long long handle) {
  Block &block = state().blocks.at(handle);
  if (--block.references > 0)
    return;
  close(block.file);
  state().used -= block.bytes;
  state().blocks.erase(handle);
}

} // namespace

extern "C" {

size_t fakeCudaLeft() {
  State &s = state();
  std::lock_guard<std::mutex> guard(s.lock);
  return s.used + s.memory.size() + s.reservations.size() + s.mapped.size() + s.blocks.size() + s.registered.size() +
         s.modules.size();
}
/// The modules, as with the end of the context.
void fakeCudaForget() {
  std::lock_guard<std::mutex> guard(state().lock);
  for (Module *module : state().modules)
    delete module;
  state().modules.clear();
}
int fakeCudaContextWaits() { return state().contextWaits; }
int fakeCudaDefaultStream() { return state().defaultStream; }

int cuInit(unsigned) { return Success; }
int cuDeviceGetCount(int *count) { return *count = 1, Success; }
int cuDeviceGet(int *device, int) { return *device = 0, Success; }
int cuDeviceGetName(char *name, int bytes, int) { return strncpy(name, "fake", size_t(bytes)), Success; }
int cuDeviceGetAttribute(int *value, int, int) { return *value = 4, Success; }
int cuDeviceTotalMem_v2(size_t *bytes, int) { return *bytes = cardBytes, Success; }
int cuDeviceGetPCIBusId(char *bus, int, int) { return *bus = 0, Success; }
int cuDevicePrimaryCtxRetain(void **context, int) { return *context = &state(), Success; }
int cuCtxSetCurrent(void *) { return current = true, Success; }
int cuCtxGetCurrent(void **context) { return *context = current ? &state() : nullptr, Success; }
int cuCtxGetDevice(int *device) { return *device = 0, usable(); }
int cuCtxSynchronize() {
  ++state().contextWaits;
  return await(nullptr);
}
int cuStreamSynchronize(void *stream) { return await(streamOf(stream)); }

int cuModuleLoadData(void **module, const void *image) {
  if (int error = usable())
    return error;
  if (strstr(static_cast<const char *>(image), "refused"))
    return InvalidValue;
  auto *made = new Module{static_cast<const char *>(image)};
  std::lock_guard<std::mutex> guard(state().lock);
  state().modules.insert(made);
  *module = made;
  return Success;
}
int cuModuleUnload(void *module) {
  if (int error = usable())
    return error;
  std::lock_guard<std::mutex> guard(state().lock);
  auto *made = static_cast<Module *>(module);
  if (!state().modules.erase(made))
    return InvalidValue;
  delete made;
  return Success;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  if (int error = usable())
    return error;
  if (static_cast<Module *>(module)->text.find(name) == std::string::npos)
    return NotFound;
  std::lock_guard<std::mutex> guard(state().lock);
  *function = &state().functions.try_emplace(name, Function{name}).first->second;
  return Success;
}
int cuModuleGetGlobal_v2(Pointer *, size_t *, void *, const char *) { return NotFound; }
int cuFuncSetAttribute(void *, int, int) { return usable(); }
int cuFuncGetAttribute(int *value, int, void *) { return *value = 0, usable(); }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *, int, size_t) { return *blocks = 1, usable(); }
int cuLaunchKernel(void *function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *stream,
                   void **, void **) {
  if (int error = usable())
    return error;
  const std::string &name = static_cast<Function *>(function)->name;
  if (captureFakeLaunch(stream, name))
    return Success;
  const void *queue = streamOf(stream);
  std::lock_guard<std::mutex> guard(state().lock);
  if (name.find("bad") != std::string::npos)
    state().lost = true;
  if (name.find("slow") != std::string::npos)
    state().busyUntil[queue] = Clock::now() + std::chrono::seconds(1);
  return Success;
}

int cuMemGetInfo_v2(size_t *free, size_t *total) {
  std::lock_guard<std::mutex> guard(state().lock);
  *free = cardBytes - state().used;
  *total = cardBytes;
  return current ? Success : InvalidContext;
}
int cuMemAlloc_v2(Pointer *at, size_t bytes) {
  if (int error = usable())
    return error;
  std::lock_guard<std::mutex> guard(state().lock);
  if (state().used + bytes > cardBytes)
    return OutOfMemory;
  *at = reinterpret_cast<Pointer>(calloc(bytes, 1));
  state().memory[*at] = bytes;
  state().used += bytes;
  return Success;
}
int cuMemFree_v2(Pointer at) {
  if (int error = usable())
    return error;
  std::lock_guard<std::mutex> guard(state().lock);
  auto found = state().memory.find(at);
  if (found == state().memory.end())
    return InvalidValue;
  state().used -= found->second;
  state().memory.erase(found);
  free(reinterpret_cast<void *>(at));
  return Success;
}

int cuMemGetAllocationGranularity(size_t *bytes, const void *, int) { return *bytes = piece, Success; }
int cuMemAddressReserve(Pointer *at, size_t bytes, size_t, Pointer, unsigned long long) {
  void *base = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  *at = reinterpret_cast<Pointer>(base);
  std::lock_guard<std::mutex> guard(state().lock);
  state().reservations[*at] = bytes;
  return Success;
}
int cuMemAddressFree(Pointer at, size_t bytes) {
  std::lock_guard<std::mutex> guard(state().lock);
  auto found = state().reservations.find(at);
  if (found == state().reservations.end() || found->second != bytes)
    return InvalidValue;
  munmap(reinterpret_cast<void *>(at), bytes);
  state().reservations.erase(found);
  return Success;
}
int cuMemCreate(unsigned long long *handle, size_t bytes, const void *, unsigned long long) {
  if (int error = usable())
    return error;
  std::lock_guard<std::mutex> guard(state().lock);
  if (state().used + bytes > cardBytes)
    return OutOfMemory;
  const int file = memfd_create("fake", MFD_CLOEXEC);
  if (ftruncate(file, off_t(bytes)) != 0)
    return OutOfMemory;
  *handle = ++state().lastHandle;
  state().blocks[*handle] = {file, bytes, 1};
  state().used += bytes;
  return Success;
}
int cuMemRelease(unsigned long long handle) {
  std::lock_guard<std::mutex> guard(state().lock);
  return dropBlock(handle), Success;
}
int cuMemMap(Pointer at, size_t bytes, size_t, unsigned long long handle, unsigned long long) {
  std::lock_guard<std::mutex> guard(state().lock);
  Block &block = state().blocks.at(handle);
  mmap(reinterpret_cast<void *>(at), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, block.file, 0);
  ++block.references;
  state().mapped[at] = bytes;
  state().handleOf[at] = handle;
  return Success;
}
int cuMemSetAccess(Pointer, size_t, const void *, size_t) { return usable(); }
int cuMemUnmap(Pointer at, size_t bytes) {
  std::lock_guard<std::mutex> guard(state().lock);
  if (!state().mapped.erase(at))
    return InvalidValue;
  mmap(reinterpret_cast<void *>(at), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  dropBlock(state().handleOf.at(at));
  return Success;
}
int cuMemExportToShareableHandle(void *descriptor, unsigned long long handle, int, unsigned long long) {
  std::lock_guard<std::mutex> guard(state().lock);
  *static_cast<int *>(descriptor) = dup(state().blocks.at(handle).file);
  return Success;
}
int cuMemImportFromShareableHandle(unsigned long long *, void *, int) { return InvalidValue; }

int cuMemHostRegister_v2(void *memory, size_t, unsigned) {
  std::lock_guard<std::mutex> guard(state().lock);
  state().registered.insert(memory);
  return Success;
}
int cuMemHostUnregister(void *memory) {
  std::lock_guard<std::mutex> guard(state().lock);
  return state().registered.erase(memory) ? Success : InvalidValue;
}

/// A copy that waits for what STREAM has under way, as those of the default stream do for all.
static int copy(void *to, const void *from, size_t bytes, const void *stream) {
  if (int error = await(stream))
    return error;
  memcpy(to, from, bytes);
  return Success;
}
int cuMemcpyHtoD_v2(Pointer to, const void *from, size_t bytes) {
  return copy(reinterpret_cast<void *>(to), from, bytes, streamOf(nullptr));
}
int cuMemcpyDtoH_v2(void *to, Pointer from, size_t bytes) {
  return copy(to, reinterpret_cast<void *>(from), bytes, streamOf(nullptr));
}
int cuMemcpyDtoD_v2(Pointer to, Pointer from, size_t bytes) {
  return copy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes, streamOf(nullptr));
}
int cuMemcpyHtoDAsync_v2(Pointer to, const void *from, size_t bytes, void *stream) {
  return copy(reinterpret_cast<void *>(to), from, bytes, streamOf(stream));
}
int cuMemcpyDtoHAsync_v2(void *to, Pointer from, size_t bytes, void *stream) {
  return copy(to, reinterpret_cast<void *>(from), bytes, streamOf(stream));
}
int cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, size_t bytes, void *stream) {
  return copy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes, streamOf(stream));
}
int cuMemsetD32Async(Pointer at, unsigned value, size_t count, void *stream) {
  if (int error = await(streamOf(stream)))
    return error;
  std::fill_n(reinterpret_cast<unsigned *>(at), count, value);
  return Success;
}

int cuGetErrorString(int error, const char **text) {
  *text = error == OutOfMemory      ? "out of memory"
          : error == InvalidContext ? "invalid device context"
          : error == IllegalAddress ? "an illegal memory access was encountered"
          : error == NotFound       ? "named symbol not found"
                                    : "invalid argument";
  return Success;
}
}
