// row_split.cuh - split_rows > 1: few, long rows. Partial states first, then the whole rows.
//@ section standalone
#include "row_reduce.cuh"
//@ end
// Step 1 of 2: each block reduces one of the kChunks parts of one row. The parts are numbered so
// that the blocks that run last read the last columns of all rows.
//@ sizes kThreads | 0
//@ asserts kChunks * kChunkColumns >= kColumns && kChunkColumns % kVector == 0
extern "C" __global__ void __launch_bounds__(example::kThreads)
//@ replace partial_signature
    example_partial(const float *__restrict__ in0, float *__restrict__ partials) {
//@ end
  using namespace example;
//@ replace read_operands
  const Operands operands{in0, nullptr};
//@ end
  __shared__ State scratch[kThreads / kWarp];
  const int chunk = blockIdx.x / kRows;
  const long long row = blockIdx.x % kRows;
  const int first = chunk * kChunkColumns;
#if GUARD_CHUNKS
  const int last = first + kChunkColumns < kColumns ? first + kChunkColumns : kColumns;
#else
  const int last = first + kChunkColumns;
#endif

  Accumulator accumulator = start();
#pragma unroll kUnroll
  for (int column = first + threadIdx.x * kVector; column < last; column += kThreads * kVector) {
    float held[kVector];
    load(operands, row, column, held);
    observe(accumulator, operands, row, column, held);
  }
  const State state = reduce_row(summarize(accumulator), scratch);
  if (threadIdx.x == 0)
    reinterpret_cast<State *>(partials)[row * kChunks + chunk] = state;
}

// Step 2 of 2: a block first merges the partial states of its kRowGroup rows, one warp for each
// row, then writes one tile of columns of all of them: what belongs to a column is read once for
// the whole group. Tiles run backwards, because the L2 cache still holds the last columns.
extern "C" __global__ void __launch_bounds__(example::kThreads, example::kMinBlocks)
//@ replace finish_signature
    example_finish(const float *__restrict__ in0, const float *__restrict__ partials, float *__restrict__ out0) {
//@ end
  using namespace example;
//@ replace operands
  const Operands operands{in0, out0};
//@ end
  __shared__ RowValue values[kRowGroup];
  const long long first_row = static_cast<long long>(blockIdx.y) * kRowGroup;
#if GUARD_ROWS
  const int rows = kRows - first_row < kRowGroup ? static_cast<int>(kRows - first_row) : kRowGroup;
#else
  constexpr int rows = kRowGroup;
#endif

  for (int slot = threadIdx.x / kWarp; slot < rows; slot += kThreads / kWarp) {
    const long long row = first_row + slot;
    const State *const parts = reinterpret_cast<const State *>(partials) + row * kChunks;
    State state = summarize(start());
    for (int chunk = threadIdx.x % kWarp; chunk < kChunks; chunk += kWarp)
      state = combine(state, parts[chunk]);
#pragma unroll
    for (int mask = kWarp / 2; mask > 0; mask /= 2)
      state = combine(state, exchange(state, mask));
    if (threadIdx.x % kWarp == 0) {
      values[slot] = finish(operands, row, state);
#if STORES_ROWS
      if (blockIdx.x == 0)
        store_row(operands, row, values[slot]);
#endif
    }
  }
#if STORES_ELEMENTS
  __syncthreads();

  for (int tile = kTiles - 1 - blockIdx.x; tile >= 0; tile -= gridDim.x) {
    const int column = (tile * kThreads + threadIdx.x) * kVector;
    if (kRagged && column >= kColumns)
      continue;
#if HAS_COLUMN_VALUES
    const ColumnValues of_column = load_columns(operands, column);
#endif
    for (int slot = 0; slot < rows; slot += kRowUnroll) {
      // All reads of the step first, so that they are in flight together.
      float held[kRowUnroll][kVector];
#pragma unroll
      for (int i = 0; i < kRowUnroll; ++i)
        if (kFullSteps || slot + i < rows)
          load(operands, first_row + slot + i, column, held[i]);
#pragma unroll
      for (int i = 0; i < kRowUnroll; ++i)
        if (kFullSteps || slot + i < rows)
#if HAS_COLUMN_VALUES
          store(operands, first_row + slot + i, column, held[i], values[slot + i], of_column);
#else
          store(operands, first_row + slot + i, column, held[i], values[slot + i]);
#endif
    }
  }
#endif
}
