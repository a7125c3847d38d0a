//===- gemm_stream.cuh - Matrix product, columns that pass by -------------===//
//
// C[b] = epilogue(A * B[b]), of an A that is small and the same for all batches and a B
// with its rows contiguous: what such a product costs is the memory's time for B and C.
// Each block keeps BM rows of A in shared memory, as tensor cores read them, and walks
// over tiles of BN columns of all batches. Slabs of BK x BN of B go round a ring of
// STAGES buffers by cp.async, from one tile into the next: while a tile's results are
// stored, the next tiles' columns are on their way.
//
//===----------------------------------------------------------------------===//
#include "kgen_device.cuh"

//@ replace constants
namespace example {
// The problem.
using In = float;  // element type of A and B
using Out = float; // element type of C
constexpr int M = 128, N = 1048576, K = 64;
constexpr int BATCH = 16;
constexpr bool SHARED_B = false;      // the same B for every batch
constexpr bool A_K_CONTIGUOUS = true; // A is [M, K]; else [K, M]
// The schedule.
constexpr int BM = 128, BN = 128, BK = 32; // rows that stay, columns of a tile, k of a slab
constexpr int WM = 32, WN = 64;            // warp tile
constexpr int STAGES = 4;
constexpr int MIN_BLOCKS = 2; // resident blocks per multiprocessor
constexpr int WALKERS = 264;  // blocks that share the columns, for each BM rows of A
constexpr int SHARED_BYTES = 102400; // dynamic shared memory of the launch
} // namespace example
//@ end

namespace example {

constexpr int WARPS_M = BM / WM, WARPS_N = BN / WN;
constexpr int THREADS = 32 * WARPS_M * WARPS_N;
constexpr int TILES_M = (M + BM - 1) / BM, TILES_N = (N + BN - 1) / BN;
constexpr int WALK = BATCH * TILES_N; // tiles of columns
constexpr int K_TILES = (K + BK - 1) / BK, K_PADDED = K_TILES * BK;

// One mma.sync: 16 x 8 of C, and MMA_K along k.
constexpr int MMA_K = 32 / sizeof(In);
constexpr int MT = WM / 16, NT = WN / 8;

// 16 bytes behind each row, so that a warp's reads of eight rows hit different banks.
constexpr int PAD = 16 / sizeof(In);
constexpr int A_PITCH = K_PADDED + PAD, B_PITCH = BN + PAD;
constexpr int A_ELEMENTS = BM * A_PITCH, SLAB = BK * B_PITCH;
static_assert((A_ELEMENTS + STAGES * SLAB) * sizeof(In) <= SHARED_BYTES, "the launch gives too little shared memory");

// Elements of one access of at most 16 bytes: as many as divide a row.
constexpr int vector_of(int size) {
  int v = 16 / size;
  while (N % v)
    v /= 2;
  return v;
}
constexpr int VECTOR = vector_of(sizeof(In)), STORED = vector_of(sizeof(Out));

//@ replace epilogue
__device__ __forceinline__ Out epilogue(float value, int batch, int row, int column, const float *bias) {
  return value + bias[row];
}
//@ end

//@ replace mma
__device__ __forceinline__ void mma(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  kgen::mma_m16n8k8_tf32(c, a, b);
}
//@ end

// Rows m0 and on of A, zeros outside; f32 is rounded to tf32 here, once.
__device__ __forceinline__ void load_rows(In *rows, const In *a, int m0) {
  for (int i = threadIdx.x; i < BM * K_PADDED; i += THREADS) {
    const int row = A_K_CONTIGUOUS ? i / K_PADDED : i % BM, k = A_K_CONTIGUOUS ? i % K_PADDED : i / BM;
    In value = static_cast<In>(0.0f);
    if ((M % BM == 0 || m0 + row < M) && (K % BK == 0 || k < K))
      value = a[A_K_CONTIGUOUS ? (long long)(m0 + row) * K + k : (long long)k * M + m0 + row];
    if constexpr (sizeof(In) == 4)
      value = kgen::round_tf32(value);
    rows[row * A_PITCH + k] = value;
  }
}

// BK x BN of the matrix B from row k0 and column n0 on, zeros outside.
__device__ __forceinline__ void load_slab(In *slab, const In *b, int k0, int n0) {
  constexpr int PER_ROW = BN / VECTOR, CHUNKS = BK * PER_ROW;
  constexpr int UNROLL = VECTOR * sizeof(In) == 16 ? CHUNKS : 2; // narrow loads are too many to unroll
#pragma unroll UNROLL
  for (int i = 0; i < (CHUNKS + THREADS - 1) / THREADS; ++i) {
    const int chunk = threadIdx.x + i * THREADS;
    const int row = chunk / PER_ROW, column = chunk % PER_ROW * VECTOR;
    if (CHUNKS % THREADS && chunk >= CHUNKS)
      break;
    const bool valid = (K % BK == 0 || k0 + row < K) && (N % BN == 0 || n0 + column < N);
    kgen::cp_async_zfill<VECTOR * sizeof(In)>(&slab[row * B_PITCH + column],
                                              &b[valid ? (long long)(k0 + row) * N + n0 + column : 0], valid);
  }
}

// The 16 x MMA_K fragment of A at (row, k).
__device__ __forceinline__ void load_a(unsigned (&a)[4], const In *rows, int row, int k) {
  const int lane = threadIdx.x % 32;
  kgen::ldmatrix_x4(a, &rows[(row + lane % 16) * A_PITCH + k + lane / 16 * (MMA_K / 2)]);
}

// The fragments of B, MMA_K x WN at (k, column) of a slab. Of f32, four tiles of n at a time share 32 columns: tile j
// has columns 16 side + 4 member + j, so that 16 bytes serve all four, and of their results, too, four lie side by side.
__device__ __forceinline__ void load_b(unsigned (&b)[NT][2], const In *slab, int k, int column) {
  const int lane = threadIdx.x % 32;
  if constexpr (sizeof(In) == 4) {
#pragma unroll
    for (int j = 0; j < NT; j += 4)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float4 four = *reinterpret_cast<const float4 *>(
            &slab[(k + lane % 4 + 4 * half) * B_PITCH + column + 8 * j + lane / 4 % 2 * 16 + lane / 8 * 4]);
        b[j][half] = __float_as_uint(kgen::round_tf32(four.x));
        b[j + 1][half] = __float_as_uint(kgen::round_tf32(four.y));
        b[j + 2][half] = __float_as_uint(kgen::round_tf32(four.z));
        b[j + 3][half] = __float_as_uint(kgen::round_tf32(four.w));
      }
  } else {
#pragma unroll
    for (int j = 0; j < NT; j += 2) {
      unsigned r[4]; // both k halves of tile j, then of tile j + 1
      kgen::ldmatrix_x4_trans(r, &slab[(k + lane % 16) * B_PITCH + column + 8 * j + lane / 16 * 8]);
#pragma unroll
      for (int i = 0; i < 4; ++i)
        b[j + i / 2][i % 2] = r[i];
    }
  }
}

// Neighbouring results of one row.
template <int COUNT, typename... Extra>
__device__ __forceinline__ void store_run(Out *c, const float (&values)[COUNT], int batch, int row, int column,
                                          Extra... extra) {
  if (M % BM && row >= M)
    return;
  constexpr int EACH = STORED < COUNT ? STORED : COUNT;
  struct alignas(EACH * sizeof(Out)) Run {
    Out value[EACH];
  };
  Out *destination = c + ((long long)batch * M + row) * N + column;
#pragma unroll
  for (int i = 0; i < COUNT; i += EACH) {
    if (N % BN && column + i >= N)
      return;
    Run run;
#pragma unroll
    for (int e = 0; e < EACH; ++e)
      run.value[e] = epilogue(values[i + e], batch, row, column + i + e, extra...);
    //@ section streaming
    // Nothing reads the result soon, and a cache full of halves of lines writes them back one by one.
    if constexpr (sizeof(Run) == sizeof(uint4)) {
      uint4 bits;
      memcpy(&bits, &run, sizeof(bits));
      __stcs(reinterpret_cast<uint4 *>(destination + i), bits);
      continue;
    }
    //@ end
    *reinterpret_cast<Run *>(destination + i) = run;
  }
}

// Of four lanes with four pairs each, lane l gets the pairs l of all.
__device__ __forceinline__ void transpose(float (&pairs)[8]) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int bit = 1; bit < 4; bit *= 2) {
    const bool upper = lane & bit;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (j & bit)
        continue;
#pragma unroll
      for (int side = 0; side < 2; ++side) {
        float &low = pairs[2 * j + side], &high = pairs[2 * (j + bit) + side];
        const float got = __shfl_xor_sync(0xffffffffu, upper ? low : high, bit);
        low = upper ? got : low;
        high = upper ? high : got;
      }
    }
  }
}

} // namespace example

//@ replace kernel
//@ sizes THREADS | SHARED_BYTES | TILES_M * WALKERS
//@ asserts BM % WM == 0 && BN % WN == 0 && WM % 16 == 0 && WN % 32 == 0 && BK % MMA_K == 0 && STAGES >= 2
extern "C" __global__ void __launch_bounds__(example::THREADS, example::MIN_BLOCKS)
    example_main(const example::In *__restrict__ a, const example::In *__restrict__ b,
                 const float *__restrict__ bias, example::Out *__restrict__ c) {
  //@ end
  using namespace example;
  extern __shared__ __align__(128) unsigned char example_shared[];
  In *rows = reinterpret_cast<In *>(example_shared);
  In *slabs = rows + A_ELEMENTS;

  // Neighbouring blocks have the same columns and other rows of A, so that they share columns in the L2 cache.
  const int m0 = blockIdx.x % TILES_M * BM;
  const int walker = blockIdx.x / TILES_M;
  const int warp = threadIdx.x / 32;
  const int warp_m = warp % WARPS_M * WM, warp_n = warp / WARPS_M * WN;

  int next = walker, next_k = 0, next_slot = 0; // of what is loaded next
  auto load_next = [&]() {
    if (next < WALK) {
      const int batch = SHARED_B ? 0 : next / TILES_N;
      load_slab(slabs + next_slot * SLAB, b + (long long)batch * K * N, next_k * BK, next % TILES_N * BN);
      if (++next_k == K_TILES) {
        next_k = 0;
        next += WALKERS;
      }
    }
    kgen::cp_async_commit(); // an empty group keeps the count of the waits
    next_slot = next_slot + 1 == STAGES ? 0 : next_slot + 1;
  };
#pragma unroll 1
  for (int stage = 0; stage < STAGES - 1; ++stage)
    load_next();
  load_rows(rows, a, m0);

  int slot = 0;
#pragma unroll 1
  for (int at = walker; at < WALK; at += WALKERS) {
    float accumulator[MT][NT][4] = {};
#pragma unroll 1
    for (int k_tile = 0; k_tile < K_TILES; ++k_tile) {
      // This slab has arrived, and nobody reads the one that the next load overwrites.
      kgen::cp_async_wait<STAGES - 2>();
      __syncthreads();
      load_next();
      const In *slab = slabs + slot * SLAB;
      slot = slot + 1 == STAGES ? 0 : slot + 1;
#pragma unroll
      for (int k = 0; k < BK; k += MMA_K) {
        unsigned a_fragment[MT][4], b_fragment[NT][2];
#pragma unroll
        for (int i = 0; i < MT; ++i)
          load_a(a_fragment[i], rows, warp_m + 16 * i, k_tile * BK + k);
        load_b(b_fragment, slab, k, warp_n);
#pragma unroll
        for (int i = 0; i < MT; ++i)
#pragma unroll
          for (int j = 0; j < NT; ++j)
            mma(accumulator[i][j], a_fragment[i], b_fragment[j]);
      }
    }

    const int lane = threadIdx.x % 32;
    const int batch = at / TILES_N, n0 = at % TILES_N * BN + warp_n;
#pragma unroll
    for (int i = 0; i < MT; ++i)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = m0 + warp_m + 16 * i + 8 * half + lane / 4;
#pragma unroll
        for (int j = 0; j < NT; j += 4) {
          if constexpr (sizeof(In) == 4) {
#pragma unroll
            for (int side = 0; side < 2; ++side) {
              const int e = 2 * half + side, column = n0 + 8 * j + 16 * side + lane % 4 * 4;
              const float run[4] = {accumulator[i][j][e], accumulator[i][j + 1][e], accumulator[i][j + 2][e],
                                    accumulator[i][j + 3][e]};
              //@ replace store4
              store_run(c, run, batch, row, column, bias);
              //@ end
            }
          } else {
            const int column = n0 + 8 * (j + lane % 4);
            float run[8];
#pragma unroll
            for (int e = 0; e < 8; ++e)
              run[e] = accumulator[i][j + e / 2][2 * half + e % 2];
            transpose(run);
            //@ replace store8
            store_run(c, run, batch, row, column, bias);
            //@ end
          }
        }
      }
  }
  kgen::cp_async_wait<0>();
}
