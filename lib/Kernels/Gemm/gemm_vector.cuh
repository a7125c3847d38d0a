//===- gemm_vector.cuh - Matrix times a few vectors -----------------------===//
//
// C = epilogue(matrix * vectors), of a matrix whose lines are contiguous along k and VECTORS
// vectors, likewise: what such a product costs is the memory's time for the matrix. A block
// has LINES lines, so that what it loads of the vectors serves all of them, and one of SPLIT_K
// slices of k; a thread has LINES packs under way for each pack of a vector. Slices
// meet in a second kernel, in order.
//
//===----------------------------------------------------------------------===//
#include "kgen_device.cuh"

//@ replace constants
namespace example {
// The problem.
using In = float;  // element type of A and B
using Out = float; // element type of C
constexpr int M = 2048, N = 1, K = 1048576;
constexpr int BATCH = 1;
constexpr int BATCHES_OF_MATRIX = 1, BATCHES_OF_VECTORS = 1; // 1: the same for every batch
constexpr bool RIGHT = true;                                  // the vectors are columns of B; else rows of A
// The schedule.
constexpr int LINES = 4;   // of the matrix, of a block
constexpr int SPLIT_K = 17; // slices of k, whose sums a second kernel adds
} // namespace example
//@ end

namespace example {

constexpr int THREADS = 256, WARPS = THREADS / 32;
constexpr int ALL_LINES = RIGHT ? M : N, VECTORS = RIGHT ? N : M, SUMS = LINES * VECTORS;
constexpr int GROUPS = (ALL_LINES + LINES - 1) / LINES, BLOCKS = BATCH * GROUPS * SPLIT_K;

// Elements of one access of at most 16 bytes: as many as divide a line.
constexpr int pack_of(int size) {
  int pack = 16 / size;
  while (K % pack)
    pack /= 2;
  return pack;
}
constexpr int PACK = pack_of(sizeof(In));
constexpr int PACKS = K / PACK;                                     // of a line
constexpr int STEPS = (PACKS + THREADS - 1) / THREADS;              // of a block that has whole lines
constexpr int SLICE = (STEPS + SPLIT_K - 1) / SPLIT_K;              // of a slice; the last may have fewer
constexpr int UNROLL = SUMS >= 16 ? 1 : LINES >= 4 ? 2 : 8 / LINES; // steps under way
static_assert((SPLIT_K - 1) * SLICE < STEPS, "every slice has a step");

struct alignas(PACK * sizeof(In)) Pack {
  In value[PACK];
};

//@ replace epilogue
__device__ __forceinline__ Out epilogue(float value, int batch, int row, int column) { return static_cast<Out>(value); }
//@ end

// The sums of the block's slice, in thread `sum` of the first ones.
__device__ __forceinline__ float sum_of(const In *matrix, const In *vectors, int batch, int group, int slice) {
  __shared__ float parts[WARPS][SUMS];
  const Pack *lines[LINES], *columns[VECTORS];
#pragma unroll
  for (int i = 0; i < LINES; ++i) // a line behind the last one is the last one again
    lines[i] = reinterpret_cast<const Pack *>(
        matrix + ((BATCHES_OF_MATRIX == 1 ? 0ll : batch) * ALL_LINES + min(group * LINES + i, ALL_LINES - 1)) * K);
#pragma unroll
  for (int v = 0; v < VECTORS; ++v)
    columns[v] = reinterpret_cast<const Pack *>(vectors + ((BATCHES_OF_VECTORS == 1 ? 0ll : batch) * VECTORS + v) * K);

  float sums[LINES][VECTORS] = {};
  auto step = [&](int at) {
    Pack line[LINES], column[VECTORS];
#pragma unroll
    for (int i = 0; i < LINES; ++i)
      line[i] = lines[i][at];
#pragma unroll
    for (int v = 0; v < VECTORS; ++v)
      column[v] = columns[v][at];
#pragma unroll
    for (int i = 0; i < LINES; ++i)
#pragma unroll
      for (int v = 0; v < VECTORS; ++v)
#pragma unroll
        for (int e = 0; e < PACK; ++e)
          sums[i][v] += static_cast<float>(line[i].value[e]) * static_cast<float>(column[v].value[e]);
  };
  const int first = slice * SLICE, last = min(first + SLICE, STEPS), whole = min(last, PACKS / THREADS);
#pragma unroll UNROLL
  for (int at = first; at < whole; ++at)
    step(at * THREADS + threadIdx.x);
  if (PACKS % THREADS && last == STEPS && whole * THREADS + threadIdx.x < PACKS)
    step(whole * THREADS + threadIdx.x);

#pragma unroll
  for (int i = 0; i < SUMS; ++i) {
    float sum = sums[i / VECTORS][i % VECTORS];
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
      sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (threadIdx.x % 32 == 0)
      parts[threadIdx.x / 32][i] = sum;
  }
  __syncthreads();
  float sum = 0.0f;
  if (threadIdx.x < SUMS)
#pragma unroll
    for (int warp = 0; warp < WARPS; ++warp)
      sum += parts[warp][threadIdx.x];
  return sum;
}

} // namespace example

//@ replace kernel
//@ sizes THREADS | 0 | BLOCKS
extern "C" __global__ void __launch_bounds__(example::THREADS)
    example_main(const example::In *__restrict__ matrix, const example::In *__restrict__ vectors, float *__restrict__ c) {
  //@ end
  using namespace example;
  const int slice = blockIdx.x % SPLIT_K, group = blockIdx.x / SPLIT_K % GROUPS, batch = blockIdx.x / (SPLIT_K * GROUPS);
  const float sum = sum_of(matrix, vectors, batch, group, slice);
  const int line = group * LINES + threadIdx.x / VECTORS, vector = threadIdx.x % VECTORS;
  const int row = RIGHT ? line : vector, column = RIGHT ? vector : line;
  if (threadIdx.x >= SUMS || line >= ALL_LINES)
    return;
#if split_k
  c[(long long)slice * BATCH * M * N + ((long long)batch * M + row) * N + column] = sum;
#else
  //@ replace store
  c[((long long)batch * M + row) * N + column] = epilogue(sum, batch, row, column);
  //@ end
#endif
}

//@ section split_k
// Adds the slices' sums in order, and finishes the results.
//@ replace reduce
extern "C" __global__ void __launch_bounds__(256)
    example_reduce(const float *__restrict__ partial, example::Out *__restrict__ c) {
  //@ end
  using namespace example;
  constexpr long long RESULTS = (long long)BATCH * M * N;
  const long long index = blockIdx.x * 256ll + threadIdx.x;
  if (index >= RESULTS)
    return;
  float sum = 0.0f;
#pragma unroll 8
  for (int slice = 0; slice < SPLIT_K; ++slice)
    sum += partial[slice * RESULTS + index];
  const int batch = index / ((long long)M * N), row = index / N % M, column = index % N;
  //@ replace reduce_call
  c[index] = epilogue(sum, batch, row, column);
  //@ end
}
//@ end
