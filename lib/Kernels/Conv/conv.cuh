//===- conv.cuh - Convolution as a matrix product without its matrix ------===//
//
// A block computes a box of output pixels times BN output channels of one group. The box's input
// window, a slab, is copied to shared memory once, CB channels at a time; the left operand
// (pixels x filter taps) is never formed: its element (m, k) is slab[pixel(m) + tap(k)]. A first
// kernel lays the weights out in the order in which the main kernel reads them. The finished tile
// goes through shared memory, where it can be pooled before it is written.
//
//===----------------------------------------------------------------------===//
#include "kgen_device.cuh"

//@ replace constants
namespace example {
// The problem: images of C x D x H x W per group, filters of KD x KH x KW, outputs of OD x OH x OW.
using In = float;      // element type of the input and the weights
using Compute = float; // element type in shared memory
using Out = float;     // element type of the result
constexpr int IMAGES = 100, GROUPS = 1;
constexpr int C = 3, D = 1, H = 224, W = 224;
constexpr int OC = 96, OD = 1, OH = 55, OW = 55;
constexpr int KD = 1, KH = 11, KW = 11;
constexpr int STRIDE_D = 1, STRIDE_H = 4, STRIDE_W = 4;
constexpr int PAD_D = 0, PAD_H = 2, PAD_W = 2;
constexpr int DILATION_D = 1, DILATION_H = 1, DILATION_W = 1;
// Pooling of the outputs; windows of 1 when there is none.
constexpr int PD = 1, PH = 27, PW = 27; // pooled outputs
constexpr int POOL_D = 1, POOL_H = 3, POOL_W = 3;
constexpr int POOL_STRIDE_D = 1, POOL_STRIDE_H = 2, POOL_STRIDE_W = 2;
constexpr int POOL_PAD_D = 0, POOL_PAD_H = 0, POOL_PAD_W = 0;
// The schedule.
constexpr bool TENSOR_CORES = true;
constexpr int BOX_I = 1, BOX_D = 1, BOX_H = 2, BOX_W = 27; // images and (pooled) outputs of a block
constexpr int BN = 96;                                     // output channels of a block
constexpr int CB = 3;                                      // input channels of one slab
constexpr int PIECE = 4;                                   // k steps of one stage of weights
constexpr int STAGES = 3;
constexpr int WM = 48, WN = 96; // warp tile on tensor cores
constexpr int TM = 4, TN = 24;  // thread tile without
constexpr int PAD = 0;          // elements after each row of a slab
constexpr int MIN_BLOCKS = 1;   // resident blocks per multiprocessor
constexpr int SHARED_BYTES = 115000; // dynamic shared memory of the launch
} // namespace example
//@ end

namespace example {

__host__ __device__ constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }
__host__ __device__ constexpr int round_up(int a, int b) { return ceil_div(a, b) * b; }

// The convolution's outputs that a block needs: its box, grown by the pooling windows.
constexpr int TILE_D = (BOX_D - 1) * POOL_STRIDE_D + POOL_D;
constexpr int TILE_H = (BOX_H - 1) * POOL_STRIDE_H + POOL_H;
constexpr int TILE_W = (BOX_W - 1) * POOL_STRIDE_W + POOL_W;
constexpr int PIXELS = BOX_I * TILE_D * TILE_H * TILE_W;
constexpr int BM = round_up(PIXELS, TENSOR_CORES ? WM : 8 * TM);
constexpr int THREADS = TENSOR_CORES ? 32 * (BM / WM) * (BN / WN) : BM / TM * (BN / TN);
constexpr int BOXES_D = ceil_div(PD, BOX_D), BOXES_H = ceil_div(PH, BOX_H), BOXES_W = ceil_div(PW, BOX_W);
#if transposed
constexpr int N_TILES = PHASES * ceil_div(OC, BN); // of channels, each for every phase
#else
constexpr int N_TILES = ceil_div(OC, BN);
#endif

// The slab: [image][channel][depth][row][column]. Column 0 is moved LEAD to the left, so that global
// and shared addresses of a load are aligned alike.
constexpr int SLAB_D = (TILE_D - 1) * STRIDE_D + (KD - 1) * DILATION_D + 1;
constexpr int SLAB_H = (TILE_H - 1) * STRIDE_H + (KH - 1) * DILATION_H + 1;
#if transposed
constexpr int SLAB_W = TILE_W - 1 + SPAN_W; // of all phases, so that their slabs are aligned alike
#else
constexpr int SLAB_W = (TILE_W - 1) * STRIDE_W + (KW - 1) * DILATION_W + 1;
#endif
constexpr int slab_vector() {
  const int step = BOX_W * POOL_STRIDE_W * STRIDE_W;
  //@ replace vector
  int v = 16 / sizeof(In);
  //@ end
  while (W % v || (BOXES_W > 1 && step % v))
    v /= 2;
  return v;
}
constexpr int VECTOR = slab_vector();
constexpr int LEFT = POOL_PAD_W * STRIDE_W + PAD_W;
constexpr int LEAD = round_up(LEFT, VECTOR) - LEFT;
constexpr int PITCH = round_up(LEAD + SLAB_W, 8) + PAD;
// A quarter of the banks off a multiple of all: four channels of eight pixels are free of conflicts.
constexpr int BANKS = 128 / sizeof(Compute);
constexpr int PLANE = round_up(SLAB_D * SLAB_H * PITCH - BANKS / 4, BANKS) + BANKS / 4;
constexpr int SLAB = BOX_I * CB * PLANE;

// The order of k: channel, then taps. 16-bit operands come in pairs; where both of a pair lie side by
// side in the slab at even addresses, rows of taps have even length and one load reads both.
constexpr int MMA_K = 32 / sizeof(Compute);
//@ replace paired
constexpr bool PAIRED =
    sizeof(Compute) == 2 && DILATION_W == 1 && STRIDE_W % 2 == 0 && LEAD % 2 == 0 && KW > 1;
//@ end
constexpr int KW_PADDED = PAIRED ? round_up(KW, 2) : KW;
constexpr int TAPS = KD * KH * KW_PADDED;
constexpr int CHUNKS = ceil_div(C, CB);
constexpr int K = CB * TAPS; // of one chunk
constexpr int K_STEPS = TENSOR_CORES ? ceil_div(K, MMA_K) : K;

// Weights arrive in pieces of PIECE k steps. Each piece travels through a ring of STAGES buffers, and a
// slab with the first piece of its chunk.
constexpr int STEP_WEIGHTS = TENSOR_CORES ? BN * MMA_K : BN; // weights of one k step
constexpr int PIECE_WEIGHTS = round_up(PIECE * STEP_WEIGHTS, 16 / sizeof(Compute));
constexpr int PARTS = ceil_div(K_STEPS, PIECE); // pieces of a chunk
constexpr int PIECES = CHUNKS * PARTS;
#if transposed
// All of that is of a phase with the most taps. Slabs follow each other fastest in one with the fewest.
__host__ __device__ constexpr int steps_of(int taps) { return TENSOR_CORES ? ceil_div(CB * taps, MMA_K) : CB * taps; }
constexpr int SLABS_AHEAD = ceil_div(STAGES - 1, ceil_div(steps_of(FEWEST_TAPS), PIECE)) + 1;
#else
constexpr int SLABS_AHEAD = ceil_div(STAGES - 1, PARTS) + 1;
#endif
constexpr int SLABS = SLABS_AHEAD < CHUNKS ? SLABS_AHEAD : CHUNKS;

// Offsets of the taps in a slab, as each lane needs them in a k step.
constexpr int TAPS_PER_LANE = !TENSOR_CORES ? 1 : sizeof(Compute) == 4 || PAIRED ? 2 : 4;
constexpr int TABLE = round_up(K_STEPS * (TENSOR_CORES ? 4 * TAPS_PER_LANE : 1), 4);

// The finished tile, [channel][pixel]; it takes the place of slabs and weights.
constexpr int STAGE_PITCH = round_up(BM, 16) + 4; // rows of 4 mod 16 words: conflict-free writes
// Dynamic shared memory: the table, then slabs and weights or the finished tile.
static_assert(TABLE * 4 + (SLABS * SLAB + STAGES * PIECE_WEIGHTS) * sizeof(Compute) <= SHARED_BYTES &&
                  (TABLE + BN * STAGE_PITCH) * 4 <= SHARED_BYTES,
              "the launch gives too little shared memory");

//@ replace epilogue
// One output of the convolution, before pooling.
__device__ __forceinline__ float epilogue(float value, int image, int channel, int z, int y, int x,
                                          const float *bias) {
  value += bias[channel];
  return value > 0.0f ? value : 0.0f;
}
//@ end
//@ section pool
//@ replace finish
// One pooled output.
__device__ __forceinline__ float finish(float value, int image, int channel, int z, int y, int x,
                                        const float *bias) {
  return value;
}
//@ end
//@ end

#if transposed
// The taps of one phase along one dimension: `count` inputs from `first` of a block's window on, DILATION apart, with
// tap `tap` of the filter at the first and one APART lower at each next.
struct Taps {
  int first, count, tap;
};
__device__ __forceinline__ Taps taps_of(int phase, int stride, int padding, int dilation, int kernel, int before) {
  Taps taps = {0, 0, 0};
  for (int k = 0; k < kernel; ++k) {
    const int place = phase + padding - k * dilation;
    if (place % stride == 0)
      taps = {place / stride + before, taps.count + 1, k};
  }
  return taps;
}

// The outputs of a block lie at PHASE * q + (z, y, x). Nothing else is multiplied than the taps that they have.
struct Phase {
  int z, y, x;
  Taps d, h, w;
  __device__ __forceinline__ int taps() const { return d.count * h.count * w.count; }
};
__device__ __forceinline__ Phase phase_at(int index) {
  const int z = index / (PHASE_H * PHASE_W), y = index / PHASE_W % PHASE_H, x = index % PHASE_W;
  return {z, y, x, taps_of(z, PHASE_D, FULL_PAD_D, FULL_DILATION_D, FULL_KD, PAD_D),
          taps_of(y, PHASE_H, FULL_PAD_H, FULL_DILATION_H, FULL_KH, PAD_H),
          taps_of(x, PHASE_W, FULL_PAD_W, FULL_DILATION_W, FULL_KW, PAD_W)};
}

// The offset of tap k of a chunk in a slab; -1 for the k that fill up the last step.
__device__ __forceinline__ int tap_offset(const Phase &phase, int k) {
  const int taps = phase.taps(), c = k / taps;
  const int kd = k % taps / (phase.h.count * phase.w.count), kh = k / phase.w.count % phase.h.count;
  const int column = phase.w.first + k % phase.w.count * DILATION_W;
  return c >= CB ? -1 : c * PLANE + (kd * DILATION_D * SLAB_H + kh * DILATION_H) * PITCH + column;
}
#else
// The offset of tap k of a chunk in a slab; -1 for the k that fill up the last step. Offsets of pairs are
// even: bit 0 tells that the second of the pair fills up a row of taps.
__device__ __forceinline__ int tap_offset(int k) {
  const int c = k / TAPS, kd = k / (KH * KW_PADDED) % KD, kh = k / KW_PADDED % KH, kw = k % KW_PADDED;
  const int offset = c * PLANE + (kd * DILATION_D * SLAB_H + kh * DILATION_H) * PITCH + kw * DILATION_W;
  return k >= K ? -1 : PAIRED && kw + 1 == KW ? offset | 1 : offset;
}
#endif

// The offset of pixel m of the block's tile in a slab; surplus pixels repeat the first.
__device__ __forceinline__ int pixel_offset(int m) {
  m = m < PIXELS ? m : 0;
  const int x = m % TILE_W, y = m / TILE_W % TILE_H, z = m / (TILE_W * TILE_H) % TILE_D;
  const int i = m / (TILE_W * TILE_H * TILE_D);
  return i * CB * PLANE + (z * STRIDE_D * SLAB_H + y * STRIDE_H) * PITCH + x * STRIDE_W + LEAD;
}

__device__ __forceinline__ Compute convert(float x) {
  if constexpr (TENSOR_CORES && sizeof(Compute) == 4)
    return kgen::round_tf32(x);
  else
    return static_cast<Compute>(x);
}

// Copies the window of channels c0 ... c0 + CB - 1 whose first output is (z0, y0, x0). Each warp takes
// rows; zeros outside the input.
__device__ __forceinline__ void load_slab(Compute *slab, const In *input, int image0, int group, int c0, int z0,
                                          int y0, int x0) {
  constexpr int ROWS = BOX_I * CB * SLAB_D * SLAB_H, VECTORS = ceil_div(LEAD + SLAB_W, VECTOR);
  const int d0 = z0 * STRIDE_D - PAD_D, h0 = y0 * STRIDE_H - PAD_H, w0 = x0 * STRIDE_W - PAD_W - LEAD;
  // As many lanes to a row as it has vectors, rounded up to a power of two.
  constexpr int LANES = VECTORS > 16 ? 32 : VECTORS > 8 ? 16 : VECTORS > 4 ? 8 : 4;
  static_assert(THREADS >= LANES, "a row is one warp's work");
#pragma unroll 2
#if ragged
  // Threads beyond the last whole row of lanes would write what others write: a race, though of equal values.
  for (int row = threadIdx.x / LANES < THREADS / LANES ? threadIdx.x / LANES : ROWS; row < ROWS;
       row += THREADS / LANES) {
#else
  for (int row = threadIdx.x / LANES; row < ROWS; row += THREADS / LANES) {
#endif
    const int dh = row % (SLAB_D * SLAB_H), ic = row / (SLAB_D * SLAB_H);
    const int c = c0 + ic % CB, image = image0 + ic / CB;
    const int d = d0 + dh / SLAB_H, h = h0 + dh % SLAB_H;
    const bool inside = c < C && image < IMAGES && (unsigned)d < (unsigned)D && (unsigned)h < (unsigned)H;
    //@ replace source
    const In *source = input + ((((long long)image * GROUPS + group) * C + c) * D + d) * H * W + (long long)h * W;
    //@ end
    Compute *destination = slab + ic * PLANE + dh * PITCH;
#pragma unroll
    for (int v = 0; v < ceil_div(VECTORS, LANES); ++v) {
      const int column = (threadIdx.x % LANES + v * LANES) * VECTOR, w = w0 + column;
      if (column >= VECTORS * VECTOR)
        break;
      const bool valid = inside && (unsigned)w < (unsigned)W;
      if constexpr (sizeof(In) == sizeof(Compute)) {
        //@ replace copy
        kgen::cp_async_zfill<VECTOR * sizeof(In)>(&destination[column], &source[w], valid);
        //@ end
      } else {
        struct alignas(VECTOR * sizeof(In)) Loaded {
          In value[VECTOR];
        } loaded = {};
        struct alignas(VECTOR * sizeof(Compute)) Converted {
          Compute value[VECTOR];
        } converted;
        //@ replace load
        if (valid)
          loaded = *reinterpret_cast<const Loaded *>(&source[w]);
        //@ end
#pragma unroll
        for (int e = 0; e < VECTOR; ++e)
          converted.value[e] = convert(loaded.value[e]);
        *reinterpret_cast<Converted *>(&destination[column]) = converted;
      }
    }
  }
}

//@ section mma
__device__ __forceinline__ void mma(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  //@ replace mma
  kgen::mma_m16n8k8_tf32(c, a, b);
  //@ end
}

// Slab elements for one register of a fragment: one f32, or two 16-bit values. What fills up is zero,
// not the slab's element times a weight of zero, which may be a NaN.
__device__ __forceinline__ unsigned load_taps(const Compute *slab, int pixel, int tap, int second) {
#if transposed
  constexpr bool FILLED = CB % MMA_K != 0;
  if constexpr (sizeof(Compute) == 4) {
    return FILLED && tap < 0 ? 0 : __float_as_uint(kgen::round_tf32(slab[pixel + tap]));
  } else {
    const unsigned short *bits = reinterpret_cast<const unsigned short *>(slab);
    const unsigned low = FILLED && tap < 0 ? 0 : bits[pixel + tap];
    const unsigned high = FILLED && second < 0 ? 0 : bits[pixel + second];
    return low | high << 16;
  }
#else
  if constexpr (sizeof(Compute) == 4) {
    if (K % MMA_K && tap < 0)
      return 0;
    return __float_as_uint(kgen::round_tf32(slab[pixel + tap]));
  } else if constexpr (PAIRED) {
    if (K % MMA_K && tap < 0)
      return 0;
    const unsigned pair = *reinterpret_cast<const unsigned *>(&slab[pixel + (tap & ~1)]);
    return KW % 2 && tap & 1 ? pair & 0xffff : pair;
  } else {
    const unsigned short *bits = reinterpret_cast<const unsigned short *>(slab);
    const unsigned low = K % MMA_K && tap < 0 ? 0 : bits[pixel + tap];
    const unsigned high = K % MMA_K && second < 0 ? 0 : bits[pixel + second];
    return low | high << 16;
  }
#endif
}
//@ end

} // namespace example

// Lays the weights out as [group][channel tile][chunk][k step], each step in the order of the lanes'
// fragments (or of channels, without tensor cores), rounded to what the main kernel multiplies.
extern "C" __global__ void __launch_bounds__(256)
    example_weights(const example::In *__restrict__ weights, example::Compute *__restrict__ packed) {
  using namespace example;
  constexpr int COUNT = GROUPS * N_TILES * PIECES * PIECE_WEIGHTS;
  const int index = blockIdx.x * 256 + threadIdx.x;
  if (index >= COUNT)
    return;
  const int piece = index / PIECE_WEIGHTS % PIECES, tile = index / PIECE_WEIGHTS / PIECES;
#if transposed
  const Phase phase = phase_at(tile % PHASES);
  const int taps = phase.taps(), parts = ceil_div(steps_of(taps), PIECE);
  if (piece >= CHUNKS * parts)
    return;
  const int step = index % PIECE_WEIGHTS / STEP_WEIGHTS + piece % parts * PIECE;
#else
  const int step = index % PIECE_WEIGHTS / STEP_WEIGHTS + piece % PARTS * PIECE;
#endif
  const int e = index % PIECE_WEIGHTS % STEP_WEIGHTS;
  int n, k;
  if constexpr (TENSOR_CORES) {
    // 16 bytes for each lane and pair of n tiles: both k halves of the first tile, then of the second.
    constexpr int EACH = 16 / sizeof(Compute), PER_REGISTER = EACH / 4;
    const int reg = e % EACH / PER_REGISTER, lane = e / EACH % 32, pair = e / (EACH * 32);
    n = 16 * pair + reg / 2 * 8 + lane / 4;
    k = step * MMA_K + reg % 2 * (MMA_K / 2) + lane % 4 * PER_REGISTER + e % PER_REGISTER;
  } else {
    n = e;
    k = step;
  }
#if transposed
  n += tile % N_TILES / PHASES * BN;
  const int c = k / taps + piece / parts * CB;
  const int kd = phase.d.tap - k % taps / (phase.h.count * phase.w.count) * APART_D;
  const int kh = phase.h.tap - k / phase.w.count % phase.h.count * APART_H;
  const int kw = phase.w.tap - k % phase.w.count * APART_W;
  float value = 0.0f;
  if (k < CB * taps && c < C && n < OC)
    value = weights[(((tile / N_TILES * C + c) * OC + n) * FULL_KD + kd) * FULL_KH * FULL_KW +
                    kh * FULL_KW + kw];
#else
  n += tile % N_TILES * BN;
  const int c = k / TAPS + piece / PARTS * CB, kw = k % KW_PADDED, dh = k % TAPS / KW_PADDED;
  float value = 0.0f;
  if (step < K_STEPS && k < K && c < C && n < OC && kw < KW)
    //@ replace weight
    value = weights[(((tile / N_TILES * OC + n) * C + c) * KD * KH + dh) * KW + kw];
    //@ end
#endif
  packed[index] = convert(value);
}

//@ replace kernel
//@ sizes THREADS | SHARED_BYTES | BOXES_D * BOXES_H * BOXES_W * ceil_div(IMAGES, BOX_I) * GROUPS * N_TILES
//@ asserts TENSOR_CORES ? BN % WN == 0 && WM % 16 == 0 && WN % 8 == 0 : BN % TN == 0
//@ asserts STAGES >= 2 && CB <= C && BOX_D <= PD && BOX_H <= PH && BOX_W <= PW
extern "C" __global__ void __launch_bounds__(example::THREADS, example::MIN_BLOCKS)
    example_main(const example::In *__restrict__ input, const example::Compute *__restrict__ weights,
                 const float *__restrict__ bias, example::Out *__restrict__ output) {
  //@ end
  using namespace example;
  extern __shared__ __align__(128) unsigned char example_shared[];
  int *table = reinterpret_cast<int *>(example_shared);
  Compute *slabs = reinterpret_cast<Compute *>(table + TABLE);
  Compute *pieces = slabs + SLABS * SLAB;
  float *stage = reinterpret_cast<float *>(table + TABLE);

  // Blocks of one box and several channel tiles are neighbours: the slab comes from L2.
  int block = blockIdx.x;
#if transposed
  // So are those of one box and several phases: what they write between each other meets in L2.
  const int tile = block % N_TILES, n_tile = tile / PHASES;
  const Phase phase = phase_at(tile % PHASES);
#else
  const int n_tile = block % N_TILES;
#endif
  block /= N_TILES;
  const int group = block % GROUPS;
  block /= GROUPS;
  const int px0 = block % BOXES_W * BOX_W;
  block /= BOXES_W;
  const int py0 = block % BOXES_H * BOX_H;
  block /= BOXES_H;
  const int pz0 = block % BOXES_D * BOX_D;
  const int image0 = block / BOXES_D * BOX_I;
  // The first output of the convolution that the box needs; outside in the padding of the pooling.
  const int z0 = pz0 * POOL_STRIDE_D - POOL_PAD_D, y0 = py0 * POOL_STRIDE_H - POOL_PAD_H;
  const int x0 = px0 * POOL_STRIDE_W - POOL_PAD_W;

#if transposed
  weights += (long long)(group * N_TILES + tile) * PIECES * PIECE_WEIGHTS;
  // Of this phase, in place of one with the most taps.
  const int K_STEPS = steps_of(phase.taps()), PARTS = ceil_div(K_STEPS, PIECE), PIECES = CHUNKS * PARTS;
#else
  weights += (long long)(group * N_TILES + n_tile) * PIECES * PIECE_WEIGHTS;
#endif
  auto load_stage = [&](int piece) {
    if (piece < PIECES) {
      if (piece % PARTS == 0)
#if transposed
        load_slab(slabs + piece / PARTS % SLABS * SLAB, input, image0, group, piece / PARTS * CB, z0 + phase.d.first,
                  y0 + phase.h.first, x0);
#else
        load_slab(slabs + piece / PARTS % SLABS * SLAB, input, image0, group, piece / PARTS * CB, z0, y0, x0);
#endif
      constexpr int EACH = 16 / sizeof(Compute);
      for (int i = threadIdx.x * EACH; i < PIECE_WEIGHTS; i += THREADS * EACH)
        kgen::cp_async16(&pieces[piece % STAGES * PIECE_WEIGHTS + i], &weights[piece * PIECE_WEIGHTS + i]);
    }
    kgen::cp_async_commit(); // an empty group keeps the count of the waits
  };

#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s)
    load_stage(s);

#if transposed
  for (int i = threadIdx.x; i < K_STEPS * (TENSOR_CORES ? 4 * TAPS_PER_LANE : 1); i += THREADS) {
#else
  for (int i = threadIdx.x; i < TABLE; i += THREADS) {
#endif
    int k = i;
    if constexpr (TENSOR_CORES) {
      const int lane = i / TAPS_PER_LANE % 4, e = i % TAPS_PER_LANE, step = i / (4 * TAPS_PER_LANE);
      if constexpr (sizeof(Compute) == 4)
        k = step * 8 + lane + 4 * e;
      else if constexpr (PAIRED)
        k = step * 16 + 2 * lane + 8 * e;
      else
        k = step * 16 + 2 * lane + e % 2 + e / 2 * 8;
    }
#if transposed
    table[i] = tap_offset(phase, k);
#else
    table[i] = tap_offset(k);
#endif
  }

  //@ section mma
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  constexpr int MT = TENSOR_CORES ? WM / 16 : 1, NT = TENSOR_CORES ? WN / 8 : 2;
  const int warp_m = warp % (BM / WM) * WM, warp_n = warp / (BM / WM) * WN;
  int pixel[MT][2];
#pragma unroll
  for (int i = 0; i < MT; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      pixel[i][half] = pixel_offset(warp_m + 16 * i + 8 * half + lane / 4);
  float accumulator[MT][NT][4] = {};
  //@ end
  //@ section simt
  // A warp is 8 threads along the pixels by 4 along the channels where there are so many: few
  // different addresses for each load from shared memory, in different banks at strides up to 4.
  constexpr int THREADS_M = BM / TM, THREADS_N = BN / TN;
  const int thread_m = threadIdx.x % 8 + threadIdx.x / (8 * THREADS_N) * 8;
  const int thread_n = threadIdx.x / 8 % THREADS_N * TN;
  int thread_pixel[TM];
#pragma unroll
  for (int i = 0; i < TM; ++i)
    thread_pixel[i] = pixel_offset(thread_m + i * THREADS_M);
  float sum[TM][TN] = {};
  //@ end

  for (int piece = 0; piece < PIECES; ++piece) {
    kgen::cp_async_wait<STAGES - 2>();
    __syncthreads(); // the piece has arrived, and everybody is done with the slot to overwrite
    load_stage(piece + STAGES - 1);
    const Compute *slab = slabs + piece / PARTS % SLABS * SLAB;
    const Compute *weight = pieces + piece % STAGES * PIECE_WEIGHTS;
    const int first = piece % PARTS * PIECE, steps = min(PIECE, K_STEPS - first);
    //@ section mma
    if constexpr (TENSOR_CORES) {
#pragma unroll 2
      for (int step = 0; step < steps; ++step) {
        int tap[4] = {};
#pragma unroll
        for (int e = 0; e < TAPS_PER_LANE; ++e)
          tap[e] = table[((first + step) * 4 + lane % 4) * TAPS_PER_LANE + e];
        constexpr int HIGH = TAPS_PER_LANE / 2;
        unsigned b[NT][2];
#pragma unroll
        for (int j = 0; j < NT; j += 2) {
          const uint4 both = *reinterpret_cast<const uint4 *>(
              &weight[step * STEP_WEIGHTS + ((warp_n / 16 + j / 2) * 32 + lane) * (16 / (int)sizeof(Compute))]);
          b[j][0] = both.x, b[j][1] = both.y, b[j + 1][0] = both.z, b[j + 1][1] = both.w;
        }
#pragma unroll
        for (int i = 0; i < MT; ++i) {
          unsigned a[4];
#pragma unroll
          for (int r = 0; r < 4; ++r)
            a[r] = load_taps(slab, pixel[i][r % 2], tap[r / 2 * HIGH], tap[r / 2 * HIGH + 1]);
#pragma unroll
          for (int j = 0; j < NT; ++j)
            mma(accumulator[i][j], a, b[j]);
        }
      }
    }
    //@ end
    //@ section simt
    if constexpr (!TENSOR_CORES) {
#pragma unroll 2
      for (int step = 0; step < steps; ++step) {
        const int tap = table[first + step];
        float a[TM], b[TN];
#pragma unroll
        for (int i = 0; i < TM; ++i)
          a[i] = static_cast<float>(slab[thread_pixel[i] + tap]);
#pragma unroll
        for (int j = 0; j < TN; ++j)
          b[j] = static_cast<float>(weight[step * STEP_WEIGHTS + thread_n + j]);
#pragma unroll
        for (int i = 0; i < TM; ++i)
#pragma unroll
          for (int j = 0; j < TN; ++j)
            sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
      }
    }
    //@ end
  }
  kgen::cp_async_wait<0>();
  __syncthreads(); // slabs and weights give way to the finished tile

  auto finish_pixel = [&](float value, int m, int n) {
    const int x = x0 + m % TILE_W, y = y0 + m / TILE_W % TILE_H, z = z0 + m / (TILE_W * TILE_H) % TILE_D;
    const int image = image0 + m / (TILE_W * TILE_H * TILE_D), channel = n_tile * BN + n;
    const bool inside = m < PIXELS && channel < OC && image < IMAGES && (unsigned)x < (unsigned)OW &&
                        (unsigned)y < (unsigned)OH && (unsigned)z < (unsigned)OD;
    //@ replace finish_pixel
    if (inside)
      value = epilogue(value, image, group * OC + channel, z, y, x, bias);
    //@ end
    stage[n * STAGE_PITCH + m] = value;
  };
  //@ section mma
  if constexpr (TENSOR_CORES) {
#pragma unroll
    for (int i = 0; i < MT; ++i)
#pragma unroll
      for (int j = 0; j < NT; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e)
          finish_pixel(accumulator[i][j][e], warp_m + 16 * i + e / 2 * 8 + lane / 4,
                       warp_n + 8 * j + lane % 4 * 2 + e % 2);
  }
  //@ end
  //@ section simt
  if constexpr (!TENSOR_CORES) {
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
      for (int j = 0; j < TN; ++j)
        finish_pixel(sum[i][j], thread_m + i * THREADS_M, thread_n + j);
  }
  //@ end
  __syncthreads();

  constexpr int BOX = BOX_I * BOX_D * BOX_H * BOX_W;
#if transposed
  for (int index = threadIdx.x; index < BN * BOX; index += THREADS) {
    const int n = index / BOX, p = index % BOX;
    const int i = p / (BOX_W * BOX_H * BOX_D), bz = p / (BOX_W * BOX_H) % BOX_D;
    const int by = p / BOX_W % BOX_H, bx = p % BOX_W;
    const int image = image0 + i, channel = n_tile * BN + n, z = (pz0 + bz) * PHASE_D + phase.z;
    const int y = (py0 + by) * PHASE_H + phase.y, x = (px0 + bx) * PHASE_W + phase.x;
    if (channel >= OC || image >= IMAGES || z >= FULL_D || y >= FULL_H || x >= FULL_W)
      continue;
    const float result = stage[n * STAGE_PITCH + ((i * TILE_D + bz) * TILE_H + by) * TILE_W + bx];
    output[((((long long)image * GROUPS + group) * OC + channel) * FULL_D + z) * FULL_H * FULL_W +
           (long long)y * FULL_W + x] = static_cast<Out>(result);
  }
#else
  for (int index = threadIdx.x; index < BN * BOX; index += THREADS) {
    const int n = index / BOX, p = index % BOX;
    const int i = p / (BOX_W * BOX_H * BOX_D), bz = p / (BOX_W * BOX_H) % BOX_D;
    const int by = p / BOX_W % BOX_H, bx = p % BOX_W;
    const int image = image0 + i, channel = n_tile * BN + n, z = pz0 + bz, y = py0 + by, x = px0 + bx;
    if (channel >= OC || image >= IMAGES || z >= PD || y >= PH || x >= PW)
      continue;
    const float *values = stage + n * STAGE_PITCH + i * TILE_D * TILE_H * TILE_W;
    //@ section direct
    [[maybe_unused]] const float result = values[(bz * TILE_H + by) * TILE_W + bx];
    //@ end
    //@ section pool
    //@ replace pool_start
    float pooled = __int_as_float(0xff800000); // -infinity
    //@ end
#pragma unroll
    for (int wz = 0; wz < POOL_D; ++wz)
#pragma unroll
      for (int wy = 0; wy < POOL_H; ++wy)
#pragma unroll
        for (int wx = 0; wx < POOL_W; ++wx) {
          const int tz = bz * POOL_STRIDE_D + wz, ty = by * POOL_STRIDE_H + wy, tx = bx * POOL_STRIDE_W + wx;
          // Windows reach over the border where there is padding or ceil mode.
          if ((unsigned)(z0 + tz) >= (unsigned)OD || (unsigned)(y0 + ty) >= (unsigned)OH ||
              (unsigned)(x0 + tx) >= (unsigned)OW)
            continue;
          const float tap = values[(tz * TILE_H + ty) * TILE_W + tx];
          //@ replace pool_step
          pooled = tap > pooled || tap != tap ? tap : pooled; // a NaN wins
          //@ end
        }
    //@ replace pool_end
    pooled = finish(pooled, image, group * OC + channel, z, y, x, bias);
    //@ end
    //@ end
    //@ replace store
    output[((((long long)image * GROUPS + group) * OC + channel) * PD + z) * PH * PW + (long long)y * PW + x] =
        static_cast<Out>(pooled);
    //@ end
  }
#endif
}
