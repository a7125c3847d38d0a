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

// softmax_int_0: aten.softmax.int over 4096 rows of 65536 elements, 4096x65536.

namespace softmax_int_0 {
constexpr long long kRows = 4096;
constexpr int kColumns = 65536;
constexpr int kVector = 4;
constexpr int kWarp = 32;
constexpr int kThreadsPerRow = 512;
constexpr int kThreads = kThreadsPerRow;
constexpr int kWarpsPerRow = kThreadsPerRow / kWarp;
constexpr bool kRagged = kColumns % (kThreadsPerRow * kVector) != 0; // the last step is not full
constexpr int kSharedPacks = 28; // of one thread, in shared memory
constexpr int kRegisterPacks = 4; // and in registers

/// The kernels' pointers.
struct Operands {
  const float *in0;
  float *out0;
};

/// kVector neighbouring elements, which travel in one access of up to 16 bytes.
template <typename T> struct alignas(sizeof(T) * kVector) Pack {
  T lane[kVector];
};

/// Reads an input, which no kernel of the dispatch writes; so the compiler may move the read.
template <typename T> __device__ __forceinline__ Pack<T> load_pack(const T *address) {
  if constexpr (sizeof(Pack<T>) == sizeof(uint4)) {
    const uint4 bits = __ldg(reinterpret_cast<const uint4 *>(address));
    Pack<T> pack;
    memcpy(&pack, &bits, sizeof(bits));
    return pack;
  } else {
    return *reinterpret_cast<const Pack<T> *>(address);
  }
}

/// Writes past the caches: nothing reads the result again, so it must not evict the inputs.
template <typename T> __device__ __forceinline__ void store_pack(T *address, const Pack<T> &pack) {
  if constexpr (sizeof(pack) == sizeof(uint4)) {
    uint4 bits;
    memcpy(&bits, &pack, sizeof(bits));
    __stcs(reinterpret_cast<uint4 *>(address), bits);
  } else {
    *reinterpret_cast<Pack<T> *>(address) = pack;
  }
}

__device__ __forceinline__ float exponential(float x) { return expf(x); }

/// The running maximum of a row and the sum of exp(x - maximum), updated together in one pass.
struct State {
  float maximum, sum;
};
using Accumulator = State;

// A finite start keeps exp(-inf - maximum) at 0 instead of NaN in rows masked with -inf.
__device__ __forceinline__ Accumulator start() { return {-3.402823466e38f, 0.0f}; }

__device__ __forceinline__ void accumulate(Accumulator &state, const float (&value)[kVector], int) {
  float maximum = state.maximum;
#pragma unroll
  for (int lane = 0; lane < kVector; ++lane)
    maximum = fmaxf(maximum, value[lane]);
  float sum = 0.0f; // of the pack first: shorter chains of additions lose fewer digits
#pragma unroll
  for (int lane = 0; lane < kVector; ++lane)
    sum += exponential(value[lane] - maximum);
  state = {maximum, state.sum * exponential(state.maximum - maximum) + sum};
}

__device__ __forceinline__ State combine(const State &a, const State &b) {
  const float maximum = fmaxf(a.maximum, b.maximum);
  return {maximum, a.sum * exponential(a.maximum - maximum) + b.sum * exponential(b.maximum - maximum)};
}

__device__ __forceinline__ State exchange(const State &state, int mask) {
  return {__shfl_xor_sync(0xffffffffu, state.maximum, mask), __shfl_xor_sync(0xffffffffu, state.sum, mask)};
}

__device__ __forceinline__ State summarize(const Accumulator &state) { return state; }

__device__ __forceinline__ long long offset_of(long long row, int column) {
  return row * kColumns + column;
}

/// What stays on chip of an element.
using Held = Pack<float>;
__device__ __forceinline__ const float *held_address(const Operands &operands, long long row, int column) {
  return operands.in0 + offset_of(row, column);
}
__device__ __forceinline__ Held load_held(const Operands &operands, long long row, int column) {
  return load_pack(held_address(operands, row, column));
}

/// The values of a pack.
__device__ __forceinline__ void widen(const Held &in0, const Operands &operands, long long row, int column,
                                      float (&value)[kVector]) {
#pragma unroll
  for (int lane = 0; lane < kVector; ++lane)
    value[lane] = in0.lane[lane];
}

/// Adds elements to what the thread has gathered.
__device__ __forceinline__ void observe(Accumulator &accumulator, const Operands &operands, long long row, int column,
                                        const float (&value)[kVector]) {
  accumulate(accumulator, value, column);
}

/// What the elements of a row have in common.
struct RowValue {
  float maximum, scale;
};

__device__ __forceinline__ RowValue finish(const Operands &operands, long long row, const State &state) {
  return {state.maximum, 1.0f / state.sum};
}

/// Writes the results of elements [column, column + kVector) of a row.
__device__ __forceinline__ void store(const Operands &operands, long long row, int column,
                                      const float (&value)[kVector], const RowValue &of_row) {
  const long long offset = offset_of(row, column);
  Pack<float> out0;
#pragma unroll
  for (int lane = 0; lane < kVector; ++lane) {
    const float normal = exponential(value[lane] - of_row.maximum) * of_row.scale;
    out0.lane[lane] = normal;
  }
  store_pack(operands.out0 + offset, out0);
}

/// The state of a whole row, in each of its kThreadsPerRow threads. A barrier of the block is
/// inside; `scratch` may be written again only after another one.
__device__ __forceinline__ State reduce_row(State state, State *scratch) {
#pragma unroll
  for (int mask = kWarp / 2; mask > 0; mask /= 2)
    state = combine(state, exchange(state, mask));
  const int warp = threadIdx.x / kWarp;
  if (threadIdx.x % kWarp == 0)
    scratch[warp] = state;
  __syncthreads();
  // Each warp merges its row's partial states by itself: no second barrier, and one order for all.
  const int first = warp / kWarpsPerRow * kWarpsPerRow;
  state = scratch[first + threadIdx.x % kWarpsPerRow];
#pragma unroll
  for (int mask = kWarpsPerRow / 2; mask > 0; mask /= 2)
    state = combine(state, exchange(state, mask));
  return state;
}

// A thread reads only the slots of shared memory that it filled itself, so the asynchronous copies
// need no barrier: a slot is refilled as soon as its old element was written out. Reads of the next
// row and writes of this one overlap, and each element crosses the memory bus once in each direction.

/// Column of a thread's pack; packs [0, kSharedPacks) lie in shared memory, the rest in registers.
__device__ __forceinline__ int column_of(int pack) { return (pack * kThreads + threadIdx.x) * kVector; }

/// Starts the copy of one pack of ROW into its slot.
__device__ __forceinline__ void fetch(Held *slots, const Operands &operands, long long row, int pack) {
  const int column = column_of(pack);
  if (!kRagged || column < kColumns)
    kgen::cp_async16(&slots[pack * kThreads], held_address(operands, row, column));
  kgen::cp_async_commit();
}

/// Folds pack PACK and those after it into the accumulator, each as soon as it has arrived.
template <int PACK>
__device__ __forceinline__ void observe_shared(Accumulator &accumulator, const Held *slots,
                                               const Operands &operands, long long row) {
  kgen::cp_async_wait<kSharedPacks - 1 - PACK>();
  const int column = column_of(PACK);
  if (!kRagged || column < kColumns) {
    float value[kVector];
    widen(slots[PACK * kThreads], operands, row, column, value);
    observe(accumulator, operands, row, column, value);
  }
  if constexpr (PACK + 1 < kSharedPacks)
    observe_shared<PACK + 1>(accumulator, slots, operands, row);
}
} // namespace softmax_int_0

extern "C" __global__ void __launch_bounds__(softmax_int_0::kThreads, 1)
    softmax_int_0_rows(const float *__restrict__ in0, float *__restrict__ out0) {
  using namespace softmax_int_0;
  extern __shared__ __align__(16) unsigned char kgen_dynamic_shared[];
  __shared__ State scratch[2][kThreads / kWarp];
  const Operands operands{in0, out0};
  Held *const slots = reinterpret_cast<Held *>(kgen_dynamic_shared) + threadIdx.x;
  Held registers[kRegisterPacks];

  long long row = blockIdx.x;
#pragma unroll
  for (int pack = 0; pack < kSharedPacks; ++pack)
    fetch(slots, operands, row, pack);
#pragma unroll
  for (int pack = 0; pack < kRegisterPacks; ++pack) {
    const int column = column_of(kSharedPacks + pack);
    if (!kRagged || column < kColumns)
      registers[pack] = load_held(operands, row, column);
  }

  // The scratch alternates, so that one barrier for each row is enough.
  for (int parity = 0; row < kRows; row += gridDim.x, parity ^= 1) {
    Accumulator accumulator = start();
    observe_shared<0>(accumulator, slots, operands, row);
#pragma unroll
    for (int pack = 0; pack < kRegisterPacks; ++pack) {
      const int column = column_of(kSharedPacks + pack);
      if (kRagged && column >= kColumns)
        continue;
      float value[kVector];
      widen(registers[pack], operands, row, column, value);
      observe(accumulator, operands, row, column, value);
    }
    const RowValue row_value = finish(operands, row, reduce_row(summarize(accumulator), scratch[parity]));

    const long long next = row + gridDim.x;
    const bool more = next < kRows;
#pragma unroll
    for (int pack = 0; pack < kSharedPacks; ++pack) {
      const int column = column_of(pack);
      if (!kRagged || column < kColumns) {
        float value[kVector];
        widen(slots[pack * kThreads], operands, row, column, value);
        store(operands, row, column, value, row_value);
      }
      if (more)
        fetch(slots, operands, next, pack);
    }
#pragma unroll
    for (int pack = 0; pack < kRegisterPacks; ++pack) {
      const int column = column_of(kSharedPacks + pack);
      if (kRagged && column >= kColumns)
        continue;
      float value[kVector];
      widen(registers[pack], operands, row, column, value);
      store(operands, row, column, value, row_value);
      if (more)
        registers[pack] = load_held(operands, next, column);
    }
  }
}
