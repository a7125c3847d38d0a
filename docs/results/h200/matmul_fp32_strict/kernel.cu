//===- kgen_device.cuh - Instructions that CUDA C++ has no name for -------===//
//
// The one file with PTX. Every function has two bodies: PTX for the device, and
// C++ of the same meaning for device host (KGEN_HOST), where each thread of a
// block is a fibre. Fragment layouts are those of the PTX ISA, chapter
// "Matrix multiply-accumulate": lane = 4 * group + member.
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DEVICE_CUH
#define KGEN_DEVICE_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace kgen {

//===----------------------------------------------------------------------===//
// Asynchronous copies from global to shared memory
//===----------------------------------------------------------------------===//

#ifndef KGEN_HOST

__device__ __forceinline__ unsigned smem_address(const void *pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Copies 4, 8 or 16 bytes; both addresses are multiples of the size. With `valid` false nothing is
// read and the destination is zeroed. 16-byte copies bypass L1.
__device__ __forceinline__ void cp_async_zfill4(void *dst, const void *src, bool valid) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(smem_address(dst)), "l"(src),
               "r"(valid ? 4 : 0)
               : "memory");
}
__device__ __forceinline__ void cp_async_zfill8(void *dst, const void *src, bool valid) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(smem_address(dst)), "l"(src),
               "r"(valid ? 8 : 0)
               : "memory");
}
__device__ __forceinline__ void cp_async_zfill16(void *dst, const void *src, bool valid) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(smem_address(dst)), "l"(src),
               "r"(valid ? 16 : 0)
               : "memory");
}
__device__ __forceinline__ void cp_async4(void *dst, const void *src) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(smem_address(dst)), "l"(src) : "memory");
}
__device__ __forceinline__ void cp_async8(void *dst, const void *src) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(smem_address(dst)), "l"(src) : "memory");
}
__device__ __forceinline__ void cp_async16(void *dst, const void *src) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(smem_address(dst)), "l"(src) : "memory");
}

// Closes this thread's current group of copies.
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most N of this thread's groups are in flight.
template <int N> __device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

//===----------------------------------------------------------------------===//
// Warp matrix operations
//===----------------------------------------------------------------------===//

// Rounds to tf32 (10 explicit mantissa bits), nearest, ties away from zero.
__device__ __forceinline__ float round_tf32(float x) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return __uint_as_float(bits);
}

// d += a * b: a is 16x8 row major, b is 8x8 column major, f32 bits of which tf32 is read.
__device__ __forceinline__ void mma_m16n8k8_tf32(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
               "{%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// d += a * b: a is 16x16 row major, b is 16x8 column major, two values to a register.
__device__ __forceinline__ void mma_m16n8k16_f16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
               "{%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void mma_m16n8k16_bf16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
               "{%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Four 8x8 matrices of 16-bit values. Lane l names row l % 8 of matrix l / 8 (16 bytes, aligned);
// register i of each lane is its pair of matrix i. Rows of four 32-bit values work the same way.
__device__ __forceinline__ void ldmatrix_x4(unsigned (&r)[4], const void *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(smem_address(row)));
}
// The same, each matrix transposed.
__device__ __forceinline__ void ldmatrix_x4_trans(unsigned (&r)[4], const void *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(smem_address(row)));
}

#else // KGEN_HOST

// kgen_host.h defers asynchronous copies to their wait, so that a missing wait shows, and lets the 32
// fibres of a warp meet: the last lane to arrive works for all, through each lane's pointer.

// A misaligned address is a fault on the device, and so it is here.
inline void host_require_aligned(const void *pointer, unsigned bytes) {
  if (reinterpret_cast<size_t>(pointer) % bytes)
    __builtin_trap();
}
inline void host_copy(void *dst, const void *src, bool valid, unsigned bytes) {
  host_require_aligned(dst, bytes);
  host_require_aligned(src, bytes);
  kgen_host_async_copy(dst, valid ? src : nullptr, bytes);
}

inline void cp_async_zfill4(void *dst, const void *src, bool valid) { host_copy(dst, src, valid, 4); }
inline void cp_async_zfill8(void *dst, const void *src, bool valid) { host_copy(dst, src, valid, 8); }
inline void cp_async_zfill16(void *dst, const void *src, bool valid) { host_copy(dst, src, valid, 16); }
inline void cp_async4(void *dst, const void *src) { host_copy(dst, src, true, 4); }
inline void cp_async8(void *dst, const void *src) { host_copy(dst, src, true, 8); }
inline void cp_async16(void *dst, const void *src) { host_copy(dst, src, true, 16); }
inline void cp_async_commit() { kgen_host_async_commit(); }
template <int N> inline void cp_async_wait() { kgen_host_async_wait(N); }

inline float round_tf32(float x) {
  unsigned bits;
  memcpy(&bits, &x, 4);
  if ((bits & 0x7f800000u) != 0x7f800000u) // infinities and NaN stay
    bits = (bits + 0x1000u) & 0xffffe000u;
  memcpy(&x, &bits, 4);
  return x;
}

// What the tensor core reads of a register.
struct Tf32Operand {
  static constexpr int PER_REGISTER = 1;
  static float read(unsigned bits, int) {
    bits &= 0xffffe000u;
    float x;
    memcpy(&x, &bits, 4);
    return x;
  }
};
template <typename T> struct PackedOperand {
  static constexpr int PER_REGISTER = 2;
  static float read(unsigned bits, int i) {
    unsigned short half = static_cast<unsigned short>(bits >> (16 * i));
    T x;
    memcpy(&x, &half, 2);
    return static_cast<float>(x);
  }
};

struct HostMmaLane {
  float *d;
  const unsigned *a, *b;
};
// A row of eight as one vector: twice as fast as what the compiler makes of the loops.
typedef float HostMmaRow __attribute__((vector_size(32)));

// 16x8 product of a warp with k = 8 * PER_REGISTER.
template <typename Operand>
inline void host_mma(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  HostMmaLane mine = {d, a, b};
  kgen_host_warp_collective(&mine, [](void *lanes[32], void *) {
    constexpr int P = Operand::PER_REGISTER, K = 8 * P;
    float left[16][K];
    HostMmaRow right[K], sum[16];
    for (int lane = 0; lane < 32; ++lane) {
      const HostMmaLane &l = *static_cast<HostMmaLane *>(lanes[lane]);
      const int group = lane / 4, member = lane % 4;
      for (int high = 0; high < 2; ++high) {
        for (int p = 0; p < P; ++p) {
          const int k = 4 * P * high + P * member + p;
          left[group][k] = Operand::read(l.a[2 * high], p);
          left[group + 8][k] = Operand::read(l.a[2 * high + 1], p);
          right[k][group] = Operand::read(l.b[high], p);
        }
        sum[group + 8 * high][2 * member] = l.d[2 * high];
        sum[group + 8 * high][2 * member + 1] = l.d[2 * high + 1];
      }
    }
    for (int row = 0; row < 16; ++row) {
      HostMmaRow s = sum[row];
      for (int k = 0; k < K; ++k)
        s += left[row][k] * right[k];
      sum[row] = s;
    }
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i)
        static_cast<HostMmaLane *>(lanes[lane])->d[i] = sum[lane / 4 + 8 * (i / 2)][2 * (lane % 4) + i % 2];
  });
}
inline void mma_m16n8k8_tf32(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  host_mma<Tf32Operand>(d, a, b);
}
inline void mma_m16n8k16_f16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  host_mma<PackedOperand<__half>>(d, a, b);
}
inline void mma_m16n8k16_bf16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  host_mma<PackedOperand<__nv_bfloat16>>(d, a, b);
}

struct HostLdmatrixLane {
  unsigned *r;
  const char *row;
};

inline void ldmatrix_x4(unsigned (&r)[4], const void *row) {
  host_require_aligned(row, 16);
  HostLdmatrixLane mine = {r, static_cast<const char *>(row)};
  kgen_host_warp_collective(&mine, [](void *lanes[32], void *) {
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i)
        memcpy(&static_cast<HostLdmatrixLane *>(lanes[lane])->r[i],
               static_cast<HostLdmatrixLane *>(lanes[8 * i + lane / 4])->row + 4 * (lane % 4), 4);
  });
}
inline void ldmatrix_x4_trans(unsigned (&r)[4], const void *row) {
  host_require_aligned(row, 16);
  HostLdmatrixLane mine = {r, static_cast<const char *>(row)};
  kgen_host_warp_collective(&mine, [](void *lanes[32], void *) {
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 2; ++j)
          memcpy(reinterpret_cast<char *>(&static_cast<HostLdmatrixLane *>(lanes[lane])->r[i]) + 2 * j,
                 static_cast<HostLdmatrixLane *>(lanes[8 * i + 2 * (lane % 4) + j])->row + 2 * (lane / 4), 2);
  });
}

#endif // KGEN_HOST

// Copies BYTES (2, 4, 8 or 16), or zeroes them. There is no asynchronous form of 2 bytes: those
// arrive at once, which the barrier after a wait covers too.
template <int BYTES> __device__ __forceinline__ void cp_async_zfill(void *dst, const void *src, bool valid) {
  if constexpr (BYTES == 16)
    cp_async_zfill16(dst, src, valid);
  else if constexpr (BYTES == 8)
    cp_async_zfill8(dst, src, valid);
  else if constexpr (BYTES == 4)
    cp_async_zfill4(dst, src, valid);
  else
    *static_cast<unsigned short *>(dst) = valid ? *static_cast<const unsigned short *>(src) : 0;
}

} // namespace kgen

#endif // KGEN_DEVICE_CUH

//===- gemm_simt.cuh - Matrix product in fp32 arithmetic ------------------===//
//
// C[b] = epilogue(A[b] * B[b]). Each block computes a BM x BN tile of C, each thread
// TM x TN of it in registers. Tiles of A and B travel through a ring of STAGES
// shared-memory buffers by cp.async.
//
//===----------------------------------------------------------------------===//

namespace matmul_0 {
// The problem.
using In = float; // element type of A and B
using Out = float; // element type of C
using Stored = Out; // what the main kernel writes
constexpr int M = 4096, N = 4096, K = 4096;
constexpr int BATCH = 1;
constexpr int BATCHES_OF_A = 1, BATCHES_OF_B = 1; // 1: the same matrix for every batch
constexpr bool A_K_CONTIGUOUS = true; // A is [M, K]
constexpr bool B_K_CONTIGUOUS = false; // B is [K, N]
// The schedule.
constexpr int BM = 128, BN = 64, BK = 16; // block tile
constexpr int TM = 8, TN = 8; // thread tile
constexpr int STAGES = 2;
constexpr int RASTER = 16; // tile rows of one group in the block order
constexpr int SPLIT_K = 1; // blocks that share one tile of C, each a slice of K
constexpr int VEC = 4; // elements of one global load, at most
constexpr int MIN_BLOCKS = 1; // resident blocks per multiprocessor
constexpr int SHARED_BYTES = 29184; // dynamic shared memory of the launch
} // namespace matmul_0

namespace matmul_0 {

constexpr int THREADS_M = BM / TM, THREADS_N = BN / TN;
constexpr int THREADS = THREADS_M * THREADS_N;
constexpr int TILES_M = (M + BM - 1) / BM, TILES_N = (N + BN - 1) / BN;
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
static_assert(STAGES * (A_TILE + B_TILE) * sizeof(In) <= SHARED_BYTES, "the launch gives too little shared memory");

// Elements of one global load: as many as divide the matrix's and the tile's rows, at most 16 bytes.
constexpr int vector_of(int length, int columns) {
  int v = VEC * sizeof(In) < 16 ? VEC : 16 / sizeof(In);
  while (length % v || columns % v)
    v /= 2;
  return v;
}
constexpr int A_LENGTH = A_K_CONTIGUOUS ? K : M, B_LENGTH = B_K_CONTIGUOUS ? K : N;
constexpr int A_VECTOR = vector_of(A_LENGTH, A_COLUMNS), B_VECTOR = vector_of(B_LENGTH, B_COLUMNS);

static_assert(BK % 4 == 0 && STAGES >= 2, "the pipeline needs two stages and k in fours");

// One result from its sum of products.
__device__ __forceinline__ Out epilogue(float value, int batch, int row, int column) {
  return static_cast<Out>(value);
}

// Brings a ROWS x COLUMNS window of a matrix of HEIGHT x LENGTH into shared memory; zeros outside.
template <int ROWS, int COLUMNS, int PITCH, int VECTOR, int HEIGHT, int LENGTH>
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
    kgen::cp_async_zfill<VECTOR * sizeof(In)>(
        &tile[row * PITCH + column], &matrix[(long long)(row0 + row) * LENGTH + column0 + column], valid);
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

} // namespace matmul_0

extern "C" __global__ void __launch_bounds__(matmul_0::THREADS, matmul_0::MIN_BLOCKS)
    matmul_0_main(const matmul_0::In *__restrict__ a, const matmul_0::In *__restrict__ b,
         matmul_0::Stored *__restrict__ c) {
  using namespace matmul_0;
  extern __shared__ __align__(128) unsigned char matmul_0_shared[];
  In *a_tiles = reinterpret_cast<In *>(matmul_0_shared);
  In *b_tiles = a_tiles + STAGES * A_TILE;

  // Block order: groups of RASTER tile rows, column by column, so that blocks that run at the same
  // time share tiles in L2.
  const int tile = blockIdx.x % (TILES_M * TILES_N);
  const int batch = blockIdx.x / (TILES_M * TILES_N) % BATCH;
  const int split = blockIdx.x / (TILES_M * TILES_N * BATCH);
  const int group = tile / (RASTER * TILES_N);
  const int group_rows = min(RASTER, TILES_M - group * RASTER);
  const int m0 = (group * RASTER + tile % (RASTER * TILES_N) % group_rows) * BM;
  const int n0 = tile % (RASTER * TILES_N) / group_rows * BN;
  a += (long long)(BATCHES_OF_A == 1 ? 0 : batch) * M * K;
  b += (long long)(BATCHES_OF_B == 1 ? 0 : batch) * K * N;

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
  const int k_tiles = min(K_TILES_PER_SPLIT, K_TILES - first);

  auto load_stage = [&](int k_tile) {
    const int slot = k_tile % STAGES, k0 = (first + k_tile) * BK;
    if (k_tile < k_tiles) {
      load_tile<A_ROWS, A_COLUMNS, A_PITCH, A_VECTOR, A_K_CONTIGUOUS ? M : K, A_LENGTH>(
          a_tiles + slot * A_TILE, a, A_K_CONTIGUOUS ? m0 : k0, A_K_CONTIGUOUS ? k0 : m0);
      load_tile<B_ROWS, B_COLUMNS, B_PITCH, B_VECTOR, B_K_CONTIGUOUS ? N : K, B_LENGTH>(
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
    if (M % BM && row >= M)
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
          run.value[r] = epilogue(accumulator[i][j + r], batch, row, column + r);
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

