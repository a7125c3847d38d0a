//===- CudaDriver.h - The CUDA Driver API, loaded at run time -------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the few entry points that are used, with the names and types of
// cuda.h, so that no CUDA header is needed to build.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kgen::cuda {

using Result = int;
using DeviceId = int;
using Context = struct OpaqueContext *;
using Module = struct OpaqueModule *;
using Function = struct OpaqueFunction *;
using Stream = struct OpaqueStream *;
using Event = struct OpaqueEvent *;
using Graph = struct OpaqueGraph *;
using GraphExec = struct OpaqueGraphExec *;
using GraphNode = struct OpaqueGraphNode *;
using Pointer = unsigned long long;

/// CU_STREAM_PER_THREAD: the calling thread's own stream in its current context.
inline Stream threadStream() { return reinterpret_cast<Stream>(uintptr_t(2)); }

/// Values of CUdevice_attribute.
enum Attribute {
  MaxThreadsPerBlock = 1,
  MultiprocessorCount = 16,
  MemoryClockKHz = 36,
  BusWidthBits = 37,
  L2Bytes = 38,
  Major = 75,
  Minor = 76,
  SharedPerBlockOptin = 97,
};
/// Values of CUfunction_attribute.
enum FunctionAttribute { StaticShared = 1, LocalBytes = 3, MaxDynamicShared = 8, NonPortableCluster = 14 };

/// CU_EVENT_DISABLE_TIMING and CU_STREAM_NON_BLOCKING.
enum { EventWithoutTime = 2, StreamNonBlocking = 1 };

/// CUlaunchAttribute with the cluster form of its value; 64 bytes of value, 72 in all.
struct LaunchAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } cluster;
    int flag;
  } value;
};
enum { AttributeCooperative = 2, AttributeCluster = 4, AttributeProgrammaticSerialization = 6 };
/// CUlaunchConfig.
struct LaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

/// CUmemAllocationProp: memory of one device that no other process shares.
struct AllocationProperties {
  int type = 1, handleTypes = 0;      ///< pinned; exportable as a descriptor: 1
  int locationType = 1, location = 0; ///< device N
  void *windowsHandle = nullptr;
  unsigned char flags[8] = {};
};
/// CUmemAccessDesc.
struct AccessDescription {
  int locationType = 1, location = 0, flags = 3; ///< read and write
};

struct Driver {
  Result (*init)(unsigned);
  Result (*deviceGetCount)(int *);
  Result (*deviceGet)(DeviceId *, int);
  Result (*deviceGetName)(char *, int, DeviceId);
  Result (*deviceGetAttribute)(int *, int, DeviceId);
  Result (*deviceTotalMem)(size_t *, DeviceId);
  Result (*primaryRetain)(Context *, DeviceId);
  Result (*setCurrent)(Context);
  Result (*getCurrent)(Context *);
  Result (*currentDevice)(DeviceId *);
  Result (*moduleLoadData)(Module *, const void *);
  Result (*moduleUnload)(Module);
  Result (*moduleGetFunction)(Function *, Module, const char *);
  Result (*moduleGetGlobal)(Pointer *, size_t *, Module, const char *);
  Result (*functionSetAttribute)(Function, int, int);
  Result (*functionGetAttribute)(int *, int, Function);
  Result (*functionGetParamInfo)(Function, size_t, size_t *, size_t *); ///< null before CUDA 12.4
  Result (*memAlloc)(Pointer *, size_t);
  Result (*memFree)(Pointer);
  Result (*memInfo)(size_t *, size_t *);
  // Virtual memory: null in drivers before CUDA 10.2.
  Result (*memGranularity)(size_t *, const AllocationProperties *, int);
  Result (*memReserve)(Pointer *, size_t, size_t, Pointer, unsigned long long);
  Result (*memCreate)(unsigned long long *, size_t, const AllocationProperties *, unsigned long long);
  Result (*memMap)(Pointer, size_t, size_t, unsigned long long, unsigned long long);
  Result (*memSetAccess)(Pointer, size_t, const AccessDescription *, size_t);
  Result (*memRelease)(unsigned long long); ///< the memory is kept by its mappings and descriptors
  Result (*memUnmap)(Pointer, size_t);
  Result (*memAddressFree)(Pointer, size_t);
  Result (*memExport)(void *, unsigned long long, int, unsigned long long);
  Result (*memImport)(unsigned long long *, void *, int);
  Result (*copyOnDevice)(Pointer, Pointer, size_t);
  Result (*copyToDevice)(Pointer, const void *, size_t);
  Result (*copyToHost)(void *, Pointer, size_t);
  Result (*queueCopyOnDevice)(Pointer, Pointer, size_t, Stream);
  Result (*queueCopyToDevice)(Pointer, const void *, size_t, Stream);
  Result (*queueCopyToHost)(void *, Pointer, size_t, Stream);
  Result (*memset32)(Pointer, unsigned, size_t, Stream);
  Result (*hostRegister)(void *, size_t, unsigned);
  Result (*hostUnregister)(void *);
  Result (*launch)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void **,
                   void **);
  Result (*launchEx)(const LaunchConfig *, Function, void **, void **); ///< null before CUDA 11.8
  Result (*maxActiveBlocks)(int *, Function, int, size_t);
  /// cuTensorMapEncodeTiled; null before CUDA 12.
  Result (*encodeTiled)(void *, int type, unsigned rank, void *base, const uint64_t *dims, const uint64_t *strides,
                        const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int l2, int fill);
  Result (*contextSynchronize)();
  Result (*resetPersistingL2)(); ///< null before CUDA 11
  Result (*deviceBusId)(char *, int, DeviceId);
  Result (*eventCreate)(Event *, unsigned);
  Result (*eventRecord)(Event, Stream);
  Result (*eventSynchronize)(Event);
  Result (*eventElapsed)(float *, Event, Event);
  Result (*eventDestroy)(Event);
  Result (*streamCreate)(Stream *, unsigned flags); ///< 1: does not wait for the default stream
  Result (*streamSynchronize)(Stream);
  Result (*streamDestroy)(Stream);
  // Graphs: null in drivers before CUDA 11.4.
  Result (*beginCapture)(Stream, int mode); ///< 2: relaxed
  Result (*endCapture)(Stream, Graph *);
  Result (*graphInstantiate)(GraphExec *, Graph, unsigned long long flags);
  Result (*graphUpload)(GraphExec, Stream);
  Result (*graphLaunch)(GraphExec, Stream);
  Result (*graphExecDestroy)(GraphExec);
  Result (*graphDestroy)(Graph);
  // What is captured on several streams, and where: null in drivers before CUDA 11.3.
  Result (*streamWaitEvent)(Stream, Event, unsigned flags);
  /// The status is 1 while STREAM is captured; then a number of the capture, and what comes behind which nodes there.
  Result (*captureInfo)(Stream, int *status, unsigned long long *id, Graph *, const GraphNode **, size_t *count);
  Result (*graphNodeType)(GraphNode, int *type); ///< 0: a kernel
  Result (*errorString)(Result, const char **);

  /// The driver, loaded and initialised once. Null, and one sentence in FAILURE, when there is none.
  static const Driver *get(std::string &failure);
  /// CUDA's words for RESULT.
  const char *describe(Result result) const;
};

} // namespace kgen::cuda
