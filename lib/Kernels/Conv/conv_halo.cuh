//===- conv_halo.cuh - Convolution of shifted pixels (sm_90a) -------------===//
//
// A tile is a box of output pixels, TH rows of TW, times F filters. The right operand of its products are the input
// pixels that the box needs, its neighbours included: they lie in shared memory once, one after the other in rows of
// PITCH, 16 bytes of channels at a time, and every tap of the filter multiplies the same block, moved by whole pixels.
// The left operand are the tap's filters. With a stride there is a block for each residue of the input's coordinates.
// So an input pixel is fetched once for all taps, and images need not have their channels last: PRODUCER_WARPS read
// them as they are, put what belongs together side by side, and round f32 to tf32 on the way.
//
// Pixels of a row's end multiply into columns of the result that nobody reads.
//
// Blocks stay and take one tile after the other. A team of PARTS warpgroups multiplies a tile; with two teams one
// stores while the other multiplies. The filters stay in shared memory where they fit it (RESIDENT), and travel with
// the pixels of each step elsewhere.
//
// Of a transposed convolution (section transposed) a tile is a box of neighbouring inputs, and the result all outputs
// at STRIDE * q + phase for the q of the box: a warpgroup for each phase of the height, which has the sums of all
// phases of the width; a tile for each phase of the depth. One of stride 1 is a plain convolution with its filters
// mirrored.
//
// Few filters leave most of a product's 64 rows empty. Stacked (section stacked), a tile has DEPTHS neighbouring output
// depths, whose filters are rows of the same product, OWN each: they meet all SLICES input depths that any of these
// outputs needs, with zeros for taps that are none of theirs. The input's depths are then channels among the others, so
// that few channels fill a step, too. A zero makes NaN of an infinite pixel, so outputs that are not finite are then
// summed once more, each by itself.
//
//===----------------------------------------------------------------------===//
#include "kgen_hopper.cuh"

//@ replace constants
namespace example {
// The problem: images of C x D x H x W, filters of KD x KH x KW taps, outputs of OD x OH x OW.
using In = __half;  // element type of the input and the products
using Out = __half; // element type of the result
constexpr int IMAGES = 8, C = 64, OC = 64;
constexpr int D = 1, H = 56, W = 56, OD = 1, OH = 56, OW = 56;
constexpr int KD = 1, KH = 3, KW = 3;
constexpr int STRIDE_D = 1, STRIDE_H = 1, STRIDE_W = 1; // of the convolution, transposed or not
constexpr int PAD_D = 0, PAD_H = 1, PAD_W = 1;
constexpr int DILATION_D = 1, DILATION_H = 1, DILATION_W = 1;
// Inputs before the first of an output that some tap takes, and how far apart the first and the last are.
constexpr int LEAD_D = 0, LEAD_H = 1, LEAD_W = 1;
constexpr int REACH_H = 2, REACH_W = 2;
// The schedule.
constexpr int TH = 4, TW = 56;       // pixels of a tile
constexpr int N = 256;               // of a product
constexpr int RUN = 4, BEFORE_W = 3; // pixels that one load has, and of a row before the first that is needed
constexpr int F = 64, BK = 32;       // filters of a tile, channels of a step
#if stacked
constexpr int DEPTHS = 4, SLICES = 6, ADVANCE_D = 4; // outputs of a tile, inputs that they need, to the next tile's
#endif
constexpr int PARTS = 1, TEAMS = 2;  // warpgroups that multiply a tile, and how many tiles at a time
constexpr int PRODUCER_WARPS = 4;
constexpr int PRODUCER_REGISTERS = 120, CONSUMER_REGISTERS = 192; // of a thread
constexpr int STAGES = 3;
constexpr int INFLIGHT = 1;          // steps whose products run while the next one is waited for
constexpr bool RESIDENT = true;      // whether a block's filters stay
constexpr int AT_ONCE = 8;           // channels of a warp on their way to memory
constexpr int AHEAD = 2;             // steps, or portions, that the second-level cache is asked for
constexpr int GRID = 132;            // blocks
constexpr int SHARED_BYTES = 225408; // dynamic shared memory of the launch
} // namespace example
//@ end

namespace example {

__host__ __device__ constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }
__host__ __device__ constexpr int larger(int a, int b) { return a < b ? b : a; }
__host__ __device__ constexpr int smaller(int a, int b) { return a < b ? a : b; }

constexpr int CONSUMERS = PARTS * TEAMS, PRODUCERS = 32 * PRODUCER_WARPS;
constexpr int THREADS = 128 * CONSUMERS + PRODUCERS;
#if scaled
constexpr int LANES = 16 / sizeof(Compute), CHUNKS = BK / LANES; // channels side by side, groups of them in a step
constexpr int PORTIONS = BK / PORTION;                           // of a step
static_assert(BK % PORTION == 0 && PORTION % LANES == 0, "a portion has whole chunks");
#if stacked
#else
static_assert((PORTION - LANES + 0.0) * D * H * W * sizeof(In) + 1.0 * H * W * sizeof(In) < 0x1p32,
              "a thread's place in a portion is of 32 bits");
#endif
#else
constexpr int LANES = 16 / sizeof(In), CHUNKS = BK / LANES; // channels side by side, groups of them in a step
#endif
constexpr int TAPS = KH * KW;                               // of one depth
#if depth_phases
constexpr int PHASES_D = STRIDE_D;
#else
constexpr int PHASES_D = 1;
#endif
#if transposed
constexpr int PHASES_H = STRIDE_H, SETS = STRIDE_W; // sums of a thread: a set for each phase of the width
constexpr int SHIFT_H = 1, SHIFT_W = 1, PLANES_H = 1, PLANES_W = 1;
#else
constexpr int PHASES_H = 1, SETS = 1;
constexpr int SHIFT_H = STRIDE_H, SHIFT_W = STRIDE_W;                               // inputs from an output to the next
constexpr int PLANES_H = KH == 1 ? 1 : STRIDE_H, PLANES_W = KW == 1 ? 1 : STRIDE_W; // residues
#endif
// Outputs of one phase.
#if stacked
constexpr int OWN = F / DEPTHS, SPAN_D = ceil_div(OD, DEPTHS), SLABS = 1, CHANNELS = C * SLICES;
static_assert(F == 64 && OWN % 16 == 0 && OC <= OWN, "a warp's rows are filters of one depth");
#else
constexpr int OWN = F, SPAN_D = ceil_div(OD, PHASES_D), SLABS = KD, CHANNELS = C; // depths of filters that steps tell apart
#endif
constexpr int SPAN_H = ceil_div(OH, PHASES_H), SPAN_W = ceil_div(OW, SETS);
constexpr int BOXES_H = ceil_div(SPAN_H, TH), BOXES_W = ceil_div(SPAN_W, TW);
constexpr int BOXES = IMAGES * SPAN_D * PHASES_D * BOXES_H * BOXES_W, N_TILES = ceil_div(OC, OWN);
constexpr int PITCH = (BEFORE_W + TW + REACH_W + RUN - 1) / RUN * RUN,
              PLANE = (TH + REACH_H) * PITCH; // pixels of a row in shared memory, of a residue
constexpr int LOADED = PLANES_H * PLANES_W * PLANE;
// A product reads N pixels from any tap's first on.
constexpr int PIXELS = LOADED - PLANE + larger(PLANE, REACH_H * PITCH + BEFORE_W + REACH_W + N);
#if scaled
// A producer's thread loads 16 bytes' worth of channels of a run: what is loaded of a portion, and by a thread of it.
constexpr int RUNS = LOADED / RUN, UNITS = RUNS * (PORTION / LANES), EACH = ceil_div(UNITS, PRODUCERS);
#else
constexpr int EACH = ceil_div(LOADED / RUN, PRODUCERS); // runs of pixels of a producer's thread
#endif
constexpr int CHANNEL_STEPS = ceil_div(CHANNELS, BK);
static_assert(RUN == 1 ||
                  (SHIFT_W == 1 && W % RUN == 0 && (LEAD_W + BEFORE_W) % RUN == 0 && (TW % RUN == 0 || BOXES_W == 1)),
              "runs lie inside of rows");
static_assert((TH - 1) * PITCH + TW <= N, "a tile's pixels are columns of one product");
static_assert(GRID % N_TILES == 0, "a block keeps its filters");
#if channels
constexpr int BLOCKS = F / 64, ROWS = 16 * BLOCKS; // products of 64 filters, and of their rows those of a warp
static_assert(PARTS == PHASES_H, "a warpgroup for a phase of the height has all of a tile's filters");
#if softmax
static_assert(OC <= OWN, "a tile has all channels");
#endif
#else
constexpr int BLOCKS = 1;
static_assert(PARTS == F / 64 * PHASES_H, "a warpgroup for 64 filters, and for a phase of the height");
#endif
static_assert(CHUNKS % 2 == 0, "a product takes 32 bytes of channels");

// Shared memory: filters, stages of [pixels | filters], barriers.
constexpr int PIXEL_BYTES = CHUNKS * PIXELS * 16, FILTER_BYTES = TAPS * CHUNKS * F * 16; // of a step
constexpr int RESIDENT_BYTES = RESIDENT ? SLABS * CHANNEL_STEPS * FILTER_BYTES : 0;
constexpr int STAGE_BYTES = PIXEL_BYTES + (RESIDENT ? 0 : FILTER_BYTES);
// Outputs on their way to memory, for each warp that multiplies.
#if scaled
// And before them the scales of the stages, and the largest magnitudes that warps loaded, of two portions.
constexpr int SCALE_BYTES = 8 * PRODUCER_WARPS + STAGES * 4;
constexpr int PATCHES_AT =
    (RESIDENT_BYTES + STAGES * (STAGE_BYTES + 16) + 8 * (1 + TEAMS) + SCALE_BYTES + 127) / 128 * 128;
#else
constexpr int PATCHES_AT = (RESIDENT_BYTES + STAGES * (STAGE_BYTES + 16) + 8 * (1 + TEAMS) + 127) / 128 * 128;
#endif
#if folds
constexpr int PATCH_PITCH = 36; // 32 outputs of a channel
#else
// All outputs of a channel, 32 at a time; eight rows of them begin in different banks.
constexpr int SWEEPS = ceil_div(N * SETS, 32), CHANNEL_PITCH = SWEEPS * 32 + 8 * SETS;
// Of those a thread has as many outputs in registers as fit beside its sums, half of which have left by then if a warp
// stores 8 of its 16 rows at once: a register is free again once its store has left the multiprocessor.
constexpr int IN_REGISTERS =
    larger(16, smaller(32, (CONSUMERS > 3 ? 64 : 128) - SETS * N / (AT_ONCE == 8 ? 4 : 2)));
constexpr int TOGETHER = smaller(AT_ONCE, SWEEPS * 8 <= IN_REGISTERS   ? 8
                                          : SWEEPS * 4 <= IN_REGISTERS ? 4
                                          : SWEEPS * 2 <= IN_REGISTERS ? 2
                                                                       : 1); // rows
static_assert(SETS <= 2 && 16 % AT_ONCE == 0 && AT_ONCE % TOGETHER == 0, "a warp stores its 16 channels some at a time");
#endif
#if channels
// What a warp's channels come to, two numbers of a lane, twice.
constexpr int SHARES_AT = PATCHES_AT + CONSUMERS * 4 * ROWS * PATCH_PITCH * 4;
static_assert(SHARES_AT + CONSUMERS * 2 * 4 * 32 * 8 <= SHARED_BYTES, "the launch gives too little shared memory");
#else
#if folds
constexpr int PATCH_BYTES = 16 * PATCH_PITCH * 4;
#else
constexpr int PATCH_BYTES = AT_ONCE * CHANNEL_PITCH * 4;
#endif
static_assert(PATCHES_AT + CONSUMERS * 4 * PATCH_BYTES <= SHARED_BYTES, "the launch gives too little shared memory");
#endif
#if pixels
constexpr int SHARES = BOXES / IMAGES * PHASES_H * (F / OWN); // of an image and channel
#endif
#if pieces
constexpr long long OUTPUTS = (long long)IMAGES * OD * OH * OW; // of a channel
#endif

//@ replace epilogue
// One output.
__device__ __forceinline__ float epilogue(float value, int image, int channel, int z, int y, int x) { return value; }
//@ end

//@ replace output_functions
//@ end

struct Tile {
  int i, z, y, x; // image, depth and first row and column of a phase's outputs
  int phase_d;
};
__device__ __forceinline__ Tile tile_at(int box) {
  const int z = box / (BOXES_W * BOXES_H) % (SPAN_D * PHASES_D);
  return {box / (BOXES_W * BOXES_H * SPAN_D * PHASES_D), z / PHASES_D, box / BOXES_W % BOXES_H * TH, box % BOXES_W * TW,
          z % PHASES_D};
}

#if stacked
// The tap along the depth with which the DEPTH-th output of a tile takes the SLICE-th input, or -1.
__device__ __forceinline__ int depth_tap(int depth, int slice) {
#if transposed
  const int place = depth + PAD_D - (slice - LEAD_D) * STRIDE_D;
#else
  const int place = slice - depth * STRIDE_D;
#endif
  return place >= 0 && place % DILATION_D == 0 && place / DILATION_D < KD ? place / DILATION_D : -1;
}
#endif
#if transposed
// The taps of one phase along one dimension: `count` ones from `tap` on, `apart` from each other. The first takes the
// input `shift` after the first that any phase takes, the others one `nearer` each.
struct Taps {
  int tap, count, shift;
};
__device__ __forceinline__ Taps taps_of(int phase, int taps, int stride, int pad, int dilation, int lead) {
  Taps found = {0, 0, 0};
  for (int tap = taps - 1; tap >= 0; --tap) {
    const int place = phase + pad - tap * dilation;
    if (place % stride == 0)
      found = {tap, found.count + 1, place / stride + lead};
  }
  return found;
}
#endif

#if scaled
struct alignas(16) Chunk {
  Compute lane[LANES];
};
#else
__device__ __forceinline__ float rounded(float x) { return kgen::round_tf32(x); }
template <typename T>
__device__ __forceinline__ T rounded(T x) {
  return x;
}

struct alignas(16) Chunk {
  In lane[LANES];
};
#endif
struct alignas(RUN * sizeof(In)) Run {
  In pixel[RUN];
};
#if scaled
// What a loading thread has of a portion of a step.
struct Step {
  Run runs[EACH][LANES];
  int filters; // which of the filters' portions it needs
  bool first;  // of a tile
};
#else
// What a loading thread has of a step.
struct Step {
  Run runs[EACH][BK];
  int filters; // which of the filters' steps it needs
};
#endif

//@ replace mma
__device__ __forceinline__ void mma(float (&c)[N / 2], uint64_t a, uint64_t b) { kgen::wgmma_f16<N>(c, a, b, true); }
//@ end

#if stacked

//@ replace stacked_functions
#include "conv_halo_stacked.cuh"
//@ end
#endif

} // namespace example

//@ replace filters
// Lays the weights out as [tile of filters][depth][step of channels][tap][16 bytes of channels][filter].
extern "C" __global__ void __launch_bounds__(256)
    example_weights(const example::In *__restrict__ weights, example::In *__restrict__ packed) {
  using namespace example;
  const long long index = blockIdx.x * 256ll + threadIdx.x;
  if (index >= (long long)N_TILES * SLABS * CHANNEL_STEPS * TAPS * BK * F)
    return;
  const int lane = index % LANES, row = index / LANES % F, tap = index / (BK * F) % TAPS;
  const int place = index / (BK * F * TAPS) % CHANNEL_STEPS * BK + index / (LANES * F) % CHUNKS * LANES + lane;
#if stacked
  const int filter = row % OWN, depth = depth_tap(row / OWN, place % SLICES), channel = place / SLICES;
#else
  const int filter = index / (BK * F * TAPS) / (CHANNEL_STEPS * KD) * F + row, channel = place;
  const int depth = index / (BK * F * TAPS) / CHANNEL_STEPS % KD;
#endif
  In value = In(0.0f);
  if (channel < C && filter < OC && depth >= 0)
#if transposed
    value = weights[(((long long)channel * OC + filter) * KD + depth) * TAPS + tap];
#else
    //@ replace weight
    value = weights[(((long long)filter * C + channel) * KD + depth) * TAPS + tap];
  //@ end
#endif
  packed[index] = rounded(value);
}
//@ end

//@ replace kernel
//@ sizes THREADS | SHARED_BYTES | GRID
extern "C" __global__ void __launch_bounds__(example::THREADS, 1)
    example_main(const example::In *__restrict__ input, const example::In *__restrict__ weights,
                 example::Out *__restrict__ output) {
  //@ end
  using namespace example;
  extern __shared__ __align__(1024) unsigned char example_shared[];
  unsigned char *stages = example_shared + RESIDENT_BYTES;
  uint64_t *full = reinterpret_cast<uint64_t *>(stages + STAGES * STAGE_BYTES), *empty = full + STAGES;
  // A team may look at the stages of its tile once the one before it has seen all of its own: until then a stage's
  // parity does not say which of its uses is over.
  uint64_t *filters_there = empty + STAGES, *turns = filters_there + 1;
  //@ section scaled
  float *stage_scales = reinterpret_cast<float *>(turns + TEAMS);
  //@ end
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      kgen::mbar_init(&full[s], PRODUCERS);
#if scaled
      kgen::mbar_init(&empty[s], 4 * PARTS);
#else
      kgen::mbar_init(&empty[s], PARTS);
#endif
    }
    kgen::mbar_init(filters_there, 1);
    for (int t = 0; t < TEAMS; ++t)
      kgen::mbar_init(&turns[t], 4 * PARTS);
    kgen::fence_barrier_init();
  }
#if stacked
  // What is not loaded is multiplied, too: finite, it makes no output suspicious.
  for (int at = threadIdx.x; at < STAGES * STAGE_BYTES / 16; at += THREADS)
    reinterpret_cast<uint4 *>(stages)[at] = {};
  kgen::fence_proxy_async();
#endif
  __syncthreads();

  const int n_tile = blockIdx.x % N_TILES, first_box = blockIdx.x / N_TILES;
#if scaled
  // Counted in In.
  const In *filters = reinterpret_cast<const In *>(weights + (long long)n_tile * SLABS * CHANNEL_STEPS * TAPS * BK * F);
#else
  const In *filters = weights + (long long)n_tile * SLABS * CHANNEL_STEPS * TAPS * BK * F;
#endif
  int stage = 0;
  unsigned phase = 0;
  auto advance = [&] {
    if (++stage == STAGES) {
      stage = 0;
      phase ^= 1;
    }
  };

  if (threadIdx.x >= 128 * CONSUMERS) {
    kgen::setmaxnreg_dec<PRODUCER_REGISTERS>();
    const int thread = threadIdx.x - 128 * CONSUMERS;
    if (RESIDENT && thread == 0) {
      kgen::mbar_arrive_expect_tx(filters_there, RESIDENT_BYTES);
      for (int step = 0; step < SLABS * CHANNEL_STEPS; ++step)
        kgen::bulk_load(example_shared + step * FILTER_BYTES, filters + step * (FILTER_BYTES / (int)sizeof(In)),
                        FILTER_BYTES, filters_there);
    }
    //@ section scaled
    // From here to the consumers a step is a portion of one: that is what fits the registers twice.
    constexpr int CHANNEL_STEPS = example::CHANNEL_STEPS * PORTIONS, BK = PORTION;
    //@ end
    //@ replace visit_steps
#include "conv_halo_visit.cuh"
    //@ end
    // Loads the next step, and asks the second-level cache for the one AHEAD of it: memory answers late, and a thread
    // has registers for two.
    Cursor loaded = {first_box}, asked = {first_box};
    auto ask = [&] {
      visit(asked, [](int, int, const char *from, bool is_inside) {
        if (is_inside)
          kgen::prefetch_l2(from);
      });
    };
    for (int i = 0; i < AHEAD; ++i)
      ask();
    auto fetch = [&](Step &to) {
      const bool more = visit(loaded, [&](int i, int c, const char *from, bool is_inside) {
        Run run = {};
        if (is_inside)
          run = *reinterpret_cast<const Run *>(from);
        to.runs[i][c] = run;
      });
      to.filters = loaded.filters;
      //@ section scaled
      to.first = loaded.first;
      //@ end
      if (AHEAD > 0)
        ask();
      return more;
    };
#if scaled
    PixelScale power = {reinterpret_cast<unsigned *>(stage_scales + STAGES)};
    int portion = 0; // of a step
    // Puts what was loaded where the products read it, once there is room.
    auto put = [&](Step &from) {
      const float before = power.choose(from, portion, thread);
      unsigned char *to = stages + stage * STAGE_BYTES;
      if (portion == 0) {
        kgen::mbar_wait(&empty[stage], phase ^ 1);
        if (!RESIDENT && thread == 0) {
          kgen::mbar_expect_tx(&full[stage], FILTER_BYTES);
          kgen::bulk_load(to + PIXEL_BYTES, filters + from.filters / PORTIONS * (FILTER_BYTES / (int)sizeof(In)),
                          FILTER_BYTES, &full[stage]);
        }
      }
      put_portion(from, reinterpret_cast<Chunk *>(to), portion, thread, before, power.scale);
      if (++portion < PORTIONS)
        return;
      portion = 0;
      const float scale = power.finish();
      if (thread == 0)
        stage_scales[stage] = scale;
      kgen::fence_proxy_async();
      kgen::mbar_arrive(&full[stage]);
      advance();
    };
#else
    // Puts what was loaded where the products read it, once there is room.
    auto put = [&](Step &from) {
      kgen::mbar_wait(&empty[stage], phase ^ 1);
      unsigned char *to = stages + stage * STAGE_BYTES;
      if (!RESIDENT && thread == 0) {
        kgen::mbar_expect_tx(&full[stage], FILTER_BYTES);
        kgen::bulk_load(to + PIXEL_BYTES, filters + from.filters * (FILTER_BYTES / (int)sizeof(In)), FILTER_BYTES,
                        &full[stage]);
      }
#pragma unroll
      for (int i = 0; i < EACH; ++i) {
        const int pixel = (thread + i * PRODUCERS) * RUN;
        if (LOADED / RUN % PRODUCERS != 0 && pixel >= LOADED)
          break;
#pragma unroll
        for (int k = 0; k < CHUNKS; ++k)
#pragma unroll
          for (int j = 0; j < RUN; ++j) {
            Chunk chunk;
#pragma unroll
            for (int lane = 0; lane < LANES; ++lane)
              chunk.lane[lane] = rounded(from.runs[i][k * LANES + lane].pixel[j]);
            *reinterpret_cast<Chunk *>(to + (k * PIXELS + pixel + j) * 16) = chunk;
          }
      }
      kgen::fence_proxy_async();
      kgen::mbar_arrive(&full[stage]);
      advance();
    };
#endif
    // The loads of a step are on their way while the step before is stored.
    Step even, odd;
    for (bool more = fetch(even); more;) {
      const bool another = fetch(odd);
      put(even);
      if (!another)
        break;
      more = fetch(even);
      put(odd);
    }
  } else {
    kgen::setmaxnreg_inc<CONSUMER_REGISTERS>();
    // From another lane, so that the compiler knows that a warp's threads agree.
    const int thread = threadIdx.x % 128, group = __shfl_sync(0xffffffffu, threadIdx.x / 128, 0);
    const int part = group % PARTS, team = group / PARTS;
#if channels
    constexpr int part_f = 0;
#else
    const int part_f = part % (F / 64) * 64;
#endif
    // Strides of a descriptor: from 16 bytes of channels to the next, from 8 rows to the next.
    const uint64_t a_first = kgen::smem_descriptor(example_shared + (RESIDENT ? 0 : PIXEL_BYTES) + part_f * 16, F * 16,
                                                   128, kgen::SWIZZLE_NONE);
    const uint64_t b_first = kgen::smem_descriptor(stages + BEFORE_W * 16, PIXELS * 16, 128, kgen::SWIZZLE_NONE);
#if transposed
#if channels
    const int phase_h = part;
#else
    const int phase_h = part / (F / 64);
#endif
    const Taps taps_h = taps_of(phase_h, KH, STRIDE_H, PAD_H, DILATION_H, LEAD_H);
#endif
    //@ section scaled
    // Of the thread's two rows of each 64 filters.
    const float *own_scales = scales + n_tile * F + part_f + thread / 32 * 16 + thread % 32 / 4;
    int filter_exponents[BLOCKS][2];
#pragma unroll
    for (int row = 0; row < 2 * BLOCKS; ++row)
      filter_exponents[row / 2][row % 2] = exponent_of(own_scales[row / 2 * 64 + row % 2 * 8]);
    //@ end
    if (RESIDENT)
      kgen::mbar_wait(filters_there, 0);
    int turn = 0, own = 0; // the team of the next tile, and how many this one has had
    // Every warp says so: one that comes late must find the phase that it waits for.
    auto pass_on = [&] {
      __syncwarp();
      if (TEAMS > 1 && thread % 32 == 0)
        kgen::mbar_arrive(&turns[turn]);
    };
    for (int box = first_box; box < BOXES; box += GRID / N_TILES) {
      const Tile tile = tile_at(box);
#if depth_phases
      const Taps taps_d = taps_of(tile.phase_d, KD, STRIDE_D, PAD_D, DILATION_D, LEAD_D);
      const int depths = taps_d.count;
#else
      constexpr int depths = SLABS;
#endif
      const int steps = depths * CHANNEL_STEPS;
      const bool mine = turn == team;
      turn = turn + 1 == TEAMS ? 0 : turn + 1;
      if (!mine) {
        for (int step = 0; step < steps; ++step)
          advance();
        continue;
      }
      if (TEAMS > 1)
        kgen::mbar_wait(&turns[team], (own++ + (team == 0)) % 2);
      if (steps == 0)
        pass_on();
      float sums[BLOCKS * SETS][N / 2];
#pragma unroll
      for (int set = 0; set < BLOCKS * SETS; ++set)
#pragma unroll
        for (int j = 0; j < N / 2; ++j)
          sums[set][j] = 0.0f;
      int previous = 0;
#if scaled
      float unit = ANY_SCALE; // of the sums
      // Each warp's first lane gives a stage back, and reads its scale for the others: in its own order, and so that
      // compute-sanitizer's racecheck sees it.
      auto release = [&](int s) {
        if (thread % 32 == 0)
          kgen::mbar_arrive(&empty[s]);
      };
#else
      auto release = [&](int s) {
        if (thread == 0)
          kgen::mbar_arrive(&empty[s]);
      };
#endif
      for (int step = 0; step < steps; ++step) {
#if depth_phases
        const int depth = taps_d.tap + step / CHANNEL_STEPS * APART_D;
#else
        const int depth = step / CHANNEL_STEPS;
#endif
        const uint64_t a_step = RESIDENT
                                    ? a_first + (depth * CHANNEL_STEPS + step % CHANNEL_STEPS) * (FILTER_BYTES / 16)
                                    : a_first + (RESIDENT_BYTES + stage * STAGE_BYTES) / 16;
        const uint64_t b_step = b_first + stage * (STAGE_BYTES / 16);
        kgen::mbar_wait(&full[stage], phase);
        if (step == steps - 1)
          pass_on();
        //@ section scaled
        float scale = ANY_SCALE;
        if (thread % 32 == 0)
          scale = stage_scales[stage];
        scale = __shfl_sync(0xffffffffu, scale, 0);
        if (scale != ANY_SCALE && scale != unit) {
          if (unit != ANY_SCALE) {
            kgen::wgmma_wait<0>();
            change_unit(sums, unit, scale);
          }
          unit = scale;
        }
        //@ end
        kgen::wgmma_fence();
#if transposed
        for (int h = 0; h < taps_h.count; ++h)
#pragma unroll
          for (int set = 0; set < SETS; ++set) {
            const Taps taps_w = taps_of(set, KW, STRIDE_W, PAD_W, DILATION_W, LEAD_W);
            for (int w = 0; w < taps_w.count; ++w) {
              const int tap = (taps_h.tap + h * APART_H) * KW + taps_w.tap + w * APART_W;
              const int shift = (taps_h.shift - h * NEARER_H) * PITCH + taps_w.shift - w * NEARER_W;
#pragma unroll
              for (int k = 0; k < CHUNKS; k += 2)
#if channels
#pragma unroll
                for (int block = 0; block < BLOCKS; ++block)
                  mma(sums[block * SETS + set], a_step + (tap * CHUNKS + k) * F + block * 64,
                      b_step + k * PIXELS + shift);
#else
                mma(sums[set], a_step + (tap * CHUNKS + k) * F, b_step + k * PIXELS + shift);
#endif
            }
          }
#else
#pragma unroll 1
        for (int h = 0; h < KH; ++h)
#pragma unroll
          for (int w = 0; w < KW; ++w) {
            const int tap = h * KW + w, y = h * DILATION_H, x = w * DILATION_W;
            const int shift = (y % SHIFT_H * PLANES_W + x % SHIFT_W) * PLANE + y / SHIFT_H * PITCH + x / SHIFT_W;
#pragma unroll
            for (int k = 0; k < CHUNKS; k += 2)
#if channels
#pragma unroll
              for (int block = 0; block < BLOCKS; ++block)
                mma(sums[block], a_step + (tap * CHUNKS + k) * F + block * 64, b_step + k * PIXELS + shift);
#else
              mma(sums[0], a_step + (tap * CHUNKS + k) * F, b_step + k * PIXELS + shift);
#endif
          }
#endif
        kgen::wgmma_commit();
        kgen::wgmma_wait<INFLIGHT>();
        // With one step in flight, the stage before it is free.
        if (INFLIGHT == 0)
          release(stage);
        else if (step > 0)
          release(previous);
        previous = stage;
        advance();
      }
      kgen::wgmma_wait<0>();
#pragma unroll
      for (int set = 0; set < BLOCKS * SETS; ++set)
        kgen::wgmma_hold(sums[set]);
      // Also keeps reads of the sums behind the products' end.
      kgen::named_barrier_sync(1 + group, 128);
      if (INFLIGHT != 0 && steps > 0)
        release(previous);
      //@ section scaled
      settle(sums, unit, filter_exponents);
      //@ end
#if stacked
      float zero = 0.0f;
#pragma unroll
      for (int set = 0; set < BLOCKS * SETS; ++set)
#pragma unroll
        for (int j = 0; j < N / 2; ++j)
          zero = fmaf(sums[set][j], 0.0f, zero);
      const bool is_finite = __all_sync(0xffffffffu, zero == 0.0f);
#endif

#if depth_phases
      const int z = tile.z * STRIDE_D + tile.phase_d;
#else
#if stacked
      // From another lane, so that the compiler knows that a warp's threads agree.
      const int z = tile.z * DEPTHS + __shfl_sync(0xffffffffu, thread / 32, 0) / (OWN / 16);
#else
      const int z = tile.z;
#endif
#endif
#if transposed
      const int step_h = STRIDE_H, first_y = tile.y * STRIDE_H + phase_h;
#else
      const int step_h = 1, first_y = tile.y;
#endif
#if folds
      //@ replace fold_outputs
      //@ end
#else
#if pools
      // All that share a window go on.
      if (z / POOL_D >= POD)
        continue;
#else
      if (z >= OD)
        continue;
#endif
      //@ replace store_outputs
#include "conv_halo_store.cuh"
      //@ end
#endif
    }
  }
}
#if launches_behind

//@ replace fold_launches
//@ end
#endif
