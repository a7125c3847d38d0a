// attention_mma.cuh - softmax(scale * Q K^T) V for 16-bit elements or fp32 as tf32, without the score matrix in memory.
//@ section standalone
#include "kgen_device.cuh"
#define CAUSAL 1
#define MASKED 1
#define STRIDED 1
#define SCATTERED 1
namespace example {
using Element = __half;
constexpr int kQueries = 4096, kKeys = 4096, kDepth = 128;
constexpr int kWarps = 4, kTileQueries = 16 * kWarps, kTileKeys = 64, kStages = 2;
constexpr int kQueryTiles = (kQueries + kTileQueries - 1) / kTileQueries;
constexpr float kScale = 0.08838834764f;
__device__ __forceinline__ unsigned pack(float low, float high) {
  const __half2 pair = __floats2half2_rn(low, high);
  unsigned bits;
  memcpy(&bits, &pair, sizeof(bits));
  return bits;
}
__device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  kgen::mma_m16n8k16_f16(d, a, b);
}
__device__ __forceinline__ unsigned rounded(float x) { return __float_as_uint(kgen::round_tf32(x)); } // where TF32
constexpr int kQueryRow = 128, kKeyRow = 128, kValueRow = 128, kOutRow = 128;
__device__ __forceinline__ long long query_start(long long head) { return head * 524288; }
__device__ __forceinline__ long long key_start(long long head) { return head * 524288; }
__device__ __forceinline__ long long value_start(long long head) { return head * 524288; }
__device__ __forceinline__ long long out_start(long long head) { return head * 524288; }
using Mask = bool;
constexpr int kMaskRow = 0, kMaskKey = 1;
__device__ __forceinline__ float hidden() { return __int_as_float(0xff800000); }
__device__ __forceinline__ long long mask_start(long long head) { return head * 4096; }
__device__ __forceinline__ float masked(float score, Mask seen) { return seen ? score : hidden(); }
} // namespace example
//@ end
namespace example {
constexpr int kThreads = 32 * kWarps;
#if TF32
constexpr int kStride = kDepth + 4; // of a row in shared memory: an odd number of 16 bytes parts the banks of its readers
#else
constexpr int kStride = kDepth + 8; // of a row in shared memory: 16 bytes of padding keep ldmatrix free of conflicts
#endif
constexpr int kTileElements = kTileKeys * kStride;
constexpr float kLog2Scale = kScale * 1.44269504089f; // exp(scale * x) as a power of two

/// Starts the copy of keys [first, first + kTileKeys) of SOURCE; rows past the end become zeros.
#if STRIDED
__device__ __forceinline__ void fetch_tile(Element *tile, const Element *source, int stride, int first, int thread) {
#else
__device__ __forceinline__ void fetch_tile(Element *tile, const Element *source, int first, int thread) {
#endif
  constexpr int kPack = 16 / sizeof(Element), kPacks = kDepth / kPack;
#pragma unroll
  for (int i = thread; i < kTileKeys * kPacks; i += kThreads) {
    const int key = i / kPacks, column = i % kPacks * kPack;
    const bool inside = first + key < kKeys;
    const long long row = inside ? first + key : 0;
#if STRIDED
    kgen::cp_async_zfill16(tile + key * kStride + column, source + row * stride + column, inside);
#else
    kgen::cp_async_zfill16(tile + key * kStride + column, source + row * kDepth + column, inside);
#endif
  }
}
} // namespace example

// Each warp owns 16 queries. Their scores against a tile of keys stay in its accumulators, become
// weights there, and are the left operand of the product with the values. Maximum and sum of a row
// are kept online: a larger maximum rescales what was summed before. Lane 4 g + m holds columns
// 2 m and 2 m + 1 of rows g and g + 8 (the accumulator layout of mma.m16n8k16).
//@ sizes kThreads | kStages * 2 * kTileElements * sizeof(Element)
//@ asserts kTileKeys % 16 == 0 && kDepth * sizeof(Element) % 32 == 0 && kStages >= 2
//@ asserts kQueryTiles * kTileQueries >= kQueries
#if MASKED
extern "C" __global__ void __launch_bounds__(example::kThreads, 1)
    example_attention(const example::Element *__restrict__ queries, const example::Element *__restrict__ keys,
                      const example::Element *__restrict__ values, const example::Mask *__restrict__ mask,
                      example::Element *__restrict__ out) {
#else
extern "C" __global__ void __launch_bounds__(example::kThreads, 1)
    example_attention(const example::Element *__restrict__ queries, const example::Element *__restrict__ keys,
                      const example::Element *__restrict__ values, example::Element *__restrict__ out) {
#endif
  using namespace example;
  extern __shared__ __align__(16) unsigned char kgen_dynamic_shared[];
  Element *const tiles = reinterpret_cast<Element *>(kgen_dynamic_shared); // kStages of keys, then values
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32, group = lane / 4, member = lane % 4;
  const long long head = blockIdx.x / kQueryTiles;
#if CAUSAL
  // The tiles that see most keys start first, so that the last wave is short.
  const int query_tile = kQueryTiles - 1 - static_cast<int>(blockIdx.x % kQueryTiles);
#else
  const int query_tile = static_cast<int>(blockIdx.x % kQueryTiles);
#endif
  const int first_query = query_tile * kTileQueries + 16 * warp;
#if STRIDED
  queries += query_start(head);
  keys += key_start(head);
  values += value_start(head);
#else
  queries += head * kQueries * kDepth;
  keys += head * kKeys * kDepth;
  values += head * kKeys * kDepth;
#endif
#if MASKED
  mask += mask_start(head);
#endif
#if SCATTERED
  out += out_start(head);
#else
  out += head * kQueries * kDepth;
#endif
#if CAUSAL
  const int last_query = query_tile * kTileQueries + kTileQueries;
  const int visible = last_query < kKeys ? last_query : kKeys;
#else
  const int visible = kKeys;
#endif
  const int key_tiles = (visible + kTileKeys - 1) / kTileKeys;

  // Fetch ahead: tile t of the keys and values is one group of copies.
#pragma unroll
  for (int stage = 0; stage < kStages - 1; ++stage) {
    if (stage < key_tiles) {
#if STRIDED
      fetch_tile(tiles + 2 * stage * kTileElements, keys, kKeyRow, stage * kTileKeys, thread);
      fetch_tile(tiles + (2 * stage + 1) * kTileElements, values, kValueRow, stage * kTileKeys, thread);
#else
      fetch_tile(tiles + 2 * stage * kTileElements, keys, stage * kTileKeys, thread);
      fetch_tile(tiles + (2 * stage + 1) * kTileElements, values, stage * kTileKeys, thread);
#endif
    }
    kgen::cp_async_commit();
  }

  // The queries stay in registers as left operands; surplus rows repeat the last query.
#if TF32
  unsigned query[kDepth / 8][4];
#else
  unsigned query[kDepth / 16][4];
#endif
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = first_query + group + 8 * half;
#if STRIDED
    const Element *const source = queries + static_cast<long long>(row < kQueries ? row : kQueries - 1) * kQueryRow;
#else
    const Element *const source = queries + static_cast<long long>(row < kQueries ? row : kQueries - 1) * kDepth;
#endif
#if TF32
#pragma unroll
    for (int step = 0; step < kDepth / 8; ++step) {
      query[step][half] = rounded(source[8 * step + member]);
      query[step][half + 2] = rounded(source[8 * step + member + 4]);
    }
#else
#pragma unroll
    for (int step = 0; step < kDepth / 16; ++step) {
      query[step][half] = *reinterpret_cast<const unsigned *>(source + 16 * step + 2 * member);
      query[step][half + 2] = *reinterpret_cast<const unsigned *>(source + 16 * step + 2 * member + 8);
    }
#endif
  }

  float result[kDepth / 8][4] = {};
  float maximum[2] = {-1.0e30f, -1.0e30f}, sum[2] = {0.0f, 0.0f};
  for (int tile = 0; tile < key_tiles; ++tile) {
    kgen::cp_async_wait<kStages - 2>();
    __syncthreads(); // the tile is there for all threads, and all are done with the one before
    const int ahead = tile + kStages - 1;
    if (ahead < key_tiles) {
#if STRIDED
      fetch_tile(tiles + 2 * (ahead % kStages) * kTileElements, keys, kKeyRow, ahead * kTileKeys, thread);
      fetch_tile(tiles + (2 * (ahead % kStages) + 1) * kTileElements, values, kValueRow, ahead * kTileKeys, thread);
#else
      fetch_tile(tiles + 2 * (ahead % kStages) * kTileElements, keys, ahead * kTileKeys, thread);
      fetch_tile(tiles + (2 * (ahead % kStages) + 1) * kTileElements, values, ahead * kTileKeys, thread);
#endif
    }
    kgen::cp_async_commit();
    const Element *const key_tile = tiles + 2 * (tile % kStages) * kTileElements;
    const Element *const value_tile = key_tile + kTileElements;

    // Scores: 16 queries by kTileKeys keys.
    float score[kTileKeys / 8][4] = {};
#if TF32
#pragma unroll
    for (int step = 0; step < kDepth / 8; ++step)
#pragma unroll
      for (int pair = 0; pair < kTileKeys / 16; ++pair) {
        unsigned right[4];
        const int key = 16 * pair + lane / 16 * 8 + lane % 8, column = 8 * step + lane / 8 % 2 * 4;
        kgen::ldmatrix_x4(right, key_tile + key * kStride + column);
#pragma unroll
        for (int i = 0; i < 4; ++i)
          right[i] = rounded(__uint_as_float(right[i]));
        multiply(score[2 * pair], query[step], {right[0], right[1]});
        multiply(score[2 * pair + 1], query[step], {right[2], right[3]});
      }
#else
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
#endif

#if MASKED
    // What a query may not see weighs nothing, nor does what fills up the last tile.
    const int first_key = tile * kTileKeys;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = first_query + group + 8 * half;
      const Mask *const seen = mask + static_cast<long long>(row < kQueries ? row : kQueries - 1) * kMaskRow;
#pragma unroll
      for (int block = 0; block < kTileKeys / 8; ++block)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const int key = first_key + 8 * block + 2 * member + i;
          float &own = score[block][2 * half + i];
          own = key < kKeys ? masked(own, seen[static_cast<long long>(key) * kMaskKey]) : hidden();
        }
    }
#else
    // Hide what a query may not see; only the last tiles hold any of it.
    const int first_key = tile * kTileKeys;
#if CAUSAL
    if (first_key + kTileKeys > first_query + 1 || first_key + kTileKeys > kKeys) {
#else
    if (kKeys % kTileKeys != 0 && first_key + kTileKeys > kKeys) {
#endif
#pragma unroll
      for (int block = 0; block < kTileKeys / 8; ++block)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int key = first_key + 8 * block + 2 * member + i % 2;
#if CAUSAL
          if (key >= kKeys || key > first_query + group + i / 2 * 8)
#else
          if (key >= kKeys)
#endif
            score[block][i] = -1.0e30f;
        }
    }
#endif

    // Online softmax of rows group and group + 8.
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float larger = maximum[half];
#pragma unroll
      for (int block = 0; block < kTileKeys / 8; ++block)
        larger = fmaxf(larger, fmaxf(score[block][2 * half], score[block][2 * half + 1]));
      larger = fmaxf(larger, __shfl_xor_sync(0xffffffffu, larger, 1));
      larger = fmaxf(larger, __shfl_xor_sync(0xffffffffu, larger, 2));
      const float rescale = exp2f((maximum[half] - larger) * kLog2Scale);
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
          score[block][i] = exp2f((score[block][i] - larger) * kLog2Scale);
          sum[half] += score[block][i];
        }
    }

#if TF32
    // A block of weights is a left operand of 8 keys. A sum over keys has no order, so that a lane keeps its own: key
    // 2 m is the product's k = m, and key 2 m + 1 is k = m + 4.
#pragma unroll
    for (int step = 0; step < kTileKeys / 8; ++step) {
      const unsigned left[4] = {rounded(score[step][0]), rounded(score[step][2]), rounded(score[step][1]),
                                rounded(score[step][3])};
      const Element *const source = value_tile + (8 * step + 2 * member) * kStride + group;
#pragma unroll
      for (int block = 0; block < kDepth / 8; ++block)
        multiply(result[block], left, {rounded(source[8 * block]), rounded(source[kStride + 8 * block])});
    }
#else
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
#endif
  }

#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float total = sum[half];
    total += __shfl_xor_sync(0xffffffffu, total, 1);
    total += __shfl_xor_sync(0xffffffffu, total, 2);
#if MASKED
    const float scale = total == 0.0f ? 0.0f : 1.0f / total; // a row that sees no key is zero
#else
    const float scale = 1.0f / total;
#endif
    const int row = first_query + group + 8 * half;
    if (row < kQueries)
#pragma unroll
      for (int block = 0; block < kDepth / 8; ++block)
#if TF32
#if SCATTERED
        *reinterpret_cast<float2 *>(out + static_cast<long long>(row) * kOutRow + 8 * block + 2 * member) =
#else
        *reinterpret_cast<float2 *>(out + static_cast<long long>(row) * kDepth + 8 * block + 2 * member) =
#endif
            float2{result[block][2 * half] * scale, result[block][2 * half + 1] * scale};
#else
#if SCATTERED
        *reinterpret_cast<unsigned *>(out + static_cast<long long>(row) * kOutRow + 8 * block + 2 * member) =
#else
        *reinterpret_cast<unsigned *>(out + static_cast<long long>(row) * kDepth + 8 * block + 2 * member) =
#endif
            pack(result[block][2 * half] * scale, result[block][2 * half + 1] * scale);
#endif
  }
}
