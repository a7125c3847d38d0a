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

//===- conv_wgmma.cuh - Convolution of few channels on warpgroup products -===//
//
// One row of up to 64 outputs times BN filters is one tile of 64 x BN. Its left operand is never formed: the
// image lies in shared memory as chunks of 16 bytes, each BC channels x BH rows x BW columns, one for each step
// of STRIDE_W columns. Eight neighbouring chunks are the block of 8 x 16 bytes that a warpgroup product reads,
// and a filter's taps are the same blocks moved by whole chunks: all of the gathering is in the descriptors.
//
// A block holds all weights of its filters for its whole life. Each of its STREAMS is a producer group, which
// rounds groups of STRIDE_H input rows into a ring of slots, and a warpgroup, which multiplies and finishes
// one row of outputs after the other, and pools in registers vertically, through shared memory horizontally.
//
// 16-bit operands hold f32 data scaled by powers of two: one for each filter, one for each group of rows. Rows
// whose groups differ in scale, or that meet an infinity or a NaN, are summed in f32 without tensor cores.
//
//===----------------------------------------------------------------------===//

namespace conv2d_0 {
// The problem: images of C x H x W, filters of KH x KW, outputs of OH x OW.
using In = float; // element type of the input and the weights
using Compute = __half; // element type of the operands
using Out = float; // element type of the result
constexpr int IMAGES = 100, C = 3, H = 224, W = 224;
constexpr int OC = 96, OH = 55, OW = 55, KH = 11, KW = 11;
constexpr int STRIDE_H = 4, STRIDE_W = 4, PAD_H = 2, PAD_W = 2;
// Maximum pooling of the outputs; windows of 1 when there is none.
constexpr int PH = 55, PW = 55; // pooled outputs
constexpr int POOL_H = 1, POOL_W = 1, POOL_STRIDE_H = 1, POOL_STRIDE_W = 1, POOL_PAD_H = 0, POOL_PAD_W = 0;
// The schedule.
constexpr int BN = 96; // filters of a block
constexpr int BC = 1, BH = 2, BW = 4; // channels, rows and columns of a chunk
constexpr int STREAMS = 1; // warpgroups that multiply
constexpr int PRODUCER_WARPS = 4; // warps that load, of each stream
constexpr int SLOTS = 8; // groups of input rows that a stream holds
constexpr int GRID = 132; // blocks
constexpr int PRODUCER_REGISTERS = 0, CONSUMER_REGISTERS = 248; // of a thread; 0: both the same
constexpr int SHARED_BYTES = 153792; // dynamic shared memory of the launch
constexpr int MMA_INFLIGHT = 0; // rows whose products run while the row before is finished
} // namespace conv2d_0

namespace conv2d_0 {

__host__ __device__ constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }
__host__ __device__ constexpr int round_up(int a, int b) { return ceil_div(a, b) * b; }
__host__ __device__ constexpr int smaller(int a, int b) { return a < b ? a : b; }
__host__ __device__ constexpr int larger(int a, int b) { return a < b ? b : a; }

constexpr int N_TILES = ceil_div(OC, BN);
// Rows of more than 64 outputs are cut into strips of STRIP (pooled) outputs.
constexpr int STRIP = OW + POOL_PAD_W <= 64 ? PW : (64 - POOL_W) / POOL_STRIDE_W + 1;
constexpr int STRIPS = ceil_div(PW, STRIP);
constexpr int STRIP_COLUMNS = smaller(64, (STRIP - 1) * POOL_STRIDE_W + POOL_W);

// A slot: [channels / BC][rows of a group / BH][phases][column], chunks. A phase is one of the chunks that
// a wide stride steps over.
constexpr int STEP = larger(STRIDE_W, BW); // columns from one chunk of an output to its next of that phase
constexpr int PLANES_C = ceil_div(C, BC), PLANES_H = STRIDE_H / BH, PHASES = STEP / BW;
constexpr int PLANES = PLANES_C * PLANES_H * PHASES;
constexpr int ROW_CHUNKS = ceil_div(KW, STEP); // chunks of an output in one plane
constexpr int SHIFT = STEP / STRIDE_W;         // their distance
constexpr int COLUMNS = STRIP_COLUMNS + (ROW_CHUNKS - 1) * SHIFT;
constexpr int SLOT_BYTES = PLANES * COLUMNS * 16;
constexpr int GROUPS = ceil_div(KH, STRIDE_H); // groups of rows that an output needs

// The order of k: group, plane, chunk, element. A product takes two chunks.
constexpr int CHUNKS = PLANES * ROW_CHUNKS, STEPS = ceil_div(CHUNKS, 2);
__host__ __device__ constexpr int chunk_offset(int chunk) {
  return chunk / ROW_CHUNKS * COLUMNS + chunk % ROW_CHUNKS * SHIFT;
}
constexpr int STEP_WEIGHTS = BN * 16, WEIGHTS = GROUPS * STEPS * STEP_WEIGHTS; // elements

// A producer's thread converts half a chunk at a time: PIECE_C x PIECE_H x PIECE_W, read VECTOR at a time.
constexpr int PIECE_H = smaller(BH, 2), PIECE_W = smaller(BW, 4 / PIECE_H), PIECE_C = 4 / (PIECE_H * PIECE_W);
constexpr int HALVES_W = BW / PIECE_W, HALVES_H = BH / PIECE_H;
constexpr int input_vector() {
  const int left = POOL_PAD_W * STRIDE_W + PAD_W, strip = STRIPS > 1 ? STRIP * POOL_STRIDE_W * STRIDE_W : 0;
  int v = PIECE_W;
  while (W % v || STRIDE_W % v || left % v || strip % v)
    v /= 2;
  return v;
}
constexpr int VECTOR = input_vector();
constexpr int PIECES = PLANES * COLUMNS * 2, PRODUCERS = 32 * PRODUCER_WARPS;
// Where it costs few idle threads, all of them are in the same plane at a time, whose place is then a constant.
constexpr int PLANE_PIECES = COLUMNS * 2, PLANE_TURNS = ceil_div(PLANE_PIECES, PRODUCERS);
constexpr bool BY_PLANE = PLANES * PLANE_TURNS * 4 <= ceil_div(PIECES, PRODUCERS) * 5;
constexpr int EACH = BY_PLANE ? PLANES * PLANE_TURNS : ceil_div(PIECES, PRODUCERS);
constexpr int THREADS = STREAMS * (128 + PRODUCERS);

// Piece I of a thread: its place among the pieces of its plane.
struct Piece {
  int plane, within;
  __device__ __forceinline__ bool exists() const { return PLANES > plane && within < PLANE_PIECES; }
  __device__ __forceinline__ int number() const { return plane * PLANE_PIECES + within; }
};
__device__ __forceinline__ Piece piece_of(int i, int thread) {
  if (BY_PLANE)
    return {i / PLANE_TURNS, thread + i % PLANE_TURNS * PRODUCERS};
  const int piece = thread + i * PRODUCERS;
  return {piece / PLANE_PIECES, piece % PLANE_PIECES};
}

// The finished row, [filter][column]: rows of 4 mod 16 words are free of conflicts when they are written, and
// so are even and odd columns apart when windows two columns apart read them.
constexpr int STAGE_PITCH = 68;
__host__ __device__ constexpr int stage_column(int m) { return POOL_STRIDE_W == 2 ? m % 2 * 36 + m / 2 : m; }
constexpr bool WINDOWS_INSIDE = STRIPS == 1 && POOL_PAD_W == 0 && (PW - 1) * POOL_STRIDE_W + POOL_W <= OW;

// Dynamic shared memory: weights, rings, finished rows, scales and biases of filters, then of each stream's slots and
// its producers' largest magnitudes, and the barriers.
constexpr int AT_RINGS = WEIGHTS * 2, AT_STAGES = AT_RINGS + STREAMS * SLOTS * SLOT_BYTES;
constexpr int STAGE = BN * STAGE_PITCH, AT_SCALES = AT_STAGES + STREAMS * STAGE * 4;
constexpr int STREAM_WORDS = SLOTS + 2 * PRODUCER_WARPS;
constexpr int AT_BARRIERS = round_up(AT_SCALES + (2 * BN + STREAMS * STREAM_WORDS) * 4, 8);
static_assert(AT_BARRIERS + STREAMS * SLOTS * 16 <= SHARED_BYTES, "the launch gives too little shared memory");
static_assert(SLOTS > GROUPS, "a row's groups and the next one");

// One output.
__device__ __forceinline__ float epilogue(float value, int image, int channel, int y, int x, const float *__restrict__ bias) {
  return value;
}

// The tap that element E of chunk CHUNK of group GROUP multiplies; outside the filter for what fills up.
struct Tap {
  int c, h, w;
};
__device__ __forceinline__ Tap tap_of(int group, int chunk, int e) {
  const int plane = chunk / ROW_CHUNKS, half = e / 4, r = e % 4;
  return {plane / (PLANES_H * PHASES) * BC + half / (HALVES_H * HALVES_W) * PIECE_C + r / (PIECE_H * PIECE_W),
          group * STRIDE_H + plane / PHASES % PLANES_H * BH + half / HALVES_W % HALVES_H * PIECE_H +
              r / PIECE_W % PIECE_H,
          chunk % ROW_CHUNKS * STEP + plane % PHASES * BW + half % HALVES_W * PIECE_W + r % PIECE_W};
}

// The power of two that brings a magnitude, given as bits, to 2^11. Others than f32 data are not scaled.
constexpr bool SCALED = sizeof(In) == 4;
__device__ __forceinline__ float scale_of(unsigned bits) {
  const int exponent = 11 + 127 - (int)(bits >> 23);
  return __int_as_float((127 + min(max(exponent, -120), 120)) << 23);
}
__device__ __forceinline__ unsigned magnitude(float x) { return __float_as_uint(x) & 0x7fffffffu; }
constexpr unsigned INFINITE = 0x7f800000u;
constexpr float ANY_SCALE = -1.0f; // of a group of zeros; a group with an infinity or a NaN has 0
constexpr float SETTLED = -1.0f;   // the power of sums that are what they are; 0: of none yet

// The convolution's row behind the window of (pooled) row PY. No two windows end in the same row but at the border.
__device__ __forceinline__ int row_end(int py) { return min(py * POOL_STRIDE_H - POOL_PAD_H + POOL_H, OH); }

// A run of (pooled) output rows of one strip of one image, and the convolution's rows that they need.
struct Run {
  int image, strip, first, count, y0, y1;
};
__device__ __forceinline__ Run run_at(int unit, int end) {
  Run run;
  run.first = unit % PH;
  run.strip = unit / PH % STRIPS;
  run.image = unit / PH / STRIPS;
  run.count = min(PH - run.first, end - unit);
  run.y0 = max(run.first * POOL_STRIDE_H - POOL_PAD_H, 0);
  run.y1 = row_end(run.first + run.count - 1) - 1;
  return run;
}
// The column of the convolution, and of the input, where a strip starts.
__device__ __forceinline__ int strip_x(int strip) { return strip * STRIP * POOL_STRIDE_W - POOL_PAD_W; }

// Walks through the groups of rows that a stream needs.
struct Cursor {
  Run run;
  int unit, end, y;
  __device__ __forceinline__ Cursor(int unit, int end) : unit(unit), end(end) {
    if (unit < end)
      run = run_at(unit, end), y = run.y0;
  }
  __device__ __forceinline__ bool more() const { return unit < end; }
  __device__ __forceinline__ void next() {
    if (++y < run.y1 + GROUPS)
      return;
    unit += run.count;
    if (unit < end)
      run = run_at(unit, end), y = run.y0;
  }
};

// The inputs of a group that one thread converts, zero outside of the image.
__device__ __forceinline__ void load_group(In (&v)[EACH][4], const In *input, const Cursor &cursor, int thread) {
  const In *image = input + (long long)cursor.run.image * C * H * W;
  const int h1 = cursor.y * STRIDE_H - PAD_H, w1 = strip_x(cursor.run.strip) * STRIDE_W - PAD_W;
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    const Piece piece = piece_of(i, thread);
    const int plane = piece.plane, column = piece.within / 2, half = piece.within % 2;
    const int c0 = plane / (PLANES_H * PHASES) * BC + half / (HALVES_H * HALVES_W) * PIECE_C;
    const int h0 = h1 + plane / PHASES % PLANES_H * BH + half / HALVES_W % HALVES_H * PIECE_H;
    const int w0 = w1 + column * STRIDE_W + plane % PHASES * BW + half % HALVES_W * PIECE_W;
#pragma unroll
    for (int r = 0; r < 4; r += VECTOR) {
      const int c = c0 + r / (PIECE_H * PIECE_W), h = h0 + r / PIECE_W % PIECE_H, w = w0 + r % PIECE_W;
      const bool inside = piece.exists() && c < C && (unsigned)h < (unsigned)H && (unsigned)w < (unsigned)W;
      struct alignas(VECTOR * sizeof(In)) Loaded {
        In value[VECTOR];
      } loaded = {};
      if (inside)
        loaded = *reinterpret_cast<const Loaded *>(image + ((c * H + h) * W + w));
#pragma unroll
      for (int e = 0; e < VECTOR; ++e)
        v[i][r + e] = loaded.value[e];
    }
  }
}

// What the threads of a producer group share.
struct Producer {
  const In *input;
  unsigned char *ring;
  float *slot_scale;
  unsigned *most; // largest magnitudes of the warps, of two groups
  uint64_t *full, *empty;
  int thread, barrier;
  float scale; // 0: of no group yet
};

// Rounds group Q into its slot.
__device__ __forceinline__ void fill_slot(Producer &producer, const In (&v)[EACH][4], int q) {
  unsigned bits = 0;
#pragma unroll
  for (int i = 0; i < EACH; ++i)
#pragma unroll
    for (int r = 0; r < 4; ++r)
      bits = max(bits, magnitude(static_cast<float>(v[i][r])));
  bits = __reduce_max_sync(~0u, bits);
  unsigned *most = producer.most + q % 2 * PRODUCER_WARPS;
  if (producer.thread % 32 == 0)
    most[producer.thread / 32] = bits;
  const int slot = q % SLOTS;
  kgen::mbar_wait(&producer.empty[slot], (q / SLOTS + 1) % 2);
  kgen::named_barrier_sync(producer.barrier, PRODUCERS);
#pragma unroll
  for (int i = 0; i < PRODUCER_WARPS; ++i)
    bits = max(bits, most[i]);
  // Keep the scale while the largest value stays far from both ends of the range.
  const float largest = __uint_as_float(bits) * producer.scale;
  if (SCALED && bits && bits < INFINITE && !(largest >= 4.0f && largest < 65000.0f))
    producer.scale = scale_of(bits);
  struct alignas(8) Half {
    Compute value[4];
  } *halves = reinterpret_cast<Half *>(producer.ring + slot * SLOT_BYTES);
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    const Piece piece = piece_of(i, producer.thread);
    Half half;
#pragma unroll
    for (int r = 0; r < 4; ++r)
      half.value[r] = static_cast<Compute>(static_cast<float>(v[i][r]) * producer.scale);
    if (piece.exists())
      halves[piece.number()] = half;
  }
  if (producer.thread == 0)
    producer.slot_scale[slot] = bits >= INFINITE ? 0.0f : bits ? producer.scale : ANY_SCALE;
  kgen::fence_proxy_async();
  kgen::mbar_arrive(&producer.full[slot]);
}

// Fills the ring for the units up to END; the next group is on its way while one is rounded.
__device__ __forceinline__ void produce(Producer producer, int unit, int end) {
  Cursor cursor(unit, end);
  In even[EACH][4], odd[EACH][4];
  if (cursor.more())
    load_group(even, producer.input, cursor, producer.thread);
  for (int q = 0; cursor.more(); q += 2) {
    cursor.next();
    if (cursor.more())
      load_group(odd, producer.input, cursor, producer.thread);
    fill_slot(producer, even, q);
    if (!cursor.more())
      break;
    cursor.next();
    if (cursor.more())
      load_group(even, producer.input, cursor, producer.thread);
    fill_slot(producer, odd, q + 1);
  }
}

// Starts one row on tensor cores; Q is the number of its first group in the ring's order.
__device__ __forceinline__ void multiply(float (&sum)[BN / 2], const unsigned char *ring,
                                         const unsigned char *weights, int q) {
  const uint64_t right = kgen::smem_descriptor(weights, BN * 16, 128, kgen::SWIZZLE_NONE);
  kgen::wgmma_fence();
#pragma unroll
  for (int group = 0; group < GROUPS; ++group) {
    const uint64_t left = kgen::smem_descriptor(ring + (q + group) % SLOTS * SLOT_BYTES, 0, 128, kgen::SWIZZLE_NONE);
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
      // The last chunk of an odd number meets itself, with weights of zero. Descriptors count 16 bytes; what is
      // added stays in the lower word.
      const int first = chunk_offset(2 * step), second = chunk_offset(smaller(2 * step + 1, CHUNKS - 1));
      const uint64_t a = (left >> 32 << 32) | ((unsigned)left + (first | (unsigned)(second - first) << 16));
      const uint64_t b = right + (group * STEPS + step) * (STEP_WEIGHTS / 8);
      kgen::wgmma_f16<BN>(sum, a, b, group + step > 0);
    }
  }
  kgen::wgmma_commit();
}

// The same sums without tensor cores, straight from memory. They pass through STAGE, each by the hand of its own
// thread: loops that stay loops take no registers from the rows in flight.
__device__ __forceinline__ void multiply_exactly(float *stage, const In *image, const In *weights, int y, int x0,
                                                 int n_tile, int row) {
#pragma unroll 1
  for (int i = 0; i < BN / 2; ++i) {
    const int n = i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2, m = row + i / 2 % 2 * 8;
    float sum = 0.0f;
    if (n_tile * BN + n < OC)
#pragma unroll 1
      for (int k = 0; k < C * KH * KW; ++k) {
        const int h = y * STRIDE_H - PAD_H + k / KW % KH, w = (x0 + m) * STRIDE_W - PAD_W + k % KW;
        if ((unsigned)h < (unsigned)H && (unsigned)w < (unsigned)W)
          sum += static_cast<float>(image[(k / (KH * KW) * H + h) * W + w]) *
                 static_cast<float>(weights[(n_tile * BN + n) * C * KH * KW + k]);
      }
    stage[n * STAGE_PITCH + stage_column(m)] = sum;
  }
}

// Takes sums out of a power of two that they, as by their filters' ones, are still to be multiplied by.
__device__ __forceinline__ void settle(float (&sum)[BN / 2], float power, const float2 *filters) {
#pragma unroll
  for (int i = 0; i < BN / 2; ++i)
    sum[i] *= power == SETTLED ? 1.0f : power * filters[i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2].x;
}

} // namespace conv2d_0

// Scales each filter and lays it out as the products read it: [filter tile][group][step][chunk][filter][element].
extern "C" __global__ void __launch_bounds__(128)
    conv2d_0_weights(const conv2d_0::In *__restrict__ weights, conv2d_0::Compute *__restrict__ packed,
                    float *__restrict__ scales) {
  using namespace conv2d_0;
  const int filter = blockIdx.x, n = filter % BN;
  constexpr int TAPS = C * KH * KW;
  __shared__ unsigned most[4];
  unsigned bits = 0;
  if (filter < OC)
    for (int i = threadIdx.x; i < TAPS; i += 128) {
      const unsigned m = magnitude(static_cast<float>(weights[filter * TAPS + i]));
      bits = max(bits, m < INFINITE ? m : 0);
    }
  bits = __reduce_max_sync(~0u, bits);
  if (threadIdx.x % 32 == 0)
    most[threadIdx.x / 32] = bits;
  __syncthreads();
  bits = max(max(most[0], most[1]), max(most[2], most[3]));
  const float scale = SCALED && bits ? scale_of(bits) : 1.0f;
  packed += (long long)(filter / BN) * WEIGHTS;
  for (int i = threadIdx.x; i < GROUPS * STEPS * 16; i += 128) {
    const int step = i / 16, half = i / 8 % 2, e = i % 8, chunk = step % STEPS * 2 + half;
    const Tap tap = tap_of(step / STEPS, chunk, e);
    float value = 0.0f;
    if (chunk < CHUNKS && filter < OC && tap.c < C && tap.h < KH && tap.w < KW)
      value = static_cast<float>(weights[filter * TAPS + (tap.c * KH + tap.h) * KW + tap.w]) * scale;
    packed[step * STEP_WEIGHTS + (half * BN + n) * 8 + e] = static_cast<Compute>(value);
  }
  if (threadIdx.x == 0)
    scales[filter] = 1.0f / scale;
}

extern "C" __global__ void __launch_bounds__(conv2d_0::THREADS, 1)
    conv2d_0_main(const conv2d_0::In *__restrict__ input, const conv2d_0::In *__restrict__ weights,
         const conv2d_0::Compute *__restrict__ packed, const float *__restrict__ scales, const float *__restrict__ bias,
         conv2d_0::Out *__restrict__ output) {
  using namespace conv2d_0;
  extern __shared__ __align__(1024) unsigned char conv2d_0_shared[];
  float2 *filters = reinterpret_cast<float2 *>(conv2d_0_shared + AT_SCALES); // scale and bias
  uint64_t *barriers = reinterpret_cast<uint64_t *>(conv2d_0_shared + AT_BARRIERS);
  if (threadIdx.x == 0) {
    for (int i = 0; i < STREAMS * SLOTS; ++i) {
      kgen::mbar_init(&barriers[i], PRODUCERS);           // full
      kgen::mbar_init(&barriers[STREAMS * SLOTS + i], 4); // empty: a warp each
    }
    kgen::fence_barrier_init();
  }
  __syncthreads();

  const int n_tile = blockIdx.x % N_TILES;
  const bool producer = threadIdx.x >= 128 * STREAMS;
  const int stream = producer ? (threadIdx.x - 128 * STREAMS) / PRODUCERS : threadIdx.x / 128;
  unsigned char *ring = conv2d_0_shared + AT_RINGS + stream * SLOTS * SLOT_BYTES;
  float *slot_scale = reinterpret_cast<float *>(filters + BN) + stream * STREAM_WORDS;
  uint64_t *full = barriers + stream * SLOTS, *empty = full + STREAMS * SLOTS;
  // Every stream takes an equal share of all (pooled) rows.
  constexpr long long UNITS = (long long)IMAGES * STRIPS * PH, SHARES = GRID / N_TILES * STREAMS;
  const int share = blockIdx.x / N_TILES * STREAMS + stream;
  int unit = (int)(UNITS * share / SHARES);
  const int end = (int)(UNITS * (share + 1) / SHARES);

  if (producer) {
    if constexpr (PRODUCER_REGISTERS)
      kgen::setmaxnreg_dec<PRODUCER_REGISTERS>();
    produce({input, ring, slot_scale, reinterpret_cast<unsigned *>(slot_scale + SLOTS), full, empty,
             ((int)threadIdx.x - 128 * STREAMS) % PRODUCERS, 2 + STREAMS + stream, SCALED ? 0.0f : 1.0f},
            unit, end);
    return;
  }

  if constexpr (PRODUCER_REGISTERS)
    kgen::setmaxnreg_inc<CONSUMER_REGISTERS>();
  packed += (long long)n_tile * WEIGHTS;
  for (int i = threadIdx.x * 8; i < WEIGHTS; i += 128 * STREAMS * 8)
    kgen::cp_async16(reinterpret_cast<Compute *>(conv2d_0_shared) + i, packed + i);
  for (int n = threadIdx.x; n < BN; n += 128 * STREAMS) {
    float added = 0.0f;
    if (n_tile * BN + n < OC)
      added = static_cast<float>(bias[n_tile * BN + n]);
    filters[n] = make_float2(scales[n_tile * BN + n], added);
  }
  kgen::cp_async_commit();
  kgen::cp_async_wait<0>();
  kgen::fence_proxy_async();
  kgen::named_barrier_sync(1, 128 * STREAMS);

  const int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32, row = warp * 16 + lane / 4;
  float *stage = reinterpret_cast<float *>(conv2d_0_shared + AT_STAGES) + stream * STAGE;
  int q = 0;
  while (unit < end) {
    const Run run = run_at(unit, end);
    unit += run.count;
    const In *image = input + (long long)run.image * C * H * W;
    const int x0 = strip_x(run.strip);
    int py = run.first;
    const auto start_row = [&](float(&sum)[BN / 2], int y) {
      const int first = q + y - run.y0;
      for (int i = y == run.y0 ? 0 : GROUPS - 1; i < GROUPS; ++i)
        kgen::mbar_wait(&full[(first + i) % SLOTS], (first + i) / SLOTS % 2);
      multiply(sum, ring, conv2d_0_shared, first);
    };
    const auto finish_row = [&](float(&sum)[BN / 2], int y) {
      const int first = q + y - run.y0;
      // The lane that gives the slots back reads their scales and hands them round: its own order says, to
      // compute-sanitizer's racecheck, too, that they are read by then. 0: to be summed exactly.
      float scale = 0.0f;
      if (lane == 0) {
        scale = slot_scale[first % SLOTS];
#pragma unroll
        for (int i = 1; i < GROUPS; ++i)
          scale = fmaxf(scale, slot_scale[(first + i) % SLOTS]);
        bool agree = true;
#pragma unroll
        for (int i = 0; i < GROUPS; ++i) {
          const float other = slot_scale[(first + i) % SLOTS];
          agree &= (other == scale) | (other == ANY_SCALE);
        }
        scale = agree ? scale : 0.0f;
      }
      scale = __shfl_sync(~0u, scale, 0);
      const bool same = scale != 0.0f;
      if (lane == 0)
        for (int i = 0; i < (y == run.y1 ? GROUPS : 1); ++i)
          kgen::mbar_arrive(&empty[(first + i) % SLOTS]);
      // A scale is 2^k with |k| <= 120: the inverse's bits follow from its own.
      float power = scale > 0.0f ? __int_as_float((254 << 23) - __float_as_int(scale)) : 1.0f;
      if (!same) {
        power = SETTLED;
        kgen::named_barrier_sync(2 + stream, 128); // the last row has left
        multiply_exactly(stage, image, weights, y, x0, n_tile, row);
#pragma unroll
        for (int i = 0; i < BN / 2; ++i)
          sum[i] = stage[(i / 4 * 8 + lane % 4 * 2 + i % 2) * STAGE_PITCH + stage_column(row + i / 2 % 2 * 8)];
      }
      for (; py < run.first + run.count && y + 1 == row_end(py); ++py) {
        kgen::named_barrier_sync(2 + stream, 128); // the last row has left
#pragma unroll
        for (int i = 0; i < BN / 2; ++i) {
          const int n = i / 4 * 8 + lane % 4 * 2 + i % 2, m = row + i / 2 % 2 * 8;
          stage[n * STAGE_PITCH + stage_column(m)] = sum[i];
        }
        kgen::named_barrier_sync(2 + stream, 128);
        const long long plane = (long long)run.image * OC + n_tile * BN + warp;
        Out *const out = output + (plane * PH + py) * PW + run.strip * STRIP;
        const auto exists = [&](int p) { return p < STRIP && run.strip * STRIP + p < PW; };
        if (exists(lane)) {
          // What is beside each other in memory leaves at once.
#pragma unroll 8
          for (int j = 0; j < BN / 4; ++j) {
            const int n = warp + 4 * j, channel = n_tile * BN + n;
            if (OC % BN && channel >= OC)
              break;
            const float *values = stage + n * STAGE_PITCH;
            const float2 filter = filters[n];
#pragma unroll
            for (int i = 0; i < ceil_div(STRIP, 32); ++i) {
              const int p = lane + 32 * i, px = run.strip * STRIP + p;
              if (i > 0 && !exists(p))
                break;
              float value = values[stage_column(p)];
              value = epilogue(fmaf(value, power == SETTLED ? 1.0f : power * filter.x, filter.y), run.image, channel, py, px, bias);
              out[(long long)j * 4 * PH * PW + p] = static_cast<Out>(value);
            }
          }
        }
      }
    };

    float even[BN / 2];
    if constexpr (MMA_INFLIGHT == 0) {
      for (int y = run.y0; y <= run.y1; ++y) {
        start_row(even, y);
        kgen::wgmma_wait<0>();
        finish_row(even, y);
      }
    } else {
      // Two rows in turns: one's products run while the other is finished.
      float odd[BN / 2];
      start_row(even, run.y0);
      for (int y = run.y0;; y += 2) {
        if (y == run.y1) {
          kgen::wgmma_wait<0>();
          finish_row(even, y);
          break;
        }
        start_row(odd, y + 1);
        kgen::wgmma_wait<1>();
        finish_row(even, y);
        if (y + 1 == run.y1) {
          kgen::wgmma_wait<0>();
          finish_row(odd, y + 1);
          break;
        }
        start_row(even, y + 2);
        kgen::wgmma_wait<1>();
        finish_row(odd, y + 1);
      }
    }
    q += run.y1 - run.y0 + GROUPS; // with those behind the last row's first
  }
}
