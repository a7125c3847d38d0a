// row_peeled.cuh - rows whose length is no multiple of kVector, with resident = reg or none.
//@ section standalone
#define PEELED 1
#define HELD 1
#include "row_reduce.cuh"
namespace example::edge { // single elements
__device__ __forceinline__ void load(const Operands &operands, long long row, int column, float (&value)[1]) {
  value[0] = operands.in0[row * kColumns + column];
}
__device__ __forceinline__ void observe(Accumulator &accumulator, const Operands &, long long, int column,
                                        const float (&value)[1]) {
  accumulate(accumulator, value, column);
}
__device__ __forceinline__ void store(const Operands &operands, long long row, int column, const float (&value)[1],
                                      const RowValue &of_row) {
  operands.out0[row * kColumns + column] = exponential(value[0] - of_row.maximum) * of_row.scale;
}
} // namespace example::edge
//@ end
// Such rows begin anywhere between two boundaries of 16 bytes. Packs begin at the first boundary within the row; the few
// elements in front of them and behind the last whole pack are the first threads', one each.
//@ sizes kThreads | 0
//@ asserts kThreads % kThreadsPerRow == 0 && kThreadsPerRow >= 2 * kVector
extern "C" __global__ void __launch_bounds__(example::kThreads, example::kMinBlocks)
//@ replace rows_signature
    example_rows(const float *__restrict__ in0, float *__restrict__ out0) {
//@ end
  using namespace example;
//@ replace operands
  const Operands operands{in0, out0};
//@ end
  const int lane = threadIdx.x % kThreadsPerRow;
#if BY_CLUSTER
  // The blocks of a cluster share a row, and take turns along it.
  __shared__ State peers[2][kParts];
  const int part = static_cast<int>(blockIdx.x) % kParts;
  const long long row = blockIdx.x / kParts;
  constexpr int kStep = kParts * kThreadsPerRow * kVector;
  const int place = part * kThreadsPerRow + lane;
#else
  const int slot = threadIdx.x / kThreadsPerRow;
#if GUARD_ROWS
  const long long this_row = static_cast<long long>(blockIdx.x) * kRowsPerBlock + slot;
  const bool inside = this_row < kRows;
  const long long row = inside ? this_row : kRows - 1; // surplus threads repeat the last row, silently
#else
  const long long row = static_cast<long long>(blockIdx.x) * kRowsPerBlock + slot;
#endif
  constexpr int kStep = kThreadsPerRow * kVector;
  const int place = lane;
#endif
  const int head = static_cast<int>((kVector - row * kColumns % kVector) % kVector);
  const int last = head + (kColumns - head) / kVector * kVector; // end of the packs
  int first = head + place * kVector;
  const int single = place < head ? place : last - head + place; // this thread's element outside of the packs, if any
  const bool has_single = single < kColumns;

  float held_single[1];
  if (has_single)
    edge::load(operands, row, single, held_single);
#if HELD
  float held[kPacks][kVector];
#pragma unroll
  for (int pack = 0; pack < kPacks; ++pack)
    if (const int column = first + pack * kStep; column < last)
      load(operands, row, column, held[pack]);
#endif
#if BY_CLUSTER
  kgen::cluster_arrive_relaxed(); // waited for below: nobody writes into the memory of a block that has not begun
#endif

#if HOLDS_EXPONENTIALS
  // The maximum first; then each element gives way to its exponential, which the output only scales.
  State state = start();
  if (has_single)
    state.maximum = fmaxf(state.maximum, held_single[0]);
#pragma unroll
  for (int pack = 0; pack < kPacks; ++pack)
    if (first + pack * kStep < last)
#pragma unroll
      for (int i = 0; i < kVector; ++i)
        state.maximum = fmaxf(state.maximum, held[pack][i]);
  const float of_thread = state.maximum;
  if (has_single)
    state.sum = held_single[0] = exponential(held_single[0] - of_thread);
#pragma unroll
  for (int pack = 0; pack < kPacks; ++pack) {
    if (first + pack * kStep >= last)
      continue;
    float sum = 0.0f; // of the pack first: shorter chains of additions lose fewer digits
#pragma unroll
    for (int i = 0; i < kVector; ++i) {
      held[pack][i] = exponential(held[pack][i] - of_thread);
      sum += held[pack][i];
    }
    state.sum += sum;
  }
#else
  Accumulator accumulator = start();
  if (has_single)
    edge::observe(accumulator, operands, row, single, held_single);
#if HELD
#pragma unroll
  for (int pack = 0; pack < kPacks; ++pack)
    if (const int column = first + pack * kStep; column < last)
      observe(accumulator, operands, row, column, held[pack]);
  State state = summarize(accumulator);
#else
#if SEGMENTED
  // A thread's chain of additions is cut into segments: rounding errors grow with a chain's length.
  State state = summarize(accumulator);
  for (int segment = first; segment < last; segment += kSegmentSteps * kStep) {
    const int end = last - segment < kSegmentSteps * kStep ? last : segment + kSegmentSteps * kStep;
    accumulator = start();
#pragma unroll kUnroll
    for (int column = segment; column < end; column += kStep) {
      float held[kVector];
      load(operands, row, column, held);
      observe(accumulator, operands, row, column, held);
    }
    state = combine(state, summarize(accumulator));
  }
#else
#pragma unroll kUnroll
  for (int column = first; column < last; column += kStep) {
    float held[kVector];
    load(operands, row, column, held);
    observe(accumulator, operands, row, column, held);
  }
  State state = summarize(accumulator);
#endif
#endif
#endif
#if NEEDS_SCRATCH
  __shared__ State scratch[kScratchStates];
  state = reduce_row(state, scratch);
#else
  state = reduce_row(state);
#endif
#if BY_CLUSTER
  kgen::cluster_wait();
  publish(peers, state, 0);
  state = collect(peers, 0);
#endif
#if HOLDS_EXPONENTIALS
  RowValue value = finish(operands, row, state);
  value.scale *= exponential(of_thread - value.maximum);
#else
  const RowValue value = finish(operands, row, state);
#endif

#if GUARD_ROWS
  if (!inside)
    return;
#endif
#if STORES_ROWS
  if (place == 0)
    store_row(operands, row, value);
#endif
#if STORES_ELEMENTS
  if (has_single)
    edge::store(operands, row, single, held_single, value);
#if HELD
#if BY_CLUSTER
  first = kgen::opaque(first); // the registers hold the row, not the addresses of the reads
#endif
#pragma unroll
  for (int pack = 0; pack < kPacks; ++pack)
    if (const int column = first + pack * kStep; column < last)
      store(operands, row, column, held[pack], value);
#else
  // Backwards: the end of the row is what the L2 cache still holds.
  for (int column = first < last ? first + (last - 1 - first) / kStep * kStep : -1; column >= first; column -= kStep) {
    float held[kVector];
    load(operands, row, column, held);
    store(operands, row, column, held, value);
  }
#endif
#endif
}
