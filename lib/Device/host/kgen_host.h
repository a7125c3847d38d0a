//===- kgen_host.h - CUDA-C on the host -----------------------------------===//
//
// Forced in front of kernel.cu when g++ compiles it (-std=gnu++17). Defines
// KGEN_HOST. The text pass of Toolchain/HostText.cpp gives each kernel the
// hidden parameters threadIdx, blockIdx, blockDim and gridDim, so that the loop
// over threads of a kernel without barriers can be vectorised. Behind what the
// preprocessor makes of it come the launchers, one of each kernel, which call
// kgen_host::plain or kgen_host::fibres below.
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_HOST_H
#define KGEN_HOST_H
#define KGEN_HOST 1

#include <cstddef>
// The special mathematical functions of C++17, which device code does not have, would be a third of what is compiled.
#undef _GLIBCXX_USE_STD_SPEC_FUNCS

#include <cfloat>
#include <climits>
#include <math.h>
#include <stddef.h>
#include <utility>

#include "kgen_host_fibre.h"

//===--- Qualifiers -------------------------------------------------------===//

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __shared__ static
#define __align__(...) __attribute__((aligned(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
#ifndef __noinline__
#define __noinline__ __attribute__((noinline))
#endif
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
// g++ refuses the standard attribute after `static`; the GNU one may stand anywhere.
#define alignas(...) __attribute__((aligned(__VA_ARGS__)))

// The C library's would print and ask the system for a signal.
#define assert(...) ((__VA_ARGS__) ? void(0) : __builtin_trap())

#define KGEN_HOST_DYNAMIC_SHARED 232448

// `extern __shared__ T name[];` of every kernel is this one array (the text pass adds the label).
extern "C" {
__attribute__((aligned(1024), visibility("hidden"))) unsigned char kgen_host_dynamic_shared[KGEN_HOST_DYNAMIC_SHARED];
}
#define KGEN_HOST_EXTERN_SHARED extern __attribute__((visibility("hidden")))
// Static shared memory of a kernel lies in a section of its own: it is poisoned between blocks, and the
// section's size is what the kernel needs.
#define KGEN_HOST_SHARED(KERNEL) static __attribute__((section("kgen_shared_" #KERNEL)))

#include "kgen_host_hopper.h"

//===--- Vector types -----------------------------------------------------===//

#define KGEN_HOST_VECTOR1(T, N, A)                                                                                     \
  struct __attribute__((aligned(A))) N##1 { T x; };                                                                    \
  static inline N##1 make_##N##1(T x) { return {x}; }
#define KGEN_HOST_VECTOR(T, N, A2, A3, A4)                                                                             \
  KGEN_HOST_VECTOR1(T, N, sizeof(T))                                                                                   \
  struct __attribute__((aligned(A2))) N##2 { T x, y; };                                                                \
  struct __attribute__((aligned(A3))) N##3 { T x, y, z; };                                                             \
  struct __attribute__((aligned(A4))) N##4 { T x, y, z, w; };                                                          \
  static inline N##2 make_##N##2(T x, T y) { return {x, y}; }                                                          \
  static inline N##3 make_##N##3(T x, T y, T z) { return {x, y, z}; }                                                  \
  static inline N##4 make_##N##4(T x, T y, T z, T w) { return {x, y, z, w}; }

KGEN_HOST_VECTOR(signed char, char, 2, 1, 4)
KGEN_HOST_VECTOR(unsigned char, uchar, 2, 1, 4)
KGEN_HOST_VECTOR(short, short, 4, 2, 8)
KGEN_HOST_VECTOR(unsigned short, ushort, 4, 2, 8)
KGEN_HOST_VECTOR(int, int, 8, 4, 16)
KGEN_HOST_VECTOR(unsigned int, uint, 8, 4, 16)
KGEN_HOST_VECTOR(float, float, 8, 4, 16)
KGEN_HOST_VECTOR(double, double, 16, 8, 16)
KGEN_HOST_VECTOR(long long, longlong, 16, 8, 16)
KGEN_HOST_VECTOR(unsigned long long, ulonglong, 16, 8, 16)

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  operator uint3() const { return {x, y, z}; }
};

/// What a kernel sees as threadIdx and so on. Signed, because signed index arithmetic may be assumed
/// not to wrap, which is what lets the loop over threads become vector loads.
struct KGenIndex {
  int x, y, z;
  operator uint3() const { return {unsigned(x), unsigned(y), unsigned(z)}; }
  operator dim3() const { return dim3(unsigned(x), unsigned(y), unsigned(z)); }
};

// For device functions, which have no hidden parameters.
static KGenIndex threadIdx, blockIdx, blockDim, gridDim;
enum { warpSize = 32 };

//===--- Running a kernel -------------------------------------------------===//

namespace kgen_host {

/// Thread i of a block as threadIdx, made once per launch.
static KGenIndex threadTable[MaxThreads];

static void makeThreadTable(const unsigned dim[3]) {
  for (unsigned i = 0; i < dim[0] * dim[1] * dim[2]; ++i)
    threadTable[i] = {int(i % dim[0]), int(i / dim[0] % dim[1]), int(i / dim[0] / dim[1])};
}

static void setThread(unsigned i) { threadIdx = threadTable[i]; }

/// The section of the kernel that runs; null when it has none.
static unsigned char *staticShared, *staticSharedEnd;

static inline void poisonBytes(unsigned char *at, size_t bytes, const unsigned char *poison) {
  for (; bytes > KGEN_HOST_POISON_BYTES; at += KGEN_HOST_POISON_BYTES, bytes -= KGEN_HOST_POISON_BYTES)
    memcpy(at, poison, KGEN_HOST_POISON_BYTES);
  memcpy(at, poison, bytes);
}

static inline void poisonShared(const KGenHostLaunch &launch) {
  if (!launch.poison)
    return;
  poisonBytes(kgen_host_dynamic_shared, launch.sharedBytes, launch.poison);
  if (staticShared)
    poisonBytes(staticShared, size_t(staticSharedEnd - staticShared), launch.poison);
}

/// Calls body(blockIdx) for this process's blocks, in the launch's order.
template <class F>
static inline int forBlocks(const KGenHostLaunch &launch, F body) {
  if (launch.sharedBytes > KGEN_HOST_DYNAMIC_SHARED) {
    snprintf(launch.message, launch.messageSize, "%u bytes of dynamic shared memory, at most %d exist",
             launch.sharedBytes, KGEN_HOST_DYNAMIC_SHARED);
    return 1;
  }
  gridDim = {int(launch.grid[0]), int(launch.grid[1]), int(launch.grid[2])};
  blockDim = {int(launch.block[0]), int(launch.block[1]), int(launch.block[2])};
  long long total = (long long)launch.grid[0] * launch.grid[1] * launch.grid[2];
  for (long long n = launch.first; n < total; n += launch.step) {
    long long i = launch.descending ? total - 1 - n : n;
    blockIdx = {int(i % launch.grid[0]), int(i / launch.grid[0] % launch.grid[1]),
                int(i / launch.grid[0] / launch.grid[1])};
    poisonShared(launch);
    if (!body(blockIdx)) {
      snprintf(launch.message, launch.messageSize, "block (%d,%d,%d): %s", blockIdx.x, blockIdx.y, blockIdx.z,
               block.message);
      return 1;
    }
  }
  return 0;
}

/// Parameter I of the kernel's own parameters.
template <class P>
static inline P argument(const KGenHostLaunch &launch, size_t i) {
  P value;
  memcpy((void *)&value, launch.args[i], sizeof value);
  return value;
}

/// A kernel without barriers: a loop over threads. USES: some device function reads threadIdx.
template <bool Uses, class... P, class F, size_t... I>
static inline __attribute__((always_inline)) int plain(void (*)(KGenIndex, KGenIndex, KGenIndex, KGenIndex, P...),
                                                       const KGenHostLaunch &launch, F body,
                                                       std::index_sequence<I...>) {
  return forBlocks(launch, [&](KGenIndex bid) __attribute__((always_inline)) {
    const KGenIndex bdim = blockDim, gdim = gridDim;
    for (int n = 0; n < bdim.z * bdim.y; ++n) {
      int m = launch.descending ? bdim.z * bdim.y - 1 - n : n, y = m % bdim.y, z = m / bdim.y;
      if (Uses) {
        for (int x = 0; x < bdim.x; ++x) {
          threadIdx = {x, y, z};
          body(KGenIndex{x, y, z}, bid, bdim, gdim, argument<P>(launch, I)...);
        }
      } else {
        // Threads of one block without barriers do not depend on each other.
#pragma omp simd
        for (int x = 0; x < bdim.x; ++x)
          body(KGenIndex{x, y, z}, bid, bdim, gdim, argument<P>(launch, I)...);
      }
    }
    return true;
  });
}

template <class... P, class F, size_t... I>
static inline int fibres(void (*)(KGenIndex, KGenIndex, KGenIndex, KGenIndex, P...), const KGenHostLaunch &launch,
                         F body, std::index_sequence<I...>) {
  makeThreadTable(launch.block);
  return forBlocks(launch, [&](KGenIndex) {
    auto entry = [&] { body(threadIdx, blockIdx, blockDim, gridDim, argument<P>(launch, I)...); };
    block.launch = &launch;
    return runBlock(
        launch.block, launch.descending, setThread, [](void *f) { (*static_cast<decltype(entry) *>(f))(); }, &entry);
  });
}

template <class... P>
static constexpr auto indices(void (*)(KGenIndex, KGenIndex, KGenIndex, KGenIndex, P...)) {
  return std::index_sequence_for<P...>();
}

/// The number of a kernel's own parameters, then the size of each.
template <class... P>
struct Parameters {
  unsigned values[1 + sizeof...(P)];
};
template <class... P>
static constexpr Parameters<P...> parameters(void (*)(KGenIndex, KGenIndex, KGenIndex, KGenIndex, P...)) {
  return {{unsigned(sizeof...(P)), unsigned(sizeof(P))...}};
}

} // namespace kgen_host

#include "kgen_host_math.h"
#include "kgen_host_sync.h"

#endif
