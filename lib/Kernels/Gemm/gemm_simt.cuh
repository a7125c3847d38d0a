//===- gemm_simt.cuh - Matrix product in fp32 arithmetic ------------------===//
//
// C[b] = epilogue(A[b] * B[b]). Each block computes a BM x BN tile of C, each thread
// TM x TN of it in registers. Tiles of A and B travel through a ring of STAGES
// shared-memory buffers by cp.async.
//
//===----------------------------------------------------------------------===//
#include "kgen_device.cuh"

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
constexpr int BM = 128, BN = 128, BK = 16; // block tile
constexpr int TM = 8, TN = 8;              // thread tile
constexpr int STAGES = 3;
constexpr int RASTER = 8;                  // tile rows of one group in the block order
constexpr int SPLIT_K = 1;                 // blocks that share one tile of C, each a slice of K
constexpr int VEC = 4;                     // elements of one global load, at most
constexpr int MIN_BLOCKS = 2;              // resident blocks per multiprocessor
constexpr int SHARED_BYTES = 227 * 1024;   // dynamic shared memory of the launch
constexpr bool LOWER = true;     // what a triangle keeps of the result
constexpr int DIAGONAL = 1 << 30; // results right of it are zero, by column - row
} // namespace example
//@ end

namespace example {

constexpr int THREADS_M = BM / TM, THREADS_N = BN / TN;
constexpr int THREADS = THREADS_M * THREADS_N;
#if grouped
//@ replace group_constants
//@ end
// Each group has at most one tile that is not full.
constexpr int TILES_M = (M + (GROUPS < M ? GROUPS : M) * (BM - 1)) / BM, TILES_N = (N + BN - 1) / BN;
#else
constexpr int TILES_M = (M + BM - 1) / BM, TILES_N = (N + BN - 1) / BN;
#endif
constexpr int K_TILES = (K + BK - 1) / BK;
constexpr int K_TILES_PER_SPLIT = (K_TILES + SPLIT_K - 1) / SPLIT_K;

// Fragments are read four floats at a time: along k where the tile is contiguous along k, else along
// m or n. K_STEP values of k are in registers at once.
constexpr int K_STEP = A_K_CONTIGUOUS && B_K_CONTIGUOUS ? 2 : 4;
constexpr int RUN_M = TM % 4 == 0 ? 4 : 1, RUN_N = TN % 4 == 0 ? 4 : 1;

// Shared memory: a tile keeps the order of its matrix. Rows of k are padded, so that threads which
// read neighbouring rows hit different banks.
constexpr int PAD = 16 / sizeof(In);
constexpr int A_ROWS = A_K_CONTIGUOUS ? BM : BK, A_COLUMNS = A_K_CONTIGUOUS ? BK : BM;
constexpr int B_ROWS = B_K_CONTIGUOUS ? BN : BK, B_COLUMNS = B_K_CONTIGUOUS ? BK : BN;
constexpr int A_PITCH = A_COLUMNS + PAD, B_PITCH = B_COLUMNS + PAD;
constexpr int A_TILE = A_ROWS * A_PITCH, B_TILE = B_ROWS * B_PITCH;
#if grouped
constexpr int ORDER_BYTES = GROUPS * sizeof(int);
static_assert(STAGES * (A_TILE + B_TILE) * sizeof(In) + ORDER_BYTES <= SHARED_BYTES, "the launch gives too little shared memory");
#else
static_assert(STAGES * (A_TILE + B_TILE) * sizeof(In) <= SHARED_BYTES, "the launch gives too little shared memory");
#endif

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

static_assert(BK % 4 == 0 && STAGES >= 2, "the pipeline needs two stages and k in fours");

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
#if grouped
    const bool valid = row0 + row < HEIGHT && column0 + column < LENGTH; // tiles begin anywhere
#else
    const bool valid = (HEIGHT % ROWS == 0 || row0 + row < HEIGHT) && (LENGTH % COLUMNS == 0 || column0 + column < LENGTH);
#endif
#if strided
    kgen::cp_async_zfill<VECTOR * sizeof(In)>(
        &tile[row * PITCH + column], &matrix[(long long)(row0 + row) * STRIDE + column0 + column], valid);
#else
    kgen::cp_async_zfill<VECTOR * sizeof(In)>(
        &tile[row * PITCH + column], &matrix[(long long)(row0 + row) * LENGTH + column0 + column], valid);
#endif
  }
}

// Which row of the block tile is row i of thread `thread`, out of THREADS_OF that share the side: runs
// of RUN neighbours where loads run along the side, else one row in THREADS_OF.
template <int RUN, int THREADS_OF> __device__ __forceinline__ int place(int thread, int i) {
  return (thread + i / RUN * THREADS_OF) * RUN + i % RUN;
}
constexpr int PLACE_M = A_K_CONTIGUOUS ? 1 : RUN_M, PLACE_N = B_K_CONTIGUOUS ? 1 : RUN_N;

template <int COUNT> __device__ __forceinline__ void load_run(float *to, const In *from) {
  struct alignas(COUNT * sizeof(In)) Run {
    In value[COUNT];
  };
  const Run run = *reinterpret_cast<const Run *>(from);
#pragma unroll
  for (int i = 0; i < COUNT; ++i)
    to[i] = static_cast<float>(run.value[i]);
}

// K_STEP x COUNT values of one operand, from a tile that is contiguous along k or not.
template <bool K_CONTIGUOUS, int COUNT, int RUN, int THREADS_OF, int PITCH>
__device__ __forceinline__ void load_fragment(float (&fragment)[COUNT][K_STEP], const In *tile, int thread, int k) {
  if constexpr (K_CONTIGUOUS) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i)
      load_run<K_STEP>(fragment[i], &tile[place<1, THREADS_OF>(thread, i) * PITCH + k]);
  } else {
#pragma unroll
    for (int step = 0; step < K_STEP; ++step)
#pragma unroll
      for (int i = 0; i < COUNT; i += RUN) {
        float run[RUN];
        load_run<RUN>(run, &tile[(k + step) * PITCH + place<RUN, THREADS_OF>(thread, i)]);
#pragma unroll
        for (int r = 0; r < RUN; ++r)
          fragment[i + r][step] = run[r];
      }
  }
}

#if grouped
//@ replace groups
//@ end
#endif
//@ section skip
// Whether all results of the tile at m0, n0 are zeros.
__device__ __forceinline__ bool is_empty(int m0, int n0) {
  return LOWER ? n0 - (m0 + BM - 1) > DIAGONAL : n0 + BN - 1 - m0 < DIAGONAL;
}
//@ end

} // namespace example

//@ replace kernel
//@ sizes THREADS | SHARED_BYTES | TILES_M * TILES_N * BATCH * SPLIT_K
//@ asserts BM % TM == 0 && BN % TN == 0
extern "C" __global__ void __launch_bounds__(example::THREADS, example::MIN_BLOCKS)
    example_main(const example::In *__restrict__ a, const example::In *__restrict__ b,
                 const float *__restrict__ bias, example::Stored *__restrict__ c) {
  //@ end
  using namespace example;
  extern __shared__ __align__(128) unsigned char example_shared[];
  In *a_tiles = reinterpret_cast<In *>(example_shared);
  In *b_tiles = a_tiles + STAGES * A_TILE;

  // Block order: groups of RASTER tile rows, column by column, so that blocks that run at the same
  // time share tiles in L2.
  const int tile = blockIdx.x % (TILES_M * TILES_N);
  const int batch = blockIdx.x / (TILES_M * TILES_N) % BATCH;
  const int split = blockIdx.x / (TILES_M * TILES_N * BATCH);
  const int group = tile / (RASTER * TILES_N);
  const int group_rows = min(RASTER, TILES_M - group * RASTER);
#if grouped
  const Rows rows = rows_of(ends, group * RASTER + tile % (RASTER * TILES_N) % group_rows,
                            reinterpret_cast<int *>(b_tiles + STAGES * B_TILE));
  if (rows.first >= rows.end)
    return;
  const int m0 = rows.first;
#else
  const int m0 = (group * RASTER + tile % (RASTER * TILES_N) % group_rows) * BM;
#endif
  const int n0 = tile % (RASTER * TILES_N) / group_rows * BN;
  //@ replace place_a
  a += (long long)(BATCHES_OF_A == 1 ? 0 : batch) * M * K;
  //@ end
#if grouped
  b += (long long)rows.matrix * K * N;
#else
  //@ replace place_b
  b += (long long)(BATCHES_OF_B == 1 ? 0 : batch) * K * N;
  //@ end
#endif

  // A warp is 4 x 8 threads where that tiles the block: its loads from shared memory have the fewest
  // different addresses.
  int thread_m = threadIdx.x / THREADS_N, thread_n = threadIdx.x % THREADS_N;
  if constexpr (THREADS_M % 4 == 0 && THREADS_N % 8 == 0) {
    constexpr int WARPS_N = (THREADS_N + 7) / 8;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    thread_m = warp / WARPS_N * 4 + lane / 8;
    thread_n = warp % WARPS_N * 8 + lane % 8;
  }
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

  float accumulator[TM][TN] = {};
  for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
    kgen::cp_async_wait<STAGES - 2>();
    __syncthreads(); // tile k_tile has arrived, and everybody is done with the slot to overwrite
    load_stage(k_tile + STAGES - 1);
    const In *a_tile = a_tiles + k_tile % STAGES * A_TILE, *b_tile = b_tiles + k_tile % STAGES * B_TILE;
#pragma unroll
    for (int k = 0; k < BK; k += K_STEP) {
      float a_fragment[TM][K_STEP], b_fragment[TN][K_STEP];
      load_fragment<A_K_CONTIGUOUS, TM, PLACE_M, THREADS_M, A_PITCH>(a_fragment, a_tile, thread_m, k);
      load_fragment<B_K_CONTIGUOUS, TN, PLACE_N, THREADS_N, B_PITCH>(b_fragment, b_tile, thread_n, k);
#pragma unroll
      for (int step = 0; step < K_STEP; ++step)
#pragma unroll
        for (int i = 0; i < TM; ++i)
#pragma unroll
          for (int j = 0; j < TN; ++j)
            accumulator[i][j] = fmaf(a_fragment[i][step], b_fragment[j][step], accumulator[i][j]);
    }
  }
  kgen::cp_async_wait<0>();

  c += (long long)(split * BATCH + batch) * M * N;
#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int row = m0 + place<PLACE_M, THREADS_M>(thread_m, i);
#if grouped
    if (row >= rows.end)
#else
    if (M % BM && row >= M)
#endif
      continue;
#pragma unroll
    for (int j = 0; j < TN; j += PLACE_N) {
      const int column = n0 + place<PLACE_N, THREADS_N>(thread_n, j);
      struct alignas(PLACE_N * sizeof(Stored)) Run {
        Stored value[PLACE_N];
      } run;
#pragma unroll
      for (int r = 0; r < PLACE_N; ++r)
        if (N % BN == 0 || column + r < N)
          //@ replace call
          run.value[r] = epilogue(accumulator[i][j + r], batch, row, column + r, bias);
          //@ end
      if constexpr (N % PLACE_N == 0) {
        if (N % BN == 0 || column < N)
          *reinterpret_cast<Run *>(&c[(long long)row * N + column]) = run;
      } else {
#pragma unroll
        for (int r = 0; r < PLACE_N; ++r)
          if (column + r < N)
            c[(long long)row * N + column + r] = run.value[r];
      }
    }
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
