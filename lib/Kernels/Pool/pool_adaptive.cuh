// pool_adaptive.cuh - average of windows whose bounds follow from the output's position.
//@ section standalone
namespace example {
constexpr int kThreads = 256;
constexpr int kInputZ = 8, kInputY = 8, kInputX = 8, kOutputZ = 3, kOutputY = 3, kOutputX = 3;
constexpr long long kPlanes = 1600;
struct Operands {
  const float *in0;
  float *out0;
};
__device__ __forceinline__ float load(const Operands &operands, long long offset, int, int, int, int) {
  return operands.in0[offset];
}
__device__ __forceinline__ void store(const Operands &operands, long long offset, int, int, int, int, float folded) {
  operands.out0[offset] = folded;
}
} // namespace example
//@ end
// One thread for each output, whose window is [o * input / output, ceil((o + 1) * input / output)).
//@ sizes kThreads | 0
//@ asserts kThreads % 32 == 0
extern "C" __global__ void __launch_bounds__(example::kThreads)
//@ replace signature
    example_windows(const float *__restrict__ in0, float *__restrict__ out0) {
//@ end
  using namespace example;
//@ replace operands
  const Operands operands{in0, out0};
//@ end
  const long long output = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
  if (output >= kPlanes * kOutputZ * kOutputY * kOutputX)
    return;
#if CHANNELS_LAST
  // Neighbouring threads read neighbouring channels.
  const long long pixel = output / kChannels;
  const int x = static_cast<int>(pixel % kOutputX);
  const int y = static_cast<int>(pixel / kOutputX % kOutputY);
  const int z = static_cast<int>(pixel / (kOutputX * kOutputY) % kOutputZ);
  const int plane =
      static_cast<int>(pixel / (kOutputX * kOutputY * kOutputZ)) * kChannels + static_cast<int>(output % kChannels);
#else
  const int x = static_cast<int>(output % kOutputX);
  const int y = static_cast<int>(output / kOutputX % kOutputY);
  const int z = static_cast<int>(output / (kOutputX * kOutputY) % kOutputZ);
  const int plane = static_cast<int>(output / (kOutputX * kOutputY * kOutputZ));
#endif
  const int first_x = x * kInputX / kOutputX, last_x = ((x + 1) * kInputX + kOutputX - 1) / kOutputX;
  const int first_y = y * kInputY / kOutputY, last_y = ((y + 1) * kInputY + kOutputY - 1) / kOutputY;
  const int first_z = z * kInputZ / kOutputZ, last_z = ((z + 1) * kInputZ + kOutputZ - 1) / kOutputZ;

  float sum = 0.0f;
  for (int input_z = first_z; input_z < last_z; ++input_z)
    for (int input_y = first_y; input_y < last_y; ++input_y) {
      const long long row = (static_cast<long long>(plane) * kInputZ + input_z) * kInputY + input_y;
      float of_row = 0.0f; // rows first: shorter chains of additions lose fewer digits
      for (int input_x = first_x; input_x < last_x; ++input_x)
        of_row += load(operands, row * kInputX + input_x, plane, input_z, input_y, input_x);
      sum += of_row;
    }
  const int count = (last_x - first_x) * (last_y - first_y) * (last_z - first_z);
#if CHANNELS_LAST
  const long long place = ((static_cast<long long>(plane) * kOutputZ + z) * kOutputY + y) * kOutputX + x;
  store(operands, place, plane, z, y, x, sum / static_cast<float>(count));
#else
  store(operands, output, plane, z, y, x, sum / static_cast<float>(count));
#endif
}
