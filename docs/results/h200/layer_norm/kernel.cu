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

// layer_norm_0: aten.layer_norm over 16 rows of 4194304 elements, 16x64x256x256.

namespace layer_norm_0 {
constexpr long long kRows = 16;
constexpr int kColumns = 4194304;
constexpr int kVector = 4;
constexpr int kWarp = 32;
constexpr int kThreads = 256;
constexpr int kWarpsPerRow = kThreads / kWarp;
constexpr int kParts = 128; // blocks that share a row
constexpr int kBlocks = 128;
constexpr int kBatch = 4; // packs of one thread that travel together
constexpr int kBatches = 8; // of one thread in one row
constexpr int kPacks = kBatches * kBatch;
constexpr int kSlots = 14; // batches of one thread in shared memory
constexpr int kLead = 4; // batches that are written before the next row's statistic
constexpr int kHeldColumns = 3; // packs of a batch whose weights and biases stay in registers
constexpr bool kRagged = kColumns != kParts * kPacks * kThreads * kVector; // the last packs are not full

/// The kernels' pointers.
struct Operands {
  const float *in0;
  const float *in1;
  const float *in2;
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

/// Reads what every row needs: the L2 cache keeps it, and the compiler leaves the read where it stands.
template <typename T> __device__ __forceinline__ Pack<T> load_kept(const T *address) {
  if constexpr (sizeof(Pack<T>) == sizeof(uint4)) {
    const uint4 bits = kgen::load16_kept(address);
    Pack<T> pack;
    memcpy(&pack, &bits, sizeof(bits));
    return pack;
  } else {
    return load_pack(address);
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

/// Count, mean and sum of squared deviations; merged by Chan's formula.
struct State {
  float count, mean, deviation;
};

/// Sums of x - shift, where shift is the thread's first element: the difference of two values of
/// one row is small, so the squares keep their digits also when the mean is large.
struct Accumulator {
  float count, shift, sum, square;
};

__device__ __forceinline__ Accumulator start() { return {0.0f, 0.0f, 0.0f, 0.0f}; }

__device__ __forceinline__ void accumulate(Accumulator &a, const float (&value)[kVector], int) {
  a.shift = a.count == 0.0f ? value[0] : a.shift;
  float sum = 0.0f, square = 0.0f; // of the pack first: shorter chains of additions lose fewer digits
#pragma unroll
  for (int lane = 0; lane < kVector; ++lane) {
    const float difference = value[lane] - a.shift;
    sum += difference;
    square += difference * difference;
  }
  a.count += kVector;
  a.sum += sum;
  a.square += square;
}

__device__ __forceinline__ State combine(const State &a, const State &b) {
  const float count = a.count + b.count;
  const float weight = count > 0.0f ? b.count / count : 0.0f;
  const float delta = b.mean - a.mean;
  return {count, a.mean + delta * weight, a.deviation + b.deviation + delta * delta * a.count * weight};
}

__device__ __forceinline__ State exchange(const State &state, int mask) {
  return {__shfl_xor_sync(0xffffffffu, state.count, mask), __shfl_xor_sync(0xffffffffu, state.mean, mask),
          __shfl_xor_sync(0xffffffffu, state.deviation, mask)};
}

__device__ __forceinline__ State summarize(const Accumulator &a) {
  const float mean = a.count > 0.0f ? a.sum / a.count : 0.0f;
  // Squares beyond what a float holds are infinite; with an infinite element they are no number, nor is what deviates.
  const float deviation = a.square <= 3.40282347e+38f ? a.square - a.sum * mean : a.square + (mean - mean);
  return {a.count, a.shift + mean, deviation < 0.0f ? 0.0f : deviation};
}

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
  float mean, scale;
};

__device__ __forceinline__ RowValue finish(const Operands &operands, long long row, const State &state) {
  const float variance = state.deviation / static_cast<float>(kColumns);
  return {state.mean, 1.0f / sqrtf(variance + 0.00001f)};
}

/// What the elements of a column have in common.
struct ColumnValues {
  Pack<float> weight;
  Pack<float> bias;
};

__device__ __forceinline__ ColumnValues load_columns(const Operands &operands, int column) {
  return {load_kept(operands.in1 + column), load_kept(operands.in2 + column)};
}

/// Writes the results of elements [column, column + kVector) of a row.
__device__ __forceinline__ void store(const Operands &operands, long long row, int column,
                                      const float (&value)[kVector], const RowValue &of_row,
                                      const ColumnValues &of_column) {
  const long long offset = offset_of(row, column);
  Pack<float> out0;
#pragma unroll
  for (int lane = 0; lane < kVector; ++lane) {
    const float normal = (value[lane] - of_row.mean) * of_row.scale * of_column.weight.lane[lane] + of_column.bias.lane[lane];
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
  // The number of warps need not be a power of two: lanes beyond it hold nothing.
  constexpr int kLanes = kWarpsPerRow > 16 ? 32 : kWarpsPerRow > 8 ? 16 : kWarpsPerRow > 4 ? 8 : kWarpsPerRow > 2 ? 4 : kWarpsPerRow;
  const int first = warp / kWarpsPerRow * kWarpsPerRow, lane = threadIdx.x % kLanes;
  state = kLanes == kWarpsPerRow || lane < kWarpsPerRow ? scratch[first + lane] : summarize(start());
#pragma unroll
  for (int mask = kLanes / 2; mask > 0; mask /= 2)
    state = combine(state, exchange(state, mask));
  return state;
}

// A thread's shared memory is a ring of kSlots batches of kBatch packs, which it fills by asynchronous copies and reads
// itself, so the copies need no barrier: the slot of a batch that was written out takes the batch kSlots further on. The
// statistic of the next row is taken, and told to the other blocks, after kLead batches of this row are written: what
// the others have to say arrives while the rest is written.

/// Column of a thread's pack. The blocks of a row take turns, so that together they read it from front to back.
__device__ __forceinline__ int column_of(int pack) {
  const int part = static_cast<int>(blockIdx.x) % kParts;
  return ((pack * kParts + part) * kThreads + static_cast<int>(threadIdx.x)) * kVector;
}

/// Whether the pack lies in the row: the last one of a row may not.
__device__ __forceinline__ bool in_row(int pack) { return !kRagged || column_of(pack) < kColumns; }

/// The slot PLACES behind BASE.
__device__ __forceinline__ int slot_of(int base, int places) {
  const int slot = base + places;
  return slot < kSlots ? slot : slot - kSlots;
}

/// Starts the copies of one batch of ROW into its slot.
__device__ __forceinline__ void fetch(Held *packs, const Operands &operands, long long row, int batch, int slot) {
#pragma unroll
  for (int i = 0; i < kBatch; ++i) {
    const int pack = batch * kBatch + i;
    if (row < kRows && in_row(pack)) {
      Held *const to = &packs[(slot * kBatch + i) * kThreads];
      if constexpr (sizeof(Held) == 16)
        kgen::cp_async16_once(to, held_address(operands, row, column_of(pack)));
      else
        kgen::cp_async<sizeof(Held)>(to, held_address(operands, row, column_of(pack)));
    }
  }
  kgen::cp_async_commit();
}

/// Folds batch BATCH and those after it into the accumulator, each as soon as it has arrived. AFTER batches were
/// fetched after batch 0.
template <int BATCH, int AFTER>
__device__ __forceinline__ void observe_ring(Accumulator &accumulator, const Held *packs, const Operands &operands,
                                             long long row, int base) {
  kgen::cp_async_wait<AFTER - BATCH>();
  Held held[kBatch]; // all of them first, so that they are on their way together
#pragma unroll
  for (int i = 0; i < kBatch; ++i)
    held[i] = packs[(slot_of(base, BATCH) * kBatch + i) * kThreads];
#pragma unroll
  for (int i = 0; i < kBatch; ++i) {
    const int pack = BATCH * kBatch + i;
    if (in_row(pack)) {
      float value[kVector];
      widen(held[i], operands, row, column_of(pack), value);
      observe(accumulator, operands, row, column_of(pack), value);
    }
  }
  if constexpr (BATCH + 1 < kBatches)
    observe_ring<BATCH + 1, AFTER>(accumulator, packs, operands, row, base);
}

/// A state in words of 64 bits, each with the number of its row above it: whoever finds the number finds the value,
/// without a fence. Two rows of places alternate, since a block cannot be two rows ahead of another.
constexpr int kWords = sizeof(State) / 4;

__device__ __forceinline__ long long *place_of(long long *board, int block, int step) {
  return board + (static_cast<long long>(step & 1) * gridDim.x + block) * kWords;
}

/// Tells the other blocks of the row this block's STATE.
__device__ __forceinline__ void publish(long long *board, const State &state, int step) {
  if (threadIdx.x == 0) {
    unsigned word[kWords];
    memcpy(word, &state, sizeof(state));
    long long *const place = place_of(board, blockIdx.x, step);
#pragma unroll
    for (int i = 0; i < kWords; ++i)
      kgen::store_relaxed(place + i, static_cast<long long>(step) << 32 | word[i]);
  }
}

/// The state of the whole row: the first warp waits for the blocks of the row, and tells the others.
__device__ __forceinline__ State collect(long long *board, State *whole, int step) {
  if (threadIdx.x < kWarp) {
    const int first = static_cast<int>(blockIdx.x) / kParts * kParts;
    State state = summarize(start());
    constexpr int kOfLane = (kParts + kWarp - 1) / kWarp;
    __syncwarp(); // this block's own state is told
    long long found[kOfLane][kWords];
    bool told;
    do { // all words of a lane at once: one round trip
      told = true;
#pragma unroll
      for (int i = 0; i < kOfLane; ++i)
#pragma unroll
        for (int word = 0; word < kWords; ++word) {
          const int part = i * kWarp + static_cast<int>(threadIdx.x);
          found[i][word] = kgen::load_relaxed(place_of(board, first + (part < kParts ? part : 0), step) + word);
        }
#pragma unroll
      for (int i = 0; i < kOfLane; ++i)
#pragma unroll
        for (int word = 0; word < kWords; ++word)
          told &= found[i][word] >> 32 == step;
    } while (!told);
#pragma unroll
    for (int i = 0; i < kOfLane; ++i) {
      unsigned words[kWords];
#pragma unroll
      for (int word = 0; word < kWords; ++word)
        words[word] = static_cast<unsigned>(found[i][word]);
      State other;
      memcpy(&other, words, sizeof(other));
      if (i * kWarp + static_cast<int>(threadIdx.x) < kParts)
        state = combine(state, other);
    }
#pragma unroll
    for (int mask = kWarp / 2; mask > 0; mask /= 2)
      state = combine(state, exchange(state, mask));
    if (threadIdx.x == 0)
      whole[step & 1] = state;
  }
  __syncthreads();
  return whole[step & 1];
}
// Before the rows: no place holds the number of a row.
} // namespace layer_norm_0

extern "C" __global__ void __launch_bounds__(layer_norm_0::kThreads)
    layer_norm_0_init(long long *__restrict__ board) {
  for (int i = threadIdx.x; i < 2 * layer_norm_0::kBlocks * layer_norm_0::kWords; i += layer_norm_0::kThreads)
    board[i] = -1;
}

extern "C" __global__ void __launch_bounds__(layer_norm_0::kThreads, 1)
    layer_norm_0_rows(const float *__restrict__ in0, const float *__restrict__ in1, const float *__restrict__ in2, long long *__restrict__ board, float *__restrict__ out0) {
  using namespace layer_norm_0;
  extern __shared__ __align__(16) unsigned char kgen_dynamic_shared[];
  __shared__ State scratch[2][kThreads / kWarp];
  __shared__ State whole[2];
  const Operands operands{in0, in1, in2, out0};
  Held *const packs = reinterpret_cast<Held *>(kgen_dynamic_shared) + threadIdx.x;
  const long long first_row = blockIdx.x / kParts, row_step = gridDim.x / kParts;

#pragma unroll
  for (int slot = 0; slot < kSlots; ++slot)
    fetch(packs, operands, first_row + slot / kBatches * row_step, slot % kBatches, slot);
  // A thread meets the same columns in every row. Of each batch, it keeps the values of the first kHeldColumns packs in
  // registers, and reads those of the others again for each row, one batch ahead.
  constexpr int kStreamed = kBatch - kHeldColumns;
  ColumnValues held_columns[kBatches * kHeldColumns + 1], streamed_columns[2][kStreamed + 1];
#pragma unroll
  for (int pack = 0; pack < kPacks; ++pack)
    if (pack % kBatch < kHeldColumns && in_row(pack))
      held_columns[pack / kBatch * kHeldColumns + pack % kBatch] = load_columns(operands, column_of(pack));
  const auto stream_columns = [&](int batch) {
#pragma unroll
    for (int i = 0; i < kStreamed; ++i)
      if (const int pack = batch * kBatch + kHeldColumns + i; in_row(pack))
        streamed_columns[batch & 1][i] = load_columns(operands, column_of(pack));
  };

  // The statistic of the first row.
  Accumulator accumulator = start();
  observe_ring<0, kSlots - 1>(accumulator, packs, operands, first_row, 0);
  State state = reduce_row(summarize(accumulator), scratch[0]);
  publish(board, state, 0);

  int base = 0, step = 0; // slot of the row's first batch, number of the row among the block's rows
  for (long long row = first_row; row < kRows; row += row_step, ++step) {
    stream_columns(0);
    state = collect(board, whole, step);
    const RowValue row_value = finish(operands, row, state);

    const auto write_batch = [&](int batch) {
      const int slot = slot_of(base, batch);
      if (batch + 1 < kBatches)
        stream_columns(batch + 1);
      Held held[kBatch];
#pragma unroll
      for (int i = 0; i < kBatch; ++i)
        held[i] = packs[(slot * kBatch + i) * kThreads];
#pragma unroll
      for (int i = 0; i < kBatch; ++i) {
        const int pack = batch * kBatch + i;
        if (!in_row(pack))
          continue;
        float value[kVector];
        widen(held[i], operands, row, column_of(pack), value);
        store(operands, row, column_of(pack), value, row_value,
              i < kHeldColumns ? held_columns[i < kHeldColumns ? batch * kHeldColumns + i : 0]
                               : streamed_columns[batch & 1][i < kHeldColumns ? 0 : i - kHeldColumns]);
      }
      fetch(packs, operands, row + (batch + kSlots) / kBatches * row_step, (batch + kSlots) % kBatches, slot);
    };
#pragma unroll
    for (int batch = 0; batch < kLead; ++batch)
      write_batch(batch);
    if (row + row_step < kRows) {
      accumulator = start();
      observe_ring<0, kLead - 1 + kSlots - kBatches>(accumulator, packs, operands, row + row_step,
                                                     slot_of(base, kBatches));
      state = reduce_row(summarize(accumulator), scratch[(step + 1) & 1]);
      publish(board, state, step + 1);
    }
#pragma unroll
    for (int batch = kLead; batch < kBatches; ++batch)
      write_batch(batch);
    base = slot_of(base, kBatches);
  }
}
