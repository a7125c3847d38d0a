//===- CudaDriver.cpp - The CUDA Driver API, loaded at run time -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Runtime/CudaDriver.h"

#include <dlfcn.h>
#include <string>
#include <type_traits>

using namespace kgen::cuda;

static std::string loadDriver(Driver &driver) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return "no CUDA driver on this machine (libcuda.so.1 is not found)";
  std::string missing;
  auto optional = [&](auto &slot, const char *name) {
    slot = reinterpret_cast<std::decay_t<decltype(slot)>>(dlsym(library, name));
  };
  auto get = [&](auto &slot, const char *name) {
    optional(slot, name);
    if (!slot && missing.empty())
      missing = std::string("the CUDA driver lacks ") + name + ": it is too old";
  };
  get(driver.init, "cuInit");
  get(driver.deviceGetCount, "cuDeviceGetCount");
  get(driver.deviceGet, "cuDeviceGet");
  get(driver.deviceGetName, "cuDeviceGetName");
  get(driver.deviceGetAttribute, "cuDeviceGetAttribute");
  get(driver.deviceTotalMem, "cuDeviceTotalMem_v2");
  get(driver.primaryRetain, "cuDevicePrimaryCtxRetain");
  get(driver.setCurrent, "cuCtxSetCurrent");
  get(driver.getCurrent, "cuCtxGetCurrent");
  get(driver.currentDevice, "cuCtxGetDevice");
  get(driver.moduleLoadData, "cuModuleLoadData");
  get(driver.moduleUnload, "cuModuleUnload");
  get(driver.moduleGetFunction, "cuModuleGetFunction");
  get(driver.moduleGetGlobal, "cuModuleGetGlobal_v2");
  get(driver.functionSetAttribute, "cuFuncSetAttribute");
  get(driver.functionGetAttribute, "cuFuncGetAttribute");
  optional(driver.functionGetParamInfo, "cuFuncGetParamInfo");
  get(driver.memAlloc, "cuMemAlloc_v2");
  get(driver.memFree, "cuMemFree_v2");
  get(driver.memInfo, "cuMemGetInfo_v2");
  optional(driver.memGranularity, "cuMemGetAllocationGranularity");
  optional(driver.memReserve, "cuMemAddressReserve");
  optional(driver.memCreate, "cuMemCreate");
  optional(driver.memMap, "cuMemMap");
  optional(driver.memSetAccess, "cuMemSetAccess");
  optional(driver.memRelease, "cuMemRelease");
  optional(driver.memUnmap, "cuMemUnmap");
  optional(driver.memAddressFree, "cuMemAddressFree");
  optional(driver.memExport, "cuMemExportToShareableHandle");
  optional(driver.memImport, "cuMemImportFromShareableHandle");
  get(driver.copyOnDevice, "cuMemcpyDtoD_v2");
  optional(driver.resetPersistingL2, "cuCtxResetPersistingL2Cache");
  get(driver.deviceBusId, "cuDeviceGetPCIBusId");
  get(driver.copyToDevice, "cuMemcpyHtoD_v2");
  get(driver.copyToHost, "cuMemcpyDtoH_v2");
  get(driver.queueCopyOnDevice, "cuMemcpyDtoDAsync_v2");
  get(driver.queueCopyToDevice, "cuMemcpyHtoDAsync_v2");
  get(driver.queueCopyToHost, "cuMemcpyDtoHAsync_v2");
  get(driver.memset32, "cuMemsetD32Async");
  get(driver.hostRegister, "cuMemHostRegister_v2");
  get(driver.hostUnregister, "cuMemHostUnregister");
  get(driver.launch, "cuLaunchKernel");
  optional(driver.launchEx, "cuLaunchKernelEx");
  get(driver.maxActiveBlocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  optional(driver.encodeTiled, "cuTensorMapEncodeTiled");
  get(driver.contextSynchronize, "cuCtxSynchronize");
  get(driver.eventCreate, "cuEventCreate");
  get(driver.eventRecord, "cuEventRecord");
  get(driver.eventSynchronize, "cuEventSynchronize");
  get(driver.eventElapsed, "cuEventElapsedTime");
  get(driver.eventDestroy, "cuEventDestroy_v2");
  get(driver.streamCreate, "cuStreamCreate");
  get(driver.streamSynchronize, "cuStreamSynchronize");
  get(driver.streamDestroy, "cuStreamDestroy_v2");
  optional(driver.beginCapture, "cuStreamBeginCapture_v2");
  optional(driver.endCapture, "cuStreamEndCapture");
  optional(driver.graphInstantiate, "cuGraphInstantiateWithFlags");
  optional(driver.graphUpload, "cuGraphUpload");
  optional(driver.graphLaunch, "cuGraphLaunch");
  optional(driver.graphExecDestroy, "cuGraphExecDestroy");
  optional(driver.graphDestroy, "cuGraphDestroy");
  optional(driver.streamWaitEvent, "cuStreamWaitEvent");
  optional(driver.captureInfo, "cuStreamGetCaptureInfo_v2");
  optional(driver.graphNodeType, "cuGraphNodeGetType");
  get(driver.errorString, "cuGetErrorString");
  if (!missing.empty())
    return missing;
  if (Result error = driver.init(0))
    return std::string("the CUDA driver does not start: ") + driver.describe(error);
  return "";
}

const Driver *Driver::get(std::string &failure) {
  static Driver driver = {};
  static const std::string fault = loadDriver(driver);
  failure = fault;
  return fault.empty() ? &driver : nullptr;
}

const char *Driver::describe(Result result) const {
  const char *text = nullptr;
  if (errorString(result, &text) != 0 || !text)
    return "unknown error";
  return text;
}
