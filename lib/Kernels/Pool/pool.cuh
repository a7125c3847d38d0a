// pool.cuh - windows of a fixed size: each thread folds kCoarsen neighbouring windows of one row.
//@ section standalone
#define HAS_Y 1
#define HAS_Z 1
namespace example {
constexpr int kThreads = 256, kCoarsen = 2, kUnroll = 3;
constexpr int kInputZ = 32, kInputY = 32, kInputX = 32, kOutputZ = 16, kOutputY = 16, kOutputX = 16;
constexpr int kWindowZ = 3, kWindowY = 3, kWindowX = 3, kStrideZ = 2, kStrideY = 2, kStrideX = 2;
constexpr int kPaddingZ = 1, kPaddingY = 1, kPaddingX = 1, kDilationZ = 1, kDilationY = 1, kDilationX = 1;
constexpr bool kGuardZ = true, kGuardY = true, kGuardX = true;
constexpr long long kPlanes = 1600;
constexpr int kItemsX = (kOutputX + kCoarsen - 1) / kCoarsen;
constexpr int kSpan = (kCoarsen - 1) * kStrideX + (kWindowX - 1) * kDilationX + 1;
struct Operands {
  const float *in0;
  float *out0;
};
__device__ __forceinline__ float neutral() { return -__int_as_float(0x7f800000); }
__device__ __forceinline__ float fold(float a, float b) { return b > a || b != b ? b : a; }
__device__ __forceinline__ float load(const Operands &operands, long long offset, int, int, int, int) {
  return operands.in0[offset];
}
__device__ __forceinline__ void store(const Operands &operands, long long offset, int, int, int, int, float folded) {
  operands.out0[offset] = folded;
}
} // namespace example
//@ end
// Windows that lie side by side share inputs: the part of an input row that kCoarsen of them cover
// is read once, into registers.
//@ sizes kThreads | 0
//@ asserts kThreads % 32 == 0 && kItemsX * kCoarsen >= kOutputX
extern "C" __global__ void __launch_bounds__(example::kThreads)
//@ replace signature
    example_windows(const float *__restrict__ in0, float *__restrict__ out0) {
//@ end
  using namespace example;
//@ replace operands
  const Operands operands{in0, out0};
//@ end
  long long item = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
#if HAS_Z
  if (item >= kPlanes * kOutputZ * kOutputY * kItemsX)
    return;
#else
#if HAS_Y
  if (item >= kPlanes * kOutputY * kItemsX)
    return;
#else
  if (item >= kPlanes * kItemsX)
    return;
#endif
#endif
#if CHANNELS_LAST
  // Neighbouring threads read neighbouring channels.
  const int channel = static_cast<int>(item % kChannels);
  item /= kChannels;
#endif
  const int x = static_cast<int>(item % kItemsX) * kCoarsen;
  item /= kItemsX;
#if HAS_Y
  const int y = static_cast<int>(item % kOutputY);
  item /= kOutputY;
#endif
#if HAS_Z
  const int z = static_cast<int>(item % kOutputZ);
  item /= kOutputZ;
#endif
#if CHANNELS_LAST
  const int plane = static_cast<int>(item) * kChannels + channel;
#else
  const int plane = static_cast<int>(item);
#endif

  float folded[kCoarsen];
#pragma unroll
  for (int i = 0; i < kCoarsen; ++i)
    folded[i] = neutral();
  long long row = plane;
#if HAS_Z
#pragma unroll kUnroll
  for (int window_z = 0; window_z < kWindowZ; ++window_z) {
    const int input_z = z * kStrideZ - kPaddingZ + window_z * kDilationZ;
    if (kGuardZ && (input_z < 0 || input_z >= kInputZ))
      continue;
#endif
#if HAS_Y
#pragma unroll kUnroll
    for (int window_y = 0; window_y < kWindowY; ++window_y) {
      const int input_y = y * kStrideY - kPaddingY + window_y * kDilationY;
      if (kGuardY && (input_y < 0 || input_y >= kInputY))
        continue;
#if HAS_Z
      row = (static_cast<long long>(plane) * kInputZ + input_z) * kInputY + input_y;
#else
      row = static_cast<long long>(plane) * kInputY + input_y;
#endif
#endif
      float value[kSpan];
#pragma unroll
      for (int i = 0; i < kSpan; ++i) {
        const int input_x = x * kStrideX - kPaddingX + i;
        value[i] = neutral();
        if (!kGuardX || (input_x >= 0 && input_x < kInputX))
#if HAS_Z
          value[i] = load(operands, row * kInputX + input_x, plane, input_z, input_y, input_x);
#else
#if HAS_Y
          value[i] = load(operands, row * kInputX + input_x, plane, 0, input_y, input_x);
#else
          value[i] = load(operands, row * kInputX + input_x, plane, 0, 0, input_x);
#endif
#endif
      }
#pragma unroll
      for (int i = 0; i < kCoarsen; ++i)
#pragma unroll
        for (int window_x = 0; window_x < kWindowX; ++window_x)
          folded[i] = fold(folded[i], value[i * kStrideX + window_x * kDilationX]);
#if HAS_Y
    }
#endif
#if HAS_Z
  }
#endif

#if HAS_Z
  const long long output = ((static_cast<long long>(plane) * kOutputZ + z) * kOutputY + y) * kOutputX + x;
#else
#if HAS_Y
  const long long output = (static_cast<long long>(plane) * kOutputY + y) * kOutputX + x;
#else
  const long long output = static_cast<long long>(plane) * kOutputX + x;
#endif
#endif
#pragma unroll
  for (int i = 0; i < kCoarsen; ++i)
    if (kOutputX % kCoarsen == 0 || x + i < kOutputX)
#if HAS_Z
      store(operands, output + i, plane, z, y, x + i, folded[i]);
#else
#if HAS_Y
      store(operands, output + i, plane, 0, y, x + i, folded[i]);
#else
      store(operands, output + i, plane, 0, 0, x + i, folded[i]);
#endif
#endif
}
