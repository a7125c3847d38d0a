//===- conv_implicit.cuh - Convolution as an implicit product (sm_90a) ----===//
//
// A tile is a box of output pixels times BN filters: a sum, over the filter's taps and slabs of 128 bytes of channels,
// of products of warpgroups. The left operand of one is the box of input pixels that the tap needs, copied by tensor
// map from a channels-last image: rows of 128 bytes, one for each pixel; what lies outside of the image arrives as
// zeros, which is the padding. A dilated filter is a wider shift. With a stride there is a map for each residue of
// the coordinates that some tap has, of the pixels with that residue. One thread of the last warp copies, each of the
// CONSUMERS warpgroups multiplies BM / CONSUMERS pixels. With SPLIT_K > 1 a tile is one slice of the steps, and
// another kernel adds the slices.
//
// Of a transposed convolution (section transposed) a tile is a box of the outputs of one phase of the stride: those at
// STRIDE * q + phase, for which only some taps are summed. Each needs a box of neighbouring input pixels, too.
//
// In front, where they are not there yet: the image with its channels last, and the weights as [filter][tap][channel].
//
//===----------------------------------------------------------------------===//
#include "kgen_hopper.cuh"

//@ replace constants
namespace example {
// The problem: images of C channels, filters of KD x KH x KW taps, outputs of OD x OH x OW.
using In = __half;  // element type of the products
using Out = __half; // element type of the result
using Stored = Out; // what the main kernel writes: Out, or partial sums with SPLIT_K
constexpr int IMAGES = 8, C = 64, OC = 64;
constexpr int OD = 1, OH = 28, OW = 28;
constexpr int KD = 1, KH = 3, KW = 3;
constexpr int STRIDE_D = 1, STRIDE_H = 2, STRIDE_W = 2;
constexpr int PAD_D = 0, PAD_H = 1, PAD_W = 1;
constexpr int DILATION_D = 1, DILATION_H = 1, DILATION_W = 1;
constexpr int PLANE = 56 * 56;         // input pixels of an image
constexpr bool CHANNELS_LAST = false;  // the result; else [image][channel][pixel]
// Output pixels as tiles see them: without taps, strides and padding, all of them are one row.
constexpr int SPAN_I = 8, SPAN_D = 1, SPAN_H = 28, SPAN_W = 28;
// The schedule.
constexpr int BOX_I = 8, BOX_D = 1, BOX_H = 2, BOX_W = 8; // output pixels of a tile
constexpr int BM = 128, BN = 64, BK = 64;                 // block tile: pixels at most, filters, channels of a step
constexpr int CONSUMERS = 2;                              // warpgroups that multiply
constexpr int STAGES = 4;
constexpr int INFLIGHT = 1;   // stages whose products run while the next one is waited for
constexpr int SPLIT_K = 1;    // slices of the steps, whose sums another kernel adds
constexpr int MIN_BLOCKS = 2; // resident blocks per multiprocessor
constexpr int SHARED_BYTES = 98368; // dynamic shared memory of the launch
} // namespace example
//@ end

namespace example {

__host__ __device__ constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

constexpr int THREADS = 128 * CONSUMERS + 32;
constexpr int MT = BM / CONSUMERS / 64; // products of 64 pixels, one above the other, of a consumer
constexpr int PIXELS = BOX_I * BOX_D * BOX_H * BOX_W;
constexpr int BOXES_I = ceil_div(SPAN_I, BOX_I), BOXES_D = ceil_div(SPAN_D, BOX_D);
constexpr int BOXES_H = ceil_div(SPAN_H, BOX_H), BOXES_W = ceil_div(SPAN_W, BOX_W);
#if groups
// A tile has filters of one group; tiles of the groups of one box follow each other.
constexpr int M_TILES = BOXES_I * BOXES_D * BOXES_H * BOXES_W;
constexpr int GROUP_TILES = ceil_div(GROUP_OC, BN), N_TILES = GROUPS * GROUP_TILES;
#else
constexpr int M_TILES = BOXES_I * BOXES_D * BOXES_H * BOXES_W, N_TILES = ceil_div(OC, BN);
#endif
#if transposed
constexpr int PHASES = STRIDE_D * STRIDE_H * STRIDE_W;
constexpr int BLOCKS = M_TILES * N_TILES * SPLIT_K * PHASES;
constexpr int TAPS = KD * KH * KW;
constexpr int CHANNEL_STEPS = ceil_div(C, BK), STEPS = MOST_TAPS * CHANNEL_STEPS; // of a phase with the most taps
#else
constexpr int BLOCKS = M_TILES * N_TILES * SPLIT_K;
constexpr int TAPS = KD * KH * KW;
constexpr int CHANNEL_STEPS = ceil_div(C, BK), STEPS = TAPS * CHANNEL_STEPS;
#endif
constexpr int SLICE = ceil_div(STEPS, SPLIT_K); // steps of a tile; the last slice may have fewer
constexpr int OUT_PLANE = OD * OH * OW;         // output pixels of an image
constexpr long long RESULTS = (long long)IMAGES * OUT_PLANE * OC;
static_assert(PIXELS <= BM && BM % (64 * CONSUMERS) == 0 && BN % 8 == 0, "tiles are made of whole products");
static_assert((SPLIT_K - 1) * SLICE < STEPS, "every slice has a step");

// Shared memory: stages of [pixels | filters], each made of slabs of 128 swizzled bytes for every row; barriers.
constexpr int SLAB = 128 / sizeof(In), SLABS = BK / SLAB; // elements, of a step
constexpr int A_BYTES = SLABS * BM * 128, B_BYTES = SLABS * BN * 128, STAGE_BYTES = A_BYTES + B_BYTES;
constexpr int COPIED = SLABS * (PIXELS + BN) * 128; // bytes that arrive in a stage
static_assert(BK % SLAB == 0, "steps are made of whole slabs");
static_assert(STAGES * (STAGE_BYTES + 16) <= SHARED_BYTES, "the launch gives too little shared memory");

//@ replace epilogue
// One output.
__device__ __forceinline__ float epilogue(float value, int image, int channel, int z, int y, int x) { return value; }
//@ end

#if transposed
// The taps of one phase along one dimension: `count` ones from `tap` on, APART from each other. An output takes the
// input `shift` steps on with the first, and one NEARER with each next.
struct Taps {
  int tap, count, shift;
};
__device__ __forceinline__ Taps taps_of(int phase, int taps, int stride, int pad, int dilation) {
  Taps found = {0, 0, 0};
  for (int tap = taps - 1; tap >= 0; --tap) {
    const int place = phase + pad - tap * dilation;
    if (place % stride == 0)
      found = {tap, found.count + 1, place / stride};
  }
  return found;
}

// Tiles of the same pixels follow each other, so that these are read from memory once; so do the phases of one box:
// what they write between each other meets in the second-level cache.
struct Tile {
  int i, z, y, x, n, slice; // first image, first outputs of the phase, first filter
  int phase_z, phase_y, phase_x;
};
__device__ __forceinline__ Tile tile_at(int index) {
  const int phase = index / N_TILES % PHASES, box = index / (N_TILES * PHASES) % M_TILES;
  return {box / (BOXES_W * BOXES_H * BOXES_D) * BOX_I,
          box / (BOXES_W * BOXES_H) % BOXES_D * BOX_D,
          box / BOXES_W % BOXES_H * BOX_H,
          box % BOXES_W * BOX_W,
          index % N_TILES * BN,
          index / (N_TILES * PHASES * M_TILES),
          phase / (STRIDE_W * STRIDE_H),
          phase / STRIDE_W % STRIDE_H,
          phase % STRIDE_W};
}
// The number of the output pixel at row ROW of a tile, or -1.
__device__ __forceinline__ int pixel_at(const Tile &tile, int row) {
  const int x = (tile.x + row % BOX_W) * STRIDE_W + tile.phase_x;
  const int y = (tile.y + row / BOX_W % BOX_H) * STRIDE_H + tile.phase_y;
  const int z = (tile.z + row / (BOX_W * BOX_H) % BOX_D) * STRIDE_D + tile.phase_z;
  const int i = tile.i + row / (BOX_W * BOX_H * BOX_D);
  if (row >= PIXELS || x >= OW || y >= OH || z >= OD || i >= IMAGES)
    return -1;
  return ((i * OD + z) * OH + y) * OW + x;
}
#else
// A tap along one dimension is at coordinate STRIDE * (output + shift) + residue of the image.
__device__ __forceinline__ int shift_of(int tap, int stride, int pad, int dilation) {
  const int at = tap * dilation - pad;
  return at >= 0 ? at / stride : -((stride - 1 - at) / stride);
}
// The residue's number among those that some tap has, and how many have one.
__host__ __device__ constexpr int residues_below(int residue, int taps, int stride, int pad, int dilation) {
  int count = 0;
  for (int r = 0; r < residue; ++r) {
    bool found = false;
    for (int tap = 0; tap < taps; ++tap)
      found |= ((tap * dilation - pad) % stride + stride) % stride == r;
    count += found;
  }
  return count;
}
__device__ __forceinline__ int residue_of(int tap, int taps, int stride, int pad, int dilation) {
  return stride == 1 ? 0
                     : residues_below(((tap * dilation - pad) % stride + stride) % stride, taps, stride, pad, dilation);
}
constexpr int RESIDUES_H = residues_below(STRIDE_H, KH, STRIDE_H, PAD_H, DILATION_H);
constexpr int RESIDUES_W = residues_below(STRIDE_W, KW, STRIDE_W, PAD_W, DILATION_W);

// Tiles of the same pixels follow each other, so that these are read from memory once.
struct Tile {
  int i, z, y, x, n, slice; // first pixel and filter
};
__device__ __forceinline__ Tile tile_at(int index) {
  const int box = index / N_TILES % M_TILES;
  return {box / (BOXES_W * BOXES_H * BOXES_D) * BOX_I,
          box / (BOXES_W * BOXES_H) % BOXES_D * BOX_D,
          box / BOXES_W % BOXES_H * BOX_H,
          box % BOXES_W * BOX_W,
#if groups
          index % N_TILES / GROUP_TILES * GROUP_OC + index % GROUP_TILES * BN,
#else
          index % N_TILES * BN,
#endif
          index / (N_TILES * M_TILES)};
}
// The number of the output pixel at row ROW of a tile, or -1.
__device__ __forceinline__ int pixel_at(const Tile &tile, int row) {
  const int x = tile.x + row % BOX_W, y = tile.y + row / BOX_W % BOX_H;
  const int z = tile.z + row / (BOX_W * BOX_H) % BOX_D, i = tile.i + row / (BOX_W * BOX_H * BOX_D);
  if (row >= PIXELS || x >= SPAN_W || y >= SPAN_H || z >= SPAN_D || i >= SPAN_I)
    return -1;
  return ((i * SPAN_D + z) * SPAN_H + y) * SPAN_W + x;
}
#endif
// Where a result lies.
__device__ __forceinline__ long long place_of(int pixel, int channel) {
  return CHANNELS_LAST ? (long long)pixel * OC + channel
                       : ((long long)(pixel / OUT_PLANE) * OC + channel) * OUT_PLANE + pixel % OUT_PLANE;
}

// Finishes the sum of a pixel and a filter.
template <typename... Extra>
__device__ __forceinline__ Stored finish(float sum, int pixel, int channel, Extra... extra) {
  if constexpr (SPLIT_K > 1)
    return sum;
  else
    return static_cast<Stored>(epilogue(sum, pixel / OUT_PLANE, channel, pixel / (OW * OH) % OD, pixel / OW % OH,
                                        pixel % OW, extra...));
}

//@ replace mma
__device__ __forceinline__ void mma(float (&c)[BN / 2], uint64_t a, uint64_t b, bool accumulate) {
  kgen::wgmma_f16<BN>(c, a, b, accumulate);
}
//@ end

// All products of one stage.
__device__ __forceinline__ void multiply(float (&c)[MT][BN / 2], uint64_t a, uint64_t b, bool accumulate) {
#pragma unroll
  for (int step = 0; step < SLABS * 4; ++step)
#pragma unroll
    for (int i = 0; i < MT; ++i)
      mma(c[i], a + (step / 4 * BM * 128 + i * 64 * 128 + step % 4 * 32) / 16,
          b + (step / 4 * BN * 128 + step % 4 * 32) / 16, accumulate || step > 0);
}

} // namespace example

//@ section image
#if image_rows
// Puts the channels of a group PITCH elements from those of the group before it.
extern "C" __global__ void __launch_bounds__(256)
    example_image(const example::In *__restrict__ input, example::In *__restrict__ image) {
  using namespace example;
  const long long index = blockIdx.x * 256ll + threadIdx.x;
  if (index < (long long)IMAGES * PLANE * GROUPS * C)
    image[index / C * PITCH + index % C] = input[index];
}
#else
#if groups
// Puts the channels last, those of a group PITCH elements from those of the group before it: tiles of 32 pixels by 32
// channels go through shared memory.
extern "C" __global__ void __launch_bounds__(256)
    example_image(const example::In *__restrict__ input, example::In *__restrict__ image) {
  using namespace example;
  __shared__ __align__(16) unsigned char storage[32 * 33 * sizeof(In)];
  In(*tile)[33] = reinterpret_cast<In(*)[33]>(storage);
  constexpr int CHANNELS = GROUPS * C, ACROSS = ceil_div(PLANE, 32), DOWN = ceil_div(CHANNELS, 32);
  const int p0 = blockIdx.x % ACROSS * 32, c0 = blockIdx.x / ACROSS % DOWN * 32;
  const long long number = blockIdx.x / (ACROSS * DOWN); // of the image
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int i = 0; i < 32; i += 8)
    if (c0 + warp + i < CHANNELS && p0 + lane < PLANE)
      tile[warp + i][lane] = input[(number * CHANNELS + c0 + warp + i) * PLANE + p0 + lane];
  __syncthreads();
  const int channel = c0 + lane;
#pragma unroll
  for (int i = 0; i < 32; i += 8)
    if (p0 + warp + i < PLANE && channel < CHANNELS)
      image[((number * PLANE + p0 + warp + i) * GROUPS + channel / C) * PITCH + channel % C] = tile[lane][warp + i];
}
#else
// Puts the channels last: tiles of 32 pixels by 32 channels go through shared memory.
extern "C" __global__ void __launch_bounds__(256)
    example_image(const example::In *__restrict__ input, example::In *__restrict__ image) {
  using namespace example;
  __shared__ __align__(16) unsigned char storage[32 * 33 * sizeof(In)];
  In(*tile)[33] = reinterpret_cast<In(*)[33]>(storage);
  constexpr int ACROSS = ceil_div(PLANE, 32), DOWN = ceil_div(C, 32);
  const int p0 = blockIdx.x % ACROSS * 32, c0 = blockIdx.x / ACROSS % DOWN * 32;
  const long long first = (long long)(blockIdx.x / (ACROSS * DOWN)) * C * PLANE;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int i = 0; i < 32; i += 8)
    if (c0 + warp + i < C && p0 + lane < PLANE)
      tile[warp + i][lane] = input[first + (long long)(c0 + warp + i) * PLANE + p0 + lane];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 32; i += 8)
    if (p0 + warp + i < PLANE && c0 + lane < C)
      image[first + (long long)(p0 + warp + i) * C + c0 + lane] = tile[lane][warp + i];
}
#endif
#endif

//@ end
//@ section weights
// Lays the weights out as [filter][tap][channel].
extern "C" __global__ void __launch_bounds__(256)
    example_weights(const example::In *__restrict__ weights, example::In *__restrict__ packed) {
  using namespace example;
  const long long index = blockIdx.x * 256ll + threadIdx.x;
  if (index >= (long long)OC * TAPS * C)
    return;
#if weight_rows
  packed[index / C * PITCH + index % C] = weights[index];
#else
  const int channel = index % C, tap = index / C % TAPS;
#if transposed
  packed[index] = weights[(channel * OC + index / (TAPS * C)) * TAPS + tap];
#else
#if groups
  packed[index / C * PITCH + channel] = weights[(index / (TAPS * C) * C + channel) * TAPS + tap];
#else
  packed[index] = weights[(index / (TAPS * C) * C + channel) * TAPS + tap];
#endif
#endif
#endif
}

//@ end
//@ replace kernel
//@ sizes THREADS | SHARED_BYTES | BLOCKS
extern "C" __global__ void __launch_bounds__(example::THREADS, example::MIN_BLOCKS)
    example_main(const example::In *__restrict__ image, const example::In *__restrict__ weights,
                 example::Stored *__restrict__ output, const __grid_constant__ kgen::tensor_map map_w,
                 const __grid_constant__ kgen::tensor_map map_0, const __grid_constant__ kgen::tensor_map map_1,
                 const __grid_constant__ kgen::tensor_map map_2, const __grid_constant__ kgen::tensor_map map_3) {
  //@ end
  using namespace example;
  extern __shared__ __align__(1024) unsigned char example_shared[];
  uint64_t *full = reinterpret_cast<uint64_t *>(example_shared + STAGES * STAGE_BYTES), *empty = full + STAGES;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      kgen::mbar_init(&full[s], 1);
      kgen::mbar_init(&empty[s], CONSUMERS);
    }
    kgen::fence_barrier_init();
  }
  __syncthreads();

  const Tile tile = tile_at(blockIdx.x);
#if transposed
  const Taps taps_d = taps_of(tile.phase_z, KD, STRIDE_D, PAD_D, DILATION_D);
  const Taps taps_h = taps_of(tile.phase_y, KH, STRIDE_H, PAD_H, DILATION_H);
  const Taps taps_w = taps_of(tile.phase_x, KW, STRIDE_W, PAD_W, DILATION_W);
  // A phase with few taps, or with none, leaves slices without a step.
  const int all = taps_d.count * taps_h.count * taps_w.count * CHANNEL_STEPS;
  const int first = tile.slice * SLICE, steps = max(0, min(SLICE, all - first));
#else
  const int first = tile.slice * SLICE, steps = SPLIT_K == 1 ? STEPS : min(SLICE, STEPS - first);
#endif
  const int group = threadIdx.x / 128;
  int stage = 0;
  unsigned phase = 0;
  auto advance = [&] {
    if (++stage == STAGES) {
      stage = 0;
      phase ^= 1;
    }
  };

  if (group == CONSUMERS) {
    if (threadIdx.x % 32 == 0)
      for (int step = first; step < first + steps; ++step) {
#if transposed
        const int c0 = step % CHANNEL_STEPS * BK, w = step / CHANNEL_STEPS % taps_w.count;
        const int h = step / (CHANNEL_STEPS * taps_w.count) % taps_h.count;
        const int d = step / (CHANNEL_STEPS * taps_w.count * taps_h.count);
        const int tap = ((taps_d.tap + d * APART_D) * KH + taps_h.tap + h * APART_H) * KW + taps_w.tap + w * APART_W;
        const int x = tile.x + taps_w.shift - w * NEARER_W, y = tile.y + taps_h.shift - h * NEARER_H;
        [[maybe_unused]] const int z = tile.z + taps_d.shift - d * NEARER_D;
#else
        const int tap = step / CHANNEL_STEPS, c0 = step % CHANNEL_STEPS * BK;
        const int kd = tap / (KH * KW), kh = tap / KW % KH, kw = tap % KW;
        const int x = tile.x + shift_of(kw, STRIDE_W, PAD_W, DILATION_W);
        const int y = tile.y + shift_of(kh, STRIDE_H, PAD_H, DILATION_H);
        const int z = tile.z + shift_of(kd, STRIDE_D, PAD_D, DILATION_D);
        const int number = (residue_of(kd, KD, STRIDE_D, PAD_D, DILATION_D) * RESIDUES_H +
                            residue_of(kh, KH, STRIDE_H, PAD_H, DILATION_H)) *
                               RESIDUES_W +
                           residue_of(kw, KW, STRIDE_W, PAD_W, DILATION_W);
#endif
        //@ replace map
        const kgen::tensor_map *map = number == 0 ? &map_0 : number == 1 ? &map_1 : number == 2 ? &map_2 : &map_3;
        //@ end
        kgen::mbar_wait(&empty[stage], phase ^ 1);
        kgen::mbar_arrive_expect_tx(&full[stage], COPIED);
        unsigned char *a = example_shared + stage * STAGE_BYTES, *b = a + A_BYTES;
#pragma unroll
        for (int s = 0; s < SLABS; ++s) {
          //@ replace load
          kgen::tma_load_4d(a + s * BM * 128, map, &full[stage], c0 + s * SLAB, x, y, tile.i);
          //@ end
          kgen::tma_load_3d(b + s * BN * 128, &map_w, &full[stage], c0 + s * SLAB, tap, tile.n);
        }
        advance();
      }
  } else {
    const int thread = threadIdx.x % 128;
    const uint64_t a_first = kgen::smem_descriptor(example_shared + group * MT * 64 * 128, 0, 1024, kgen::SWIZZLE_128B);
    const uint64_t b_first = kgen::smem_descriptor(example_shared + A_BYTES, 0, 1024, kgen::SWIZZLE_128B);
    float sums[MT][BN / 2];
    int previous = 0;
    auto release = [&](int s) {
      if (thread == 0)
        kgen::mbar_arrive(&empty[s]);
    };
    for (int step = 0; step < steps; ++step) {
      kgen::mbar_wait(&full[stage], phase);
      kgen::wgmma_fence();
      multiply(sums, a_first + stage * (STAGE_BYTES / 16), b_first + stage * (STAGE_BYTES / 16), step > 0);
      kgen::wgmma_commit();
      kgen::wgmma_wait<INFLIGHT>();
      // With one stage in flight, the one before it is free.
      if (INFLIGHT == 0)
        release(stage);
      else if (step > 0)
        release(previous);
      previous = stage;
      advance();
    }
    kgen::wgmma_wait<0>();
#pragma unroll
    for (int i = 0; i < MT; ++i)
      kgen::wgmma_hold(sums[i]);
#if transposed
    if (steps == 0)
      for (int i = 0; i < MT; ++i)
        for (int j = 0; j < BN / 2; ++j)
          sums[i][j] = 0;
#endif
#if groups
    const int end = (tile.n / GROUP_OC + 1) * GROUP_OC; // of the group's filters
#endif
    // Also keeps reads of the sums behind the products' end.
    kgen::named_barrier_sync(1 + group, 128);

#pragma unroll
    for (int i = 0; i < MT; ++i)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int pixel = pixel_at(tile, (group * MT + i) * 64 + thread / 32 * 16 + thread % 32 / 4 + 8 * half);
        if (pixel < 0)
          continue;
        Stored *to = output + (SPLIT_K > 1 ? tile.slice * RESULTS : 0) + place_of(pixel, 0);
#pragma unroll
        for (int j = 0; j < BN; j += 8) {
          const int channel = tile.n + j + thread % 4 * 2;
          const float *sum = &sums[i][j / 2 + 2 * half];
          struct alignas(2 * sizeof(Stored)) Pair {
            Stored first, second;
          } pair;
          //@ replace finish
          if (OC % BN == 0 || channel < OC)
            pair.first = finish(sum[0], pixel, channel);
          if (OC % BN == 0 || channel + 1 < OC)
            pair.second = finish(sum[1], pixel, channel + 1);
          //@ end
#if groups
          if (CHANNELS_LAST && GROUP_OC % 2 == 0) {
            if (GROUP_OC % BN == 0 || channel < end)
              *reinterpret_cast<Pair *>(to + channel) = pair;
          } else {
            constexpr int APART = CHANNELS_LAST ? 1 : OUT_PLANE;
            if (GROUP_OC % BN == 0 || channel < end)
              to[(long long)channel * APART] = pair.first;
            if (GROUP_OC % BN == 0 || channel + 1 < end)
              to[(long long)(channel + 1) * APART] = pair.second;
          }
#else
          if (CHANNELS_LAST && OC % 2 == 0) {
            if (OC % BN == 0 || channel < OC)
              *reinterpret_cast<Pair *>(to + channel) = pair;
          } else {
            constexpr int APART = CHANNELS_LAST ? 1 : OUT_PLANE;
            if (OC % BN == 0 || channel < OC)
              to[(long long)channel * APART] = pair.first;
            if (OC % BN == 0 || channel + 1 < OC)
              to[(long long)(channel + 1) * APART] = pair.second;
          }
#endif
        }
      }
  }
}

//@ section split_k
// Adds the slices' sums in order, and finishes the results.
namespace example {
constexpr int EACH = (CHANNELS_LAST ? OC : OUT_PLANE) % 4 == 0 ? 4 : 1; // results of a thread, side by side
} // namespace example
//@ replace reduce
extern "C" __global__ void __launch_bounds__(256)
    example_reduce(const float *__restrict__ partial, example::Out *__restrict__ output) {
  //@ end
  using namespace example;
  struct alignas(EACH * sizeof(float)) Sums {
    float value[EACH];
  } sums = {};
  struct alignas(EACH * sizeof(Out)) Results {
    Out value[EACH];
  } results;
  const long long first = (blockIdx.x * 256ll + threadIdx.x) * EACH;
  if (first >= RESULTS)
    return;
#pragma unroll 8
  for (int slice = 0; slice < SPLIT_K; ++slice) {
    const Sums more = *reinterpret_cast<const Sums *>(&partial[slice * RESULTS + first]);
#pragma unroll
    for (int i = 0; i < EACH; ++i)
      sums.value[i] += more.value[i];
  }
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    const long long at = first + i;
    const int channel = CHANNELS_LAST ? at % OC : at / OUT_PLANE % OC;
    const int pixel = CHANNELS_LAST ? at / OC : at / ((long long)OUT_PLANE * OC) * OUT_PLANE + at % OUT_PLANE;
    const int image = pixel / OUT_PLANE, z = pixel / (OW * OH) % OD, y = pixel / OW % OH, x = pixel % OW;
    //@ replace reduce_call
    results.value[i] = static_cast<Out>(epilogue(sums.value[i], image, channel, z, y, x));
    //@ end
  }
  *reinterpret_cast<Results *>(&output[first]) = results;
}
//@ end
