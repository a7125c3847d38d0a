// gather.cuh - copies rows, or single elements, from positions that a tensor holds.
//@ section standalone
//   nvcc -arch=sm_90a -cubin -x cu gather.cuh
//   nvcc -arch=sm_90a -cubin -x cu -DROWS=1 gather.cuh
namespace example {
constexpr int kVector = 4, kThreads = 256, kThreadsPerRow = 32, kUnroll = 4, kColumns = 768, kCoarsen = 2;
constexpr int kPacksOfRow = kColumns / kVector;
constexpr long long kRows = 4096, kElements = kRows * kColumns;
struct Operands {
  const float *in0;
  const long long *in1;
  float *out0;
};
struct Moved {
  float lane[kVector];
};
__device__ __forceinline__ long long source_row(const Operands &operands, long long row) { return operands.in1[row]; }
__device__ __forceinline__ Moved load_row(const Operands &operands, long long from, int column) {
  return *reinterpret_cast<const Moved *>(operands.in0 + from * kColumns + column);
}
__device__ __forceinline__ Moved load_elements(const Operands &operands, long long first) {
  Moved moved;
  for (int lane = 0; lane < kVector; ++lane)
    moved.lane[lane] = operands.in0[operands.in1[first + lane]];
  return moved;
}
__device__ __forceinline__ void store_moved(const Operands &operands, long long first, const Moved &moved) {
  *reinterpret_cast<Moved *>(operands.out0 + first) = moved;
}
} // namespace example
//@ end
#if ROWS
// kThreadsPerRow threads copy one row, a pack each at a time; kUnroll of their loads are in flight together. Neighbouring
// threads take neighbouring packs, and the row's position is read once for each thread.
static_assert(example::kThreads % example::kThreadsPerRow == 0, "a block holds whole rows");
static_assert(example::kColumns % example::kVector == 0, "a row is whole packs");
//@ sizes kThreads | 0
extern "C" __global__ void __launch_bounds__(example::kThreads)
//@ replace rows_signature
    example_rows(const float *__restrict__ in0, const long long *__restrict__ in1, float *__restrict__ out0) {
//@ end
  using namespace example;
//@ replace operands
  const Operands operands{in0, in1, out0};
//@ end
  constexpr int kRowsOfBlock = kThreads / kThreadsPerRow, kStep = kThreadsPerRow * kUnroll;
  const long long row = static_cast<long long>(blockIdx.x) * kRowsOfBlock + threadIdx.x / kThreadsPerRow;
  if (row >= kRows)
    return;
  const long long from = source_row(operands, row);
  for (int first = threadIdx.x % kThreadsPerRow; first < kPacksOfRow; first += kStep) {
    Moved moved[kUnroll];
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) // all reads first, so that they are in flight together
      if (first + i * kThreadsPerRow < kPacksOfRow)
        moved[i] = load_row(operands, from, (first + i * kThreadsPerRow) * kVector);
#pragma unroll
    for (int i = 0; i < kUnroll; ++i)
      if (first + i * kThreadsPerRow < kPacksOfRow)
        store_moved(operands, row * kColumns + (first + i * kThreadsPerRow) * kVector, moved[i]);
  }
}
#else
// Every element has a position of its own. A thread computes kCoarsen packs, a block apart; it reads their positions,
// then the elements, then writes.
static_assert(example::kElements % example::kVector == 0, "the result is whole packs");
//@ sizes kThreads | 0
extern "C" __global__ void __launch_bounds__(example::kThreads)
//@ replace elements_signature
    example_elements(const float *__restrict__ in0, const long long *__restrict__ in1, float *__restrict__ out0) {
//@ end
  using namespace example;
//@ replace operands
  const Operands operands{in0, in1, out0};
//@ end
  const long long first = static_cast<long long>(blockIdx.x) * (kThreads * kCoarsen) + threadIdx.x;
  Moved moved[kCoarsen];
#pragma unroll
  for (int i = 0; i < kCoarsen; ++i)
    if ((first + i * kThreads) * kVector < kElements)
      moved[i] = load_elements(operands, (first + i * kThreads) * kVector);
#pragma unroll
  for (int i = 0; i < kCoarsen; ++i)
    if ((first + i * kThreads) * kVector < kElements)
      store_moved(operands, (first + i * kThreads) * kVector, moved[i]);
}
#endif
