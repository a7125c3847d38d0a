//===- kgen_host_abi.h - How a worker calls a kernel on the host ----------===//
//
// The C interface between a kernel that the host compiler built and the worker
// that runs it. A library exports `kgen_host_launch_NAME` for every kernel.
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_HOST_ABI_H
#define KGEN_HOST_ABI_H

#ifdef __cplusplus
extern "C" {
#endif

#define KGEN_HOST_ABI_VERSION 1

/// One launch. `args[i]` points at the value of parameter i, as in cuLaunchKernel.
struct KGenHostLaunch {
  unsigned grid[3], block[3];
  unsigned sharedBytes;  ///< dynamic shared memory
  int descending;        ///< run threads and blocks from the last to the first
  int poison;            ///< fill shared memory with this byte before each block; -1: leave it
  unsigned first, step;  ///< this process runs the blocks first, first + step, ...
  void **args;
  char *message;         ///< receives one sentence when the result is not 0
  unsigned messageSize;
};

#define KGEN_HOST_TENSOR_MAP_MAGIC 0x4d4b474eu

/// What device host keeps in the 128 bytes of a tensor map. The innermost dimension is first.
struct KGenHostTensorMap {
  unsigned magic;
  unsigned char rank, elementBytes, swizzle, unused; ///< swizzle as in a matrix descriptor: 0, 1 (128 B), 2 (64), 3 (32)
  unsigned long long base, dims[5];
  unsigned long long strides[4]; ///< bytes, of dimension 1 and on
  unsigned short box[5];
  unsigned char pad[30];
};

/// 0: ran. 1: a fault of the kernel, explained in `message`.
typedef int (*KGenHostKernel)(const struct KGenHostLaunch *);

#ifdef __cplusplus
}
#endif
#endif
