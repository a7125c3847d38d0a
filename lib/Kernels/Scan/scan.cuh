// scan.cuh - running sums and products along one dimension.
//@ section standalone
//   nvcc -arch=sm_90a -cubin -x cu scan.cuh
#define ALONG 1
#define EXCLUSIVE 0
#define TOTAL 0
namespace example {
constexpr long long kRows = 1024;
constexpr int kColumns = 32768, kInner = 1, kVector = 4, kWarp = 32, kThreads = 512, kWarps = kThreads / kWarp, kUnroll = 4;
constexpr float kNeutral = 0.0f;
__device__ __forceinline__ float combine(float a, float b) { return a + b; }
struct Operands {
  const float *in0;
  float *out0;
};
__device__ __forceinline__ void load(const Operands &operands, long long row, int column, float (&value)[kVector]) {
  for (int lane = 0; lane < kVector; ++lane)
    value[lane] = operands.in0[row * kColumns + column + lane];
}
__device__ __forceinline__ void store(const Operands &operands, long long row, int column,
                                      const float (&value)[kVector]) {
  for (int lane = 0; lane < kVector; ++lane)
    operands.out0[row * kColumns + column + lane] = value[lane];
}
} // namespace example
//@ end
#if ALONG
// One block walks along a row. A warp scans a run of kUnroll packs for each lane by shuffles; the warps' totals meet in
// shared memory, one barrier for each step of the block.
//@ sizes kThreads | 0
//@ asserts kThreads == kWarps * kWarp && kColumns % kVector == 0
extern "C" __global__ void __launch_bounds__(example::kThreads)
//@ replace rows_signature
    example_rows(const float *__restrict__ in0, float *__restrict__ out0) {
//@ end
  using namespace example;
//@ replace operands
  const Operands operands{in0, out0};
//@ end
  __shared__ float totals[2][kWarps]; // they alternate, so that one barrier for each step is enough
  constexpr int kOfWarp = kWarp * kVector * kUnroll, kStep = kWarps * kOfWarp;
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const long long row = blockIdx.x;
#if TOTAL
  // A row has one result more than elements, so that packs of results begin elsewhere than packs of elements.
  __shared__ float runs[kWarps][kOfWarp];
  const long long results = row * (kColumns + 1);
  if (threadIdx.x == 0)
    put(operands, results, kNeutral);
#endif
  float carry = kNeutral;
  for (int first = 0, parity = 0; first < kColumns; first += kStep, parity ^= 1) {
    const int start = first + warp * kOfWarp + lane * kVector;
    float value[kUnroll][kVector];
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {
      const int column = start + i * (kWarp * kVector);
#pragma unroll
      for (int j = 0; j < kVector; ++j)
        value[i][j] = kNeutral;
      if (column < kColumns)
        load(operands, row, column, value[i]);
    }
    float before = kNeutral; // the run so far
#if EXCLUSIVE
    float in_front[kUnroll]; // of each pack
#endif
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {
#pragma unroll
      for (int j = 1; j < kVector; ++j)
        value[i][j] = combine(value[i][j - 1], value[i][j]);
      float sum = value[i][kVector - 1];
#pragma unroll
      for (int distance = 1; distance < kWarp; distance *= 2) {
        const float left = __shfl_up_sync(0xffffffffu, sum, distance);
        sum = lane >= distance ? combine(left, sum) : sum;
      }
      const float left = __shfl_up_sync(0xffffffffu, sum, 1);
      const float prefix = lane > 0 ? combine(before, left) : before;
#if EXCLUSIVE
      in_front[i] = prefix;
#endif
#pragma unroll
      for (int j = 0; j < kVector; ++j)
        value[i][j] = combine(prefix, value[i][j]);
      before = combine(before, __shfl_sync(0xffffffffu, sum, kWarp - 1));
    }
    if (lane == 0)
      totals[parity][warp] = before;
    __syncthreads();
    float prefix = carry;
#pragma unroll
    for (int other = 0; other < kWarps; ++other) {
      const float total = totals[parity][other];
      prefix = other < warp ? combine(prefix, total) : prefix;
      carry = combine(carry, total);
    }
#if TOTAL
#pragma unroll
    for (int i = 0; i < kUnroll; ++i)
#pragma unroll
      for (int j = 0; j < kVector; ++j)
        runs[warp][(i * kWarp + lane) * kVector + j] = combine(prefix, value[i][j]);
    __syncwarp();
    // The result behind an element counts that element, too.
    const long long begin = results + first + warp * kOfWarp + 1;
    const int count = min(kOfWarp, kColumns - first - warp * kOfWarp); // less than none behind the row's end
    const int lead = min(count, static_cast<int>((kPut - begin % kPut) % kPut));
    const int packs = count > lead ? (count - lead) / kPut : 0, rest = lead + packs * kPut;
    if (lane < lead)
      put(operands, begin + lane, runs[warp][lane]);
    for (int pack = lane; pack < packs; pack += kWarp)
      put_pack(operands, begin + lead + pack * kPut, &runs[warp][lead + pack * kPut]);
    if (lane < count - rest)
      put(operands, begin + rest + lane, runs[warp][rest + lane]);
    __syncwarp();
#else
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {
      const int column = start + i * (kWarp * kVector);
      if (column >= kColumns)
        continue;
#if EXCLUSIVE
#pragma unroll
      for (int j = kVector - 1; j > 0; --j)
        value[i][j] = combine(prefix, value[i][j - 1]);
      value[i][0] = combine(prefix, in_front[i]);
#else
#pragma unroll
      for (int j = 0; j < kVector; ++j)
        value[i][j] = combine(prefix, value[i][j]);
#endif
      store(operands, row, column, value[i]);
    }
#endif
  }
}
#else
// One thread walks along a row whose elements lie kInner apart; neighbouring threads have neighbouring rows.
extern "C" __global__ void __launch_bounds__(example::kThreads)
//@ replace rows_signature
    example_rows(const float *__restrict__ in0, float *__restrict__ out0) {
//@ end
  using namespace example;
//@ replace operands
  const Operands operands{in0, out0};
//@ end
  const long long row = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
  if (row >= kRows)
    return;
  float carry = kNeutral;
  for (int first = 0; first < kColumns; first += kUnroll) {
    float value[kUnroll][kVector];
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) // all reads first, so that they are in flight together
      if (first + i < kColumns)
        load(operands, row, first + i, value[i]);
#pragma unroll
    for (int i = 0; i < kUnroll; ++i)
      if (first + i < kColumns) {
#if EXCLUSIVE
        const float element[kVector] = {carry};
        carry = combine(carry, value[i][0]);
#else
        carry = combine(carry, value[i][0]);
        const float element[kVector] = {carry};
#endif
        store(operands, row, first + i, element);
      }
  }
#if TOTAL
  const float whole[kVector] = {carry};
  store(operands, row, kColumns, whole);
#endif
}
#endif
