//===- conv_planes.cuh - A filter for each channel, channels first --------===//
//
// A plane is one channel of one image. LANES threads have neighbouring outputs of a row; each has TX of them, LANES
// apart, in each of TY rows. So every access of theirs is one piece of memory, wherever a row begins. A thread goes down
// the rows of the input once and meets each pixel with the taps of all its rows; the columns that taps share come out of
// the first-level cache. Weights are in registers.
//
//===----------------------------------------------------------------------===//
#include <cuda_bf16.h>
#include <cuda_fp16.h>

//@ replace constants
namespace example {
// The problem: images of C planes of H x W, filters of KH x KW, outputs of C planes of OH x OW.
using In = float;  // element type of the input and the weights
using Out = float; // element type of the result
constexpr int IMAGES = 16, C = 64, H = 512, W = 512;
constexpr int OH = 510, OW = 510, KH = 3, KW = 3;
constexpr int STRIDE_H = 1, STRIDE_W = 1, PAD_H = 0, PAD_W = 0, DILATION_H = 1, DILATION_W = 1;
// The schedule.
constexpr int TY = 8, TX = 2; // outputs of a thread
constexpr int THREADS = 128;
constexpr int LANES = 32;     // threads along a row
constexpr int MIN_BLOCKS = 8; // resident blocks per multiprocessor
} // namespace example
//@ end

namespace example {

__host__ __device__ constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

constexpr int TAPS = KH * KW, RUNS = THREADS / LANES;
constexpr int RUNS_X = ceil_div(OW, LANES * TX), RUNS_Y = ceil_div(OH, TY);
constexpr long long ALL_RUNS = (long long)IMAGES * C * RUNS_Y * RUNS_X;
constexpr int BLOCKS = int((ALL_RUNS + RUNS - 1) / RUNS);
// Rows of the input that a thread's outputs need.
constexpr int ROWS = (TY - 1) * STRIDE_H + (KH - 1) * DILATION_H + 1;

// Whether a tap of the thread's row TY meets its input row ROW; which one.
__device__ constexpr bool meets(int row, int ty) {
  const int down = row - ty * STRIDE_H;
  return down >= 0 && down % DILATION_H == 0 && down / DILATION_H < KH;
}
__device__ constexpr bool is_used(int row) {
  bool used = false;
  for (int ty = 0; ty < TY; ++ty)
    used |= meets(row, ty);
  return used;
}

//@ replace epilogue
// One output.
__device__ __forceinline__ float epilogue(float value, int image, int channel, int z, int y, int x) { return value; }
//@ end

} // namespace example

//@ sizes THREADS | 0 | BLOCKS
//@ asserts THREADS % LANES == 0
//@ replace kernel
extern "C" __global__ void __launch_bounds__(example::THREADS, example::MIN_BLOCKS)
    example_main(const example::In *__restrict__ input, const example::In *__restrict__ weights,
                 example::Out *__restrict__ output) {
  //@ end
  using namespace example;
  const long long run = (long long)blockIdx.x * RUNS + threadIdx.x / LANES;
  if (run >= ALL_RUNS)
    return;
  const long long plane = run / (RUNS_X * RUNS_Y);
  const int ox = int(run % RUNS_X) * (LANES * TX) + threadIdx.x % LANES, oy = int(run / RUNS_X % RUNS_Y) * TY;
  const int channel = int(plane % C), image = int(plane / C);
  const In *source = input + plane * (H * W);
  float weight[TAPS];
#pragma unroll
  for (int tap = 0; tap < TAPS; ++tap)
    weight[tap] = static_cast<float>(weights[channel * TAPS + tap]);

  float sum[TY][TX] = {};
#pragma unroll
  for (int row = 0; row < ROWS; ++row) {
    const int y = oy * STRIDE_H - PAD_H + row;
    if (!is_used(row) || y < 0 || y >= H)
      continue;
    float pixel[TX][KW];
#pragma unroll
    for (int tx = 0; tx < TX; ++tx)
#pragma unroll
      for (int kx = 0; kx < KW; ++kx) {
        const int x = (ox + tx * LANES) * STRIDE_W - PAD_W + kx * DILATION_W;
        pixel[tx][kx] = x >= 0 && x < W ? static_cast<float>(source[y * W + x]) : 0.0f;
      }
#pragma unroll
    for (int ty = 0; ty < TY; ++ty) {
      if (!meets(row, ty))
        continue;
      const int ky = (row - ty * STRIDE_H) / DILATION_H;
#pragma unroll
      for (int kx = 0; kx < KW; ++kx)
#pragma unroll
        for (int tx = 0; tx < TX; ++tx)
          sum[ty][tx] += pixel[tx][kx] * weight[ky * KW + kx];
    }
  }
#pragma unroll
  for (int ty = 0; ty < TY; ++ty)
#pragma unroll
    for (int tx = 0; tx < TX; ++tx) {
      const int y = oy + ty, x = ox + tx * LANES;
      if ((OH % TY != 0 && y >= OH) || (OW % (LANES * TX) != 0 && x >= OW))
        continue;
      //@ replace finish
      const float value = epilogue(sum[ty][tx], image, channel, 0, y, x);
      //@ end
      output[plane * (OH * OW) + y * OW + x] = static_cast<Out>(value);
    }
}
