//===- LaunchForms.cpp - What a plan's launches become --------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Runtime/LaunchForms.h"

#include "../Device/host/kgen_host_abi.h"

#include <cstring>
#include <sys/mman.h>

namespace kgen::runtime {

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

cuda::Result allowLaunch(const cuda::Driver &driver, cuda::Function function, const LaunchShape &shape,
                         unsigned staticBytes) {
  if (shape.sharedBytes + staticBytes > 48 * 1024)
    if (cuda::Result error = driver.functionSetAttribute(function, cuda::MaxDynamicShared, int(shape.sharedBytes)))
      return error;
  if (shape.clusterBlocks() > 8)
    driver.functionSetAttribute(function, cuda::NonPortableCluster, 1);
  return 0;
}

cuda::Result launchKernel(const cuda::Driver &driver, cuda::Function function, const LaunchShape &shape,
                          cuda::Stream stream, void **arguments, bool overlaps) {
  const auto &[grid, block, cluster, sharedBytes, cooperative] = shape;
  cuda::LaunchAttribute attributes[3] = {};
  unsigned count = 0;
  if (shape.clusterBlocks() > 1) {
    attributes[count].id = cuda::AttributeCluster;
    attributes[count++].value.cluster = {cluster[0], cluster[1], cluster[2]};
  }
  if (cooperative) {
    attributes[count].id = cuda::AttributeCooperative;
    attributes[count++].value.flag = 1;
  } else if (overlaps && driver.launchEx) {
    attributes[count].id = cuda::AttributeProgrammaticSerialization;
    attributes[count++].value.flag = 1;
  }
  if (!count)
    return driver.launch(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], sharedBytes, stream,
                         arguments, nullptr);
  if (!driver.launchEx)
    return driverLacksIt;
  cuda::LaunchConfig config = {grid[0],  grid[1],     grid[2], block[0],   block[1],
                               block[2], sharedBytes, stream,  attributes, count};
  return driver.launchEx(&config, function, arguments, nullptr);
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

namespace {
struct ElementForm {
  const char *dtype;
  int type; ///< CUtensorMapDataType
  unsigned char bytes;
};
} // namespace

/// Who reads a plan has refused other types.
static const ElementForm &formOf(const char *dtype) {
  static const ElementForm forms[] = {{"f64", 8, 8}, {"f32", 7, 4}, {"tf32", 11, 4}, {"f16", 6, 2}, {"bf16", 9, 2},
                                      {"i64", 5, 8}, {"i32", 3, 4}, {"i8", 0, 1},    {"i1", 0, 1}};
  for (const ElementForm &form : forms)
    if (!strcmp(form.dtype, dtype))
      return form;
  return forms[3];
}

cuda::Result encodeForCard(const cuda::Driver &driver, const TensorMapShape &shape, void *base, void *to) {
  if (!driver.encodeTiled)
    return driverLacksIt;
  // 32, 64 and 128 bytes of swizzle, and 64, 128 and 256 of L2, are 1 to 3.
  auto log = [](int bytes, int first) { return bytes == 0 ? 0 : bytes == first ? 1 : bytes == 2 * first ? 2 : 3; };
  const uint32_t steps[5] = {1, 1, 1, 1, 1};
  return driver.encodeTiled(to, formOf(shape.dtype).type, shape.rank, base, shape.dims, shape.strides, shape.box, steps,
                            0, log(shape.swizzle, 32), log(shape.l2, 64), 0);
}

void encodeForHost(const TensorMapShape &shape, void *base, void *to) {
  KGenHostTensorMap map = {};
  map.magic = KGEN_HOST_TENSOR_MAP_MAGIC;
  map.rank = static_cast<unsigned char>(shape.rank);
  map.elementBytes = formOf(shape.dtype).bytes;
  map.tf32 = !strcmp(shape.dtype, "tf32");
  map.swizzle = shape.swizzle == 128 ? 1 : shape.swizzle == 64 ? 2 : shape.swizzle == 32 ? 3 : 0;
  map.base = reinterpret_cast<unsigned long long>(base);
  for (unsigned d = 0; d < shape.rank; ++d) {
    map.dims[d] = shape.dims[d];
    map.box[d] = static_cast<unsigned short>(shape.box[d]);
    if (d)
      map.strides[d - 1] = shape.strides[d - 1];
  }
  static_assert(sizeof map == tensorMapBytes, "a tensor map has 128 bytes");
  memcpy(to, &map, sizeof map);
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

static char *mapMemory(size_t bytes) {
  void *at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<char *>(at);
}

HostStacks::~HostStacks() {
  if (stacks)
    munmap(stacks, size_t(threads) * KGEN_HOST_STACK_BYTES);
  if (queues)
    munmap(queues, queueBytes);
}

bool HostStacks::allocate(unsigned count) {
  queues = mapMemory(queueBytes);
  if (count)
    stacks = mapMemory(size_t(count) * KGEN_HOST_STACK_BYTES);
  if (!queues || (count && !stacks))
    return false;
  threads = count;
  for (unsigned i = 0; i < threads; ++i)
    mprotect(stacks + size_t(i) * KGEN_HOST_STACK_BYTES, guardBytes, PROT_NONE);
  return true;
}

void HostStacks::lend(KGenHostLaunch &call) const {
  call.stacks = stacks;
  call.stackCount = threads;
  call.queues = queues;
  call.queuesEnd = queues + queueBytes;
}

char *HostStacks::endOf(unsigned i) const { return stacks + size_t(i + 1) * KGEN_HOST_STACK_BYTES; }

} // namespace kgen::runtime
