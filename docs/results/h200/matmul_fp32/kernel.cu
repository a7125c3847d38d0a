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

//===- gemm_mma.cuh - Matrix product on tensor cores (mma.sync) -----------===//
//
// C[b] = epilogue(A[b] * B[b]). Each block computes a BM x BN tile of C, each warp
// WM x WN of it. Tiles of A and B travel through a ring of STAGES shared-memory
// buffers by cp.async; fragments of the next k step load while this one multiplies.
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
constexpr int BM = 256, BN = 128, BK = 32; // block tile
constexpr int WM = 64, WN = 64; // warp tile
constexpr int PAD = 8; // elements after each row along k
constexpr int STAGES = 3;
constexpr int RASTER = 2; // tile rows of one group in the block order
constexpr int SPLIT_K = 1; // blocks that share one tile of C, each a slice of K
constexpr int VEC = 4; // elements of one global load, at most
constexpr int MIN_BLOCKS = 1; // resident blocks per multiprocessor
constexpr int SHARED_BYTES = 175104; // dynamic shared memory of the launch
} // namespace matmul_0

namespace matmul_0 {

constexpr int WARPS_M = BM / WM, WARPS_N = BN / WN;
constexpr int THREADS = 32 * WARPS_M * WARPS_N;
constexpr int TILES_M = (M + BM - 1) / BM, TILES_N = (N + BN - 1) / BN;
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

// f32 fragments of B that lie along n are read four n tiles at a time: tile j of a group holds the
// columns 4 c + j, so that one 16-byte load serves four tiles and four results lie side by side.
constexpr int N_GROUP = sizeof(In) == 4 && !B_K_CONTIGUOUS && NT % 4 == 0 ? 4 : 1;

static_assert(K_STEPS % 2 == 0 && STAGES >= 2, "the pipeline alternates two sets of fragments and needs two stages");

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

__device__ __forceinline__ unsigned tf32_bits(float x) { return __float_as_uint(kgen::round_tf32(x)); }

// The 16 x MMA_K fragment of A at (row, k) of a tile.
__device__ __forceinline__ void load_a(unsigned (&a)[4], const In *tile, int row, int k) {
  const int lane = threadIdx.x % 32;
  if constexpr (A_K_CONTIGUOUS) {
    // Matrices in register order: (rows 0-7, low k), (8-15, low k), (0-7, high k), (8-15, high k).
    kgen::ldmatrix_x4(a, &tile[(row + lane % 16) * A_PITCH + k + lane / 16 * (MMA_K / 2)]);
    if constexpr (sizeof(In) == 4)
      for (int i = 0; i < 4; ++i)
        a[i] = tf32_bits(__uint_as_float(a[i]));
  }
}

// All fragments of B, MMA_K x WN at (k, column) of a tile.
__device__ __forceinline__ void load_b(unsigned (&b)[NT][2], const In *tile, int k, int column) {
  const int lane = threadIdx.x % 32;
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
}

__device__ __forceinline__ void mma(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  kgen::mma_m16n8k8_tf32(c, a, b);
}

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
    *reinterpret_cast<Run *>(destination) = run;
  } else {
    for (int i = 0; i < COUNT; ++i)
      if (column + i < N)
        destination[i] = finished(i);
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

  const int warp = threadIdx.x / 32;
  const int warp_m = warp % WARPS_M * WM, warp_n = warp / WARPS_M * WN;
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
#pragma unroll
      for (int j = 0; j < NT; j += N_GROUP) {
        const int column = n0 + warp_n + 8 * j + lane % 4 * 2 * N_GROUP;
        if constexpr (N_GROUP == 4) {
#pragma unroll
          for (int side = 0; side < 2; ++side) {
            const int e = 2 * half + side;
            const float run[4] = {accumulator[i][j][e], accumulator[i][j + 1][e], accumulator[i][j + 2][e],
                                  accumulator[i][j + 3][e]};
            store_run(c, run, batch, row, column + 4 * side);
          }
        } else {
          const float run[2] = {accumulator[i][j][2 * half], accumulator[i][j][2 * half + 1]};
          store_run(c, run, batch, row, column);
        }
      }
    }
}

