// row_registers.cuh - resident = reg: a row is read once and stays in its threads' registers.
//@ section standalone
#include "row_reduce.cuh"
//@ end
// kThreadsPerRow threads share a row and hold it in registers between the statistic and the
// output, so that each element is read from memory once.
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
#if BY_CLUSTER
  __shared__ State peers[2][kParts];
#else
  const int slot = threadIdx.x / kThreadsPerRow;
#endif
#endif
#if BY_CLUSTER
  // The blocks of a cluster share a row, and take turns along it.
  const int part = static_cast<int>(blockIdx.x) % kParts;
  const long long row = blockIdx.x / kParts;
#else
#if GUARD_ROWS
  const long long this_row = static_cast<long long>(blockIdx.x) * kRowsPerBlock + slot;
  const bool inside = this_row < kRows;
  const long long row = inside ? this_row : kRows - 1; // surplus threads repeat the last row, silently
#else
  const long long row = static_cast<long long>(blockIdx.x) * kRowsPerBlock + slot;
#endif
#endif

#if BY_CLUSTER
  int first = (part * kThreadsPerRow + lane) * kVector;
  const auto column_of = [&](int pack) { return first + pack * (kParts * kThreadsPerRow * kVector); };
#else
  const auto column_of = [&](int pack) { return (pack * kThreadsPerRow + lane) * kVector; };
#endif
  float held[kPacks][kVector];
#pragma unroll
  for (int pack = 0; pack < kPacks; ++pack) {
    const int column = column_of(pack);
    if (!kRagged || column < kColumns)
      load(operands, row, column, held[pack]);
  }

#if BY_CLUSTER
  kgen::cluster_arrive_relaxed(); // waited for below: nobody writes into the memory of a block that has not begun
#endif

#if HOLDS_EXPONENTIALS
  // The maximum first; then each element gives way to its exponential, which the output only scales.
  State state = start();
#pragma unroll
  for (int pack = 0; pack < kPacks; ++pack)
    if (!kRagged || column_of(pack) < kColumns)
#pragma unroll
      for (int i = 0; i < kVector; ++i)
        state.maximum = fmaxf(state.maximum, held[pack][i]);
  const float of_thread = state.maximum;
#pragma unroll
  for (int pack = 0; pack < kPacks; ++pack) {
    if (kRagged && column_of(pack) >= kColumns)
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
#pragma unroll
  for (int pack = 0; pack < kPacks; ++pack) {
    const int column = column_of(pack);
    if (!kRagged || column < kColumns)
      observe(accumulator, operands, row, column, held[pack]);
  }
  State state = summarize(accumulator);
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
#if BY_CLUSTER
  if (lane == 0 && part == 0)
#else
  if (lane == 0)
#endif
    store_row(operands, row, value);
#endif
#if STORES_ELEMENTS
#if BY_CLUSTER
  first = kgen::opaque(first); // the registers hold the row, not the addresses of the reads
#endif
#pragma unroll
  for (int pack = 0; pack < kPacks; ++pack) {
    const int column = column_of(pack);
    if (!kRagged || column < kColumns)
      store(operands, row, column, held[pack], value);
  }
#endif
}
