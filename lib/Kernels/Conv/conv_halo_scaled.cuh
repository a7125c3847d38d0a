// conv_halo_scaled.cuh - what conv_halo.cuh needs to multiply f32 data as fp16.
//@ section standalone
//   nvcc -arch=sm_90a -cubin -x cu -I../Emit conv_halo_scaled.cuh
#include "kgen_hopper.cuh"
namespace example {
using In = float;
using Compute = __half;
constexpr int C = 64, OC = 64, KD = 1, SLABS = KD, TAPS = 9, F = 64, BK = 32, PORTION = 16, LANES = 8, CHUNKS = BK / LANES;
constexpr int CHANNEL_STEPS = 2, CONSUMERS = 2, PRODUCER_WARPS = 4, PRODUCERS = 128, SETS = 1, N = 192;
constexpr int RUN = 4, PIXELS = 266, RUNS = 63, UNITS = RUNS * (PORTION / LANES), EACH = 1;
struct alignas(16) Chunk {
  Compute lane[LANES];
};
struct alignas(RUN * sizeof(In)) Run {
  In pixel[RUN];
};
struct Step {
  Run runs[EACH][LANES];
  int filters;
  bool first;
};
} // namespace example
//@ end
namespace example {

// Pixels and filters are multiplied under powers of two, fp16 having tf32's mantissa but not its range: one power for
// each filter, one for the pixels of each step. Infinities and NaN are what they are under any power, and have no say
// in it.
//
// A step keeps the power of the one before while its largest pixel stays between LEAST and MOST under it. Where it does
// not, sums change their unit before the step's products. Units of a tile are up to UNITS_APART smaller than the
// largest that it had, which leaves its sums far from overflow.
constexpr float LEAST = 64.0f, MOST = 65000.0f, UNITS_APART = 0x1p60f;
constexpr int PIXEL_EXPONENT = 11, FILTER_EXPONENT = 14; // of the largest under a power that is chosen
constexpr float ANY_SCALE = -1.0f;                       // of a step of zeros
constexpr float FINITE = 3.4028234e38f;                  // the largest

__device__ __forceinline__ int exponent_of(float power) { return (int)(__float_as_uint(power) >> 23) - 127; }
__device__ __forceinline__ float power_of(int exponent) { return __int_as_float((127 + exponent) << 23); }
// The power that brings a magnitude to 2^EXPONENT.
__device__ __forceinline__ float scale_of(float magnitude, int exponent) {
  return power_of(min(max(exponent - exponent_of(magnitude), -120), 120));
}
// What turns sums, or pixels, of one power into those of another. Never 0: an infinity stays one.
__device__ __forceinline__ float ratio_of(float from, float to) {
  return power_of(max(exponent_of(to) - exponent_of(from), -126));
}

// The power of a step's pixels, which the loading threads find together.
struct PixelScale {
  unsigned *of_warps; // the largest magnitudes of their warps, of two portions
  int turn = 0;
  float scale = 1.0f, largest = 0.0f; // of the step so far
  float most = FINITE;                // that a step of the tile may have

  // Chooses for one more portion of a step; what the power was for those before it.
  __device__ __forceinline__ float choose(const Step &from, int portion, int thread) {
    float magnitude = 0.0f;
#pragma unroll
    for (int i = 0; i < EACH; ++i)
#pragma unroll
      for (int c = 0; c < LANES; ++c)
#pragma unroll
        for (int j = 0; j < RUN; ++j)
          magnitude = fmaxf(magnitude, fabsf(from.runs[i][c].pixel[j]));
    if (magnitude > FINITE) {
      magnitude = 0.0f;
#pragma unroll
      for (int i = 0; i < EACH; ++i)
#pragma unroll
        for (int c = 0; c < LANES; ++c)
#pragma unroll
          for (int j = 0; j < RUN; ++j)
            if (const float m = fabsf(from.runs[i][c].pixel[j]); m <= FINITE)
              magnitude = fmaxf(magnitude, m);
    }
    unsigned bits = __reduce_max_sync(0xffffffffu, __float_as_uint(magnitude)); // ordered as their values are
    if (thread % 32 == 0)
      of_warps[turn + thread / 32] = bits;
    kgen::named_barrier_sync(1 + CONSUMERS, PRODUCERS);
#pragma unroll
    for (int i = 0; i < PRODUCER_WARPS; ++i)
      bits = max(bits, of_warps[turn + i]);
    turn = PRODUCER_WARPS - turn; // those of the next portion come before all warps have read these
    if (portion == 0) {
      largest = 0.0f;
      if (from.first)
        most = FINITE;
    }
    const float before = scale, earlier = largest;
    largest = fmaxf(largest, __uint_as_float(bits));
    if (largest > 0.0f && !(largest * scale >= LEAST && largest * scale < MOST))
      scale = fminf(scale_of(largest, PIXEL_EXPONENT), most);
    return earlier > 0.0f ? before : scale; // zeros have any
  }
  // The scale of the step, all of whose portions are there.
  __device__ __forceinline__ float finish() {
    if (largest == 0.0f)
      return ANY_SCALE;
    most = fminf(most, scale * UNITS_APART);
    return scale;
  }
};

// Puts a portion where the products read it. Those before it had another power if BEFORE is not SCALE, because one of
// its pixels is larger by far.
__device__ __forceinline__ void put_portion(const Step &from, Chunk *to, int portion, int thread, float before,
                                            float scale) {
  auto place = [&](int portion, int unit) {
    return to + (portion * (PORTION / LANES) + unit / RUNS) * PIXELS + unit % RUNS * RUN;
  };
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    const int unit = thread + i * PRODUCERS;
    if (UNITS % PRODUCERS != 0 && unit >= UNITS)
      break;
#pragma unroll
    for (int j = 0; j < RUN; ++j) {
      Chunk chunk;
#pragma unroll
      for (int lane = 0; lane < LANES; ++lane)
        chunk.lane[lane] = static_cast<Compute>(from.runs[i][lane].pixel[j] * scale);
      place(portion, unit)[j] = chunk;
    }
  }
  if (before == scale)
    return;
#pragma unroll 1
  for (int earlier = 0; earlier < portion; ++earlier)
#pragma unroll 1
    for (int unit = thread; unit < UNITS; unit += PRODUCERS)
#pragma unroll 1
      for (int j = 0; j < RUN; ++j)
#pragma unroll
        for (int lane = 0; lane < LANES; ++lane) {
          Compute &value = place(earlier, unit)[j].lane[lane];
          value = static_cast<Compute>(static_cast<float>(value) * ratio_of(before, scale));
        }
}

// Sums of one unit become those of another.
__device__ __forceinline__ void change_unit(float (&sums)[BLOCKS * SETS][N / 2], float from, float to) {
  const float ratio = ratio_of(from, to);
#pragma unroll
  for (int set = 0; set < BLOCKS * SETS; ++set) {
    kgen::wgmma_hold(sums[set]);
#pragma unroll
    for (int j = 0; j < N / 2; ++j)
      sums[set][j] *= ratio;
  }
}

// Takes sums out of their unit and out of their filters' powers, which together may be more apart from 1 than one
// number can be. A thread has two rows of each 64 filters.
__device__ __forceinline__ void settle(float (&sums)[BLOCKS * SETS][N / 2], float unit,
                                       const int (&filter_exponents)[BLOCKS][2]) {
#pragma unroll
  for (int row = 0; row < 2 * BLOCKS; ++row) {
    const int exponent = -filter_exponents[row / 2][row % 2] - (unit == ANY_SCALE ? 0 : exponent_of(unit));
    const int first = min(max(exponent, -126), 126);
    const float power = power_of(first), rest = power_of(exponent - first);
#pragma unroll
    for (int set = row / 2 * SETS; set < row / 2 * SETS + SETS; ++set)
#pragma unroll
      for (int j = row % 2 * 2; j < N / 2; j += 4)
#pragma unroll
        for (int i = j; i < j + 2; ++i)
          sums[set][i] = sums[set][i] * power * rest;
  }
}

} // namespace example

// Lays the weights out as [tile of filters][depth][step of channels][tap][16 bytes of channels][filter], a block for
// each filter, under a power of two.
extern "C" __global__ void __launch_bounds__(128)
    example_weights(const example::In *__restrict__ weights, example::Compute *__restrict__ packed,
                    float *__restrict__ scales) {
  using namespace example;
#if stacked
  const int row = blockIdx.x, filter = row % OWN;
#else
  const int row = blockIdx.x, filter = row;
#endif
  const auto weight = [&](int channel, int depth, int tap) {
    float value = 0.0f;
    if (channel < C && filter < OC && depth >= 0)
#if transposed
    value = weights[(((long long)channel * OC + filter) * KD + depth) * TAPS + tap];
#else
    //@ replace weight
    value = weights[(((long long)filter * C + channel) * KD + depth) * TAPS + tap];
  //@ end
#endif
    return value;
  };
  float most = 0.0f;
  for (int i = threadIdx.x; i < C * KD * TAPS; i += 128) {
    const float magnitude = fabsf(weight(i / (KD * TAPS), i / TAPS % KD, i % TAPS));
    most = magnitude <= FINITE ? fmaxf(most, magnitude) : most;
  }
  __shared__ unsigned of_warps[4];
  const unsigned bits = __reduce_max_sync(~0u, __float_as_uint(most));
  if (threadIdx.x % 32 == 0)
    of_warps[threadIdx.x / 32] = bits;
  __syncthreads();
  most = __uint_as_float(max(max(of_warps[0], of_warps[1]), max(of_warps[2], of_warps[3])));
  const float scale = most > 0.0f ? scale_of(most, FILTER_EXPONENT) : 1.0f;
  Chunk *to = reinterpret_cast<Chunk *>(packed) + (long long)(row / F) * SLABS * CHANNEL_STEPS * TAPS * CHUNKS * F;
  for (int i = threadIdx.x; i < SLABS * CHANNEL_STEPS * TAPS * CHUNKS; i += 128) {
    const int channel = i / (CHUNKS * TAPS) % CHANNEL_STEPS * BK + i % CHUNKS * LANES;
    Chunk chunk;
#pragma unroll
    for (int lane = 0; lane < LANES; ++lane) {
#if stacked
      const int place = channel + lane, depth = depth_tap(row / OWN, place % SLICES);
      const float value = weight(place / SLICES, depth, i / CHUNKS % TAPS) * scale;
#else
      const float value = weight(channel + lane, i / (CHUNKS * TAPS * CHANNEL_STEPS), i / CHUNKS % TAPS) * scale;
#endif
      // What is not zero stays so, for the infinities that it meets.
      const float least = value == 0.0f ? 0.0f : copysignf(0x1p-24f, value);
      chunk.lane[lane] = static_cast<Compute>(fabsf(value) < 0x1p-24f ? least : value);
    }
    to[(long long)i * F + row % F] = chunk;
  }
  if (threadIdx.x == 0)
    scales[row] = scale;
}
