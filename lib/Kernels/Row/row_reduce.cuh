// row_reduce.cuh - merges the states of the threads that share a row.
//@ section standalone
#pragma once
#include "row_example.cuh"
namespace example {
//@ end
#if ONE_THREAD
/// A thread owns its row: nothing to merge.
__device__ __forceinline__ State reduce_row(const State &state) { return state; }
#endif
#if ONE_WARP
/// The state of a whole row, in each of its kThreadsPerRow threads.
__device__ __forceinline__ State reduce_row(State state) {
#pragma unroll
  for (int mask = kThreadsPerRow / 2; mask > 0; mask /= 2)
    state = combine(state, exchange(state, mask));
  return state;
}
#endif
#if MANY_WARPS
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
#endif
#if ACROSS_WARPS
/// The state of a whole row, in each of its kThreadsPerRow threads, which stand kRowsPerBlock
/// threads apart. Barriers of the block are inside.
__device__ __forceinline__ State reduce_row(State state, State *scratch) {
  scratch[threadIdx.x] = state;
  const int lane = threadIdx.x / kRowsPerBlock;
  for (int distance = kThreadsPerRow / 2; distance > 0; distance /= 2) {
    __syncthreads();
    if (lane < distance) {
      state = combine(state, scratch[threadIdx.x + distance * kRowsPerBlock]);
      scratch[threadIdx.x] = state;
    }
  }
  __syncthreads();
  return scratch[threadIdx.x % kRowsPerBlock];
}
#endif
#if BY_CLUSTER
/// Tells the blocks of the cluster this block's STATE of a row. Every thread holds it, and waits with collect.
__device__ __forceinline__ void publish(State (*peers)[kParts], const State &state, int step) {
  if (threadIdx.x < kParts)
    *kgen::cluster_map(&peers[step & 1][kgen::cluster_rank()], threadIdx.x) = state;
  kgen::cluster_arrive();
}

/// The state of the whole row.
__device__ __forceinline__ State collect(const State (*peers)[kParts], int step) {
  kgen::cluster_wait();
  State state = peers[step & 1][0];
#pragma unroll
  for (int part = 1; part < kParts; ++part)
    state = combine(state, peers[step & 1][part]);
  return state;
}
#endif
//@ section standalone
} // namespace example
//@ end
