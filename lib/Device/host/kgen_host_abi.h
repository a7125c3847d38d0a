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

#define KGEN_HOST_ABI_VERSION 2

/// What a thread with barriers has of stack; its lowest page is not mapped.
#define KGEN_HOST_STACK_BYTES 131072
/// Bytes of a launch's `poison`, which repeat.
#define KGEN_HOST_POISON_BYTES 32768

/// One launch. `args[i]` points at the value of parameter i, as in cuLaunchKernel.
struct KGenHostLaunch {
  unsigned grid[3], block[3];
  unsigned sharedBytes;  ///< dynamic shared memory
  int descending;        ///< run threads and blocks from the last to the first
  const unsigned char *poison; ///< what fills shared memory before each block; null: leave it
  unsigned first, step;  ///< this process runs the blocks first, first + step, ...
  void **args;
  char *message;         ///< receives one sentence when the result is not 0
  unsigned messageSize;
  char *stacks;          ///< of threads that wait for each other, one above the other
  unsigned stackCount;
  char *queues, *queuesEnd; ///< memory for what is under way; as a kernel asks for none, there is no other
};

#define KGEN_HOST_TENSOR_MAP_MAGIC 0x4d4b474eu

/// What device host keeps in the 128 bytes of a tensor map. The innermost dimension is first.
struct KGenHostTensorMap {
  unsigned magic;
  unsigned char rank, elementBytes, swizzle; ///< swizzle as in a matrix descriptor: 0, 1 (128 B), 2 (64), 3 (32)
  unsigned char tf32;                        ///< 1: copies to shared memory round f32 elements
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
