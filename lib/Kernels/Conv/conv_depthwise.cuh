//===- conv_depthwise.cuh - A filter for each channel, channels last ------===//
//
// A thread computes TY x TX neighbouring outputs of VEC neighbouring channels: it reads each pixel of its window once, row
// by row, in one access for all VEC. Neighbouring threads have neighbouring channels, LANES of them in a block; the others
// are other pixels, row by row. The weights of a block's channels lie in shared memory as [tap][channel].
//
//===----------------------------------------------------------------------===//
#include <cuda_bf16.h>
#include <cuda_fp16.h>

//@ replace constants
namespace example {
// The problem: images of H x W x C, filters of KH x KW, outputs of OH x OW x C.
using In = float;  // element type of the input and the weights
using Out = float; // element type of the result
constexpr int IMAGES = 8, C = 96, H = 56, W = 56;
constexpr int OH = 56, OW = 56, KH = 7, KW = 7;
constexpr int STRIDE_H = 1, STRIDE_W = 1, PAD_H = 3, PAD_W = 3, DILATION_H = 1, DILATION_W = 1;
// The schedule.
constexpr int VEC = 4;        // channels of a thread
constexpr int TY = 1, TX = 7; // outputs of a thread
constexpr int THREADS = 128;
constexpr int LANES = 8;      // threads along channels
constexpr int MIN_BLOCKS = 4; // resident blocks per multiprocessor
} // namespace example
//@ end

namespace example {

__host__ __device__ constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

constexpr int TAPS = KH * KW, CHANNELS = LANES * VEC, RUNS = THREADS / LANES;
constexpr int PITCH = CHANNELS + 4; // of a tap's weights, which arrive channel by channel
constexpr int TILES = ceil_div(C, CHANNELS);
constexpr int RUNS_X = ceil_div(OW, TX), RUNS_Y = ceil_div(OH, TY);
constexpr long long ALL_RUNS = (long long)IMAGES * RUNS_Y * RUNS_X;
constexpr int BLOCKS = int((ALL_RUNS + RUNS - 1) / RUNS) * TILES;
// Of the input, what a thread's outputs need.
constexpr int ROWS = (TY - 1) * STRIDE_H + (KH - 1) * DILATION_H + 1;
constexpr int COLUMNS = (TX - 1) * STRIDE_W + (KW - 1) * DILATION_W + 1;

struct alignas(sizeof(In) * VEC) Loaded {
  In lane[VEC];
};
struct alignas(sizeof(Out) * VEC) Stored {
  Out lane[VEC];
};
struct alignas(sizeof(float) * VEC) Weights {
  float lane[VEC];
};

//@ replace epilogue
// One output.
__device__ __forceinline__ float epilogue(float value, int image, int channel, int z, int y, int x) { return value; }
//@ end

} // namespace example

//@ sizes THREADS | 0 | BLOCKS
//@ asserts THREADS % LANES == 0 && C % VEC == 0 && VEC * sizeof(In) <= 16 && VEC * sizeof(Out) <= 16
//@ replace kernel
extern "C" __global__ void __launch_bounds__(example::THREADS, example::MIN_BLOCKS)
    example_main(const example::In *__restrict__ input, const example::In *__restrict__ weights,
                 example::Out *__restrict__ output) {
  //@ end
  using namespace example;
  __shared__ alignas(16) float filters[TAPS * PITCH];
  const int lane = threadIdx.x % LANES, first = blockIdx.x % TILES * CHANNELS, channel = first + lane * VEC;
  for (int i = threadIdx.x; i < TAPS * CHANNELS; i += THREADS)
    filters[i % TAPS * PITCH + i / TAPS] =
        first + i / TAPS < C ? static_cast<float>(weights[(long long)first * TAPS + i]) : 0.0f;
  __syncthreads();

  const long long run = (long long)(blockIdx.x / TILES) * RUNS + threadIdx.x / LANES;
  if (run >= ALL_RUNS || channel >= C)
    return;
  const int ox = int(run % RUNS_X) * TX, oy = int(run / RUNS_X % RUNS_Y) * TY, image = int(run / (RUNS_X * RUNS_Y));
  const int x0 = ox * STRIDE_W - PAD_W, y0 = oy * STRIDE_H - PAD_H;
  const In *source = input + ((long long)image * H * W) * C + channel;
  float sum[TY][TX][VEC] = {};
#pragma unroll 1
  for (int row = 0; row < ROWS; ++row) {
    const int y = y0 + row;
    if (y < 0 || y >= H)
      continue;
    // Rows between the taps of a dilated filter, or of no output of a stride, are nobody's.
    bool used = false;
#pragma unroll
    for (int ty = 0; ty < TY; ++ty) {
      const int down = row - ty * STRIDE_H;
      used |= down >= 0 && down % DILATION_H == 0 && down / DILATION_H < KH;
    }
    if (!used)
      continue;
    Loaded pixel[COLUMNS];
#pragma unroll
    for (int column = 0; column < COLUMNS; ++column) {
      const int x = x0 + column;
      pixel[column] = Loaded{};
      if (x >= 0 && x < W)
        pixel[column] = *reinterpret_cast<const Loaded *>(source + ((long long)y * W + x) * C);
    }
#pragma unroll
    for (int ty = 0; ty < TY; ++ty) {
      const int down = row - ty * STRIDE_H, ky = down / DILATION_H;
      if (down < 0 || down % DILATION_H != 0 || ky >= KH)
        continue;
#pragma unroll
      for (int kx = 0; kx < KW; ++kx) {
        const Weights weight = *reinterpret_cast<const Weights *>(&filters[(ky * KW + kx) * PITCH + lane * VEC]);
#pragma unroll
        for (int tx = 0; tx < TX; ++tx)
#pragma unroll
          for (int v = 0; v < VEC; ++v)
            sum[ty][tx][v] += static_cast<float>(pixel[tx * STRIDE_W + kx * DILATION_W].lane[v]) * weight.lane[v];
      }
    }
  }
#pragma unroll
  for (int ty = 0; ty < TY; ++ty)
#pragma unroll
    for (int tx = 0; tx < TX; ++tx) {
      const int y = oy + ty, x = ox + tx;
      if ((OH % TY != 0 && y >= OH) || (OW % TX != 0 && x >= OW))
        continue;
      Stored result;
#pragma unroll
      for (int v = 0; v < VEC; ++v) {
        //@ replace finish
        const float value = epilogue(sum[ty][tx][v], image, channel + v, 0, y, x);
        //@ end
        result.lane[v] = static_cast<Out>(value);
      }
      *reinterpret_cast<Stored *>(output + (((long long)image * OH + y) * OW + x) * C + channel) = result;
    }
}
