//===- gemm_wmma.cuh - Matrix product by the warp matrix API --------------===//
//
// C[b] = epilogue(A[b] * B[b]). Each block computes a BM x BN tile of C, each warp
// WM x WN of it in nvcuda::wmma fragments. Tiles of A and B travel through a ring of
// STAGES shared-memory buffers by cp.async. The finished tile goes through shared
// memory, because the layout of an accumulator fragment is unspecified.
//
//===----------------------------------------------------------------------===//
#include "kgen_device.cuh"
#include <mma.h>

//@ replace constants
namespace example {
// The problem.
using In = float;     // element type of A and B
using Out = float;    // element type of C
using Stored = float; // what the main kernel writes: Out, or partial sums with SPLIT_K
constexpr int M = 4096, N = 4096, K = 4096;
constexpr int BATCH = 1;
constexpr int BATCHES_OF_A = 1, BATCHES_OF_B = 1; // 1: the same matrix for every batch
constexpr bool A_K_CONTIGUOUS = true;  // A is [M, K]; else [K, M]
constexpr bool B_K_CONTIGUOUS = false; // B is [N, K]; else [K, N]
// The schedule.
constexpr int BM = 128, BN = 128, BK = 32; // block tile
constexpr int WM = 64, WN = 32;            // warp tile
constexpr int PAD = 4;                     // elements after each row along k
constexpr int STAGES = 3;
constexpr int RASTER = 8;                  // tile rows of one group in the block order
constexpr int SPLIT_K = 1;                 // blocks that share one tile of C, each a slice of K
constexpr int VEC = 4;                     // elements of one global load, at most
constexpr int MIN_BLOCKS = 1;              // resident blocks per multiprocessor
constexpr int SHARED_BYTES = 227 * 1024;   // dynamic shared memory of the launch
constexpr bool LOWER = true;     // what a triangle keeps of the result
constexpr int DIAGONAL = 1 << 30; // results right of it are zero, by column - row
} // namespace example
//@ end

namespace example {

namespace wmma = nvcuda::wmma;

//@ replace element
using Element = wmma::precision::tf32; // what is multiplied
//@ end
constexpr int MMA_K = 32 / sizeof(In);
//@ replace layouts
using LayoutA = wmma::row_major;
using LayoutB = wmma::row_major;
//@ end
using FragmentA = wmma::fragment<wmma::matrix_a, 16, 16, MMA_K, Element, LayoutA>;
using FragmentB = wmma::fragment<wmma::matrix_b, 16, 16, MMA_K, Element, LayoutB>;
using Accumulator = wmma::fragment<wmma::accumulator, 16, 16, MMA_K, float>;

constexpr int WARPS_M = BM / WM, WARPS_N = BN / WN;
constexpr int THREADS = 32 * WARPS_M * WARPS_N;
constexpr int TILES_M = (M + BM - 1) / BM, TILES_N = (N + BN - 1) / BN;
constexpr int K_TILES = (K + BK - 1) / BK;
constexpr int K_TILES_PER_SPLIT = (K_TILES + SPLIT_K - 1) / SPLIT_K;

// Shared memory: a tile keeps the order of its matrix, rows padded against bank conflicts.
constexpr int CROSS_PAD = sizeof(In) == 4 ? 8 : 16 / sizeof(In);
constexpr int A_ROWS = A_K_CONTIGUOUS ? BM : BK, A_COLUMNS = A_K_CONTIGUOUS ? BK : BM;
constexpr int B_ROWS = B_K_CONTIGUOUS ? BN : BK, B_COLUMNS = B_K_CONTIGUOUS ? BK : BN;
constexpr int A_PITCH = A_COLUMNS + (A_K_CONTIGUOUS ? PAD : CROSS_PAD);
constexpr int B_PITCH = B_COLUMNS + (B_K_CONTIGUOUS ? PAD : CROSS_PAD);
constexpr int A_TILE = A_ROWS * A_PITCH, B_TILE = B_ROWS * B_PITCH;
constexpr int C_PITCH = BN + 4;
static_assert(STAGES * (A_TILE + B_TILE) * sizeof(In) <= SHARED_BYTES && BM * C_PITCH * 4 <= SHARED_BYTES,
              "the launch gives too little shared memory");

// Elements of one global load: as many as divide the matrix's and the tile's rows, at most 16 bytes.
constexpr int vector_of(int length, int columns) {
  int v = VEC * sizeof(In) < 16 ? VEC : 16 / sizeof(In);
  while (length % v || columns % v)
    v /= 2;
  return v;
}
constexpr int A_LENGTH = A_K_CONTIGUOUS ? K : M, B_LENGTH = B_K_CONTIGUOUS ? K : N;
#if strided
constexpr int A_VECTOR = vector_of(A_ALIGNED, A_COLUMNS), B_VECTOR = vector_of(B_ALIGNED, B_COLUMNS);
#else
constexpr int A_VECTOR = vector_of(A_LENGTH, A_COLUMNS), B_VECTOR = vector_of(B_LENGTH, B_COLUMNS);
#endif

static_assert(STAGES >= 2, "the pipeline needs two stages");

//@ replace epilogue
__device__ __forceinline__ Out epilogue(float value, int batch, int row, int column, const float *bias) {
  return value + bias[column];
}
//@ end

#if strided
// Brings a ROWS x COLUMNS window of a matrix of HEIGHT x LENGTH, with STRIDE elements from row to row, into shared memory; zeros outside.
template <int ROWS, int COLUMNS, int PITCH, int VECTOR, int HEIGHT, int LENGTH, int STRIDE>
#else
// Brings a ROWS x COLUMNS window of a matrix of HEIGHT x LENGTH into shared memory; zeros outside.
template <int ROWS, int COLUMNS, int PITCH, int VECTOR, int HEIGHT, int LENGTH>
#endif
__device__ __forceinline__ void load_tile(In *tile, const In *matrix, int row0, int column0) {
  constexpr int PER_ROW = COLUMNS / VECTOR, CHUNKS = ROWS * PER_ROW;
  constexpr int UNROLL = VECTOR * sizeof(In) == 16 ? CHUNKS : 2; // narrow loads are too many to unroll
#pragma unroll UNROLL
  for (int i = 0; i < (CHUNKS + THREADS - 1) / THREADS; ++i) {
    const int chunk = threadIdx.x + i * THREADS;
    const int row = chunk / PER_ROW, column = chunk % PER_ROW * VECTOR;
    if (CHUNKS % THREADS && chunk >= CHUNKS)
      break;
    const bool valid = (HEIGHT % ROWS == 0 || row0 + row < HEIGHT) && (LENGTH % COLUMNS == 0 || column0 + column < LENGTH);
#if strided
    kgen::cp_async_zfill<VECTOR * sizeof(In)>(
        &tile[row * PITCH + column], &matrix[(long long)(row0 + row) * STRIDE + column0 + column], valid);
#else
    kgen::cp_async_zfill<VECTOR * sizeof(In)>(
        &tile[row * PITCH + column], &matrix[(long long)(row0 + row) * LENGTH + column0 + column], valid);
#endif
  }
}

// Rounds f32 elements to what the tensor cores read; 16-bit elements are that already.
template <typename Fragment> __device__ __forceinline__ void round_fragment(Fragment &fragment) {
  if constexpr (sizeof(In) == 4)
    for (int i = 0; i < fragment.num_elements; ++i)
      fragment.x[i] = kgen::round_tf32(fragment.x[i]);
}

//@ section skip
// Whether all results of the tile at m0, n0 are zeros.
__device__ __forceinline__ bool is_empty(int m0, int n0) {
  return LOWER ? n0 - (m0 + BM - 1) > DIAGONAL : n0 + BN - 1 - m0 < DIAGONAL;
}
//@ end

} // namespace example

//@ replace kernel
//@ sizes THREADS | SHARED_BYTES | TILES_M * TILES_N * BATCH * SPLIT_K
//@ asserts BM % WM == 0 && BN % WN == 0 && WM % 16 == 0 && WN % 16 == 0 && BK % MMA_K == 0
extern "C" __global__ void __launch_bounds__(example::THREADS, example::MIN_BLOCKS)
    example_main(const example::In *__restrict__ a, const example::In *__restrict__ b,
                 const float *__restrict__ bias, example::Stored *__restrict__ c) {
  //@ end
  using namespace example;
  extern __shared__ __align__(128) unsigned char example_shared[];
  In *a_tiles = reinterpret_cast<In *>(example_shared);
  In *b_tiles = a_tiles + STAGES * A_TILE;
  float *c_tile = reinterpret_cast<float *>(example_shared);

  // Block order: groups of RASTER tile rows, column by column, so that blocks that run at the same
  // time share tiles in L2.
  const int tile = blockIdx.x % (TILES_M * TILES_N);
  const int batch = blockIdx.x / (TILES_M * TILES_N) % BATCH;
  const int split = blockIdx.x / (TILES_M * TILES_N * BATCH);
  const int group = tile / (RASTER * TILES_N);
  const int group_rows = min(RASTER, TILES_M - group * RASTER);
  const int m0 = (group * RASTER + tile % (RASTER * TILES_N) % group_rows) * BM;
  const int n0 = tile % (RASTER * TILES_N) / group_rows * BN;
  //@ replace place_a
  a += (long long)(BATCHES_OF_A == 1 ? 0 : batch) * M * K;
  //@ end
  //@ replace place_b
  b += (long long)(BATCHES_OF_B == 1 ? 0 : batch) * K * N;
  //@ end

  const int warp = threadIdx.x / 32;
  const int warp_m = warp % WARPS_M * WM, warp_n = warp / WARPS_M * WN;
  const int first = split * K_TILES_PER_SPLIT;
  //@ replace k_tiles
  const int k_tiles = min(K_TILES_PER_SPLIT, K_TILES - first);
  //@ end

  auto load_stage = [&](int k_tile) {
    const int slot = k_tile % STAGES, k0 = (first + k_tile) * BK;
    if (k_tile < k_tiles) {
#if strided
      load_tile<A_ROWS, A_COLUMNS, A_PITCH, A_VECTOR, A_K_CONTIGUOUS ? M : K, A_LENGTH, A_STRIDE>(
#else
      load_tile<A_ROWS, A_COLUMNS, A_PITCH, A_VECTOR, A_K_CONTIGUOUS ? M : K, A_LENGTH>(
#endif
          a_tiles + slot * A_TILE, a, A_K_CONTIGUOUS ? m0 : k0, A_K_CONTIGUOUS ? k0 : m0);
#if strided
      load_tile<B_ROWS, B_COLUMNS, B_PITCH, B_VECTOR, B_K_CONTIGUOUS ? N : K, B_LENGTH, B_STRIDE>(
#else
      load_tile<B_ROWS, B_COLUMNS, B_PITCH, B_VECTOR, B_K_CONTIGUOUS ? N : K, B_LENGTH>(
#endif
          b_tiles + slot * B_TILE, b, B_K_CONTIGUOUS ? n0 : k0, B_K_CONTIGUOUS ? k0 : n0);
    }
    kgen::cp_async_commit(); // an empty group keeps the count of the waits
  };

#pragma unroll
  for (int stage = 0; stage < STAGES - 1; ++stage)
    load_stage(stage);

  Accumulator accumulator[WM / 16][WN / 16];
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int j = 0; j < WN / 16; ++j)
      wmma::fill_fragment(accumulator[i][j], 0.0f);

  for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
    kgen::cp_async_wait<STAGES - 2>();
    __syncthreads(); // tile k_tile has arrived, and everybody is done with the slot to overwrite
    load_stage(k_tile + STAGES - 1);
    const In *a_tile = a_tiles + k_tile % STAGES * A_TILE, *b_tile = b_tiles + k_tile % STAGES * B_TILE;
#pragma unroll
    for (int k = 0; k < BK; k += MMA_K) {
      FragmentA a_fragment[WM / 16];
      FragmentB b_fragment[WN / 16];
#pragma unroll
      for (int i = 0; i < WM / 16; ++i) {
        const int row = warp_m + 16 * i;
        wmma::load_matrix_sync(a_fragment[i], a_tile + (A_K_CONTIGUOUS ? row * A_PITCH + k : k * A_PITCH + row), A_PITCH);
        round_fragment(a_fragment[i]);
      }
#pragma unroll
      for (int j = 0; j < WN / 16; ++j) {
        const int column = warp_n + 16 * j;
        wmma::load_matrix_sync(b_fragment[j], b_tile + (B_K_CONTIGUOUS ? column * B_PITCH + k : k * B_PITCH + column),
                               B_PITCH);
        round_fragment(b_fragment[j]);
      }
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
#pragma unroll
        for (int j = 0; j < WN / 16; ++j)
          wmma::mma_sync(accumulator[i][j], a_fragment[i], b_fragment[j], accumulator[i][j]);
    }
  }
  kgen::cp_async_wait<0>();
  __syncthreads(); // the operands' tiles give way to the finished one
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int j = 0; j < WN / 16; ++j)
      wmma::store_matrix_sync(c_tile + (warp_m + 16 * i) * C_PITCH + warp_n + 16 * j, accumulator[i][j], C_PITCH,
                              wmma::mem_row_major);
  __syncthreads();

  c += (long long)(split * BATCH + batch) * M * N;
  for (int index = threadIdx.x; index < BM * BN; index += THREADS) {
    const int row = m0 + index / BN, column = n0 + index % BN;
    if ((M % BM && row >= M) || (N % BN && column >= N))
      continue;
    const float value = c_tile[index / BN * C_PITCH + index % BN];
    //@ replace call
    c[(long long)row * N + column] = epilogue(value, batch, row, column, bias);
    //@ end
  }
}

//@ section split_k
// Adds the partial sums and finishes the results.
//@ replace reduce
extern "C" __global__ void __launch_bounds__(256)
    example_reduce(const float *__restrict__ partial, const float *__restrict__ bias, example::Out *__restrict__ c) {
  //@ end
  using namespace example;
  const long long index = blockIdx.x * 256ll + threadIdx.x;
  if (index >= (long long)BATCH * M * N)
    return;
  float sum = 0.0f;
#pragma unroll 4
  for (int split = 0; split < SPLIT_K; ++split)
    sum += partial[(long long)split * BATCH * M * N + index];
  const int batch = index / ((long long)M * N), row = index / N % M, column = index % N;
  //@ replace reduce_call
  c[index] = epilogue(sum, batch, row, column, bias);
  //@ end
}
//@ end

//@ section convert
// Rounds an operand to the element type of the products.
namespace example {
template <long long COUNT> __device__ __forceinline__ void convert(const float *from, In *to) {
  constexpr int EACH = COUNT % 4 == 0 ? 4 : 1;
  struct alignas(EACH * sizeof(float)) Wide {
    float value[EACH];
  };
  struct alignas(EACH * sizeof(In)) Narrow {
    In value[EACH];
  } narrow;
  const long long index = (blockIdx.x * 256ll + threadIdx.x) * EACH;
  if (index >= COUNT)
    return;
  const Wide wide = *reinterpret_cast<const Wide *>(&from[index]);
#pragma unroll
  for (int i = 0; i < EACH; ++i)
    narrow.value[i] = static_cast<In>(wide.value[i]);
  *reinterpret_cast<Narrow *>(&to[index]) = narrow;
}
} // namespace example
extern "C" __global__ void __launch_bounds__(256)
    example_convert_a(const float *__restrict__ from, example::In *__restrict__ to) {
  example::convert<(long long)example::BATCHES_OF_A * example::M * example::K>(from, to);
}
extern "C" __global__ void __launch_bounds__(256)
    example_convert_b(const float *__restrict__ from, example::In *__restrict__ to) {
  example::convert<(long long)example::BATCHES_OF_B * example::K * example::N>(from, to);
}
//@ end
