// row_registers.cuh - resident = reg: a row is read once and stays in its threads' registers.
//@ section standalone
#include "row_reduce.cuh"
//@ end
// kThreadsPerRow threads share a row and hold it in registers between the statistic and the
// output, so that each element is read from memory once.
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

  float held[kPacks][kVector];
#pragma unroll
  for (int pack = 0; pack < kPacks; ++pack) {
    const int column = (pack * kThreadsPerRow + lane) * kVector;
    if (!kRagged || column < kColumns)
      load(operands, row, column, held[pack]);
  }

  Accumulator accumulator = start();
#pragma unroll
  for (int pack = 0; pack < kPacks; ++pack) {
    const int column = (pack * kThreadsPerRow + lane) * kVector;
    if (!kRagged || column < kColumns)
      observe(accumulator, operands, row, column, held[pack]);
  }
#if NEEDS_SCRATCH
  __shared__ State scratch[kScratchStates];
  const RowValue value = finish(operands, row, reduce_row(summarize(accumulator), scratch));
#else
  const RowValue value = finish(operands, row, reduce_row(summarize(accumulator)));
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
#pragma unroll
  for (int pack = 0; pack < kPacks; ++pack) {
    const int column = (pack * kThreadsPerRow + lane) * kVector;
    if (!kRagged || column < kColumns)
      store(operands, row, column, held[pack], value);
  }
#endif
}
