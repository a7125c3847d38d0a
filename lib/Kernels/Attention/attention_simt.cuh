// attention_simt.cuh - softmax(scale * Q K^T) V in the elements' own arithmetic, without the score matrix in memory.
//@ section standalone
#define CAUSAL 1
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
template <int ROWS, int DEPTH, int WIDTH, int STRIDE>
__device__ __forceinline__ void fetch_rows(Real *tile, const Element *source, int first, int limit, int thread) {
  for (int i = thread; i < ROWS * WIDTH; i += kThreads) {
    const int row = i / WIDTH, column = i % WIDTH;
    const bool inside = first + row < limit && column < DEPTH;
    tile[row * STRIDE + column] =
        inside ? widen(source[static_cast<long long>(first + row) * DEPTH + column]) : Real(0);
  }
}
} // namespace example

// A block owns kTileQueries queries. Scores against a tile of keys stay in registers; their exponentials pass through
// shared memory to the threads that hold the result's columns. Maximum and sum of a row are kept online: a larger
// maximum rescales what was summed before.
//@ sizes kThreads | (kTileQueries * (kQueryStride + kWeightStride) + kTileKeys * kKeyStride) * sizeof(Real)
//@ asserts kTileQueries % kSide == 0 && kTileKeys % kSide == 0
extern "C" __global__ void __launch_bounds__(example::kThreads)
    example_attention(const example::Element *__restrict__ queries, const example::Element *__restrict__ keys,
                      const example::Element *__restrict__ values, example::Element *__restrict__ out) {
  using namespace example;
  extern __shared__ __align__(16) unsigned char kgen_dynamic_shared[];
  Real *const query_tile = reinterpret_cast<Real *>(kgen_dynamic_shared);
  Real *const key_tile = query_tile + kTileQueries * kQueryStride; // keys, then values
  Real *const weights = key_tile + kTileKeys * kKeyStride;
  const int thread = threadIdx.x, x = thread % kSide, y = thread / kSide;
  const long long head = blockIdx.x / kQueryTiles;
  const int first_query = static_cast<int>(blockIdx.x % kQueryTiles) * kTileQueries;
  queries += head * kQueries * kDepth;
  keys += head * kKeys * kDepth;
  values += head * kKeys * kValueDepth;
  out += head * kQueries * kValueDepth;
#if CAUSAL
  const int visible = first_query + kTileQueries < kKeys ? first_query + kTileQueries : kKeys;
#else
  const int visible = kKeys;
#endif

  fetch_rows<kTileQueries, kDepth, kDepth, kQueryStride>(query_tile, queries, first_query, kQueries, thread);
  Real result[kRows][kOuts] = {}, maximum[kRows], sum[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    maximum[r] = -KGEN_INFINITY;
    sum[r] = 0;
  }
  for (int first_key = 0; first_key < visible; first_key += kTileKeys) {
    __syncthreads(); // the values before are used up
    fetch_rows<kTileKeys, kDepth, kDepth, kKeyStride>(key_tile, keys, first_key, kKeys, thread);
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
        score[r][c] = hidden ? Real(-KGEN_INFINITY) : score[r][c] * kScale;
        larger = larger < score[r][c] ? score[r][c] : larger;
      }
#pragma unroll
      for (int step = kSide / 2; step > 0; step /= 2) {
        const Real other = __shfl_xor_sync(0xffffffffu, larger, step);
        larger = larger < other ? other : larger;
      }
      rescale[r] = power(maximum[r] - larger);
      maximum[r] = larger;
      sum[r] *= rescale[r];
#pragma unroll
      for (int c = 0; c < kColumns; ++c) {
        const Real weight = power(score[r][c] - larger);
        sum[r] += weight;
        weights[(y + kSide * r) * kWeightStride + x + kSide * c] = weight;
      }
#pragma unroll
      for (int o = 0; o < kOuts; ++o)
        result[r][o] *= rescale[r];
    }

    __syncthreads(); // the keys are used up, the weights are there
    fetch_rows<kTileKeys, kValueDepth, kOuts * kSide, kKeyStride>(key_tile, values, first_key, kKeys, thread);
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
    const int row = first_query + y + kSide * r;
#pragma unroll
    for (int o = 0; o < kOuts; ++o)
      if (row < kQueries && x + kSide * o < kValueDepth)
        out[static_cast<long long>(row) * kValueDepth + x + kSide * o] = narrow(result[r][o] / total);
  }
}
