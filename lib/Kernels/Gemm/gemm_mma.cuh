//===- gemm_mma.cuh - Matrix product on tensor cores (mma.sync) -----------===//
//
// C[b] = epilogue(A[b] * B[b]). Each block computes a BM x BN tile of C, each warp
// WM x WN of it. Tiles of A and B travel through a ring of STAGES shared-memory
// buffers by cp.async; fragments of the next k step load while this one multiplies.
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
constexpr int BM = 128, BN = 128, BK = 32; // block tile
constexpr int WM = 64, WN = 64;            // warp tile
constexpr int STAGES = 3;
constexpr int PAD = 16 / sizeof(In); // elements after each row whose fragments are rows of ldmatrix
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

constexpr int WARPS_M = BM / WM, WARPS_N = BN / WN;
constexpr int THREADS = 32 * WARPS_M * WARPS_N;
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

// One mma.sync: 16 x 8 of C, and MMA_K along k.
constexpr int MMA_K = 32 / sizeof(In);
constexpr int K_STEPS = BK / MMA_K;
constexpr int MT = WM / 16, NT = WN / 8;

// Shared memory: a tile keeps the order of its matrix, rows padded so that fragment loads of a warp
// hit 32 different banks. Tiles that are contiguous along m or n are read 8 columns by 4 rows.
constexpr int CROSS_PAD = sizeof(In) == 4 ? 8 : 16 / sizeof(In);
constexpr int A_ROWS = A_K_CONTIGUOUS ? BM : BK, A_COLUMNS = A_K_CONTIGUOUS ? BK : BM;
constexpr int B_ROWS = B_K_CONTIGUOUS ? BN : BK, B_COLUMNS = B_K_CONTIGUOUS ? BK : BN;
constexpr int A_PITCH = A_COLUMNS + (A_K_CONTIGUOUS ? PAD : CROSS_PAD);
constexpr int B_PITCH = B_COLUMNS + (B_K_CONTIGUOUS ? PAD : CROSS_PAD);
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

// f32 fragments of B that lie along n are read four n tiles at a time: tile j of a group holds the
// columns 4 c + j, so that one 16-byte load serves four tiles and four results lie side by side.
constexpr int N_GROUP = sizeof(In) == 4 && !B_K_CONTIGUOUS && NT % 4 == 0 ? 4 : 1;

static_assert(K_STEPS % 2 == 0 && STAGES >= 2, "the pipeline alternates two sets of fragments and needs two stages");

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

__device__ __forceinline__ unsigned tf32_bits(float x) { return __float_as_uint(kgen::round_tf32(x)); }

// The 16 x MMA_K fragment of A at (row, k) of a tile.
__device__ __forceinline__ void load_a(unsigned (&a)[4], const In *tile, int row, int k) {
  const int lane = threadIdx.x % 32;
  //@ section a_k_contiguous
  if constexpr (A_K_CONTIGUOUS) {
    // Matrices in register order: (rows 0-7, low k), (8-15, low k), (0-7, high k), (8-15, high k).
    kgen::ldmatrix_x4(a, &tile[(row + lane % 16) * A_PITCH + k + lane / 16 * (MMA_K / 2)]);
    if constexpr (sizeof(In) == 4)
      for (int i = 0; i < 4; ++i)
        a[i] = tf32_bits(__uint_as_float(a[i]));
  }
  //@ end
  //@ section a_m_contiguous
  if constexpr (!A_K_CONTIGUOUS && sizeof(In) == 2)
    kgen::ldmatrix_x4_trans(a, &tile[(k + lane % 8 + lane / 16 * 8) * A_PITCH + row + lane / 8 % 2 * 8]);
  if constexpr (!A_K_CONTIGUOUS && sizeof(In) == 4)
    for (int i = 0; i < 4; ++i)
      a[i] = tf32_bits(tile[(k + lane % 4 + i / 2 * 4) * A_PITCH + row + lane / 4 + i % 2 * 8]);
  //@ end
}

// All fragments of B, MMA_K x WN at (k, column) of a tile.
__device__ __forceinline__ void load_b(unsigned (&b)[NT][2], const In *tile, int k, int column) {
  const int lane = threadIdx.x % 32;
  //@ section b_k_contiguous
  if constexpr (B_K_CONTIGUOUS) {
#pragma unroll
    for (int j = 0; j < NT; j += 2) {
      unsigned r[4]; // both k halves of tile j, then of tile j + 1; an odd last tile is read twice
      const int second = j + 1 < NT ? 8 : 0;
      kgen::ldmatrix_x4(
          r, &tile[(column + 8 * j + lane % 8 + lane / 16 * second) * B_PITCH + k + lane / 8 % 2 * (MMA_K / 2)]);
      for (int i = 0; i < 4; ++i)
        if (j + i / 2 < NT)
          b[j + i / 2][i % 2] = sizeof(In) == 4 ? tf32_bits(__uint_as_float(r[i])) : r[i];
    }
  }
  //@ end
  //@ section b_n_contiguous
  if constexpr (!B_K_CONTIGUOUS && sizeof(In) == 2) {
#pragma unroll
    for (int j = 0; j < NT; j += 2) {
      unsigned r[4];
      const int second = j + 1 < NT ? 8 : 0;
      kgen::ldmatrix_x4_trans(r, &tile[(k + lane % 16) * B_PITCH + column + 8 * j + lane / 16 * second]);
      for (int i = 0; i < 4; ++i)
        if (j + i / 2 < NT)
          b[j + i / 2][i % 2] = r[i];
    }
  }
  if constexpr (!B_K_CONTIGUOUS && sizeof(In) == 4) {
#pragma unroll
    for (int j = 0; j < NT; j += N_GROUP)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const In *source = &tile[(k + lane % 4 + 4 * half) * B_PITCH + column + 8 * j + lane / 4 * N_GROUP];
        if constexpr (N_GROUP == 4) {
          const float4 four = *reinterpret_cast<const float4 *>(source);
          b[j][half] = tf32_bits(four.x);
          b[j + 1][half] = tf32_bits(four.y);
          b[j + 2][half] = tf32_bits(four.z);
          b[j + 3][half] = tf32_bits(four.w);
        } else {
          b[j][half] = tf32_bits(*source);
        }
      }
  }
  //@ end
}

//@ replace mma
__device__ __forceinline__ void mma(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  kgen::mma_m16n8k8_tf32(c, a, b);
}
//@ end

// Four or two neighbouring results of one row.
template <int COUNT, typename... Extra>
__device__ __forceinline__ void store_run(Stored *c, const float (&values)[COUNT], int batch, int row, int column,
                                          Extra... extra) {
  if (M % BM && row >= M)
    return;
  Stored *destination = c + (long long)row * N + column;
  struct alignas(COUNT * sizeof(Stored)) Run {
    Stored value[COUNT];
  } run;
  auto finished = [&](int i) -> Stored {
    if constexpr (SPLIT_K > 1)
      return values[i];
    else
      return epilogue(values[i], batch, row, column + i, extra...);
  };
  if constexpr (N % COUNT == 0) {
    if (N % BN && column >= N)
      return;
    for (int i = 0; i < COUNT; ++i)
      run.value[i] = finished(i);
    //@ section streaming
    // Nothing reads the result soon, and a cache full of parts of lines writes them back one by one.
    if constexpr (sizeof(Run) == sizeof(uint4)) {
      uint4 bits;
      memcpy(&bits, &run, sizeof(bits));
      __stcs(reinterpret_cast<uint4 *>(destination), bits);
      return;
    } else if constexpr (sizeof(Run) == sizeof(uint2)) {
      uint2 bits;
      memcpy(&bits, &run, sizeof(bits));
      __stcs(reinterpret_cast<uint2 *>(destination), bits);
      return;
    }
    //@ end
    *reinterpret_cast<Run *>(destination) = run;
  } else {
    for (int i = 0; i < COUNT; ++i)
      if (column + i < N)
        destination[i] = finished(i);
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
//@ asserts BM % WM == 0 && BN % WN == 0 && WM % 16 == 0 && WN % 8 == 0 && BK % MMA_K == 0
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

  unsigned a_fragment[2][MT][4], b_fragment[2][NT][2];
  float accumulator[MT][NT][4] = {};
  auto load_fragments = [&](int buffer, int k_tile, int k_step) {
    const In *a_tile = a_tiles + k_tile % STAGES * A_TILE, *b_tile = b_tiles + k_tile % STAGES * B_TILE;
#pragma unroll
    for (int i = 0; i < MT; ++i)
      load_a(a_fragment[buffer][i], a_tile, warp_m + 16 * i, k_step * MMA_K);
    load_b(b_fragment[buffer], b_tile, k_step * MMA_K, warp_n);
  };

#pragma unroll
  for (int stage = 0; stage < STAGES - 1; ++stage)
    load_stage(stage);
  kgen::cp_async_wait<STAGES - 2>();
  __syncthreads();
  load_fragments(0, 0, 0);

  for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
#pragma unroll
    for (int k_step = 0; k_step < K_STEPS; ++k_step) {
      const bool last = k_step == K_STEPS - 1;
      if (last) {
        // The next tile has arrived, and nobody reads the slot that the next load overwrites.
        kgen::cp_async_wait<STAGES - 2>();
        __syncthreads();
      }
      load_fragments((k_step + 1) % 2, last ? k_tile + 1 : k_tile, (k_step + 1) % K_STEPS);
      if (k_step == 0)
        load_stage(k_tile + STAGES - 1);
#pragma unroll
      for (int i = 0; i < MT; ++i)
#pragma unroll
        for (int j = 0; j < NT; ++j)
          mma(accumulator[i][j], a_fragment[k_step % 2][i], b_fragment[k_step % 2][j]);
    }
  }
  kgen::cp_async_wait<0>();

  c += (long long)(split * BATCH + batch) * M * N;
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < MT; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = m0 + warp_m + 16 * i + 8 * half + lane / 4;
#if grouped
      if (row >= rows.end)
        continue;
#endif
#pragma unroll
      for (int j = 0; j < NT; j += N_GROUP) {
        const int column = n0 + warp_n + 8 * j + lane % 4 * 2 * N_GROUP;
        if constexpr (N_GROUP == 4) {
#pragma unroll
          for (int side = 0; side < 2; ++side) {
            const int e = 2 * half + side;
            const float run[4] = {accumulator[i][j][e], accumulator[i][j + 1][e], accumulator[i][j + 2][e],
                                  accumulator[i][j + 3][e]};
            //@ replace store4
            store_run(c, run, batch, row, column + 4 * side, bias);
            //@ end
          }
        } else {
          const float run[2] = {accumulator[i][j][2 * half], accumulator[i][j][2 * half + 1]};
          //@ replace store2
          store_run(c, run, batch, row, column, bias);
          //@ end
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
