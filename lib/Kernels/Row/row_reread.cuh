// row_reread.cuh - resident = none: one pass for the statistic, a second read for the output.
//@ section standalone
#include "row_reduce.cuh"
//@ end
// Rows of any length. The second pass walks backwards, because the end of the row is what the L2
// cache still holds.
//@ sizes kThreads | 0
//@ asserts kThreads % kThreadsPerRow == 0 && kColumns % kVector == 0
extern "C" __global__ void __launch_bounds__(example::kThreads, example::kMinBlocks)
//@ replace rows_signature
    example_rows(const float *__restrict__ in0, float *__restrict__ out0) {
//@ end
  using namespace example;
//@ replace operands
  const Operands operands{in0, out0};
//@ end
#if ACROSS_WARPS
  // Neighbouring threads hold neighbouring rows: that is what lies side by side in memory.
  const int lane = threadIdx.x / kRowsPerBlock;
  const int slot = threadIdx.x % kRowsPerBlock;
#else
  const int lane = threadIdx.x % kThreadsPerRow;
  const int slot = threadIdx.x / kThreadsPerRow;
#endif
#if GUARD_ROWS
  const long long this_row = static_cast<long long>(blockIdx.x) * kRowsPerBlock + slot;
  const bool inside = this_row < kRows;
  const long long row = inside ? this_row : kRows - 1; // surplus threads repeat the last row, silently
#else
  const long long row = static_cast<long long>(blockIdx.x) * kRowsPerBlock + slot;
#endif
  constexpr int kStep = kThreadsPerRow * kVector;

#if SEGMENTED
  // A thread's chain of additions is cut into segments: rounding errors grow with a chain's length.
  constexpr int kSegment = kSegmentSteps * kStep;
  State state = summarize(start());
  for (int first = 0; first < kColumns; first += kSegment) {
    const int last = kColumns - first < kSegment ? kColumns : first + kSegment;
    Accumulator accumulator = start();
#pragma unroll kUnroll
    for (int column = first + lane * kVector; column < last; column += kStep) {
      float held[kVector];
      load(operands, row, column, held);
      observe(accumulator, operands, row, column, held);
    }
    state = combine(state, summarize(accumulator));
  }
#else
  Accumulator accumulator = start();
#pragma unroll kUnroll
  for (int column = lane * kVector; column < kColumns; column += kStep) {
    float held[kVector];
    load(operands, row, column, held);
    observe(accumulator, operands, row, column, held);
  }
  const State state = summarize(accumulator);
#endif
#if NEEDS_SCRATCH
  __shared__ State scratch[kScratchStates];
  const RowValue value = finish(operands, row, reduce_row(state, scratch));
#else
  const RowValue value = finish(operands, row, reduce_row(state));
#endif

#if GUARD_ROWS
  if (!inside)
    return;
#endif
#if STORES_ROWS
  if (lane == 0)
    store_row(operands, row, value);
#endif
#if STORES_ELEMENTS
  constexpr int kLast = (kColumns - 1) / kStep * kStep;
#pragma unroll kUnroll
  for (int column = kLast + lane * kVector; column >= 0; column -= kStep) {
    if (kRagged && column >= kColumns)
      continue;
    float held[kVector];
    load(operands, row, column, held);
    store(operands, row, column, held, value);
  }
#endif
}
