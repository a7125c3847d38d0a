//===- kgen_host_sync.h - Barriers, shuffles, votes, atomics --------------===//
#ifndef KGEN_HOST_SYNC_H
#define KGEN_HOST_SYNC_H

static inline void __syncthreads() { kgen_host::barrier(0); }
static inline int __syncthreads_count(int v) { return kgen_host::barrier(v), kgen_host::block.barrierSum; }
static inline int __syncthreads_and(int v) { return kgen_host::barrier(v), kgen_host::block.barrierAnd; }
static inline int __syncthreads_or(int v) { return kgen_host::barrier(v), kgen_host::block.barrierOr; }
static inline void __syncwarp(unsigned mask = ~0u) { kgen_host::warpCollective(mask, nullptr, nullptr, nullptr); }
static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __nanosleep(unsigned) {}
static inline void __trap() { __builtin_trap(); }
static inline long long clock64() { return (long long)__builtin_ia32_rdtsc(); }

//===--- Shuffles ---------------------------------------------------------===//

namespace kgen_host {

/// Every lane names the lane that it reads; the last to arrive serves all.
template <class T>
static inline T shuffle(unsigned mask, T value, int source) {
  struct Request {
    T value, result;
    int source;
  } request = {value, value, source};
  warpCollective(
      mask, &request,
      [](void *lanes[32], void *) {
        for (int lane = 0; lane < 32; ++lane)
          if (Request *r = static_cast<Request *>(lanes[lane]))
            if (Request *from = static_cast<Request *>(lanes[r->source & 31]))
              r->result = from->value;
      },
      nullptr);
  return request.result;
}

/// Lane in the warp: blocks are laid out x first.
static inline int lane() { return int(block.current & 31); }

} // namespace kgen_host

template <class T>
static inline T __shfl_sync(unsigned mask, T v, int source, int width = 32) {
  int me = kgen_host::lane();
  return kgen_host::shuffle(mask, v, (me & ~(width - 1)) | (source & (width - 1)));
}
template <class T>
static inline T __shfl_xor_sync(unsigned mask, T v, int x, int width = 32) {
  int me = kgen_host::lane(), from = me ^ x;
  // A source in a later segment leaves the value as it is; in an earlier one it is read.
  return kgen_host::shuffle(mask, v, from >= (me & ~(width - 1)) + width ? me : from);
}
template <class T>
static inline T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32) {
  int me = kgen_host::lane();
  return kgen_host::shuffle(mask, v, (me & (width - 1)) + int(delta) < width ? me + int(delta) : me);
}
template <class T>
static inline T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32) {
  int me = kgen_host::lane();
  return kgen_host::shuffle(mask, v, (me & (width - 1)) >= int(delta) ? me - int(delta) : me);
}

//===--- Votes and warp reductions ----------------------------------------===//

namespace kgen_host {

/// Folds the lanes' values with `fold` from `first`; every lane gets the result.
template <class T, class Fold>
static inline T warpReduce(unsigned mask, T value, Fold) {
  T slot = value;
  warpCollective(
      mask, &slot,
      [](void *lanes[32], void *) {
        Fold fold;
        bool any = false;
        T sum = T();
        for (int i = 0; i < 32; ++i)
          if (lanes[i]) {
            T v = *static_cast<T *>(lanes[i]);
            sum = any ? fold(sum, v) : v;
            any = true;
          }
        for (int i = 0; i < 32; ++i)
          if (lanes[i])
            *static_cast<T *>(lanes[i]) = sum;
      },
      nullptr);
  return slot;
}

struct Or { template <class T> T operator()(T a, T b) const { return a | b; } };
struct And { template <class T> T operator()(T a, T b) const { return a & b; } };
struct Xor { template <class T> T operator()(T a, T b) const { return a ^ b; } };
struct Add { template <class T> T operator()(T a, T b) const { return a + b; } };
struct Min { template <class T> T operator()(T a, T b) const { return b < a ? b : a; } };
struct Max { template <class T> T operator()(T a, T b) const { return a < b ? b : a; } };

} // namespace kgen_host

static inline unsigned __ballot_sync(unsigned mask, int p) {
  return kgen_host::warpReduce(mask, p ? 1u << kgen_host::lane() : 0u, kgen_host::Or());
}
static inline int __any_sync(unsigned mask, int p) { return kgen_host::warpReduce(mask, int(p != 0), kgen_host::Or()); }
static inline int __all_sync(unsigned mask, int p) { return kgen_host::warpReduce(mask, int(p != 0), kgen_host::And()); }
static inline unsigned __reduce_add_sync(unsigned m, unsigned v) { return kgen_host::warpReduce(m, v, kgen_host::Add()); }
static inline int __reduce_add_sync(unsigned m, int v) { return kgen_host::warpReduce(m, v, kgen_host::Add()); }
static inline unsigned __reduce_min_sync(unsigned m, unsigned v) { return kgen_host::warpReduce(m, v, kgen_host::Min()); }
static inline int __reduce_min_sync(unsigned m, int v) { return kgen_host::warpReduce(m, v, kgen_host::Min()); }
static inline unsigned __reduce_max_sync(unsigned m, unsigned v) { return kgen_host::warpReduce(m, v, kgen_host::Max()); }
static inline int __reduce_max_sync(unsigned m, int v) { return kgen_host::warpReduce(m, v, kgen_host::Max()); }
static inline unsigned __reduce_or_sync(unsigned m, unsigned v) { return kgen_host::warpReduce(m, v, kgen_host::Or()); }
static inline unsigned __reduce_and_sync(unsigned m, unsigned v) { return kgen_host::warpReduce(m, v, kgen_host::And()); }
static inline unsigned __reduce_xor_sync(unsigned m, unsigned v) { return kgen_host::warpReduce(m, v, kgen_host::Xor()); }
/// Lanes run alone here between warp-wide operations: the active mask is the caller itself.
static inline unsigned __activemask() { return 1u << kgen_host::lane(); }

//===--- Atomics ----------------------------------------------------------===//
// Atomic across the worker's processes, so on the machine's own instructions.

template <class T, class V>
static inline T kgen_host_atomic_update(T *at, V update) {
  T old = *at, next;
  do
    next = update(old);
  while (!__atomic_compare_exchange(at, &old, &next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  return old;
}

#define KGEN_HOST_ATOMIC(T)                                                                                            \
  static inline T atomicAdd(T *p, T v) { return kgen_host_atomic_update(p, [v](T o) -> T { return o + v; }); }         \
  static inline T atomicMax(T *p, T v) { return kgen_host_atomic_update(p, [v](T o) -> T { return o < v ? v : o; }); } \
  static inline T atomicMin(T *p, T v) { return kgen_host_atomic_update(p, [v](T o) -> T { return v < o ? v : o; }); } \
  static inline T atomicExch(T *p, T v) { return kgen_host_atomic_update(p, [v](T) -> T { return v; }); }
KGEN_HOST_ATOMIC(int)
KGEN_HOST_ATOMIC(unsigned)
KGEN_HOST_ATOMIC(unsigned long long)
KGEN_HOST_ATOMIC(long long)
KGEN_HOST_ATOMIC(float)
KGEN_HOST_ATOMIC(double)

#define KGEN_HOST_ATOMIC_INT(T)                                                                                        \
  static inline T atomicSub(T *p, T v) { return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST); }                          \
  static inline T atomicAnd(T *p, T v) { return __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST); }                          \
  static inline T atomicOr(T *p, T v) { return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST); }                            \
  static inline T atomicXor(T *p, T v) { return __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST); }                          \
  static inline T atomicCAS(T *p, T expected, T value) {                                                               \
    __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                       \
    return expected;                                                                                                   \
  }
KGEN_HOST_ATOMIC_INT(int)
KGEN_HOST_ATOMIC_INT(unsigned)
KGEN_HOST_ATOMIC_INT(unsigned long long)
static inline unsigned atomicInc(unsigned *p, unsigned limit) {
  return kgen_host_atomic_update(p, [limit](unsigned o) -> unsigned { return o >= limit ? 0 : o + 1; });
}

#endif
