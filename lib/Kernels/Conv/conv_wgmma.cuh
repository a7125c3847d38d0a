//===- conv_wgmma.cuh - Convolution of few channels on warpgroup products -===//
//
// One row of up to 64 outputs times BN filters is one tile of 64 x BN. Its left operand is never formed: the
// image lies in shared memory as chunks of 16 bytes, each BC channels x BH rows x BW columns, one for each step
// of STRIDE_W columns. Eight neighbouring chunks are the block of 8 x 16 bytes that a warpgroup product reads,
// and a filter's taps are the same blocks moved by whole chunks: all of the gathering is in the descriptors.
//
// A block holds all weights of its filters for its whole life. Each of its STREAMS is a producer group, which
// rounds groups of STRIDE_H input rows into a ring of slots, and a warpgroup, which multiplies and finishes
// one row of outputs after the other, and pools in registers vertically, through shared memory horizontally.
//
// 16-bit operands hold f32 data scaled by powers of two: one for each filter, one for each group of rows. Rows
// whose groups differ in scale, or that meet an infinity or a NaN, are summed in f32 without tensor cores.
//
//===----------------------------------------------------------------------===//
#include "kgen_hopper.cuh"

//@ replace constants
namespace example {
// The problem: images of C x H x W, filters of KH x KW, outputs of OH x OW.
using In = float;       // element type of the input and the weights
using Compute = __half; // element type of the operands
using Out = float;      // element type of the result
constexpr int IMAGES = 100, C = 3, H = 224, W = 224;
constexpr int OC = 96, OH = 55, OW = 55, KH = 11, KW = 11;
constexpr int STRIDE_H = 4, STRIDE_W = 4, PAD_H = 2, PAD_W = 2;
// Maximum pooling of the outputs; windows of 1 when there is none.
constexpr int PH = 27, PW = 27; // pooled outputs
constexpr int POOL_H = 3, POOL_W = 3, POOL_STRIDE_H = 2, POOL_STRIDE_W = 2, POOL_PAD_H = 0, POOL_PAD_W = 0;
// The schedule.
constexpr int BN = 96;                // filters of a block
constexpr int BC = 1, BH = 2, BW = 4; // channels, rows and columns of a chunk
constexpr int STREAMS = 2;            // warpgroups that multiply
constexpr int PRODUCER_WARPS = 4;     // warps that load, of each stream
constexpr int SLOTS = 8;              // groups of input rows that a stream holds
constexpr int GRID = 132;             // blocks
constexpr int PRODUCER_REGISTERS = 88, CONSUMER_REGISTERS = 168; // of a thread; 0: both the same
constexpr int MMA_INFLIGHT = 1;       // rows whose products run while the row before is finished
constexpr int SHARED_BYTES = 224000;  // dynamic shared memory of the launch
} // namespace example
//@ end

namespace example {

__host__ __device__ constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }
__host__ __device__ constexpr int round_up(int a, int b) { return ceil_div(a, b) * b; }
__host__ __device__ constexpr int smaller(int a, int b) { return a < b ? a : b; }
__host__ __device__ constexpr int larger(int a, int b) { return a < b ? b : a; }

constexpr int N_TILES = ceil_div(OC, BN);
// Rows of more than 64 outputs are cut into strips of STRIP (pooled) outputs.
constexpr int STRIP = OW + POOL_PAD_W <= 64 ? PW : (64 - POOL_W) / POOL_STRIDE_W + 1;
constexpr int STRIPS = ceil_div(PW, STRIP);
constexpr int STRIP_COLUMNS = smaller(64, (STRIP - 1) * POOL_STRIDE_W + POOL_W);

// A slot: [channels / BC][rows of a group / BH][phases][column], chunks. A phase is one of the chunks that
// a wide stride steps over.
constexpr int STEP = larger(STRIDE_W, BW); // columns from one chunk of an output to its next of that phase
constexpr int PLANES_C = ceil_div(C, BC), PLANES_H = STRIDE_H / BH, PHASES = STEP / BW;
constexpr int PLANES = PLANES_C * PLANES_H * PHASES;
constexpr int ROW_CHUNKS = ceil_div(KW, STEP); // chunks of an output in one plane
constexpr int SHIFT = STEP / STRIDE_W;         // their distance
constexpr int COLUMNS = STRIP_COLUMNS + (ROW_CHUNKS - 1) * SHIFT;
constexpr int SLOT_BYTES = PLANES * COLUMNS * 16;
constexpr int GROUPS = ceil_div(KH, STRIDE_H); // groups of rows that an output needs

// The order of k: group, plane, chunk, element. A product takes two chunks.
constexpr int CHUNKS = PLANES * ROW_CHUNKS, STEPS = ceil_div(CHUNKS, 2);
__host__ __device__ constexpr int chunk_offset(int chunk) {
  return chunk / ROW_CHUNKS * COLUMNS + chunk % ROW_CHUNKS * SHIFT;
}
constexpr int STEP_WEIGHTS = BN * 16, WEIGHTS = GROUPS * STEPS * STEP_WEIGHTS; // elements

// A producer's thread converts half a chunk at a time: PIECE_C x PIECE_H x PIECE_W, read VECTOR at a time.
constexpr int PIECE_H = smaller(BH, 2), PIECE_W = smaller(BW, 4 / PIECE_H), PIECE_C = 4 / (PIECE_H * PIECE_W);
constexpr int HALVES_W = BW / PIECE_W, HALVES_H = BH / PIECE_H;
constexpr int input_vector() {
  const int left = POOL_PAD_W * STRIDE_W + PAD_W, strip = STRIPS > 1 ? STRIP * POOL_STRIDE_W * STRIDE_W : 0;
  int v = PIECE_W;
  while (W % v || STRIDE_W % v || left % v || strip % v)
    v /= 2;
  return v;
}
constexpr int VECTOR = input_vector();
constexpr int PIECES = PLANES * COLUMNS * 2, PRODUCERS = 32 * PRODUCER_WARPS;
// Where it costs few idle threads, all of them are in the same plane at a time, whose place is then a constant.
constexpr int PLANE_PIECES = COLUMNS * 2, PLANE_TURNS = ceil_div(PLANE_PIECES, PRODUCERS);
constexpr bool BY_PLANE = PLANES * PLANE_TURNS * 4 <= ceil_div(PIECES, PRODUCERS) * 5;
constexpr int EACH = BY_PLANE ? PLANES * PLANE_TURNS : ceil_div(PIECES, PRODUCERS);
constexpr int THREADS = STREAMS * (128 + PRODUCERS);

// Piece I of a thread: its place among the pieces of its plane.
struct Piece {
  int plane, within;
  __device__ __forceinline__ bool exists() const { return PLANES > plane && within < PLANE_PIECES; }
  __device__ __forceinline__ int number() const { return plane * PLANE_PIECES + within; }
};
__device__ __forceinline__ Piece piece_of(int i, int thread) {
  if (BY_PLANE)
    return {i / PLANE_TURNS, thread + i % PLANE_TURNS * PRODUCERS};
  const int piece = thread + i * PRODUCERS;
  return {piece / PLANE_PIECES, piece % PLANE_PIECES};
}

// The finished row, [filter][column]: rows of 4 mod 16 words are free of conflicts when they are written, and
// so are even and odd columns apart when windows two columns apart read them.
constexpr int STAGE_PITCH = 68;
__host__ __device__ constexpr int stage_column(int m) { return POOL_STRIDE_W == 2 ? m % 2 * 36 + m / 2 : m; }
constexpr bool WINDOWS_INSIDE = STRIPS == 1 && POOL_PAD_W == 0 && (PW - 1) * POOL_STRIDE_W + POOL_W <= OW;

// Dynamic shared memory: weights, rings, finished rows, scales and biases of filters, then of each stream's slots and
// its producers' largest magnitudes, and the barriers.
constexpr int AT_RINGS = WEIGHTS * 2, AT_STAGES = AT_RINGS + STREAMS * SLOTS * SLOT_BYTES;
constexpr int STAGE = BN * STAGE_PITCH, AT_SCALES = AT_STAGES + STREAMS * STAGE * 4;
constexpr int STREAM_WORDS = SLOTS + 2 * PRODUCER_WARPS;
constexpr int AT_BARRIERS = round_up(AT_SCALES + (2 * BN + STREAMS * STREAM_WORDS) * 4, 8);
static_assert(AT_BARRIERS + STREAMS * SLOTS * 16 <= SHARED_BYTES, "the launch gives too little shared memory");
static_assert(SLOTS > GROUPS, "a row's groups and the next one");

//@ replace epilogue
constexpr bool EPILOGUE_FIRST = false; // before the maximum, because it does not commute with it
// One output.
__device__ __forceinline__ float epilogue(float value, int image, int channel, int y, int x, const float *bias) {
  return value > 0.0f ? value : 0.0f;
}
//@ end
//@ replace finish
// One pooled output.
__device__ __forceinline__ float finish(float value, int image, int channel, int y, int x, const float *bias) {
  return value;
}
//@ end

// The tap that element E of chunk CHUNK of group GROUP multiplies; outside the filter for what fills up.
struct Tap {
  int c, h, w;
};
__device__ __forceinline__ Tap tap_of(int group, int chunk, int e) {
  const int plane = chunk / ROW_CHUNKS, half = e / 4, r = e % 4;
  return {plane / (PLANES_H * PHASES) * BC + half / (HALVES_H * HALVES_W) * PIECE_C + r / (PIECE_H * PIECE_W),
          group * STRIDE_H + plane / PHASES % PLANES_H * BH + half / HALVES_W % HALVES_H * PIECE_H +
              r / PIECE_W % PIECE_H,
          chunk % ROW_CHUNKS * STEP + plane % PHASES * BW + half % HALVES_W * PIECE_W + r % PIECE_W};
}

// The power of two that brings a magnitude, given as bits, to 2^11. Others than f32 data are not scaled.
constexpr bool SCALED = sizeof(In) == 4;
__device__ __forceinline__ float scale_of(unsigned bits) {
  const int exponent = 11 + 127 - (int)(bits >> 23);
  return __int_as_float((127 + min(max(exponent, -120), 120)) << 23);
}
__device__ __forceinline__ unsigned magnitude(float x) { return __float_as_uint(x) & 0x7fffffffu; }
constexpr unsigned INFINITE = 0x7f800000u;
constexpr float ANY_SCALE = -1.0f; // of a group of zeros; a group with an infinity or a NaN has 0
constexpr float SETTLED = -1.0f;   // the power of sums that are what they are; 0: of none yet

// The convolution's row behind the window of (pooled) row PY. No two windows end in the same row but at the border.
__device__ __forceinline__ int row_end(int py) { return min(py * POOL_STRIDE_H - POOL_PAD_H + POOL_H, OH); }

// A run of (pooled) output rows of one strip of one image, and the convolution's rows that they need.
struct Run {
  int image, strip, first, count, y0, y1;
};
__device__ __forceinline__ Run run_at(int unit, int end) {
  Run run;
  run.first = unit % PH;
  run.strip = unit / PH % STRIPS;
  run.image = unit / PH / STRIPS;
  run.count = min(PH - run.first, end - unit);
  run.y0 = max(run.first * POOL_STRIDE_H - POOL_PAD_H, 0);
  run.y1 = row_end(run.first + run.count - 1) - 1;
  return run;
}
// The column of the convolution, and of the input, where a strip starts.
__device__ __forceinline__ int strip_x(int strip) { return strip * STRIP * POOL_STRIDE_W - POOL_PAD_W; }

// Walks through the groups of rows that a stream needs.
struct Cursor {
  Run run;
  int unit, end, y;
  __device__ __forceinline__ Cursor(int unit, int end) : unit(unit), end(end) {
    if (unit < end)
      run = run_at(unit, end), y = run.y0;
  }
  __device__ __forceinline__ bool more() const { return unit < end; }
  __device__ __forceinline__ void next() {
    if (++y < run.y1 + GROUPS)
      return;
    unit += run.count;
    if (unit < end)
      run = run_at(unit, end), y = run.y0;
  }
};

// The inputs of a group that one thread converts, zero outside of the image.
__device__ __forceinline__ void load_group(In (&v)[EACH][4], const In *input, const Cursor &cursor, int thread) {
  const In *image = input + (long long)cursor.run.image * C * H * W;
  const int h1 = cursor.y * STRIDE_H - PAD_H, w1 = strip_x(cursor.run.strip) * STRIDE_W - PAD_W;
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    const Piece piece = piece_of(i, thread);
    const int plane = piece.plane, column = piece.within / 2, half = piece.within % 2;
    const int c0 = plane / (PLANES_H * PHASES) * BC + half / (HALVES_H * HALVES_W) * PIECE_C;
    const int h0 = h1 + plane / PHASES % PLANES_H * BH + half / HALVES_W % HALVES_H * PIECE_H;
    const int w0 = w1 + column * STRIDE_W + plane % PHASES * BW + half % HALVES_W * PIECE_W;
#pragma unroll
    for (int r = 0; r < 4; r += VECTOR) {
      const int c = c0 + r / (PIECE_H * PIECE_W), h = h0 + r / PIECE_W % PIECE_H, w = w0 + r % PIECE_W;
      const bool inside = piece.exists() && c < C && (unsigned)h < (unsigned)H && (unsigned)w < (unsigned)W;
      struct alignas(VECTOR * sizeof(In)) Loaded {
        In value[VECTOR];
      } loaded = {};
      if (inside)
        loaded = *reinterpret_cast<const Loaded *>(image + ((c * H + h) * W + w));
#pragma unroll
      for (int e = 0; e < VECTOR; ++e)
        v[i][r + e] = loaded.value[e];
    }
  }
}

// What the threads of a producer group share.
struct Producer {
  const In *input;
  unsigned char *ring;
  float *slot_scale;
  unsigned *most; // largest magnitudes of the warps, of two groups
  uint64_t *full, *empty;
  int thread, barrier;
  float scale; // 0: of no group yet
};

// Rounds group Q into its slot.
__device__ __forceinline__ void fill_slot(Producer &producer, const In (&v)[EACH][4], int q) {
  unsigned bits = 0;
#pragma unroll
  for (int i = 0; i < EACH; ++i)
#pragma unroll
    for (int r = 0; r < 4; ++r)
      bits = max(bits, magnitude(static_cast<float>(v[i][r])));
  bits = __reduce_max_sync(~0u, bits);
  unsigned *most = producer.most + q % 2 * PRODUCER_WARPS;
  if (producer.thread % 32 == 0)
    most[producer.thread / 32] = bits;
  const int slot = q % SLOTS;
  kgen::mbar_wait(&producer.empty[slot], (q / SLOTS + 1) % 2);
  kgen::named_barrier_sync(producer.barrier, PRODUCERS);
#pragma unroll
  for (int i = 0; i < PRODUCER_WARPS; ++i)
    bits = max(bits, most[i]);
  // Keep the scale while the largest value stays far from both ends of the range.
  const float largest = __uint_as_float(bits) * producer.scale;
  if (SCALED && bits && bits < INFINITE && !(largest >= 4.0f && largest < 65000.0f))
    producer.scale = scale_of(bits);
  struct alignas(8) Half {
    Compute value[4];
  } *halves = reinterpret_cast<Half *>(producer.ring + slot * SLOT_BYTES);
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    const Piece piece = piece_of(i, producer.thread);
    Half half;
#pragma unroll
    for (int r = 0; r < 4; ++r)
      half.value[r] = static_cast<Compute>(static_cast<float>(v[i][r]) * producer.scale);
    if (piece.exists())
      halves[piece.number()] = half;
  }
  if (producer.thread == 0)
    producer.slot_scale[slot] = bits >= INFINITE ? 0.0f : bits ? producer.scale : ANY_SCALE;
  kgen::fence_proxy_async();
  kgen::mbar_arrive(&producer.full[slot]);
}

// Fills the ring for the units up to END; the next group is on its way while one is rounded.
__device__ __forceinline__ void produce(Producer producer, int unit, int end) {
  Cursor cursor(unit, end);
  In even[EACH][4], odd[EACH][4];
  if (cursor.more())
    load_group(even, producer.input, cursor, producer.thread);
  for (int q = 0; cursor.more(); q += 2) {
    cursor.next();
    if (cursor.more())
      load_group(odd, producer.input, cursor, producer.thread);
    fill_slot(producer, even, q);
    if (!cursor.more())
      break;
    cursor.next();
    if (cursor.more())
      load_group(even, producer.input, cursor, producer.thread);
    fill_slot(producer, odd, q + 1);
  }
}

// Starts one row on tensor cores; Q is the number of its first group in the ring's order.
__device__ __forceinline__ void multiply(float (&sum)[BN / 2], const unsigned char *ring,
                                         const unsigned char *weights, int q) {
  const uint64_t right = kgen::smem_descriptor(weights, BN * 16, 128, kgen::SWIZZLE_NONE);
  kgen::wgmma_fence();
#pragma unroll
  for (int group = 0; group < GROUPS; ++group) {
    const uint64_t left = kgen::smem_descriptor(ring + (q + group) % SLOTS * SLOT_BYTES, 0, 128, kgen::SWIZZLE_NONE);
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
      // The last chunk of an odd number meets itself, with weights of zero. Descriptors count 16 bytes; what is
      // added stays in the lower word.
      const int first = chunk_offset(2 * step), second = chunk_offset(smaller(2 * step + 1, CHUNKS - 1));
      const uint64_t a = (left >> 32 << 32) | ((unsigned)left + (first | (unsigned)(second - first) << 16));
      const uint64_t b = right + (group * STEPS + step) * (STEP_WEIGHTS / 8);
      //@ replace mma
      kgen::wgmma_f16<BN>(sum, a, b, group + step > 0);
      //@ end
    }
  }
  kgen::wgmma_commit();
}

// The same sums without tensor cores, straight from memory. They pass through STAGE, each by the hand of its own
// thread: loops that stay loops take no registers from the rows in flight.
__device__ __forceinline__ void multiply_exactly(float *stage, const In *image, const In *weights, int y, int x0,
                                                 int n_tile, int row) {
#pragma unroll 1
  for (int i = 0; i < BN / 2; ++i) {
    const int n = i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2, m = row + i / 2 % 2 * 8;
    float sum = 0.0f;
    if (n_tile * BN + n < OC)
#pragma unroll 1
      for (int k = 0; k < C * KH * KW; ++k) {
        const int h = y * STRIDE_H - PAD_H + k / KW % KH, w = (x0 + m) * STRIDE_W - PAD_W + k % KW;
        if ((unsigned)h < (unsigned)H && (unsigned)w < (unsigned)W)
          sum += static_cast<float>(image[(k / (KH * KW) * H + h) * W + w]) *
                 static_cast<float>(weights[(n_tile * BN + n) * C * KH * KW + k]);
      }
    stage[n * STAGE_PITCH + stage_column(m)] = sum;
  }
}

// Takes sums out of a power of two that they, as by their filters' ones, are still to be multiplied by.
__device__ __forceinline__ void settle(float (&sum)[BN / 2], float power, const float2 *filters) {
#pragma unroll
  for (int i = 0; i < BN / 2; ++i)
    sum[i] *= power == SETTLED ? 1.0f : power * filters[i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2].x;
}

} // namespace example

// Scales each filter and lays it out as the products read it: [filter tile][group][step][chunk][filter][element].
extern "C" __global__ void __launch_bounds__(128)
    example_weights(const example::In *__restrict__ weights, example::Compute *__restrict__ packed,
                    float *__restrict__ scales) {
  using namespace example;
  const int filter = blockIdx.x, n = filter % BN;
  constexpr int TAPS = C * KH * KW;
  __shared__ unsigned most[4];
  unsigned bits = 0;
  if (filter < OC)
    for (int i = threadIdx.x; i < TAPS; i += 128) {
      const unsigned m = magnitude(static_cast<float>(weights[filter * TAPS + i]));
      bits = max(bits, m < INFINITE ? m : 0);
    }
  bits = __reduce_max_sync(~0u, bits);
  if (threadIdx.x % 32 == 0)
    most[threadIdx.x / 32] = bits;
  __syncthreads();
  bits = max(max(most[0], most[1]), max(most[2], most[3]));
  const float scale = SCALED && bits ? scale_of(bits) : 1.0f;
  packed += (long long)(filter / BN) * WEIGHTS;
  for (int i = threadIdx.x; i < GROUPS * STEPS * 16; i += 128) {
    const int step = i / 16, half = i / 8 % 2, e = i % 8, chunk = step % STEPS * 2 + half;
    const Tap tap = tap_of(step / STEPS, chunk, e);
    float value = 0.0f;
    if (chunk < CHUNKS && filter < OC && tap.c < C && tap.h < KH && tap.w < KW)
      value = static_cast<float>(weights[filter * TAPS + (tap.c * KH + tap.h) * KW + tap.w]) * scale;
    packed[step * STEP_WEIGHTS + (half * BN + n) * 8 + e] = static_cast<Compute>(value);
  }
  if (threadIdx.x == 0)
    scales[filter] = 1.0f / scale;
}

//@ replace kernel
//@ sizes THREADS | SHARED_BYTES | GRID
//@ asserts BN % 8 == 0 && BC * BH * BW == 8 && STRIDE_H % BH == 0
//@ asserts GRID % N_TILES == 0
extern "C" __global__ void __launch_bounds__(example::THREADS, 1)
    example_main(const example::In *__restrict__ input, const example::In *__restrict__ weights,
                 const example::Compute *__restrict__ packed, const float *__restrict__ scales,
                 const float *__restrict__ bias, example::Out *__restrict__ output) {
  //@ end
  using namespace example;
  extern __shared__ __align__(1024) unsigned char example_shared[];
  float2 *filters = reinterpret_cast<float2 *>(example_shared + AT_SCALES); // scale and bias
  uint64_t *barriers = reinterpret_cast<uint64_t *>(example_shared + AT_BARRIERS);
  if (threadIdx.x == 0) {
    for (int i = 0; i < STREAMS * SLOTS; ++i) {
      kgen::mbar_init(&barriers[i], PRODUCERS);           // full
      kgen::mbar_init(&barriers[STREAMS * SLOTS + i], 4); // empty: a warp each
    }
    kgen::fence_barrier_init();
  }
  __syncthreads();

  const int n_tile = blockIdx.x % N_TILES;
  const bool producer = threadIdx.x >= 128 * STREAMS;
  const int stream = producer ? (threadIdx.x - 128 * STREAMS) / PRODUCERS : threadIdx.x / 128;
  unsigned char *ring = example_shared + AT_RINGS + stream * SLOTS * SLOT_BYTES;
  float *slot_scale = reinterpret_cast<float *>(filters + BN) + stream * STREAM_WORDS;
  uint64_t *full = barriers + stream * SLOTS, *empty = full + STREAMS * SLOTS;
  // Every stream takes an equal share of all (pooled) rows.
  constexpr long long UNITS = (long long)IMAGES * STRIPS * PH, SHARES = GRID / N_TILES * STREAMS;
  const int share = blockIdx.x / N_TILES * STREAMS + stream;
  int unit = (int)(UNITS * share / SHARES);
  const int end = (int)(UNITS * (share + 1) / SHARES);

  if (producer) {
    if constexpr (PRODUCER_REGISTERS)
      kgen::setmaxnreg_dec<PRODUCER_REGISTERS>();
    produce({input, ring, slot_scale, reinterpret_cast<unsigned *>(slot_scale + SLOTS), full, empty,
             ((int)threadIdx.x - 128 * STREAMS) % PRODUCERS, 2 + STREAMS + stream, SCALED ? 0.0f : 1.0f},
            unit, end);
    return;
  }

  if constexpr (PRODUCER_REGISTERS)
    kgen::setmaxnreg_inc<CONSUMER_REGISTERS>();
  packed += (long long)n_tile * WEIGHTS;
  for (int i = threadIdx.x * 8; i < WEIGHTS; i += 128 * STREAMS * 8)
    kgen::cp_async16(reinterpret_cast<Compute *>(example_shared) + i, packed + i);
  for (int n = threadIdx.x; n < BN; n += 128 * STREAMS) {
    float added = 0.0f;
    if (n_tile * BN + n < OC)
      //@ replace bias
      added = static_cast<float>(bias[n_tile * BN + n]);
    //@ end
    filters[n] = make_float2(scales[n_tile * BN + n], added);
  }
  kgen::cp_async_commit();
  kgen::cp_async_wait<0>();
  kgen::fence_proxy_async();
  kgen::named_barrier_sync(1, 128 * STREAMS);

  const int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32, row = warp * 16 + lane / 4;
  float *stage = reinterpret_cast<float *>(example_shared + AT_STAGES) + stream * STAGE;
  int q = 0;
  //@ section pool
  float best[BN / 2];
  //@ end
  while (unit < end) {
    const Run run = run_at(unit, end);
    unit += run.count;
    const In *image = input + (long long)run.image * C * H * W;
    const int x0 = strip_x(run.strip);
    int py = run.first;
    //@ section pool
    float held = 0.0f; // the power of the best
#pragma unroll
    for (int i = 0; i < BN / 2; ++i)
      best[i] = __int_as_float(0xff800000); // -infinity
    //@ end
    const auto start_row = [&](float(&sum)[BN / 2], int y) {
      const int first = q + y - run.y0;
      for (int i = y == run.y0 ? 0 : GROUPS - 1; i < GROUPS; ++i)
        kgen::mbar_wait(&full[(first + i) % SLOTS], (first + i) / SLOTS % 2);
      multiply(sum, ring, example_shared, first);
    };
    const auto finish_row = [&](float(&sum)[BN / 2], int y) {
      const int first = q + y - run.y0;
      // The lane that gives the slots back reads their scales and hands them round: its own order says, to
      // compute-sanitizer's racecheck, too, that they are read by then. 0: to be summed exactly.
      float scale = 0.0f;
      if (lane == 0) {
        scale = slot_scale[first % SLOTS];
#pragma unroll
        for (int i = 1; i < GROUPS; ++i)
          scale = fmaxf(scale, slot_scale[(first + i) % SLOTS]);
        bool agree = true;
#pragma unroll
        for (int i = 0; i < GROUPS; ++i) {
          const float other = slot_scale[(first + i) % SLOTS];
          agree &= (other == scale) | (other == ANY_SCALE);
        }
        scale = agree ? scale : 0.0f;
      }
      scale = __shfl_sync(~0u, scale, 0);
      const bool same = scale != 0.0f;
      if (lane == 0)
        for (int i = 0; i < (y == run.y1 ? GROUPS : 1); ++i)
          kgen::mbar_arrive(&empty[(first + i) % SLOTS]);
      // A scale is 2^k with |k| <= 120: the inverse's bits follow from its own.
      float power = scale > 0.0f ? __int_as_float((254 << 23) - __float_as_int(scale)) : 1.0f;
      //@ section pool
      if (scale == ANY_SCALE && held > 0.0f)
        power = held;
      //@ end
      if (!same) {
        power = SETTLED;
        kgen::named_barrier_sync(2 + stream, 128); // the last row has left
        multiply_exactly(stage, image, weights, y, x0, n_tile, row);
#pragma unroll
        for (int i = 0; i < BN / 2; ++i)
          sum[i] = stage[(i / 4 * 8 + lane % 4 * 2 + i % 2) * STAGE_PITCH + stage_column(row + i / 2 % 2 * 8)];
      }
      //@ section pool
      if constexpr (EPILOGUE_FIRST) {
        settle(sum, power, filters);
        held = power = SETTLED;
#pragma unroll
        for (int i = 0; i < BN / 2; ++i) {
          const int n = i / 4 * 8 + lane % 4 * 2 + i % 2, x = x0 + row + i / 2 % 2 * 8;
          sum[i] += filters[n].y;
          if (n_tile * BN + n < OC && (unsigned)x < (unsigned)OW)
            //@ replace early
            sum[i] = epilogue(sum[i], run.image, n_tile * BN + n, y, x, bias);
            //@ end
        }
      }
      if (held != power && held != 0.0f) { // the greater one shows in a common unit
        settle(best, held, filters);
        settle(sum, power, filters);
        power = SETTLED;
      }
      held = power;
#pragma unroll
      for (int i = 0; i < BN / 2; ++i)
        best[i] = kgen::max_nan(best[i], sum[i]);
      //@ end
      for (; py < run.first + run.count && y + 1 == row_end(py); ++py) {
        kgen::named_barrier_sync(2 + stream, 128); // the last row has left
#pragma unroll
        for (int i = 0; i < BN / 2; ++i) {
          const int n = i / 4 * 8 + lane % 4 * 2 + i % 2, m = row + i / 2 % 2 * 8;
          //@ replace stage
          stage[n * STAGE_PITCH + stage_column(m)] = best[i];
          //@ end
        }
        kgen::named_barrier_sync(2 + stream, 128);
        //@ section planes
        const long long plane = (long long)run.image * OC + n_tile * BN + warp;
        Out *const out = output + (plane * PH + py) * PW + run.strip * STRIP;
        const auto exists = [&](int p) { return p < STRIP && run.strip * STRIP + p < PW; };
        if (exists(lane)) {
          // What is beside each other in memory leaves at once.
#pragma unroll 8
          for (int j = 0; j < BN / 4; ++j) {
            const int n = warp + 4 * j, channel = n_tile * BN + n;
            if (OC % BN && channel >= OC)
              break;
            const float *values = stage + n * STAGE_PITCH;
            const float2 filter = filters[n];
#pragma unroll
            for (int i = 0; i < ceil_div(STRIP, 32); ++i) {
              const int p = lane + 32 * i, px = run.strip * STRIP + p;
              if (i > 0 && !exists(p))
                break;
        //@ end
        //@ section pixels
        // Channels last: neighbouring lanes take neighbouring filters of a pixel.
        for (int p = warp; p < STRIP && run.strip * STRIP + p < PW; p += 4) {
          const int px = run.strip * STRIP + p;
          Out *const out = output + (((long long)run.image * PH + py) * PW + px) * OC + n_tile * BN;
#pragma unroll
          for (int j = 0; j < ceil_div(BN, 32); ++j) {
            const int n = lane + 32 * j, channel = n_tile * BN + n;
            if (n < BN && channel < OC) {
              const float *values = stage + n * STAGE_PITCH;
              const float2 filter = filters[n];
        //@ end
              float value = values[stage_column(p)];
              //@ section pool
              value = __int_as_float(0xff800000);
#pragma unroll
              for (int w = 0; w < POOL_W; ++w) {
                const int m = p * POOL_STRIDE_W + w;
                if (WINDOWS_INSIDE || (unsigned)(x0 + m) < (unsigned)OW)
                  value = kgen::max_nan(value, values[stage_column(m)]);
              }
              //@ end
              //@ replace last
              if (!EPILOGUE_FIRST)
                value = epilogue(fmaf(value, power == SETTLED ? 1.0f : power * filter.x, filter.y), run.image, channel,
                                 py, px, bias);
              value = finish(value, run.image, channel, py, px, bias);
              //@ end
        //@ section planes
              out[(long long)j * 4 * PH * PW + p] = static_cast<Out>(value);
            }
          }
        }
        //@ end
        //@ section pixels
              out[n] = static_cast<Out>(value);
            }
          }
        }
        //@ end
        //@ section pool
        // A row between two windows belongs to both.
        const bool both = y >= (py + 1) * POOL_STRIDE_H - POOL_PAD_H;
        held = both ? power : 0.0f;
#pragma unroll
        for (int i = 0; i < BN / 2; ++i)
          best[i] = both ? sum[i] : __int_as_float(0xff800000);
        //@ end
      }
    };

    float even[BN / 2];
    if constexpr (MMA_INFLIGHT == 0) {
      for (int y = run.y0; y <= run.y1; ++y) {
        start_row(even, y);
        kgen::wgmma_wait<0>();
        finish_row(even, y);
      }
    } else {
      // Two rows in turns: one's products run while the other is finished.
      float odd[BN / 2];
      start_row(even, run.y0);
      for (int y = run.y0;; y += 2) {
        if (y == run.y1) {
          kgen::wgmma_wait<0>();
          finish_row(even, y);
          break;
        }
        start_row(odd, y + 1);
        kgen::wgmma_wait<1>();
        finish_row(even, y);
        if (y + 1 == run.y1) {
          kgen::wgmma_wait<0>();
          finish_row(odd, y + 1);
          break;
        }
        start_row(even, y + 2);
        kgen::wgmma_wait<1>();
        finish_row(odd, y + 1);
      }
    }
    q += run.y1 - run.y0 + GROUPS; // with those behind the last row's first
  }
}
