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

// The same value, of which the compiler knows nothing any more: loops over it stay loops, and what is computed
// from it is computed again, not kept.
__device__ __forceinline__ int opaque(int x) {
  asm volatile("" : "+r"(x));
  return x;
}

// 2^x in one instruction, relative error 2^-22; results below 2^-126 are zero.
__device__ __forceinline__ float ex2(float x) {
  asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
  return x;
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

//===----------------------------------------------------------------------===//
// What the L2 cache should keep
//===----------------------------------------------------------------------===//

// Asks the L2 cache for what will be read.
__device__ __forceinline__ void prefetch_l2(const void *src) { asm volatile("prefetch.global.L2 [%0];" ::"l"(src)); }
// cp_async16 of what is read once: its line is the first that the L2 cache gives up.
__device__ __forceinline__ void cp_async16_once(void *dst, const void *src) {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(smem_address(dst)), "l"(src),
               "l"(policy)
               : "memory");
}
// Reads 16 bytes that no kernel of the launch writes and that are read again: the last that the cache gives up.
// Stays where it stands in the program.
__device__ __forceinline__ uint4 load16_kept(const void *src) {
  unsigned long long policy;
  uint4 value;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(src), "l"(policy));
  return value;
}

//===----------------------------------------------------------------------===//
// Words that blocks of one launch exchange through global memory
//===----------------------------------------------------------------------===//

// A word is read or written as a whole, past the multiprocessors' own caches. Nothing is ordered around it.
__device__ __forceinline__ void store_relaxed(long long *word, long long value) {
  asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}
__device__ __forceinline__ long long load_relaxed(const long long *word) {
  long long value;
  asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}

// The larger one, NaN when either is NaN, in one instruction.
__device__ __forceinline__ float max_nan(float a, float b) {
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
  return larger;
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

inline int opaque(int x) { return x; }
inline float max_nan(float a, float b) { return a != a || b < a ? a : b; }
inline float ex2(float x) { return exp2f(x); }
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

inline void prefetch_l2(const void *) {}
inline void cp_async16_once(void *dst, const void *src) { cp_async16(dst, src); }
inline uint4 load16_kept(const void *src) { return *static_cast<const uint4 *>(src); }
inline void store_relaxed(long long *word, long long value) { __atomic_store_n(word, value, __ATOMIC_RELAXED); }
inline long long load_relaxed(const long long *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }

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

// Copies BYTES (4, 8 or 16).
template <int BYTES> __device__ __forceinline__ void cp_async(void *dst, const void *src) {
  if constexpr (BYTES == 16)
    cp_async16(dst, src);
  else if constexpr (BYTES == 8)
    cp_async8(dst, src);
  else
    cp_async4(dst, src);
}

} // namespace kgen

#endif // KGEN_DEVICE_CUH

//===- kgen_hopper.cuh - Instructions of sm_90 ----------------------------===//
//
// Barriers that count bytes, copies by tensor map, warpgroup matrix products,
// clusters. Every function has two bodies, as in kgen_device.cuh: PTX for
// sm_90a, and C++ for device host (kgen_host_hopper.h). On the host a copy
// happens when somebody waits for it and a product when its group is waited
// for, so a missing wait shows; a wait that nothing can end is a fault.
// Pointers named `smem` point into dynamic shared memory.
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_HOPPER_CUH
#define KGEN_HOPPER_CUH

#include <stdint.h>

namespace kgen {

// A tensor map, made by the launch plan. Kernels take it as `const __grid_constant__ kgen::tensor_map name`.
struct alignas(64) tensor_map {
  unsigned long long opaque[16];
};

// The swizzle field of a matrix descriptor. 16-byte chunks are exchanged by xor of address bits 4..6 with
// bits 7..9 (128B), 4..5 with 7..8 (64B), 4 with 7 (32B); a tensor map of the same swizzle writes so.
enum : int { SWIZZLE_NONE = 0, SWIZZLE_128B = 1, SWIZZLE_64B = 2, SWIZZLE_32B = 3 };

#ifndef KGEN_HOST

//===----------------------------------------------------------------------===//
// Barriers in shared memory
//===----------------------------------------------------------------------===//

// `count` arrivals complete a phase. One thread makes them; then fence_barrier_init and a block (or cluster)
// barrier show them to the others.
__device__ __forceinline__ void mbar_init(uint64_t *bar, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem_address(bar)), "r"(count) : "memory");
}
__device__ __forceinline__ void fence_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
// Shared memory that threads wrote becomes visible to copies and products.
__device__ __forceinline__ void fence_proxy_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
// The phase also waits for `bytes` to arrive by copies. Does not arrive.
__device__ __forceinline__ void mbar_expect_tx(uint64_t *bar, unsigned bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(smem_address(bar)), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void mbar_arrive(uint64_t *bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(smem_address(bar)) : "memory");
}
// mbar_expect_tx and mbar_arrive in one.
__device__ __forceinline__ void mbar_arrive_expect_tx(uint64_t *bar, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem_address(bar)), "r"(bytes)
               : "memory");
}
// True once the phase of this parity is complete. A fresh barrier is in phase 0, so parity 1 counts as complete.
__device__ __forceinline__ bool mbar_test(uint64_t *bar, unsigned parity) {
  unsigned done;
  asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(done)
               : "r"(smem_address(bar)), "r"(parity)
               : "memory");
  return done;
}
__device__ __forceinline__ void mbar_wait(uint64_t *bar, unsigned parity) {
  while (!mbar_test(bar, parity))
    ;
}

// Barrier `id` (1 to 15; 0 is __syncthreads) of `threads` threads, a multiple of 32.
__device__ __forceinline__ void named_barrier_sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ __forceinline__ void named_barrier_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// True in one lane of a whole warp.
__device__ __forceinline__ bool elect_one() {
  unsigned elected;
  asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(elected));
  return elected;
}

//===----------------------------------------------------------------------===//
// Copies by tensor map, and plain bulk copies
//===----------------------------------------------------------------------===//

__device__ __forceinline__ void tma_prefetch(const tensor_map *map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

// One thread copies the map's box at element (c0, c1, ...), innermost first, to `smem` (128-byte aligned);
// its bytes arrive at `bar`, out-of-bounds elements are zero and count. `_multicast` writes to the same
// offset, and arrives at the same barrier, in every block of the cluster whose bit is set in `mask`.
#define KGEN_TMA(RANK, COORDINATES, PLACES, STORE_PLACES, MASK_PLACE, ...)                                             \
  __device__ __forceinline__ void tma_load_##RANK(void *smem, const tensor_map *map, uint64_t *bar, COORDINATES) {     \
    asm volatile("cp.async.bulk.tensor." #RANK                                                                         \
                 ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" PLACES "}], [%2];" ::"r"(    \
                     smem_address(smem)),                                                                              \
                 "l"(map), "r"(smem_address(bar)), __VA_ARGS__                                                         \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  __device__ __forceinline__ void tma_load_##RANK##_multicast(void *smem, const tensor_map *map, uint64_t *bar,        \
                                                              COORDINATES, unsigned short mask) {                      \
    asm volatile("cp.async.bulk.tensor." #RANK                                                                         \
                 ".shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {" PLACES    \
                 "}], [%2], " MASK_PLACE ";" ::"r"(smem_address(smem)),                                                \
                 "l"(map), "r"(smem_address(bar)), __VA_ARGS__, "h"(mask)                                              \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  __device__ __forceinline__ void tma_store_##RANK(const tensor_map *map, const void *smem, COORDINATES) {             \
    asm volatile("cp.async.bulk.tensor." #RANK ".global.shared::cta.tile.bulk_group [%0, {" STORE_PLACES               \
                 "}], [%1];" ::"l"(map),                                                                               \
                 "r"(smem_address(smem)), __VA_ARGS__                                                                  \
                 : "memory");                                                                                          \
  }
#define KGEN_C1 int c0
#define KGEN_C2 int c0, int c1
#define KGEN_C3 KGEN_C2, int c2
#define KGEN_C4 KGEN_C3, int c3
#define KGEN_C5 KGEN_C4, int c4
KGEN_TMA(1d, KGEN_C1, "%3", "%2", "%4", "r"(c0))
KGEN_TMA(2d, KGEN_C2, "%3, %4", "%2, %3", "%5", "r"(c0), "r"(c1))
KGEN_TMA(3d, KGEN_C3, "%3, %4, %5", "%2, %3, %4", "%6", "r"(c0), "r"(c1), "r"(c2))
KGEN_TMA(4d, KGEN_C4, "%3, %4, %5, %6", "%2, %3, %4, %5", "%7", "r"(c0), "r"(c1), "r"(c2), "r"(c3))
KGEN_TMA(5d, KGEN_C5, "%3, %4, %5, %6, %7", "%2, %3, %4, %5, %6", "%8", "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4))
#undef KGEN_TMA
#undef KGEN_C1
#undef KGEN_C2
#undef KGEN_C3
#undef KGEN_C4
#undef KGEN_C5

// Contiguous bytes; addresses and size are multiples of 16.
__device__ __forceinline__ void bulk_load(void *smem, const void *src, unsigned bytes, uint64_t *bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   smem_address(smem)),
               "l"(src), "r"(bytes), "r"(smem_address(bar))
               : "memory");
}
__device__ __forceinline__ void bulk_store(void *dst, const void *smem, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(dst), "r"(smem_address(smem)),
               "r"(bytes)
               : "memory");
}
// Closes this thread's group of stores (tma_store and bulk_store).
__device__ __forceinline__ void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
// At most N of this thread's groups still have shared memory to read. Needed before leaving the kernel too.
template <int N> __device__ __forceinline__ void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}
// At most N of this thread's groups are unfinished.
template <int N> __device__ __forceinline__ void bulk_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory");
}

//===----------------------------------------------------------------------===//
// Warpgroup matrix products
//===----------------------------------------------------------------------===//

// Before the first product, and whenever threads wrote accumulators or A registers since.
__device__ __forceinline__ void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// At most N groups are unfinished; accumulators and A registers of the others may be touched.
template <int N> __device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}
// Keeps the compiler from moving accesses of `d` across this point.
template <int R> __device__ __forceinline__ void wgmma_hold(float (&d)[R]) {
#pragma unroll
  for (int i = 0; i < R; ++i)
    asm volatile("" : "+f"(d[i])::"memory");
}
// Gives `d` values, whichever, without an instruction: a first product does not read them. Where they have none the compiler
// may take another variable's registers for them, and moves those between products, which ptxas then serializes.
template <int R> __device__ __forceinline__ void wgmma_begin(float (&d)[R]) {
#pragma unroll
  for (int i = 0; i < R; ++i)
    asm volatile("" : "=f"(d[i]));
}

// The compiler computes `x` before this point.
__device__ __forceinline__ unsigned pinned(unsigned x) {
  asm volatile("" : "+r"(x));
  return x;
}

// Register names %0... and operands d[0]..., by count.
#define KGEN_TEN(t)                                                                                                    \
  ",%" #t "0,%" #t "1,%" #t "2,%" #t "3,%" #t "4,%" #t "5,%" #t "6,%" #t "7,%" #t "8,%" #t "9"
#define KGEN_R4 "%0,%1,%2,%3"
#define KGEN_R8 KGEN_R4 ",%4,%5,%6,%7"
#define KGEN_R10 KGEN_R8 ",%8,%9"
#define KGEN_R12 KGEN_R10 ",%10,%11"
#define KGEN_R16 KGEN_R12 ",%12,%13,%14,%15"
#define KGEN_R20 KGEN_R10 KGEN_TEN(1)
#define KGEN_R24 KGEN_R20 ",%20,%21,%22,%23"
#define KGEN_R32 KGEN_R20 KGEN_TEN(2) ",%30,%31"
#define KGEN_R40 KGEN_R20 KGEN_TEN(2) KGEN_TEN(3)
#define KGEN_R48 KGEN_R40 ",%40,%41,%42,%43,%44,%45,%46,%47"
#define KGEN_R56 KGEN_R40 KGEN_TEN(4) ",%50,%51,%52,%53,%54,%55"
#define KGEN_R64 KGEN_R40 KGEN_TEN(4) KGEN_TEN(5) ",%60,%61,%62,%63"
#define KGEN_R80 KGEN_R40 KGEN_TEN(4) KGEN_TEN(5) KGEN_TEN(6) KGEN_TEN(7)
#define KGEN_R96 KGEN_R80 KGEN_TEN(8) ",%90,%91,%92,%93,%94,%95"
#define KGEN_R112 KGEN_R80 KGEN_TEN(8) KGEN_TEN(9) KGEN_TEN(10) ",%110,%111"
#define KGEN_R128 KGEN_R80 KGEN_TEN(8) KGEN_TEN(9) KGEN_TEN(10) KGEN_TEN(11) ",%120,%121,%122,%123,%124,%125,%126,%127"
#define KGEN_AT4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define KGEN_AT8(i) KGEN_AT4(i), KGEN_AT4(i + 4)
#define KGEN_AT16(i) KGEN_AT8(i), KGEN_AT8(i + 8)
#define KGEN_AT32(i) KGEN_AT16(i), KGEN_AT16(i + 16)
#define KGEN_AT64(i) KGEN_AT32(i), KGEN_AT32(i + 32)
#define KGEN_D4 KGEN_AT4(0)
#define KGEN_D8 KGEN_AT8(0)
#define KGEN_D12 KGEN_D8, KGEN_AT4(8)
#define KGEN_D16 KGEN_AT16(0)
#define KGEN_D24 KGEN_D16, KGEN_AT8(16)
#define KGEN_D32 KGEN_AT32(0)
#define KGEN_D40 KGEN_D32, KGEN_AT8(32)
#define KGEN_D48 KGEN_D32, KGEN_AT16(32)
#define KGEN_D56 KGEN_D48, KGEN_AT8(48)
#define KGEN_D64 KGEN_AT64(0)
#define KGEN_D80 KGEN_D64, KGEN_AT16(64)
#define KGEN_D96 KGEN_D64, KGEN_AT32(64)
#define KGEN_D112 KGEN_D96, KGEN_AT16(96)
#define KGEN_D128 KGEN_D64, KGEN_AT64(64)
// One row per width: N, its registers, and the numbers of the operands that follow them.
#define KGEN_WGMMA_WIDTHS(CASE)                                                                                        \
  CASE(8, 4, 5, 6, 7, 8, 9, 10)                                                                                        \
  CASE(16, 8, 9, 10, 11, 12, 13, 14)                                                                                   \
  CASE(24, 12, 13, 14, 15, 16, 17, 18)                                                                                 \
  CASE(32, 16, 17, 18, 19, 20, 21, 22)                                                                                 \
  CASE(48, 24, 25, 26, 27, 28, 29, 30)                                                                                 \
  CASE(64, 32, 33, 34, 35, 36, 37, 38)                                                                                 \
  CASE(80, 40, 41, 42, 43, 44, 45, 46)                                                                                 \
  CASE(96, 48, 49, 50, 51, 52, 53, 54)                                                                                 \
  CASE(112, 56, 57, 58, 59, 60, 61, 62)                                                                                \
  CASE(128, 64, 65, 66, 67, 68, 69, 70)                                                                                \
  CASE(160, 80, 81, 82, 83, 84, 85, 86)                                                                                \
  CASE(192, 96, 97, 98, 99, 100, 101, 102)                                                                             \
  CASE(224, 112, 113, 114, 115, 116, 117, 118)                                                                         \
  CASE(256, 128, 129, 130, 131, 132, 133, 134)
#define KGEN_WGMMA(N_, R, P, SHAPE, TYPE, OPERANDS, ...)                                                               \
  if constexpr (N == N_)                                                                                               \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #P ", 0;\nwgmma.mma_async.sync.aligned.m64n" #N_ SHAPE           \
                 ".f32." TYPE "." TYPE " {" KGEN_R##R "}, " OPERANDS ";\n}"                                            \
                 : KGEN_D##R                                                                                           \
                 : __VA_ARGS__);

// d = a * b, or d += a * b when `accumulate`: 64 x N, with 16 of K (tf32: 8). Thread t of the warpgroup holds
// rows 16 * (t / 32) + t % 32 / 4 (d[4 * j], d[4 * j + 1]) and 8 more (d[4 * j + 2], d[4 * j + 3]), columns
// 8 * j + 2 * (t % 4) and the next.
#define KGEN_CASE(N_, R, B, P, X, Y, Z, W)                                                                             \
  KGEN_WGMMA(N_, R, P, "k16", "f16", "%" #R ", %" #B ", p, 1, 1, %" #X ", %" #Y, "l"(a), "l"(b), "r"(int(accumulate)),  \
             "n"(TransA), "n"(TransB))
template <int N, int TransA = 0, int TransB = 0>
__device__ __forceinline__ void wgmma_f16(float (&d)[N / 2], uint64_t a, uint64_t b, bool accumulate) {
  KGEN_WGMMA_WIDTHS(KGEN_CASE)
}
#undef KGEN_CASE
#define KGEN_CASE(N_, R, B, P, X, Y, Z, W)                                                                             \
  KGEN_WGMMA(N_, R, P, "k16", "bf16", "%" #R ", %" #B ", p, 1, 1, %" #X ", %" #Y, "l"(a), "l"(b),                       \
             "r"(int(accumulate)), "n"(TransA), "n"(TransB))
template <int N, int TransA = 0, int TransB = 0>
__device__ __forceinline__ void wgmma_bf16(float (&d)[N / 2], uint64_t a, uint64_t b, bool accumulate) {
  KGEN_WGMMA_WIDTHS(KGEN_CASE)
}
#undef KGEN_CASE
#define KGEN_CASE(N_, R, B, P, X, Y, Z, W)                                                                             \
  KGEN_WGMMA(N_, R, P, "k8", "tf32", "%" #R ", %" #B ", p, 1, 1", "l"(a), "l"(b), "r"(int(accumulate)))
// Both operands K-major.
template <int N> __device__ __forceinline__ void wgmma_tf32(float (&d)[N / 2], uint64_t a, uint64_t b, bool accumulate) {
  KGEN_WGMMA_WIDTHS(KGEN_CASE)
}
#undef KGEN_CASE

// A from registers: a[0], a[1] hold columns 2 * (t % 4) and the next of the thread's two rows, a[2], a[3]
// those of columns 8 further (tf32: one value each, columns t % 4 and 4 further).
#define KGEN_CASE(N_, R, B, P, X, Y, Z, W)                                                                             \
  KGEN_WGMMA(N_, R, Y, "k16", "f16", "{%" #R ", %" #B ", %" #P ", %" #X "}, %" #W ", p, 1, 1, %" #Z, "r"(a[0]), "r"(a[1]), \
             "r"(a[2]), "r"(a[3]), "r"(int(accumulate)), "n"(TransB), "l"(b))
template <int N, int TransB = 0>
__device__ __forceinline__ void wgmma_f16_ra(float (&d)[N / 2], const unsigned (&a)[4], uint64_t b, bool accumulate) {
  KGEN_WGMMA_WIDTHS(KGEN_CASE)
}
#undef KGEN_CASE
#define KGEN_CASE(N_, R, B, P, X, Y, Z, W)                                                                             \
  KGEN_WGMMA(N_, R, Y, "k16", "bf16", "{%" #R ", %" #B ", %" #P ", %" #X "}, %" #W ", p, 1, 1, %" #Z, "r"(a[0]),          \
             "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(int(accumulate)), "n"(TransB), "l"(b))
template <int N, int TransB = 0>
__device__ __forceinline__ void wgmma_bf16_ra(float (&d)[N / 2], const unsigned (&a)[4], uint64_t b, bool accumulate) {
  KGEN_WGMMA_WIDTHS(KGEN_CASE)
}
#undef KGEN_CASE
#define KGEN_CASE(N_, R, B, P, X, Y, Z, W)                                                                             \
  KGEN_WGMMA(N_, R, Y, "k8", "tf32", "{%" #R ", %" #B ", %" #P ", %" #X "}, %" #Z ", p, 1, 1", "r"(a[0]), "r"(a[1]),     \
             "r"(a[2]), "r"(a[3]), "r"(int(accumulate)), "l"(b))
template <int N>
__device__ __forceinline__ void wgmma_tf32_ra(float (&d)[N / 2], const unsigned (&a)[4], uint64_t b, bool accumulate) {
  KGEN_WGMMA_WIDTHS(KGEN_CASE)
}
#undef KGEN_CASE

// Gives registers back to the block's pool, or waits for them: N a multiple of 8 from 24 to 256, a whole
// warpgroup, and the kernel has a launch bound.
template <int N> __device__ __forceinline__ void setmaxnreg_inc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
}
template <int N> __device__ __forceinline__ void setmaxnreg_dec() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ __forceinline__ void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
// Says that this block runs, and orders nothing: loads need not have arrived.
__device__ __forceinline__ void cluster_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::); }
__device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
__device__ __forceinline__ void cluster_sync() {
  cluster_arrive();
  cluster_wait();
}
// The variable of the block `rank` that stands where `smem` stands in this one.
template <typename T> __device__ __forceinline__ T *cluster_map(T *smem, unsigned rank) {
  T *remote;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(remote) : "l"(smem), "r"(rank));
  return remote;
}
// Arrives at the same barrier in block `rank`. Orders reads of shared memory by this thread's products and loads
// before it; writes that the other block is to see need cluster_arrive (a release at cluster scope costs a fence).
__device__ __forceinline__ void mbar_arrive_cluster(uint64_t *bar, unsigned rank) {
  asm volatile("{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\n"
               "mbarrier.arrive.shared::cluster.b64 _, [remote];\n}" ::"r"(smem_address(bar)),
               "r"(rank)
               : "memory");
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

// Four 8x8 matrices of 16-bit values to shared memory, laid out as ldmatrix_x4 reads them.
__device__ __forceinline__ void stmatrix_x4(void *row, const unsigned (&r)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(smem_address(row)), "r"(r[0]),
               "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
}
__device__ __forceinline__ void stmatrix_x4_trans(void *row, const unsigned (&r)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(smem_address(row)),
               "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
}

#undef KGEN_WGMMA
#undef KGEN_WGMMA_WIDTHS

#else // KGEN_HOST

inline unsigned smem_address(const void *pointer) { return unsigned(kgen_host_shared_offset(pointer)); }

inline void mbar_init(uint64_t *bar, unsigned count) { kgen_host_mbar_init(bar, count); }
inline void fence_barrier_init() {}
inline void fence_proxy_async() {}
inline void mbar_expect_tx(uint64_t *bar, unsigned bytes) { kgen_host_mbar_update(bar, 0, bytes); }
inline void mbar_arrive(uint64_t *bar) { kgen_host_mbar_update(bar, 1, 0); }
inline void mbar_arrive_expect_tx(uint64_t *bar, unsigned bytes) { kgen_host_mbar_update(bar, 1, bytes); }
inline bool mbar_test(uint64_t *bar, unsigned parity) { return kgen_host_mbar_test(bar, parity); }
inline void mbar_wait(uint64_t *bar, unsigned parity) { kgen_host_mbar_wait(bar, parity); }
inline void named_barrier_sync(int id, int threads) { kgen_host_named_barrier(id, threads, true); }
inline void named_barrier_arrive(int id, int threads) { kgen_host_named_barrier(id, threads, false); }
inline bool elect_one() { return kgen_host_elect_one(); }

inline void tma_prefetch(const tensor_map *) {}
template <class... C> inline void host_tma_load(void *smem, const tensor_map *map, uint64_t *bar, C... c) {
  const int at[5] = {c...};
  kgen_host_tma_load(smem, map->opaque, bar, at, sizeof...(C));
}
template <class... C> inline void host_tma_store(const tensor_map *map, const void *smem, C... c) {
  const int at[5] = {c...};
  kgen_host_tma_store(map->opaque, smem, at, sizeof...(C));
}
#define KGEN_TMA(RANK, PARAMETERS, ...)                                                                                \
  inline void tma_load_##RANK(void *smem, const tensor_map *map, uint64_t *bar, PARAMETERS) {                          \
    host_tma_load(smem, map, bar, __VA_ARGS__);                                                                        \
  }                                                                                                                    \
  inline void tma_load_##RANK##_multicast(void *smem, const tensor_map *map, uint64_t *bar, PARAMETERS,                \
                                          unsigned short mask) {                                                       \
    kgen_host_require_one_block(mask);                                                                                 \
    host_tma_load(smem, map, bar, __VA_ARGS__);                                                                        \
  }                                                                                                                    \
  inline void tma_store_##RANK(const tensor_map *map, const void *smem, PARAMETERS) {                                  \
    host_tma_store(map, smem, __VA_ARGS__);                                                                            \
  }
#define KGEN_C2 int c0, int c1
#define KGEN_C3 KGEN_C2, int c2
#define KGEN_C4 KGEN_C3, int c3
#define KGEN_C5 KGEN_C4, int c4
KGEN_TMA(1d, int c0, c0)
KGEN_TMA(2d, KGEN_C2, c0, c1)
KGEN_TMA(3d, KGEN_C3, c0, c1, c2)
KGEN_TMA(4d, KGEN_C4, c0, c1, c2, c3)
KGEN_TMA(5d, KGEN_C5, c0, c1, c2, c3, c4)
#undef KGEN_TMA
#undef KGEN_C2
#undef KGEN_C3
#undef KGEN_C4
#undef KGEN_C5
inline void bulk_load(void *smem, const void *src, unsigned bytes, uint64_t *bar) {
  kgen_host_bulk_load(smem, src, bytes, bar);
}
inline void bulk_store(void *dst, const void *smem, unsigned bytes) { kgen_host_bulk_store(dst, smem, bytes); }
inline void bulk_commit() { kgen_host_bulk_commit(); }
template <int N> inline void bulk_wait_read() { kgen_host_bulk_wait(N); }
template <int N> inline void bulk_wait() { kgen_host_bulk_wait(N); }

inline void wgmma_fence() {}
inline void wgmma_commit() { kgen_host_wgmma_commit(); }
template <int N> inline void wgmma_wait() { kgen_host_wgmma_wait(N); }
template <int R> inline void wgmma_hold(float (&)[R]) {}
template <int R> inline void wgmma_begin(float (&)[R]) {}
inline unsigned pinned(unsigned x) { return x; }
template <int N, int TransA = 0, int TransB = 0>
inline void wgmma_f16(float (&d)[N / 2], uint64_t a, uint64_t b, bool accumulate) {
  kgen_host_wgmma(d, N, KGEN_HOST_WGMMA_F16, a, nullptr, TransA, b, TransB, accumulate);
}
template <int N, int TransA = 0, int TransB = 0>
inline void wgmma_bf16(float (&d)[N / 2], uint64_t a, uint64_t b, bool accumulate) {
  kgen_host_wgmma(d, N, KGEN_HOST_WGMMA_BF16, a, nullptr, TransA, b, TransB, accumulate);
}
template <int N> inline void wgmma_tf32(float (&d)[N / 2], uint64_t a, uint64_t b, bool accumulate) {
  kgen_host_wgmma(d, N, KGEN_HOST_WGMMA_TF32, a, nullptr, 0, b, 0, accumulate);
}
template <int N, int TransB = 0>
inline void wgmma_f16_ra(float (&d)[N / 2], const unsigned (&a)[4], uint64_t b, bool accumulate) {
  kgen_host_wgmma(d, N, KGEN_HOST_WGMMA_F16, 0, a, 0, b, TransB, accumulate);
}
template <int N, int TransB = 0>
inline void wgmma_bf16_ra(float (&d)[N / 2], const unsigned (&a)[4], uint64_t b, bool accumulate) {
  kgen_host_wgmma(d, N, KGEN_HOST_WGMMA_BF16, 0, a, 0, b, TransB, accumulate);
}
template <int N>
inline void wgmma_tf32_ra(float (&d)[N / 2], const unsigned (&a)[4], uint64_t b, bool accumulate) {
  kgen_host_wgmma(d, N, KGEN_HOST_WGMMA_TF32, 0, a, 0, b, 0, accumulate);
}
template <int N> inline void setmaxnreg_inc() { static_assert(N % 8 == 0 && N >= 24 && N <= 256); }
template <int N> inline void setmaxnreg_dec() { static_assert(N % 8 == 0 && N >= 24 && N <= 256); }

inline unsigned cluster_rank() { return 0; }
inline void cluster_arrive() { kgen_host_cluster_arrive(); }
inline void cluster_arrive_relaxed() { kgen_host_cluster_arrive(); }
inline void cluster_wait() { kgen_host_cluster_wait(); }
inline void cluster_sync() {
  cluster_arrive();
  cluster_wait();
}
template <typename T> inline T *cluster_map(T *smem, unsigned rank) {
  kgen_host_require_one_block(1u << rank);
  return smem;
}
inline void mbar_arrive_cluster(uint64_t *bar, unsigned rank) {
  kgen_host_require_one_block(1u << rank);
  mbar_arrive(bar);
}

struct HostStmatrixLane {
  char *row;
  const unsigned *r;
};
inline void stmatrix_x4(void *row, const unsigned (&r)[4]) {
  host_require_aligned(row, 16);
  HostStmatrixLane mine = {static_cast<char *>(row), r};
  kgen_host_warp_collective(&mine, [](void *lanes[32], void *) {
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i)
        memcpy(static_cast<HostStmatrixLane *>(lanes[8 * i + lane / 4])->row + 4 * (lane % 4),
               &static_cast<HostStmatrixLane *>(lanes[lane])->r[i], 4);
  });
}
inline void stmatrix_x4_trans(void *row, const unsigned (&r)[4]) {
  host_require_aligned(row, 16);
  HostStmatrixLane mine = {static_cast<char *>(row), r};
  kgen_host_warp_collective(&mine, [](void *lanes[32], void *) {
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 2; ++j)
          memcpy(static_cast<HostStmatrixLane *>(lanes[8 * i + 2 * (lane % 4) + j])->row + 2 * (lane / 4),
                 reinterpret_cast<const char *>(&static_cast<HostStmatrixLane *>(lanes[lane])->r[i]) + 2 * j, 2);
  });
}

#endif // KGEN_HOST

// A wgmma operand in shared memory. Strides in bytes, multiples of 16.
// K-major (rows of K): swizzled, rows of 8 stand `sbo` apart and `lbo` is unused; a step of 32 bytes along K
// advances the pointer by 32. Without swizzle, 8x16-byte blocks stand `lbo` apart in K, `sbo` in M or N.
// MN-major (fp16 and bf16, by TransA and TransB): swizzled 128B, blocks of 64 values of M or N by 8 of K;
// `lbo` is the step to the next 64 of M or N, `sbo` the step to the next 8 of K.
__device__ __forceinline__ uint64_t smem_descriptor(const void *smem, unsigned lbo, unsigned sbo, int swizzle) {
  return (smem_address(smem) & 0x3ffff) >> 4 | uint64_t(lbo & 0x3ffff) >> 4 << 16 | uint64_t(sbo & 0x3ffff) >> 4 << 32 |
         uint64_t(swizzle) << 62;
}

} // namespace kgen

#endif // KGEN_HOPPER_CUH

// scaled_dot_product_attention_0: attention of 64 heads, 4096 queries by 4096 keys of 128 elements.
// attention_wgmma.cuh - softmax(scale * Q K^T) V for 16-bit elements, by warpgroup products on sm_90a.
//
// One warpgroup copies tiles by tensor map; each of the CONSUMERS others owns 64 queries of the tile. Scores of a
// tile of keys live in a consumer's accumulators, become weights there and are the left operand of the product with
// the values. While that product runs, the exponentials of the next tile are computed (OVERLAP), and consumers take
// turns at the tensor cores, so that one multiplies while another computes exponentials (PINGPONG): the ideas of
// FlashAttention-3.
//
// What is new is the shift of the exponentials (LAZY). Any shift gives the same quotient, so the maximum of the first
// tile serves all of them: the sum of a tile's weights, which is computed anyway, tells when they have grown too
// large, and a power of two brings them down. Exponentials then begin as soon as a score is there, and the maxima
// (a fifth of the instructions) are gone. Should weights leave the range of fp32, 88 nats above the first maximum,
// the block marks the tile and computes it again at the end, by the maximum of every tile.
namespace scaled_dot_product_attention_0 {
using Element = __half;
constexpr int QUERIES = 4096, KEYS = 4096, DEPTH = 128;
constexpr bool CAUSAL = false;
constexpr float SCALE = 0.088388346f;
constexpr int CONSUMERS = 3, TILE_KEYS = 80, STAGES = 2;
constexpr bool PINGPONG = false; // consumers take turns at the tensor cores
constexpr bool OVERLAP = true; // exponentials of a tile beside the product of the one before
constexpr bool LAZY = true; // exponentials shifted by the first tile's maximum, until they grow
constexpr int BLOCKS = 132; // of the grid
constexpr int ROUNDS = 11; // tiles of a block, at most
constexpr int PRODUCER_REGISTERS = 32, CONSUMER_REGISTERS = 160;
__device__ __forceinline__ unsigned pack(float low, float high) {
  const __half2 pair = __floats2half2_rn(low, high);
  unsigned bits;
  memcpy(&bits, &pair, sizeof(bits));
  return bits;
}
template <int N>
__device__ __forceinline__ void multiply(float (&d)[N / 2], uint64_t a, uint64_t b, bool accumulate) {
  kgen::wgmma_f16<N>(d, a, b, accumulate);
}
template <int N>
__device__ __forceinline__ void multiply(float (&d)[N / 2], const unsigned (&a)[4], uint64_t b, bool accumulate) {
  kgen::wgmma_f16_ra<N, 1>(d, a, b, accumulate);
}
/// The tile that block BLOCK computes in a round, or -1.
__device__ __forceinline__ int tile_of(int block, int round) {
  const int tile = round * BLOCKS + block;
  return tile < 1408 ? tile : -1;
}
} // namespace scaled_dot_product_attention_0

namespace scaled_dot_product_attention_0 {
constexpr int THREADS = 128 * (CONSUMERS + 1);
constexpr int TILE_QUERIES = 64 * CONSUMERS, QUERY_TILES = (QUERIES + TILE_QUERIES - 1) / TILE_QUERIES;
constexpr float LOG2_SCALE = SCALE * 1.44269504089f; // exp(SCALE * x) as a power of two
constexpr float HIDDEN = -1.0e30f; // the score of a key that a query does not see
constexpr float GROWTH = 8.0f;     // powers of two by which a maximum may grow before sums are rescaled
constexpr float LARGE = 16384.0f;  // a thread's sum of one tile's weights, which fit fp16 below it
constexpr float LOST = 1.0e30f;    // and above this, weights may have overflown
constexpr float COARSE = 1.0e6f;   // the rounding of a shift beyond this may cost weights their range

// A tile is made of panels: rows of 64 elements, 128 bytes, swizzled; 8 rows are 1024 bytes.
constexpr int WIDTH = (DEPTH + 63) / 64 * 64; // tensor maps fill up with zeros
constexpr int PANELS = WIDTH / 64, QUERY_PANEL = TILE_QUERIES * 128, KEY_PANEL = TILE_KEYS * 128;
constexpr int QUERY_BYTES = PANELS * QUERY_PANEL, KEY_BYTES = PANELS * KEY_PANEL;
static_assert(DEPTH % 16 == 0 && TILE_KEYS % 16 == 0, "tiles are made of whole products");

/// A place in a ring of N buffers, and the parity of the round.
template <int N> struct Place {
  int index = 0;
  unsigned phase = 0;
  __device__ __forceinline__ void advance() {
    if (++index == N) {
      index = 0;
      phase ^= 1;
    }
  }
};
template <bool VALUE> struct Flag {
  static constexpr bool value = VALUE;
};

/// One tile of queries of one head, and the tiles of keys that it sees.
struct Work {
  int head, query_tile, key_tiles;
};
__device__ __forceinline__ Work work_of(int tile) {
  Work work = {tile / QUERY_TILES, tile % QUERY_TILES, 0};
  const int seen = (work.query_tile + 1) * TILE_QUERIES;
  // Known loops of few turns would be unrolled, for which there are no registers.
  work.key_tiles = kgen::opaque(((CAUSAL && seen < KEYS ? seen : KEYS) + TILE_KEYS - 1) / TILE_KEYS);
  return work;
}

__device__ __forceinline__ void copy_tile(unsigned char *tile, int panel_bytes, const kgen::tensor_map *map,
                                          uint64_t *bar, int row, int head) {
  kgen::mbar_arrive_expect_tx(bar, PANELS * panel_bytes);
#pragma unroll
  for (int panel = 0; panel < PANELS; ++panel)
    kgen::tma_load_3d(tile + panel * panel_bytes, map, bar, 64 * panel, row, head);
}

/// Scores of 64 queries against a tile of keys.
__device__ __forceinline__ void score(float (&scores)[TILE_KEYS / 2], uint64_t queries, uint64_t keys) {
  kgen::wgmma_fence();
#pragma unroll
  for (int step = 0; step < WIDTH / 16; ++step)
    multiply<TILE_KEYS>(scores, queries + (step / 4 * QUERY_PANEL + step % 4 * 32) / 16,
                        keys + (step / 4 * KEY_PANEL + step % 4 * 32) / 16, step > 0);
  kgen::wgmma_commit();
}

/// Adds weights times a tile of values, which lie along the depth, to the results.
__device__ __forceinline__ void weigh(float (&results)[WIDTH / 2], const unsigned (&weights)[TILE_KEYS / 16][4],
                                      uint64_t values, bool accumulate) {
  kgen::wgmma_fence();
#pragma unroll
  for (int step = 0; step < TILE_KEYS / 16; ++step)
    multiply<WIDTH>(results, weights[step], values + step * 16 * 128 / 16, accumulate || step > 0);
  kgen::wgmma_commit();
}

/// Shift and sum of a thread's two rows. Thread 4 g + m of a warp holds columns 2 m and 2 m + 1 of every eight, of
/// rows g and g + 8; each thread of a row sums its own columns.
struct Rows {
  float shift[2], sum[2], rescale[2]; ///< see exponentiate
  bool grown;                         ///< the results so far have to be rescaled
  bool lost;                          ///< weights have overflown, or the shift is too coarse
};

template <bool MASKED>
__device__ __forceinline__ void hide(float (&scores)[TILE_KEYS / 2], int first_key, int row, int member) {
  if constexpr (MASKED) {
#pragma unroll
    for (int i = 0; i < TILE_KEYS / 2; ++i) {
      const int key = first_key + i / 4 * 8 + 2 * member + i % 2;
      if (key >= KEYS || (CAUSAL && key > row + i / 2 % 2 * 8))
        scores[i] = HIDDEN;
    }
  }
}

/// The largest of the four threads that share a row.
__device__ __forceinline__ float largest(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}

/// Scores become weights; SUM gets those of each row. A weight is 2^(score * LOG2_SCALE + shift), or where EXACT
/// 2^((score + shift) * LOG2_SCALE): scores near the one that is the shift have an exact distance from it, however large.
template <bool EXACT>
__device__ __forceinline__ void exponentiate(float (&scores)[TILE_KEYS / 2], const float (&shift)[2], float (&sum)[2]) {
#pragma unroll
  for (int i = 0; i < TILE_KEYS / 2; ++i) {
    if constexpr (EXACT)
      scores[i] = kgen::ex2((scores[i] + shift[i / 2 % 2]) * LOG2_SCALE);
    else
      scores[i] = kgen::ex2(fmaf(scores[i], LOG2_SCALE, shift[i / 2 % 2]));
    sum[i / 2 % 2] += scores[i];
  }
}

/// Weights shifted by the rows' maxima, which are kept online. Tiles after the first one are EXACT.
template <bool FIRST, bool EXACT>
__device__ __forceinline__ void weights_by_maximum(float (&scores)[TILE_KEYS / 2], Rows &rows) {
  float larger[2] = {fmaxf(scores[0], scores[1]), fmaxf(scores[2], scores[3])};
#pragma unroll
  for (int i = 4; i < TILE_KEYS / 2; i += 2)
    larger[i / 2 % 2] = fmaxf(larger[i / 2 % 2], fmaxf(scores[i], scores[i + 1]));
  float growth[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    larger[half] = largest(larger[half]);
    growth[half] = (larger[half] + (FIRST ? 0.0f : rows.shift[half])) * LOG2_SCALE;
  }
  rows.grown = !FIRST && __any_sync(0xffffffffu, growth[0] > GROWTH || growth[1] > GROWTH);
  if (FIRST || rows.grown) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      rows.rescale[half] = FIRST ? 0.0f : kgen::ex2(-fmaxf(growth[half], 0.0f));
      rows.sum[half] = FIRST ? 0.0f : rows.sum[half] * rows.rescale[half];
      if constexpr (!EXACT) {
        rows.shift[half] = -growth[half];
        rows.lost |= fabsf(growth[half]) > COARSE;
      } else {
        rows.shift[half] = FIRST ? -larger[half] : fminf(rows.shift[half], -larger[half]);
      }
    }
  }
  exponentiate<EXACT>(scores, rows.shift, rows.sum);
}

/// Weights by the shift of the tiles before. A power of two brings them down when they have grown.
__device__ __forceinline__ void weights_by_old_shift(float (&scores)[TILE_KEYS / 2], Rows &rows) {
  float sum[2] = {0.0f, 0.0f};
  exponentiate<false>(scores, rows.shift, sum);
  rows.grown = __any_sync(0xffffffffu, !(fmaxf(sum[0], sum[1]) <= LARGE));
  if (rows.grown) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float most = largest(sum[half]);
      rows.lost |= !(most <= LOST);
      const int exponent = most > 1.0f && most <= LOST ? (__float_as_int(most) >> 23) - 127 : 0;
      rows.rescale[half] = __int_as_float((127 - exponent) << 23);
      rows.shift[half] -= float(exponent);
      rows.sum[half] *= rows.rescale[half];
      sum[half] *= rows.rescale[half];
    }
#pragma unroll
    for (int i = 0; i < TILE_KEYS / 2; ++i)
      scores[i] *= rows.rescale[i / 2 % 2];
  }
  rows.sum[0] += sum[0];
  rows.sum[1] += sum[1];
}

/// Accumulators as the left operand of the next product: the same thread holds the same columns.
__device__ __forceinline__ void narrow(unsigned (&weights)[TILE_KEYS / 16][4], const float (&scores)[TILE_KEYS / 2]) {
#pragma unroll
  for (int i = 0; i < TILE_KEYS / 4; ++i)
    weights[i / 4][i % 4] = pack(scores[2 * i], scores[2 * i + 1]);
}

__device__ __forceinline__ void rescale(float (&results)[WIDTH / 2], const Rows &rows) {
  if (rows.grown) {
#pragma unroll
    for (int i = 0; i < WIDTH / 2; ++i)
      results[i] *= rows.rescale[i / 2 % 2];
  }
}

/// Thread m of four holds word m of four chunks; afterwards it holds the four words of chunk m.
__device__ __forceinline__ void transpose(unsigned (&words)[4], int member) {
#pragma unroll
  for (int bit = 1; bit <= 2; bit *= 2)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if ((i & bit) == 0) {
        const bool high = member & bit;
        const unsigned received = __shfl_xor_sync(0xffffffffu, high ? words[i] : words[i | bit], bit);
        words[i] = high ? received : words[i];
        words[i | bit] = high ? words[i | bit] : received;
      }
}
} // namespace scaled_dot_product_attention_0

extern "C" __global__ void __launch_bounds__(scaled_dot_product_attention_0::THREADS, 1)
    scaled_dot_product_attention_0_attention(const scaled_dot_product_attention_0::Element *__restrict__, const scaled_dot_product_attention_0::Element *__restrict__,
                      const scaled_dot_product_attention_0::Element *__restrict__, scaled_dot_product_attention_0::Element *__restrict__ out,
                      const __grid_constant__ kgen::tensor_map map_queries,
                      const __grid_constant__ kgen::tensor_map map_keys,
                      const __grid_constant__ kgen::tensor_map map_values) {
  using namespace scaled_dot_product_attention_0;
  extern __shared__ __align__(1024) unsigned char scaled_dot_product_attention_0_shared[];
  unsigned char *const query_tiles = scaled_dot_product_attention_0_shared, *const key_tiles = query_tiles + QUERY_BYTES;
  unsigned char *const value_tiles = key_tiles + STAGES * KEY_BYTES;
  uint64_t *const query_full = reinterpret_cast<uint64_t *>(value_tiles + STAGES * KEY_BYTES);
  uint64_t *const query_empty = query_full + 1;
  uint64_t *const key_full = query_empty + 1, *const key_empty = key_full + STAGES;
  uint64_t *const value_full = key_empty + STAGES, *const value_empty = value_full + STAGES;
  unsigned char *const again = reinterpret_cast<unsigned char *>(value_empty + STAGES); // rounds to compute again
  if (threadIdx.x == 0) {
    // Copies fill a tile, one thread of each consumer empties it.
    kgen::mbar_init(query_full, 1);
    kgen::mbar_init(query_empty, CONSUMERS);
    for (int i = 0; i < STAGES; ++i) {
      kgen::mbar_init(&key_full[i], 1);
      kgen::mbar_init(&key_empty[i], CONSUMERS);
      kgen::mbar_init(&value_full[i], 1);
      kgen::mbar_init(&value_empty[i], CONSUMERS);
    }
    kgen::fence_barrier_init();
    for (int round = 0; round < ROUNDS; ++round)
      again[round] = 0;
  }
  __syncthreads();

  Place<1> query_at;
  Place<STAGES> key_at, value_at;
  if (threadIdx.x < 128) {
    kgen::setmaxnreg_dec<PRODUCER_REGISTERS>();
    auto produce = [&](bool all) {
      for (int round = 0; round < ROUNDS; ++round) {
        const int index = tile_of(blockIdx.x, round);
        if (index < 0 || !(all || again[round]))
          continue;
        const Work work = work_of(index);
        // The order in which consumers need them: keys 0, queries, keys 1, values 0, keys 2, ...
        for (int tile = 0; tile <= work.key_tiles; ++tile) {
          if (tile < work.key_tiles) {
            kgen::mbar_wait(&key_empty[key_at.index], key_at.phase ^ 1);
            copy_tile(key_tiles + key_at.index * KEY_BYTES, KEY_PANEL, &map_keys, &key_full[key_at.index],
                      tile * TILE_KEYS, work.head);
            key_at.advance();
          }
          if (tile == 0) {
            kgen::mbar_wait(query_empty, query_at.phase ^ 1);
            copy_tile(query_tiles, QUERY_PANEL, &map_queries, query_full, work.query_tile * TILE_QUERIES, work.head);
            query_at.advance();
          } else {
            kgen::mbar_wait(&value_empty[value_at.index], value_at.phase ^ 1);
            copy_tile(value_tiles + value_at.index * KEY_BYTES, KEY_PANEL, &map_values, &value_full[value_at.index],
                      (tile - 1) * TILE_KEYS, work.head);
            value_at.advance();
          }
        }
      }
    };
    if (threadIdx.x < 32) {
      if (threadIdx.x == 0)
        produce(true);
      __syncwarp();
    }
    if constexpr (LAZY) {
      __syncthreads();
      if (threadIdx.x == 0)
        produce(false);
    }
    return;
  }

  kgen::setmaxnreg_inc<CONSUMER_REGISTERS>();
  const int consumer = threadIdx.x / 128 - 1, thread = threadIdx.x % 128, lane = thread % 32, member = lane % 4;
  const int next_consumer = consumer + 1 == CONSUMERS ? 0 : consumer + 1;
  const uint64_t queries = kgen::smem_descriptor(query_tiles + consumer * 64 * 128, 16, 1024, kgen::SWIZZLE_128B);
  const uint64_t key_first = kgen::smem_descriptor(key_tiles, 16, 1024, kgen::SWIZZLE_128B);
  const uint64_t value_first = kgen::smem_descriptor(value_tiles, KEY_PANEL, 1024, kgen::SWIZZLE_128B);
  auto release = [&](uint64_t *empty) {
    if (thread == 0)
      kgen::mbar_arrive(empty);
  };
  float results[WIDTH / 2], scores[TILE_KEYS / 2];
  unsigned weights[TILE_KEYS / 16][4];
  Rows rows;
  if (PINGPONG && consumer == 0)
    kgen::named_barrier_arrive(1, 256); // its own first turn
  auto compute = [&](int index, int round, auto lazily) {
    constexpr bool lazy = decltype(lazily)::value;
    const Work work = work_of(index);
    const int first_row = work.query_tile * TILE_QUERIES + 64 * consumer, row = first_row + thread / 32 * 16 + lane / 4;
    // Tiles of keys that every query of this consumer sees whole.
    const int clear = (CAUSAL && first_row + 1 < KEYS ? first_row + 1 : KEYS) / TILE_KEYS;

    kgen::mbar_wait(query_full, query_at.phase);
    kgen::mbar_wait(&key_full[key_at.index], key_at.phase);
    score(scores, queries, key_first + key_at.index * (KEY_BYTES / 16));
    kgen::wgmma_wait<0>();
    kgen::wgmma_hold(scores);
    release(&key_empty[key_at.index]);
    key_at.advance();
    if (clear == 0)
      hide<true>(scores, 0, row, member);
    rows.lost = false;
    weights_by_maximum<true, !lazy>(scores, rows);
    narrow(weights, scores);

    // Scores of this tile, and the product of the weights of the one before with its values.
    auto step = [&](int tile, auto masked) {
      kgen::mbar_wait(&key_full[key_at.index], key_at.phase);
      if constexpr (PINGPONG)
        kgen::named_barrier_sync(1 + consumer, 256);
      score(scores, queries, key_first + key_at.index * (KEY_BYTES / 16));
      kgen::mbar_wait(&value_full[value_at.index], value_at.phase);
      weigh(results, weights, value_first + value_at.index * (KEY_BYTES / 16), tile > 1);
      if constexpr (PINGPONG)
        kgen::named_barrier_arrive(1 + next_consumer, 256);
      kgen::wgmma_wait<OVERLAP ? 1 : 0>();
      kgen::wgmma_hold(scores);
      release(&key_empty[key_at.index]);
      key_at.advance();
      hide<decltype(masked)::value>(scores, tile * TILE_KEYS, row, member);
      if constexpr (lazy)
        weights_by_old_shift(scores, rows);
      else
        weights_by_maximum<false, true>(scores, rows);
      if constexpr (OVERLAP)
        kgen::wgmma_wait<0>();
      kgen::wgmma_hold(results);
      release(&value_empty[value_at.index]);
      value_at.advance();
      narrow(weights, scores);
      rescale(results, rows);
    };
    int tile = 1;
    for (; tile < clear && tile < work.key_tiles; ++tile)
      step(tile, Flag<false>());
    for (; tile < work.key_tiles; ++tile)
      step(tile, Flag<true>());
    release(query_empty);
    query_at.advance();

    kgen::mbar_wait(&value_full[value_at.index], value_at.phase);
    weigh(results, weights, value_first + value_at.index * (KEY_BYTES / 16), work.key_tiles > 1);
    float quotient[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float sum = rows.sum[half];
      sum += __shfl_xor_sync(0xffffffffu, sum, 1);
      sum += __shfl_xor_sync(0xffffffffu, sum, 2);
      quotient[half] = 1.0f / sum;
    }
    kgen::wgmma_wait<0>();
    kgen::wgmma_hold(results);
    release(&value_empty[value_at.index]);
    value_at.advance();

    // Four threads hold 32 columns of a row in pieces of two; exchanged, each stores eight neighbours.
    Element *const to = out + (static_cast<long long>(work.head) * QUERIES + row) * DEPTH + 8 * member;
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int column = 0; column < WIDTH; column += 32) {
        unsigned words[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int at = column / 2 + 4 * i + 2 * half;
          words[i] = pack(results[at] * quotient[half], results[at + 1] * quotient[half]);
        }
        transpose(words, member);
        if (row + 8 * half < QUERIES && (DEPTH == WIDTH || column + 8 * member < DEPTH))
          *reinterpret_cast<uint4 *>(to + 8 * half * DEPTH + column) = make_uint4(words[0], words[1], words[2], words[3]);
      }
    if (lazy && rows.lost)
      again[round] = 1;
  };
  for (int round = 0; round < ROUNDS; ++round)
    if (const int index = tile_of(blockIdx.x, round); index >= 0)
      compute(index, round, Flag<LAZY>());
  if constexpr (LAZY) {
    __syncthreads();
    for (int round = 0; round < ROUNDS; ++round)
      if (const int index = tile_of(blockIdx.x, round); index >= 0 && again[round])
        compute(index, round, Flag<false>());
  }
}
