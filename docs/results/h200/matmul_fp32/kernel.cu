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

//===- gemm_prepare.cuh - fp32 operands as sums of 16-bit matrices --------===//
//
// x = 2^e * (part 0 + part 1 + ...), with one exponent e for each row of A and each column of B, chosen so that
// the largest finite magnitude along K lies in [2^14, 2^15): a power of two is exact, so nothing but the 11
// significant bits of each part is lost, whatever the operand's range. An operand that is contiguous along K
// takes one pass; the other one first finds the largest value of each column, in slices of K that meet by atomics.
//
//===----------------------------------------------------------------------===//

namespace matmul_0 {
constexpr int PREPARE_THREADS = 256;
constexpr int TOP = 14; // exponent of the largest scaled magnitude

// The bits of |x|, or 0 where x is infinite or NaN: these keep their value under every scale.
__device__ __forceinline__ unsigned magnitude(float x) {
  const unsigned bits = __float_as_uint(x) & 0x7fffffffu;
  return bits < 0x7f800000u ? bits : 0u;
}
// The exponent of a row or column whose largest magnitude has these bits.
__device__ __forceinline__ int exponent_of(unsigned largest) {
  const int biased = largest >> 23;
  return (biased > 0 ? biased : 1) - 127 - TOP;
}
// x * 2^exponent, in two steps because the factor itself may leave the range.
__device__ __forceinline__ float times_power(float x, int exponent) {
  const int half = exponent / 2;
  return x * __int_as_float((127 + half) << 23) * __int_as_float((127 + exponent - half) << 23);
}

// Four values to each of the parts, which stand `distance` elements apart.
template <typename Part, int PARTS> __device__ __forceinline__ void store_parts(Part *to, long long distance, const float (&x)[4]) {
  struct alignas(4 * sizeof(Part)) Four {
    Part value[4];
  };
  float rest[4] = {x[0], x[1], x[2], x[3]};
#pragma unroll
  for (int part = 0; part < PARTS; ++part) {
    Four four;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      four.value[i] = static_cast<Part>(rest[i]);
      rest[i] -= static_cast<float>(four.value[i]);
      if (!(rest[i] == rest[i])) // of infinity nothing is left
        rest[i] = 0.0f;
    }
    *reinterpret_cast<Four *>(to + part * distance) = four;
  }
}

// Elements between rows of the parts: tensor maps want multiples of 16 bytes.
__device__ constexpr int pitch_of(int length) { return (length + 7) / 8 * 8; }
// Four neighbours of a row of LENGTH values; what lies behind its end is zero.
template <int LENGTH> __device__ __forceinline__ float4 load_quad(const float *row, int column) {
  if constexpr (LENGTH % 4 == 0) {
    return *reinterpret_cast<const float4 *>(row + column);
  } else {
    float x[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      x[i] = column + i < LENGTH ? row[column + i] : 0.0f;
    return make_float4(x[0], x[1], x[2], x[3]);
  }
}

// Row `block` of ROWS rows of LENGTH values.
template <typename Part, int PARTS, int ROWS, int LENGTH>
__device__ __forceinline__ void prepare_rows(int block, const float *from, Part *to, int *exponents) {
  constexpr int QUADS = (LENGTH + 3) / 4, EACH = (QUADS + PREPARE_THREADS - 1) / PREPARE_THREADS;
  constexpr int KEPT = EACH <= 8 ? EACH : 8; // quads of a thread that stay in registers
  constexpr long long PITCH = pitch_of(LENGTH);
  __shared__ unsigned warp_largest[PREPARE_THREADS / 32];
  const float *row = from + (long long)block * LENGTH;
  float4 kept[KEPT];
  unsigned largest = 0;
  auto look = [&](float4 x) {
    largest = max(max(largest, magnitude(x.x)), max(magnitude(x.y), max(magnitude(x.z), magnitude(x.w))));
  };
#pragma unroll
  for (int i = 0; i < KEPT; ++i) {
    const int quad = threadIdx.x + i * PREPARE_THREADS;
    kept[i] = quad < QUADS ? load_quad<LENGTH>(row, 4 * quad) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    look(kept[i]);
  }
#pragma unroll 4
  for (int quad = threadIdx.x + KEPT * PREPARE_THREADS; quad < QUADS; quad += PREPARE_THREADS)
    look(load_quad<LENGTH>(row, 4 * quad));
  for (int offset = 16; offset > 0; offset /= 2)
    largest = max(largest, __shfl_xor_sync(0xffffffffu, largest, offset));
  if (threadIdx.x % 32 == 0)
    warp_largest[threadIdx.x / 32] = largest;
  __syncthreads();
  for (int warp = 0; warp < PREPARE_THREADS / 32; ++warp)
    largest = max(largest, warp_largest[warp]);
  const int exponent = exponent_of(largest);
  if (threadIdx.x == 0)
    exponents[block] = exponent;
  auto write = [&](int quad, float4 x) {
    const float four[4] = {times_power(x.x, -exponent), times_power(x.y, -exponent), times_power(x.z, -exponent),
                           times_power(x.w, -exponent)};
    store_parts<Part, PARTS>(to + block * PITCH + 4 * quad, ROWS * PITCH, four);
  };
#pragma unroll
  for (int i = 0; i < KEPT; ++i)
    if (const int quad = threadIdx.x + i * PREPARE_THREADS; quad < QUADS)
      write(quad, kept[i]);
#pragma unroll 4
  for (int quad = threadIdx.x + KEPT * PREPARE_THREADS; quad < QUADS; quad += PREPARE_THREADS)
    write(quad, load_quad<LENGTH>(row, 4 * quad));
}

// COUNT words become 0.
template <int COUNT> __device__ __forceinline__ void clear(int block, unsigned *words) {
  const int i = block * PREPARE_THREADS + threadIdx.x;
  if (i < COUNT)
    words[i] = 0u;
}

// A block's share of matrices [BATCH, ROWS, LENGTH]: QUADS fours of columns of a slice of the rows.
template <int LENGTH, int QUADS, int SLICES> struct Share {
  int column, slice, batch; // of a thread's first of four
  __device__ __forceinline__ explicit Share(int block) {
    constexpr int WIDE = (LENGTH + 4 * QUADS - 1) / (4 * QUADS);
    column = 4 * (block % WIDE * QUADS + threadIdx.x % QUADS);
    slice = block / WIDE % SLICES;
    batch = block / (WIDE * SLICES);
  }
};

// The largest magnitudes of columns in a share. `largest` was cleared.
template <int ROWS, int LENGTH, int QUADS, int SLICES>
__device__ __forceinline__ void find_columns(int block, const float *from, unsigned *largest) {
  constexpr int DEPTH = (ROWS + SLICES - 1) / SLICES, LINES = PREPARE_THREADS / QUADS;
  const Share<LENGTH, QUADS, SLICES> share(block);
  const int column = share.column;
  if (column >= LENGTH)
    return;
  const int first = share.slice * DEPTH, last = min(first + DEPTH, ROWS);
  const float *matrix = from + (long long)share.batch * ROWS * LENGTH;
  unsigned top[4] = {};
#pragma unroll 8
  for (int row = first + threadIdx.x / QUADS; row < last; row += LINES) {
    const float4 x = load_quad<LENGTH>(matrix + (long long)row * LENGTH, column);
    top[0] = max(top[0], magnitude(x.x));
    top[1] = max(top[1], magnitude(x.y));
    top[2] = max(top[2], magnitude(x.z));
    top[3] = max(top[3], magnitude(x.w));
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (LENGTH % 4 == 0 || column + i < LENGTH)
      atomicMax(&largest[(long long)share.batch * LENGTH + column + i], top[i]);
}

// Shares again: exponents from the largest magnitudes, then the parts. Slices go backwards: what was read last is still
// in L2.
template <typename Part, int PARTS, int ROWS, int LENGTH, int QUADS, int SLICES, int BATCH>
__device__ __forceinline__ void prepare_columns(int block, const float *from, const unsigned *largest, Part *to,
                                                int *exponents) {
  constexpr int DEPTH = (ROWS + SLICES - 1) / SLICES, LINES = PREPARE_THREADS / QUADS;
  const Share<LENGTH, QUADS, SLICES> share(block);
  const int column = share.column;
  if (column >= LENGTH)
    return;
  constexpr long long PITCH = pitch_of(LENGTH);
  int exponent[4] = {};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (LENGTH % 4 && column + i >= LENGTH)
      continue;
    exponent[i] = exponent_of(largest[(long long)share.batch * LENGTH + column + i]);
    if (share.slice == 0 && threadIdx.x < QUADS)
      exponents[(long long)share.batch * LENGTH + column + i] = exponent[i];
  }
  const int first = (SLICES - 1 - share.slice) * DEPTH, last = min(first + DEPTH, ROWS);
  const long long matrix = (long long)share.batch * ROWS;
#pragma unroll 8
  for (int row = first + threadIdx.x / QUADS; row < last; row += LINES) {
    const float4 x = load_quad<LENGTH>(from + (matrix + row) * LENGTH, column);
    const float four[4] = {times_power(x.x, -exponent[0]), times_power(x.y, -exponent[1]),
                           times_power(x.z, -exponent[2]), times_power(x.w, -exponent[3])};
    store_parts<Part, PARTS>(to + (matrix + row) * PITCH + column, BATCH * ROWS * PITCH, four);
  }
}
} // namespace matmul_0

extern "C" __global__ void __launch_bounds__(256)
    matmul_0_clear(unsigned *__restrict__ b_largest) {
  const int block = blockIdx.x;
  matmul_0::clear<4096>(block, b_largest);
}
extern "C" __global__ void __launch_bounds__(256)
    matmul_0_find(const float *__restrict__ b,
        unsigned *__restrict__ b_largest) {
  const int block = blockIdx.x;
  matmul_0::find_columns<4096, 4096, 256, 128>(block, b, b_largest);
}
extern "C" __global__ void __launch_bounds__(256)
    matmul_0_prepare(const float *__restrict__ b, const unsigned *__restrict__ b_largest, const float *__restrict__ a,
        __half *__restrict__ b_to, int *__restrict__ b_exponents, __half *__restrict__ a_to, int *__restrict__ a_exponents) {
  const int block = blockIdx.x;
  if (block < 512)
    matmul_0::prepare_columns<__half, 1, 4096, 4096, 256, 128, 1>(block, b, b_largest, b_to, b_exponents);
  else
    matmul_0::prepare_rows<__half, 1, 4096, 4096>(block - 512, a, a_to, a_exponents);
}

//===- gemm_wgmma.cuh - Matrix product on warpgroups (sm_90a) -------------===//
//
// C[b] = epilogue(A[b] * B[b]) in 16-bit products summed in fp32. One thread of
// the first warpgroup copies tiles of A and B by tensor map into a ring of STAGES
// buffers; each of the other CONSUMERS warpgroups multiplies BM / CONSUMERS rows
// of the tile. Blocks are persistent: while consumers finish a tile, the copies
// of the next one are under way. With PARTS = 2 an operand is the sum of two
// matrices, and the product of the two small parts is left out. With SPLIT_K > 1 a tile
// is one slice of K, and a second kernel adds the slices.
//
//===----------------------------------------------------------------------===//

namespace matmul_0 {
// The problem.
using In = __half; // element type of the products
using Out = float; // element type of C
using Stored = Out; // what the main kernel writes
constexpr int M = 4096, N = 4096, K = 4096;
constexpr int BATCH = 1;
using InA = In; // element type of A's tiles
constexpr int BATCHES_OF_A = 1, BATCHES_OF_B = 1; // 1: the same matrix for every batch
constexpr bool A_K_CONTIGUOUS = true; // A is [M, K]
constexpr bool B_K_CONTIGUOUS = false; // B is [K, N]
constexpr int PARTS = 1; // matrices whose sum is an operand
// The schedule.
constexpr int BM = 128, BN = 256, BK = 64; // block tile
constexpr int CONSUMERS = 2; // warpgroups that multiply
constexpr int STAGES = 4;
constexpr int CLUSTER = 1; // blocks, one below the other, that share their tiles of B
constexpr int RASTER = 8; // tile rows of one group in the block order
constexpr int INFLIGHT = 1; // stages whose products run while the next one is waited for
constexpr int PROMOTE = 0; // k tiles that are summed in the tensor cores before an fp32 addition; 0: all
constexpr int SPLIT_K = 1; // slices of K, whose sums a second kernel adds
constexpr int BLOCKS = 128; // of the grid
constexpr bool STORE_TMA = true; // results leave through shared memory and a tensor map
constexpr int KEPT = 4; // stores that wait in registers for the first steps of the next tile
constexpr bool LOOPS = false; // results are finished in a loop: their steps are long
constexpr int STORE_BUFFERS = 2; // 64 rows of 128 bytes each, for each consumer
constexpr int PRODUCER_REGISTERS = 40, CONSUMER_REGISTERS = 232;
constexpr int SHARED_BYTES = 229440; // dynamic shared memory of the launch
} // namespace matmul_0

namespace matmul_0 {

constexpr int THREADS = 128 * (CONSUMERS + 1);
constexpr int MT = BM / CONSUMERS / 64; // products of 64 rows, one above the other, of a consumer
constexpr int TILES_M = (M + BM * CLUSTER - 1) / (BM * CLUSTER), TILES_N = (N + BN - 1) / BN; // of a cluster
constexpr int TILES = TILES_M * TILES_N * BATCH * SPLIT_K;
constexpr int K_TILES = (K + BK - 1) / BK;
constexpr int STEPS = (K_TILES + SPLIT_K - 1) / SPLIT_K; // of a tile; the last slice may have fewer
constexpr int CLUSTERS = BLOCKS / CLUSTER;
constexpr int CHAIN = PROMOTE ? PROMOTE : 1;
constexpr int CHUNK = 128 / sizeof(Stored), CHUNKS = STORE_TMA ? BN / CHUNK : 1; // columns of a store, stores of 64 rows
constexpr int UNROLLED = LOOPS ? 1 : CHUNKS;
constexpr int AT_ONCE = MT * CHUNKS - KEPT;                                   // stores of a consumer that do not wait
static_assert(KEPT <= MT * CHUNKS && KEPT < K_TILES && (KEPT == 0 || (STORE_TMA && SPLIT_K == 1)), "each step has time for one store");
static_assert((SPLIT_K - 1) * STEPS < K_TILES, "every slice has a step");

// Shared memory: stages of [A parts | B parts], store buffers, barriers. Every piece is made of slabs: 128 bytes
// of the contiguous dimension, swizzled, for each index of the other one.
constexpr int SLAB = 128 / sizeof(In), A_SLAB = 128 / sizeof(InA); // elements
constexpr int A_BYTES = BM * BK * sizeof(InA), B_BYTES = BN * BK * sizeof(In);
constexpr int STAGE_BYTES = PARTS * (A_BYTES + B_BYTES), B_BEGIN = PARTS * A_BYTES;
constexpr int RING_BYTES = STAGES * STAGE_BYTES, BARRIERS = 2 * STAGES;
constexpr int STORE_BYTES = STORE_TMA ? CONSUMERS * STORE_BUFFERS * 64 * 128 : 0;
static_assert(RING_BYTES + STORE_BYTES + 8 * BARRIERS <= SHARED_BYTES, "the launch gives too little shared memory");
static_assert(BM % (64 * CONSUMERS) == 0 && BK % SLAB == 0 && BN % (8 * CLUSTER) == 0, "tiles are made of whole products");
static_assert(B_K_CONTIGUOUS || BN % (SLAB * CLUSTER) == 0, "tiles of B are made of whole slabs");

// One result from its sum of products.
__device__ __forceinline__ Out epilogue(float value, int batch, int row, int column) {
  return static_cast<Out>(value);
}

// The tile of a cluster: groups of RASTER tile rows, column by column, so that blocks that run at the
// same time share tiles in L2; every other group from right to left, so that those share columns with the group before.
struct Tile {
  int m0, n0, batch, slice;
};
// Where a tile's results go: slices are batches of a larger result.
__device__ __forceinline__ int stored_batch(const Tile &tile) { return tile.slice * BATCH + tile.batch; }
__device__ __forceinline__ int steps_of(const Tile &tile) {
  return SPLIT_K == 1 ? K_TILES : min(STEPS, K_TILES - tile.slice * STEPS);
}
__device__ __forceinline__ Tile tile_at(int index, int rank) {
  const int tile = index % (TILES_M * TILES_N);
  const int group = tile / (RASTER * TILES_N), inside = tile % (RASTER * TILES_N);
  const int rows = min(RASTER, TILES_M - group * RASTER);
  const int column = group % 2 ? TILES_N - 1 - inside / rows : inside / rows;
  const int outer = index / (TILES_M * TILES_N);
  return {((group * RASTER + inside % rows) * CLUSTER + rank) * BM, column * BN, outer % BATCH, outer / BATCH};
}

// Copies the tile of one part; slab by slab.
__device__ __forceinline__ void load_a(unsigned char *to, const kgen::tensor_map *map, uint64_t *bar, int m0, int k0,
                                       int batch) {
  if constexpr (A_K_CONTIGUOUS) {
#pragma unroll
    for (int s = 0; s < BK / A_SLAB; ++s)
      kgen::tma_load_3d(to + s * BM * 128, map, bar, k0 + s * A_SLAB, m0, batch);
  } else {
#pragma unroll
    for (int s = 0; s < BM / A_SLAB; ++s)
      kgen::tma_load_3d(to + s * BK * 128, map, bar, m0 + s * A_SLAB, k0, batch);
  }
}
// Each block of a cluster copies its share to all.
__device__ __forceinline__ void load_b(unsigned char *to, const kgen::tensor_map *map, uint64_t *bar, int n0, int k0,
                                       int batch, int rank) {
  constexpr int SHARE = BN / CLUSTER;
  constexpr unsigned short ALL = (1 << CLUSTER) - 1;
  auto copy = [&](unsigned char *slab, int c0, int c1) {
    if constexpr (CLUSTER > 1)
      kgen::tma_load_3d_multicast(slab, map, bar, c0, c1, batch, ALL);
    else
      kgen::tma_load_3d(slab, map, bar, c0, c1, batch);
  };
  if constexpr (B_K_CONTIGUOUS) {
#pragma unroll
    for (int s = 0; s < BK / SLAB; ++s)
      copy(to + s * BN * 128 + rank * SHARE * 128, k0 + s * SLAB, n0 + rank * SHARE);
  } else {
#pragma unroll
    for (int s = 0; s < SHARE / SLAB; ++s)
      copy(to + (rank * (SHARE / SLAB) + s) * BK * 128, n0 + rank * SHARE + s * SLAB, k0);
  }
}

// Where the 16 elements of k step `step` begin in a tile, in bytes, and how its descriptor strides.
__device__ __forceinline__ constexpr int a_step(int step) {
  return A_K_CONTIGUOUS ? step * 16 / SLAB * BM * 128 + step * 16 % SLAB * 2 : step * 16 * 128;
}
__device__ __forceinline__ constexpr int b_step(int step) {
  return B_K_CONTIGUOUS ? step * 16 / SLAB * BN * 128 + step * 16 % SLAB * 2 : step * 16 * 128;
}

__device__ __forceinline__ void mma(float (&c)[BN / 2], uint64_t a, uint64_t b, bool accumulate) {
  kgen::wgmma_f16<BN, !A_K_CONTIGUOUS, !B_K_CONTIGUOUS>(c, a, b, accumulate);
}

// Products are done: reads of their sums stay behind this point.
__device__ __forceinline__ void hold(float (&c)[MT][BN / 2]) {
#pragma unroll
  for (int i = 0; i < MT; ++i)
    kgen::wgmma_hold(c[i]);
}

// value * 2^exponent, in two steps that cannot overflow where the result does not. Below -252 all is lost anyway.
__device__ __forceinline__ float scaled(float value, int exponent) {
  exponent = max(exponent, -252);
  const int half = exponent / 2;
  return value * __int_as_float((127 + half) << 23) * __int_as_float((127 + exponent - half) << 23);
}

// The row, of 8, of what a lane has of a product.
__device__ __forceinline__ constexpr int row_of(int lane) { return lane / 4; }

// All products of one stage.
__device__ __forceinline__ void multiply(float (&c)[MT][BN / 2], uint64_t a, uint64_t b, bool accumulate) {
#pragma unroll
  for (int step = 0; step < BK / 16; ++step)
#pragma unroll
    for (int product = 0; product < (PARTS == 1 ? 1 : 3); ++product) {
      // Small terms first.
      const int a_part = product == 1, b_part = PARTS == 2 && product == 0;
#pragma unroll
      for (int i = 0; i < MT; ++i)
        mma(c[i], a + (a_part * A_BYTES + a_step(step) + i * (A_K_CONTIGUOUS ? 64 : BK) * 128) / 16,
            b + (b_part * B_BYTES + b_step(step)) / 16, accumulate || step > 0 || product > 0);
    }
}

// Finishes the sums at `row` (and 8 further), `column` (and the next).
template <typename Scale, typename... Extra>
__device__ __forceinline__ void finish(Stored (&out)[4], const float *sums, int batch, int row, int column,
                                       const Scale &scale, Extra... extra) {
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const int r = row + e / 2 * 8, c = column + e % 2;
    if constexpr (SPLIT_K > 1)
      out[e] = sums[e];
    else if ((M % (BM * CLUSTER) == 0 || r < M) && (N % BN == 0 || c < N))
      out[e] = epilogue(scale(sums[e], e / 2, c), batch, r, c, extra...);
    else
      out[e] = Stored(0.0f);
  }
}

// A thread's share of 64 rows of 128 bytes: pairs of neighbouring results.
struct alignas(2 * sizeof(Stored)) Pair {
  Stored first, second;
};
constexpr int PAIRS = 64 * 128 / 128 / sizeof(Pair); // of a thread
// Made here and not later: the sums are about to be overwritten.
__device__ __forceinline__ void pin(Pair &pair) {
  unsigned *words = reinterpret_cast<unsigned *>(&pair);
#pragma unroll
  for (int i = 0; i < sizeof(Pair) / 4; ++i)
    words[i] = kgen::pinned(words[i]);
}

// A thread's pairs to a buffer of 64 swizzled rows of 128 bytes.
__device__ __forceinline__ void store_shared(unsigned char *buffer, const Pair (&pairs)[PAIRS], int row, int column) {
#pragma unroll
  for (int i = 0; i < PAIRS; ++i) {
    const int r = row + i % 2 * 8, byte = (i / 2 * 8 + column) * int(sizeof(Stored));
    *reinterpret_cast<Pair *>(buffer + r * 128 + (byte ^ (r % 8 * 16))) = pairs[i];
  }
}

} // namespace matmul_0

extern "C" __global__ void __launch_bounds__(matmul_0::THREADS, 1)
    matmul_0_main(const matmul_0::In *__restrict__ a_matrix, const matmul_0::In *__restrict__ b_matrix, const int *__restrict__ a_exponents, const int *__restrict__ b_exponents, matmul_0::Stored *__restrict__ c, const __grid_constant__ kgen::tensor_map map_a, const __grid_constant__ kgen::tensor_map map_b, const __grid_constant__ kgen::tensor_map map_c) {
  using namespace matmul_0;
  extern __shared__ __align__(1024) unsigned char matmul_0_shared[];
  unsigned char *store_buffers = matmul_0_shared + RING_BYTES;
  uint64_t *full = reinterpret_cast<uint64_t *>(store_buffers + STORE_BYTES), *empty = full + STAGES;
  const int rank = CLUSTER > 1 ? kgen::cluster_rank() : 0;
  const int group = threadIdx.x / 128;

  if (threadIdx.x == 32) {
    kgen::tma_prefetch(&map_a);
    kgen::tma_prefetch(&map_b);
  }
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      kgen::mbar_init(&full[s], 1);
      kgen::mbar_init(&empty[s], CONSUMERS * CLUSTER);
    }
    kgen::fence_barrier_init();
  }
  if constexpr (CLUSTER > 1)
    kgen::cluster_sync();
  else
    __syncthreads();

  int stage = 0;
  unsigned phase = 0;
  auto advance = [&] {
    if (++stage == STAGES) {
      stage = 0;
      phase ^= 1;
    }
  };

  if (group == 0) {
    kgen::setmaxnreg_dec<PRODUCER_REGISTERS>();
    auto each_step = [&](auto copy) {
      for (int index = blockIdx.x / CLUSTER; index < TILES; index += CLUSTERS) {
        const Tile tile = tile_at(index, rank);
        const int steps = steps_of(tile);
        // Every other tile backwards: what was read last is still in L2.
        for (int step = 0; step < steps; ++step)
          copy(tile, tile.slice * STEPS + (index / CLUSTERS % 2 ? steps - 1 - step : step));
      }
    };
    if (threadIdx.x == 0)
      each_step([&](const Tile &tile, int k_tile) {
        kgen::mbar_wait(&empty[stage], phase ^ 1);
        kgen::mbar_arrive_expect_tx(&full[stage], STAGE_BYTES);
        unsigned char *a = matmul_0_shared + stage * STAGE_BYTES, *b = a + PARTS * A_BYTES;
#pragma unroll
        for (int part = 0; part < PARTS; ++part) {
          load_a(a + part * A_BYTES, &map_a, &full[stage], tile.m0, k_tile * BK,
                 part * BATCHES_OF_A + (BATCHES_OF_A == 1 ? 0 : tile.batch));
          load_b(b + part * B_BYTES, &map_b, &full[stage], tile.n0, k_tile * BK,
                 part * BATCHES_OF_B + (BATCHES_OF_B == 1 ? 0 : tile.batch), rank);
        }
        advance();
      });
  } else {
    kgen::setmaxnreg_inc<CONSUMER_REGISTERS>();
    const int consumer = group - 1, thread = threadIdx.x % 128;
    const uint64_t a_first = kgen::smem_descriptor(matmul_0_shared + consumer * MT * (A_K_CONTIGUOUS ? 64 : BK) * 128,
                                                   BK * 128, 1024, kgen::SWIZZLE_128B);
    const uint64_t b_first = kgen::smem_descriptor(matmul_0_shared + B_BEGIN, BK * 128, 1024, kgen::SWIZZLE_128B);
    auto release = [&](int s) {
      if constexpr (CLUSTER > 1) {
        if (thread < CLUSTER)
          kgen::mbar_arrive_cluster(&empty[s], thread);
      } else if (thread == 0) {
        kgen::mbar_arrive(&empty[s]);
      }
    };

    int previous = 0;
    // The products of one stage; `meanwhile` runs beside them.
    auto step = [&](float (&sums)[MT][BN / 2], bool first, auto meanwhile) {
      kgen::mbar_wait(&full[stage], phase);
      kgen::wgmma_fence();
      multiply(sums, a_first + stage * (STAGE_BYTES / 16), b_first + stage * (STAGE_BYTES / 16), !first);
      kgen::wgmma_commit();
      meanwhile();
      kgen::wgmma_wait<INFLIGHT>();
      // With one stage in flight, the one before it is free.
      if (INFLIGHT == 0)
        release(stage);
      else if (!first)
        release(previous);
      previous = stage;
      advance();
    };
    int store_buffer = 0;
    // Makes room for 64 rows of 128 bytes.
    auto open_buffer = [&] {
      if (thread == 0)
        kgen::bulk_wait_read<STORE_BUFFERS - 1>();
      kgen::named_barrier_sync(1 + consumer, 128);
      unsigned char *buffer = store_buffers + (consumer * STORE_BUFFERS + store_buffer) * 64 * 128;
      store_buffer = store_buffer + 1 == STORE_BUFFERS ? 0 : store_buffer + 1;
      return buffer;
    };
    // Fills the buffer and sends it off.
    auto store = [&](unsigned char *buffer, const Pair (&pairs)[PAIRS], int number, const Tile &tile) {
      store_shared(buffer, pairs, thread / 32 * 16 + row_of(thread % 32), thread % 4 * 2);
      kgen::fence_proxy_async();
      kgen::named_barrier_sync(1 + consumer, 128);
      if (thread == 0) {
        const int column = tile.n0 + number % CHUNKS * CHUNK, row = tile.m0 + (consumer * MT + number / CHUNKS) * 64;
        kgen::tma_store_3d(&map_c, buffer, column, row, stored_batch(tile));
        kgen::bulk_commit();
      }
    };
    Pair kept[KEPT ? KEPT : 1][PAIRS]; // of the tile before
    Tile kept_tile = {-1, 0, 0, 0};
    auto store_kept = [&](int i) {
      if (kept_tile.m0 >= 0)
        store(open_buffer(), kept[i], AT_ONCE + i, kept_tile);
    };

    for (int index = blockIdx.x / CLUSTER; index < TILES; index += CLUSTERS) {
      const Tile tile = tile_at(index, rank);
      const int steps = steps_of(tile);
      float sums[MT][BN / 2];
      if constexpr (LOOPS) // below they move, and not from one tile to the next
#pragma unroll
        for (int i = 0; i < MT; ++i)
          kgen::wgmma_begin(sums[i]);
      if constexpr (PROMOTE == 0) {
#pragma unroll
        for (int k_tile = 0; k_tile < KEPT; ++k_tile)
          step(sums, k_tile == 0, [&] { store_kept(k_tile); });
        for (int k_tile = KEPT; k_tile < steps; ++k_tile)
          step(sums, k_tile == 0, [] {});
        kgen::wgmma_wait<0>();
        hold(sums);
        if (INFLIGHT == 1)
          release(previous);
      } else {
        float partial[MT][BN / 2];
#pragma unroll
        for (int i = 0; i < MT * (BN / 2); ++i)
          sums[i / (BN / 2)][i % (BN / 2)] = 0.0f;
        auto chained = [&](int k_tile, auto meanwhile) {
          kgen::mbar_wait(&full[stage], phase);
          kgen::wgmma_fence();
          multiply(partial, a_first + stage * (STAGE_BYTES / 16), b_first + stage * (STAGE_BYTES / 16),
                   k_tile % CHAIN > 0);
          kgen::wgmma_commit();
          meanwhile();
          kgen::wgmma_wait<0>();
          hold(partial);
          release(stage);
          advance();
          if (k_tile % CHAIN == CHAIN - 1 || k_tile == steps - 1) {
#pragma unroll
            for (int i = 0; i < MT * (BN / 2); ++i)
              sums[i / (BN / 2)][i % (BN / 2)] += partial[i / (BN / 2)][i % (BN / 2)];
          }
        };
#pragma unroll
        for (int k_tile = 0; k_tile < KEPT; ++k_tile)
          chained(k_tile, [&] { store_kept(k_tile); });
        for (int k_tile = KEPT; k_tile < steps; ++k_tile)
          chained(k_tile, [] {});
      }

      // Also keeps reads of the sums behind the products' end.
      kgen::named_barrier_sync(1 + consumer, 128);
#pragma unroll
      for (int i = 0; i < MT; ++i) {
        const int m0 = tile.m0 + (consumer * MT + i) * 64, local = thread / 32 * 16 + row_of(thread % 32);
        const int row = m0 + local, pair = thread % 4 * 2;
        const int *a_scale = a_exponents + (BATCHES_OF_A == 1 ? 0 : tile.batch) * M;
        const int *b_scale = b_exponents + (BATCHES_OF_B == 1 ? 0 : tile.batch) * N;
        const int row_exponent[2] = {row < M ? a_scale[row] : 0, row + 8 < M ? a_scale[row + 8] : 0};
        auto scale = [&](float value, int half, int column) {
          return scaled(value, row_exponent[half] + b_scale[column]);
        };
        if constexpr (STORE_TMA) {
#pragma unroll UNROLLED
          for (int chunk = 0; chunk < CHUNKS; ++chunk) {
            const int number = i * CHUNKS + chunk;
            unsigned char *buffer = KEPT == 0 || number < AT_ONCE ? open_buffer() : nullptr;
            Pair pairs[PAIRS];
#pragma unroll
            for (int j = 0; j < CHUNK; j += 8) {
              Stored out[4];
              finish(out, &sums[i][((LOOPS ? 0 : chunk * CHUNK) + j) / 2], tile.batch, row, tile.n0 + chunk * CHUNK + j + pair,
                     scale);
              pairs[j / 4] = Pair{out[0], out[1]};
              pairs[j / 4 + 1] = Pair{out[2], out[3]};
            }
            if (KEPT == 0 || number < AT_ONCE) {
              store(buffer, pairs, number, tile);
              if constexpr (LOOPS) // the next ones move to the front: registers have no index
#pragma unroll
                for (int j = 0; j + CHUNK / 2 < BN / 2; ++j)
                  sums[i][j] = sums[i][j + CHUNK / 2];
            } else {
#pragma unroll
              for (int j = 0; j < PAIRS; ++j) {
                pin(pairs[j]);
                kept[number - AT_ONCE][j] = pairs[j];
              }
            }
          }
        }
      }
      kept_tile = tile;
    }
#pragma unroll
    for (int i = 0; i < KEPT; ++i)
      store_kept(i);
    if (STORE_TMA && thread == 0)
      kgen::bulk_wait_read<0>();
  }
  // Nobody leaves while others of the cluster may still write to its shared memory.
  if constexpr (CLUSTER > 1)
    kgen::cluster_sync();
}

