// attention_simt.cuh - softmax(scale * Q K^T) V in the elements' own arithmetic, without the score matrix in memory.
//@ section standalone
#define CAUSAL 1
#define MASKED 1
#define STRIDED 1
#define SCATTERED 1
#define KGEN_INFINITY __int_as_float(0x7f800000)
namespace example {
using Element = double;
using Real = double;
constexpr int kQueries = 4096, kKeys = 4096, kDepth = 128, kValueDepth = 128;
constexpr int kTileQueries = 64, kTileKeys = 64;
constexpr Real kScale = 0.08838834764;
__device__ __forceinline__ Real widen(Element x) { return x; }
__device__ __forceinline__ Element narrow(Real x) { return x; }
__device__ __forceinline__ Real power(Real x) { return exp(x); }
constexpr int kQueryRow = 128, kKeyRow = 128, kValueRow = 128, kOutRow = 128;
__device__ __forceinline__ long long query_start(long long head) { return head * 524288; }
__device__ __forceinline__ long long key_start(long long head) { return head * 524288; }
__device__ __forceinline__ long long value_start(long long head) { return head * 524288; }
__device__ __forceinline__ long long out_start(long long head) { return head * 524288; }
using Mask = bool;
constexpr int kMaskRow = 0, kMaskKey = 1;
__device__ __forceinline__ long long mask_start(long long head) { return head * 4096; }
__device__ __forceinline__ Real masked(Real score, Mask seen) { return seen ? score : Real(-KGEN_INFINITY); }
} // namespace example
//@ end
namespace example {
constexpr int kSide = 16, kThreads = kSide * kSide; // a thread holds every 16th row and column of a tile
constexpr int kRows = kTileQueries / kSide, kColumns = kTileKeys / kSide, kOuts = (kValueDepth + kSide - 1) / kSide;
// Rows of shared memory are one element longer than what they hold, which keeps the columns apart.
constexpr int kQueryStride = kDepth + 1, kWeightStride = kTileKeys + 1;
constexpr int kKeyStride = (kDepth > kOuts * kSide ? kDepth : kOuts * kSide) + 1;
constexpr int kQueryTiles = (kQueries + kTileQueries - 1) / kTileQueries;

/// Rows [first, first + ROWS) of SOURCE, rows of DEPTH elements, of which LIMIT exist; zeros fill WIDTH columns.
#if STRIDED
template <int ROWS, int DEPTH, int WIDTH, int STRIDE, int ROW>
#else
template <int ROWS, int DEPTH, int WIDTH, int STRIDE>
#endif
__device__ __forceinline__ void fetch_rows(Real *tile, const Element *source, int first, int limit, int thread) {
  for (int i = thread; i < ROWS * WIDTH; i += kThreads) {
    const int row = i / WIDTH, column = i % WIDTH;
    const bool inside = first + row < limit && column < DEPTH;
#if STRIDED
    tile[row * STRIDE + column] = inside ? widen(source[static_cast<long long>(first + row) * ROW + column]) : Real(0);
#else
    tile[row * STRIDE + column] =
        inside ? widen(source[static_cast<long long>(first + row) * DEPTH + column]) : Real(0);
#endif
  }
}
} // namespace example

// A block owns kTileQueries queries. Scores against a tile of keys stay in registers; their exponentials pass through
// shared memory to the threads that hold the result's columns. Maximum and sum of a row are kept online: a larger
// maximum rescales what was summed before.
//@ sizes kThreads | (kTileQueries * (kQueryStride + kWeightStride) + kTileKeys * kKeyStride) * sizeof(Real)
//@ asserts kTileQueries % kSide == 0 && kTileKeys % kSide == 0
#if MASKED
extern "C" __global__ void __launch_bounds__(example::kThreads)
    example_attention(const example::Element *__restrict__ queries, const example::Element *__restrict__ keys,
                      const example::Element *__restrict__ values, const example::Mask *__restrict__ mask,
                      example::Element *__restrict__ out) {
#else
extern "C" __global__ void __launch_bounds__(example::kThreads)
    example_attention(const example::Element *__restrict__ queries, const example::Element *__restrict__ keys,
                      const example::Element *__restrict__ values, example::Element *__restrict__ out) {
#endif
  using namespace example;
  extern __shared__ __align__(16) unsigned char kgen_dynamic_shared[];
  Real *const query_tile = reinterpret_cast<Real *>(kgen_dynamic_shared);
  Real *const key_tile = query_tile + kTileQueries * kQueryStride; // keys, then values
  Real *const weights = key_tile + kTileKeys * kKeyStride;
  const int thread = threadIdx.x, x = thread % kSide, y = thread / kSide;
  const long long head = blockIdx.x / kQueryTiles;
  const int first_query = static_cast<int>(blockIdx.x % kQueryTiles) * kTileQueries;
#if STRIDED
  queries += query_start(head);
  keys += key_start(head);
  values += value_start(head);
#else
  queries += head * kQueries * kDepth;
  keys += head * kKeys * kDepth;
  values += head * kKeys * kValueDepth;
#endif
#if MASKED
  mask += mask_start(head);
#endif
#if SCATTERED
  out += out_start(head);
#else
  out += head * kQueries * kValueDepth;
#endif
#if CAUSAL
  const int visible = first_query + kTileQueries < kKeys ? first_query + kTileQueries : kKeys;
#else
  const int visible = kKeys;
#endif

#if STRIDED
  fetch_rows<kTileQueries, kDepth, kDepth, kQueryStride, kQueryRow>(query_tile, queries, first_query, kQueries, thread);
#else
  fetch_rows<kTileQueries, kDepth, kDepth, kQueryStride>(query_tile, queries, first_query, kQueries, thread);
#endif
  Real result[kRows][kOuts] = {}, maximum[kRows], sum[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    maximum[r] = -KGEN_INFINITY;
    sum[r] = 0;
  }
  for (int first_key = 0; first_key < visible; first_key += kTileKeys) {
    __syncthreads(); // the values before are used up
#if STRIDED
    fetch_rows<kTileKeys, kDepth, kDepth, kKeyStride, kKeyRow>(key_tile, keys, first_key, kKeys, thread);
#else
    fetch_rows<kTileKeys, kDepth, kDepth, kKeyStride>(key_tile, keys, first_key, kKeys, thread);
#endif
    __syncthreads();
    Real score[kRows][kColumns] = {};
    for (int d = 0; d < kDepth; ++d) {
      Real query[kRows], key[kColumns];
#pragma unroll
      for (int r = 0; r < kRows; ++r)
        query[r] = query_tile[(y + kSide * r) * kQueryStride + d];
#pragma unroll
      for (int c = 0; c < kColumns; ++c)
        key[c] = key_tile[(x + kSide * c) * kKeyStride + d];
#pragma unroll
      for (int r = 0; r < kRows; ++r)
#pragma unroll
        for (int c = 0; c < kColumns; ++c)
          score[r][c] += query[r] * key[c];
    }

    Real rescale[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      Real larger = maximum[r];
#pragma unroll
      for (int c = 0; c < kColumns; ++c) {
        const int key = first_key + x + kSide * c;
#if CAUSAL
        const bool hidden = key >= kKeys || key > first_query + y + kSide * r;
#else
        const bool hidden = key >= kKeys;
#endif
#if MASKED
        const int query = first_query + y + kSide * r < kQueries ? first_query + y + kSide * r : kQueries - 1;
        const long long place = static_cast<long long>(query) * kMaskRow + static_cast<long long>(key) * kMaskKey;
        score[r][c] = hidden ? Real(-KGEN_INFINITY) : masked(score[r][c] * kScale, mask[place]);
#else
        score[r][c] = hidden ? Real(-KGEN_INFINITY) : score[r][c] * kScale;
#endif
        larger = larger < score[r][c] ? score[r][c] : larger;
      }
#pragma unroll
      for (int step = kSide / 2; step > 0; step /= 2) {
        const Real other = __shfl_xor_sync(0xffffffffu, larger, step);
        larger = larger < other ? other : larger;
      }
#if MASKED
      // A row that has seen no key yet is shifted by nothing, and its weights stay zeros.
      const Real shift = larger == Real(-KGEN_INFINITY) ? Real(0) : larger;
      rescale[r] = power(maximum[r] - shift);
#else
      rescale[r] = power(maximum[r] - larger);
#endif
      maximum[r] = larger;
      sum[r] *= rescale[r];
#pragma unroll
      for (int c = 0; c < kColumns; ++c) {
#if MASKED
        const Real weight = power(score[r][c] - shift);
#else
        const Real weight = power(score[r][c] - larger);
#endif
        sum[r] += weight;
        weights[(y + kSide * r) * kWeightStride + x + kSide * c] = weight;
      }
#pragma unroll
      for (int o = 0; o < kOuts; ++o)
        result[r][o] *= rescale[r];
    }

    __syncthreads(); // the keys are used up, the weights are there
#if STRIDED
    fetch_rows<kTileKeys, kValueDepth, kOuts * kSide, kKeyStride, kValueRow>(key_tile, values, first_key, kKeys, thread);
#else
    fetch_rows<kTileKeys, kValueDepth, kOuts * kSide, kKeyStride>(key_tile, values, first_key, kKeys, thread);
#endif
    __syncthreads();
    for (int k = 0; k < kTileKeys; ++k) {
      Real weight[kRows], value[kOuts];
#pragma unroll
      for (int r = 0; r < kRows; ++r)
        weight[r] = weights[(y + kSide * r) * kWeightStride + k];
#pragma unroll
      for (int o = 0; o < kOuts; ++o)
        value[o] = key_tile[k * kKeyStride + x + kSide * o];
#pragma unroll
      for (int r = 0; r < kRows; ++r)
#pragma unroll
        for (int o = 0; o < kOuts; ++o)
          result[r][o] += weight[r] * value[o];
    }
  }

#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    Real total = sum[r];
#pragma unroll
    for (int step = kSide / 2; step > 0; step /= 2)
      total += __shfl_xor_sync(0xffffffffu, total, step);
#if MASKED
    total = total == Real(0) ? Real(1) : total; // a row that sees no key is zero
#endif
    const int row = first_query + y + kSide * r;
#pragma unroll
    for (int o = 0; o < kOuts; ++o)
      if (row < kQueries && x + kSide * o < kValueDepth)
#if SCATTERED
        out[static_cast<long long>(row) * kOutRow + x + kSide * o] = narrow(result[r][o] / total);
#else
        out[static_cast<long long>(row) * kValueDepth + x + kSide * o] = narrow(result[r][o] / total);
#endif
  }
}
