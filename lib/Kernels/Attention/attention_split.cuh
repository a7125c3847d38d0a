// attention_split.cuh - softmax(scale * Q K^T) V of few queries, the keys in parts of warps and blocks.
//@ section standalone
#include "kgen_hopper.cuh"
#define CAUSAL 1
#define MASKED 1
#define BY_CLUSTER 1
namespace example {
using Element = __half;
constexpr int kKeyHeads = 8, kGroup = 4, kQueries = 1, kKeys = 2048, kDepth = 64;
constexpr int kWarps = 8, kTileKeys = 32, kParts = 8, kStages = 1;
constexpr float kScale = 0.125f;
__device__ __forceinline__ unsigned pack(float low, float high) {
  const __half2 pair = __floats2half2_rn(low, high);
  unsigned bits;
  memcpy(&bits, &pair, sizeof(bits));
  return bits;
}
__device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  kgen::mma_m16n8k16_f16(d, a, b);
}
__device__ __forceinline__ float hidden() { return __int_as_float(0xff800000); }
constexpr int kQueryRow = 64, kKeyRow = 64, kValueRow = 64, kOutRow = 64;
__device__ __forceinline__ long long query_start(long long head) { return head * 64; }
__device__ __forceinline__ long long key_start(long long head) { return head / 4 * 131072; }
__device__ __forceinline__ long long value_start(long long head) { return head / 4 * 131072; }
__device__ __forceinline__ long long out_start(long long head) { return head * 64; }
using Mask = bool;
constexpr int kMaskRow = 0, kMaskKey = 1;
__device__ __forceinline__ long long mask_start(long long head) { return 0; }
__device__ __forceinline__ float masked(float score, Mask seen) { return seen ? score : hidden(); }
} // namespace example
//@ end
namespace example {
constexpr int kThreads = 32 * kWarps;
// A row is a query of one of the heads that share keys; a block has 16 rows, or all where there are fewer.
constexpr int kRows = kGroup * kQueries, kRowTiles = (kRows + 15) / 16, kHeld = kRows < 16 ? kRows : 16;
constexpr int kHalves = kHeld > 8 ? 2 : 1; // of 8 rows
constexpr int kTiles = (kKeys + kTileKeys - 1) / kTileKeys, kPartTiles = (kTiles + kParts - 1) / kParts;
constexpr int kStride = kDepth + 8; // of a row in shared memory: 16 bytes of padding keep ldmatrix free of conflicts
constexpr int kTileElements = kTileKeys * kStride;
constexpr int kWarpElements = kStages * 2 * kTileElements; // of a warp: kStages of keys and values
constexpr int kPairs = kHeld * kDepth / 2;                 // results of a block, two columns each
#if BY_CLUSTER
constexpr int kShare = (kPairs + kParts - 1) / kParts;             // pairs that a block of the cluster finishes
constexpr int kReceived = (kParts * (kShare + kHeld) + 1) / 2 * 2; // what the cluster's blocks tell it, in pairs
#else
constexpr int kReceived = 0;
#endif
constexpr float kLog2Scale = kScale * 1.44269504089f; // exp(scale * x) as a power of two

/// Starts the copy of keys [first, first + kTileKeys) of SOURCE by one warp; rows past the end become zeros.
__device__ __forceinline__ void fetch_tile(Element *tile, const Element *source, int stride, int first, int lane) {
  constexpr int kPacks = kDepth / 8;
#pragma unroll
  for (int i = lane; i < kTileKeys * kPacks; i += 32) {
    const int key = i / kPacks, column = i % kPacks * 8;
    const bool inside = first + key < kKeys;
    const long long row = inside ? first + key : 0;
    kgen::cp_async_zfill16(tile + key * kStride + column, source + row * stride + column, inside);
  }
}

/// What exponentials are shifted by: the maximum, or nothing where no key was seen.
__device__ __forceinline__ float shift_of(float maximum) { return maximum == hidden() ? 0.0f : maximum; }

/// A pair of results of keys that were seen together, not yet divided by the sum of their weights.
struct Partial {
  float maximum, sum;
  float2 value;
};

/// The partial of COUNT parts, in their order; STATE (maximum, sum) and VALUE give those of a part.
template <int COUNT, typename StateOf, typename ValueOf>
__device__ __forceinline__ Partial join(const StateOf &state, const ValueOf &value) {
  Partial all = {hidden(), 0.0f, {0.0f, 0.0f}};
#pragma unroll
  for (int part = 0; part < COUNT; ++part)
    all.maximum = fmaxf(all.maximum, state(part).x);
  const float shift = shift_of(all.maximum);
#pragma unroll
  for (int part = 0; part < COUNT; ++part) {
    const float2 one = state(part), of_part = value(part);
    const float weight = exp2f((one.x - shift) * kLog2Scale);
    all.sum += weight * one.y;
    all.value.x += weight * of_part.x;
    all.value.y += weight * of_part.y;
  }
  return all;
}

/// Stores pair PAIR of the rows of tile ROW_TILE of KEY_HEAD; a row that sees no key is zero.
__device__ __forceinline__ void store_pair(Element *out, int key_head, int row_tile, int pair, const Partial &all) {
  const int row = 16 * row_tile + pair / (kDepth / 2), column = pair % (kDepth / 2) * 2;
  if (row >= kRows)
    return;
  const float scale = all.sum == 0.0f ? 0.0f : 1.0f / all.sum;
  const long long start = out_start(static_cast<long long>(key_head) * kGroup + row / kQueries);
  *reinterpret_cast<unsigned *>(out + start + static_cast<long long>(row % kQueries) * kOutRow + column) =
      pack(all.value.x * scale, all.value.y * scale);
}
} // namespace example

// A block has the rows of one head of keys and one part of these; each of its warps takes every kWarps-th tile of the
// part, which it copies for itself and multiplies as attention_mma.cuh does. Warps wait for nobody before they are
// done. Then the block joins what its warps have, and the blocks of a part each join what the parts have.
//@ sizes kThreads | kWarps * kWarpElements * sizeof(Element) + kReceived * sizeof(float2)
//@ asserts kTileKeys % 16 == 0 && kDepth % 16 == 0 && kStages >= 1
//@ asserts kParts * kPartTiles * kTileKeys >= kKeys && kWarpElements * sizeof(Element) >= kHeld * (kDepth + 2) * 4
//@ replace signature
extern "C" __global__ void __launch_bounds__(example::kThreads, 1)
    example_attention(const example::Element *__restrict__ queries, const example::Element *__restrict__ keys,
                      const example::Element *__restrict__ values, const example::Mask *__restrict__ mask,
                      example::Element *__restrict__ out) {
//@ end
  using namespace example;
  extern __shared__ __align__(16) unsigned char kgen_dynamic_shared[];
  Element *const tiles = reinterpret_cast<Element *>(kgen_dynamic_shared + kReceived * sizeof(float2));
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32, group = lane / 4, member = lane % 4;
  const int part = blockIdx.x % kParts, row_tile = blockIdx.x / kParts % kRowTiles;
  const int key_head = blockIdx.x / (kParts * kRowTiles);
  const long long first_head = static_cast<long long>(key_head) * kGroup;
#if BY_CLUSTER
  kgen::cluster_arrive_relaxed(); // waited for below: nobody writes into the memory of a block that has not begun
#endif
  keys += key_start(first_head);
  values += value_start(first_head);
  const int first_tile = part * kPartTiles + warp;
  int end_tile = (part + 1) * kPartTiles < kTiles ? (part + 1) * kPartTiles : kTiles;
#if CAUSAL
  // The last row that the block has sees most, unless the rows begin again with another head.
  const int last_row = 16 * row_tile + 15 < kRows ? 16 * row_tile + 15 : kRows - 1;
  const int last_query = 16 * row_tile / kQueries == last_row / kQueries ? last_row % kQueries : kQueries - 1;
  const int visible_tiles = last_query / kTileKeys + 1;
  end_tile = visible_tiles < end_tile ? visible_tiles : end_tile;
#endif
  Element *const own_tiles = tiles + warp * kWarpElements;

  // Fetch ahead: keys and values of a tile are a group of copies each.
#pragma unroll
  for (int stage = 0; stage < kStages; ++stage) {
    const int tile = first_tile + stage * kWarps;
    Element *const slot = own_tiles + 2 * stage * kTileElements;
    if (tile < end_tile)
      fetch_tile(slot, keys, kKeyRow, tile * kTileKeys, lane);
    kgen::cp_async_commit();
    if (tile < end_tile)
      fetch_tile(slot + kTileElements, values, kValueRow, tile * kTileKeys, lane);
    kgen::cp_async_commit();
  }

  // The queries stay in registers as left operands; rows that are none are zeros.
  unsigned query[kDepth / 16][4] = {};
#if MASKED
  const Mask *seen[kHalves];
#endif
#pragma unroll
  for (int half = 0; half < kHalves; ++half) {
    const int place = 16 * row_tile + group + 8 * half, row = place < kRows ? place : kRows - 1;
    const long long head = first_head + row / kQueries;
    const Element *const source = queries + query_start(head) + static_cast<long long>(row % kQueries) * kQueryRow;
#if MASKED
    seen[half] = mask + mask_start(head) + static_cast<long long>(row % kQueries) * kMaskRow;
#endif
    if (place < kRows)
#pragma unroll
      for (int step = 0; step < kDepth / 16; ++step) {
        query[step][half] = *reinterpret_cast<const unsigned *>(source + 16 * step + 2 * member);
        query[step][half + 2] = *reinterpret_cast<const unsigned *>(source + 16 * step + 2 * member + 8);
      }
  }

  float result[kDepth / 8][4] = {};
  float maximum[kHalves], sum[kHalves];
#pragma unroll
  for (int half = 0; half < kHalves; ++half) {
    maximum[half] = hidden();
    sum[half] = 0.0f;
  }
  int stage = 0;
  for (int tile = first_tile; tile < end_tile; tile += kWarps) {
    Element *const key_tile = own_tiles + 2 * stage * kTileElements, *const value_tile = key_tile + kTileElements;
    const int first_key = tile * kTileKeys;
#if MASKED
    // On its way before the keys are waited for.
    Mask of_key[kHalves][kTileKeys / 8][2];
#pragma unroll
    for (int half = 0; half < kHalves; ++half)
#pragma unroll
      for (int block = 0; block < kTileKeys / 8; ++block)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const int key = first_key + 8 * block + 2 * member + i;
          of_key[half][block][i] = seen[half][static_cast<long long>(key < kKeys ? key : kKeys - 1) * kMaskKey];
        }
#endif
    kgen::cp_async_wait<2 * kStages - 1>();
    __syncwarp();

    float score[kTileKeys / 8][4] = {};
#pragma unroll
    for (int step = 0; step < kDepth / 16; ++step)
#pragma unroll
      for (int pair = 0; pair < kTileKeys / 16; ++pair) {
        unsigned right[4];
        const int key = 16 * pair + lane / 16 * 8 + lane % 8, column = 16 * step + lane / 8 % 2 * 8;
        kgen::ldmatrix_x4(right, key_tile + key * kStride + column);
        multiply(score[2 * pair], query[step], {right[0], right[1]});
        multiply(score[2 * pair + 1], query[step], {right[2], right[3]});
      }

    // What a row may not see weighs nothing, nor does what fills up the last tile. Then the online softmax.
#pragma unroll
    for (int half = 0; half < kHalves; ++half) {
      float larger = maximum[half];
#if CAUSAL
      const int query_number = (16 * row_tile + group + 8 * half) % kQueries;
#endif
#pragma unroll
      for (int block = 0; block < kTileKeys / 8; ++block)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          float &one = score[block][2 * half + i];
#if CAUSAL
          const int key = first_key + 8 * block + 2 * member + i;
          if (key >= kKeys || key > query_number)
            one = hidden();
#else
          if (kKeys % kTileKeys != 0 && first_key + 8 * block + 2 * member + i >= kKeys)
            one = hidden();
#endif
#if MASKED
          else
            one = masked(one, of_key[half][block][i]);
#endif
          larger = fmaxf(larger, one);
        }
      larger = fmaxf(larger, __shfl_xor_sync(0xffffffffu, larger, 1));
      larger = fmaxf(larger, __shfl_xor_sync(0xffffffffu, larger, 2));
      const float shift = shift_of(larger), rescale = exp2f((maximum[half] - shift) * kLog2Scale);
      maximum[half] = larger;
      sum[half] *= rescale;
#pragma unroll
      for (int block = 0; block < kDepth / 8; ++block) {
        result[block][2 * half] *= rescale;
        result[block][2 * half + 1] *= rescale;
      }
#pragma unroll
      for (int block = 0; block < kTileKeys / 8; ++block)
#pragma unroll
        for (int i = 2 * half; i < 2 * half + 2; ++i) {
          score[block][i] = exp2f((score[block][i] - shift) * kLog2Scale);
          sum[half] += score[block][i];
        }
    }

    kgen::cp_async_wait<2 * kStages - 2>();
    __syncwarp();
    // Two neighbouring blocks of weights are one left operand of 16 keys.
#pragma unroll
    for (int step = 0; step < kTileKeys / 16; ++step) {
      const unsigned left[4] = {
          pack(score[2 * step][0], score[2 * step][1]), pack(score[2 * step][2], score[2 * step][3]),
          pack(score[2 * step + 1][0], score[2 * step + 1][1]), pack(score[2 * step + 1][2], score[2 * step + 1][3])};
#pragma unroll
      for (int pair = 0; pair < kDepth / 16; ++pair) {
        unsigned right[4];
        const int key = 16 * step + lane / 8 % 2 * 8 + lane % 8, column = 16 * pair + lane / 16 * 8;
        kgen::ldmatrix_x4_trans(right, value_tile + key * kStride + column);
        multiply(result[2 * pair], left, {right[0], right[1]});
        multiply(result[2 * pair + 1], left, {right[2], right[3]});
      }
    }

    __syncwarp(); // the warp is done with the tile
    const int ahead = tile + kStages * kWarps;
    if (ahead < end_tile)
      fetch_tile(key_tile, keys, kKeyRow, ahead * kTileKeys, lane);
    kgen::cp_async_commit();
    if (ahead < end_tile)
      fetch_tile(value_tile, values, kValueRow, ahead * kTileKeys, lane);
    kgen::cp_async_commit();
    stage = stage + 1 == kStages ? 0 : stage + 1;
  }

  // What a warp has takes the place of its tiles: results of each row, then maximum and sum.
  float *const own = reinterpret_cast<float *>(own_tiles);
#pragma unroll
  for (int half = 0; half < kHalves; ++half) {
    float total = sum[half];
    total += __shfl_xor_sync(0xffffffffu, total, 1);
    total += __shfl_xor_sync(0xffffffffu, total, 2);
    const int row = group + 8 * half;
    if (row < kHeld) {
#pragma unroll
      for (int block = 0; block < kDepth / 8; ++block)
        *reinterpret_cast<float2 *>(own + row * kDepth + 8 * block + 2 * member) =
            float2{result[block][2 * half], result[block][2 * half + 1]};
      if (member == 0)
        *reinterpret_cast<float2 *>(own + kHeld * kDepth + 2 * row) = float2{maximum[half], total};
    }
  }
#if BY_CLUSTER
  float2 *const received = reinterpret_cast<float2 *>(kgen_dynamic_shared); // kShare pairs of each part
  float2 *const states = received + kParts * kShare;                        // of its rows
  kgen::cluster_wait();
#endif
  __syncthreads();
  const auto of_warp = [&](int w) { return reinterpret_cast<const float2 *>(tiles + w * kWarpElements); };
  for (int pair = thread; pair < kPairs; pair += kThreads) {
    const int row = pair / (kDepth / 2);
    const Partial all =
        join<kWarps>([&](int w) { return of_warp(w)[kPairs + row]; }, [&](int w) { return of_warp(w)[pair]; });
#if BY_CLUSTER
    *kgen::cluster_map(received + part * kShare + pair % kShare, pair / kShare) = all.value;
    if (pair % (kDepth / 2) == 0)
#pragma unroll
      for (int peer = 0; peer < kParts; ++peer)
        *kgen::cluster_map(states + part * kHeld + row, peer) = float2{all.maximum, all.sum};
#else
#if BY_LAUNCH
    float2 *const place = reinterpret_cast<float2 *>(partials) + static_cast<long long>(blockIdx.x) * (kPairs + kHeld);
    place[pair] = all.value;
    if (pair % (kDepth / 2) == 0)
      place[kPairs + row] = float2{all.maximum, all.sum};
#else
    store_pair(out, key_head, row_tile, pair, all);
#endif
#endif
  }
#if BY_CLUSTER
  kgen::cluster_sync();
  for (int i = thread; i < kShare && part * kShare + i < kPairs; i += kThreads) {
    const int pair = part * kShare + i, row = pair / (kDepth / 2);
    store_pair(
        out, key_head, row_tile, pair,
        join<kParts>([&](int p) { return states[p * kHeld + row]; }, [&](int p) { return received[p * kShare + i]; }));
  }
#endif
}
#if BY_LAUNCH

// Step 2 of 2: a block joins the parts of 16 rows.
extern "C" __global__ void __launch_bounds__(example::kFinishThreads)
    example_finish(const float *__restrict__ partials, example::Element *__restrict__ out) {
  using namespace example;
  constexpr int kEach = kPairs + kHeld; // of a part
  const float2 *const parts =
      reinterpret_cast<const float2 *>(partials) + static_cast<long long>(blockIdx.x) * kParts * kEach;
  for (int pair = threadIdx.x; pair < kPairs; pair += kFinishThreads)
    store_pair(out, blockIdx.x / kRowTiles, blockIdx.x % kRowTiles, pair,
               join<kParts>([&](int p) { return parts[p * kEach + kPairs + pair / (kDepth / 2)]; },
                            [&](int p) { return parts[p * kEach + pair]; }));
}
#endif
