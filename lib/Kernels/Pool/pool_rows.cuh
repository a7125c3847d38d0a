// pool_rows.cuh - windows along one dimension: a block folds a stretch of a row, which passes through shared memory.
//@ section standalone
#include "kgen_device.cuh"
#define PACKS 1
namespace example {
constexpr int kThreads = 96, kCoarsen = 11;
constexpr int kInputX = 4096, kOutputX = 4083, kWindowX = 8, kStrideX = 1, kPaddingX = 4, kDilationX = 3;
constexpr long long kPlanes = 1600;
constexpr int kApart = 3, kTaps = 1, kLine = 32, kStretch = 1056, kPack = 4;
struct Operands {
  const float *in0;
  float *out0;
};
__device__ __forceinline__ float neutral() { return -__int_as_float(0x7f800000); }
__device__ __forceinline__ float fold(float a, float b) { return kgen::max_nan(a, b); }
__device__ __forceinline__ float load(const Operands &operands, long long offset, int, int, int, int) {
  return operands.in0[offset];
}
struct Source {
  float lane[kPack];
};
__device__ __forceinline__ const float *source(const Operands &operands) { return operands.in0; }
__device__ __forceinline__ float widened(float value) { return value; }
__device__ __forceinline__ void store(const Operands &operands, long long offset, int, int, int, int, float folded) {
  operands.out0[offset] = folded;
}
} // namespace example
//@ end
// Windows of one thread begin kApart outputs from each other and so share inputs, of which one is kTaps further in the
// next window. The input comes in packs of 16 bytes where it can, and a stretch ends where a line of 128 bytes of the
// result does: neighbours in a warp are neighbours in memory in both.
//@ sizes kThreads | 0
//@ asserts kThreads % 32 == 0 && kStretch % kLine == 0 && kStretch <= kThreads / kApart * kApart * kCoarsen
extern "C" __global__ void __launch_bounds__(example::kThreads)
//@ replace signature
    example_rows(const float *__restrict__ in0, float *__restrict__ out0) {
//@ end
  using namespace example;
//@ replace operands
  const Operands operands{in0, out0};
//@ end
  constexpr int kFolding = kThreads / kApart * kApart;                                      // threads
  constexpr int kSpan = (kFolding * kCoarsen - 1) * kStrideX + (kWindowX - 1) * kDilationX + 1; // of all their windows
  constexpr int kStretches = (kOutputX + kLine - 1 + kStretch - 1) / kStretch;
#if PACKS
  constexpr int kMoved = (kSpan + kPack - 1 + kPack - 1) / kPack * kPack;
#else
  constexpr int kMoved = kSpan;
#endif
  __shared__ __align__(16) float held[kMoved];
  const int plane = static_cast<int>(blockIdx.x / kStretches);
  const int x0 = static_cast<int>(blockIdx.x % kStretches) * kStretch -
                 static_cast<int>(static_cast<long long>(plane) * kOutputX % kLine);
  const int begin = x0 * kStrideX - kPaddingX;
  const long long row = static_cast<long long>(plane) * kInputX;
#if PACKS
  const int skip = static_cast<int>((row + begin + kPack * kSpan) % kPack); // since the last pack began
#pragma unroll
  for (int i = 0; i < (kMoved / kPack + kThreads - 1) / kThreads; ++i) {
    const int at = (i * kThreads + static_cast<int>(threadIdx.x)) * kPack, x = begin - skip + at;
    if (at >= kMoved)
      break;
    Source pack = {};
    // Packs at the ends of rows have elements of neighbours, which do not count.
    if (x > -kPack && x < kInputX) {
      if (row + x >= 0 && row + x + kPack <= kPlanes * kInputX) {
        const uint4 bits = __ldg(reinterpret_cast<const uint4 *>(source(operands) + row + x));
        memcpy(&pack, &bits, sizeof(bits));
      } else {
#pragma unroll
        for (int lane = 0; lane < kPack; ++lane)
          if (x + lane >= 0 && x + lane < kInputX)
            pack.lane[lane] = source(operands)[row + x + lane];
      }
    }
#pragma unroll
    for (int lane = 0; lane < kPack; lane += 4) {
      float4 values;
      float *const value[4] = {&values.x, &values.y, &values.z, &values.w};
#pragma unroll
      for (int j = 0; j < 4; ++j)
        *value[j] = x + lane + j >= 0 && x + lane + j < kInputX ? widened(pack.lane[lane + j]) : neutral();
      *reinterpret_cast<float4 *>(held + at + lane) = values;
    }
  }
#else
  constexpr int skip = 0;
#pragma unroll 8
  for (int at = threadIdx.x; at < kSpan; at += kThreads) {
    const int x = begin + at;
    held[at] = x >= 0 && x < kInputX ? load(operands, row + x, plane, 0, 0, x) : neutral();
  }
#endif
  __syncthreads();

  const int mine = static_cast<int>(threadIdx.x) / kApart * (kApart * kCoarsen) + static_cast<int>(threadIdx.x) % kApart;
  const bool folds = threadIdx.x < kFolding;
  float folded[kCoarsen];
  if (folds) {
    float value[(kCoarsen - 1) * kTaps + kWindowX];
#pragma unroll
    for (int i = 0; i < (kCoarsen - 1) * kTaps + kWindowX; ++i)
      value[i] = held[skip + mine * kStrideX + i * kDilationX];
#pragma unroll
    for (int i = 0; i < kCoarsen; ++i) {
      folded[i] = neutral();
#pragma unroll
      for (int tap = 0; tap < kWindowX; ++tap)
        folded[i] = fold(folded[i], value[i * kTaps + tap]);
    }
  }
  __syncthreads();
  if (folds)
#pragma unroll
    for (int i = 0; i < kCoarsen; ++i)
      held[mine + i * kApart] = folded[i];
  __syncthreads();
  const long long output = static_cast<long long>(plane) * kOutputX;
#pragma unroll
  for (int at = threadIdx.x; at < kStretch; at += kThreads)
    if (const int x = x0 + at; x >= 0 && x < kOutputX)
      store(operands, output + x, plane, 0, 0, x, held[at]);
}
