// layer_norm_0: aten.layer_norm over 16 rows of 4194304 elements, 16x64x256x256.

namespace layer_norm_0 {
constexpr long long kRows = 16;
constexpr int kColumns = 4194304;
constexpr int kVector = 4;
constexpr int kWarp = 32;
constexpr int kThreads = 512;
constexpr int kMinBlocks = 4;
constexpr int kWarpsPerRow = kThreads / kWarp;
constexpr int kUnroll = 4;
constexpr int kChunkColumns = 131072; // of one block in step 1
constexpr int kChunks = 32;
constexpr int kRowGroup = 16; // rows of one block in step 2
constexpr int kRowUnroll = 4;
constexpr bool kFullSteps = kRows % kRowGroup == 0 && kRowGroup % kRowUnroll == 0;
constexpr int kTiles = (kColumns + kThreads * kVector - 1) / (kThreads * kVector);
constexpr bool kRagged = kColumns % (kThreads * kVector) != 0; // the last tile is not full

/// The kernels' pointers.
struct Operands {
  const float *in0;
  const float *in1;
  const float *in2;
  float *out0;
};

/// kVector neighbouring elements, which travel in one access of up to 16 bytes.
template <typename T> struct alignas(sizeof(T) * kVector) Pack {
  T lane[kVector];
};

/// Reads an input, which no kernel of the dispatch writes; so the compiler may move the read.
template <typename T> __device__ __forceinline__ Pack<T> load_pack(const T *address) {
  if constexpr (sizeof(Pack<T>) == sizeof(uint4)) {
    const uint4 bits = __ldg(reinterpret_cast<const uint4 *>(address));
    Pack<T> pack;
    memcpy(&pack, &bits, sizeof(bits));
    return pack;
  } else {
    return *reinterpret_cast<const Pack<T> *>(address);
  }
}

template <typename T> __device__ __forceinline__ void store_pack(T *address, const Pack<T> &pack) {
  *reinterpret_cast<Pack<T> *>(address) = pack;
}

/// Count, mean and sum of squared deviations; merged by Chan's formula.
struct State {
  float count, mean, deviation;
};

/// Sums of x - shift, where shift is the thread's first element: the difference of two values of
/// one row is small, so the squares keep their digits also when the mean is large.
struct Accumulator {
  float count, shift, sum, square;
};

__device__ __forceinline__ Accumulator start() { return {0.0f, 0.0f, 0.0f, 0.0f}; }

__device__ __forceinline__ void accumulate(Accumulator &a, const float (&value)[kVector], int) {
  a.shift = a.count == 0.0f ? value[0] : a.shift;
  float sum = 0.0f, square = 0.0f; // of the pack first: shorter chains of additions lose fewer digits
#pragma unroll
  for (int lane = 0; lane < kVector; ++lane) {
    const float difference = value[lane] - a.shift;
    sum += difference;
    square += difference * difference;
  }
  a.count += kVector;
  a.sum += sum;
  a.square += square;
}

__device__ __forceinline__ State combine(const State &a, const State &b) {
  const float count = a.count + b.count;
  const float weight = count > 0.0f ? b.count / count : 0.0f;
  const float delta = b.mean - a.mean;
  return {count, a.mean + delta * weight, a.deviation + b.deviation + delta * delta * a.count * weight};
}

__device__ __forceinline__ State exchange(const State &state, int mask) {
  return {__shfl_xor_sync(0xffffffffu, state.count, mask), __shfl_xor_sync(0xffffffffu, state.mean, mask),
          __shfl_xor_sync(0xffffffffu, state.deviation, mask)};
}

__device__ __forceinline__ State summarize(const Accumulator &a) {
  const float mean = a.count > 0.0f ? a.sum / a.count : 0.0f;
  return {a.count, a.shift + mean, fmaxf(a.square - a.sum * mean, 0.0f)};
}

__device__ __forceinline__ long long offset_of(long long row, int column) {
  return row * kColumns + column;
}

/// Elements [column, column + kVector) of a row.
__device__ __forceinline__ void load(const Operands &operands, long long row, int column,
                                     float (&value)[kVector]) {
  const long long offset = offset_of(row, column);
  const Pack<float> in0 = load_pack(operands.in0 + offset);
#pragma unroll
  for (int lane = 0; lane < kVector; ++lane)
    value[lane] = in0.lane[lane];
}

/// Adds elements to what the thread has gathered.
__device__ __forceinline__ void observe(Accumulator &accumulator, const Operands &operands, long long row, int column,
                                        const float (&value)[kVector]) {
  accumulate(accumulator, value, column);
}

/// What the elements of a row have in common.
struct RowValue {
  float mean, scale;
};

__device__ __forceinline__ RowValue finish(const Operands &operands, long long row, const State &state) {
  const float variance = state.deviation / static_cast<float>(kColumns);
  return {state.mean, 1.0f / sqrtf(variance + 0.00001f)};
}

/// What the elements of a column have in common.
struct ColumnValues {
  Pack<float> weight;
  Pack<float> bias;
};

__device__ __forceinline__ ColumnValues load_columns(const Operands &operands, int column) {
  return {load_pack(operands.in1 + column), load_pack(operands.in2 + column)};
}

/// Writes the results of elements [column, column + kVector) of a row.
__device__ __forceinline__ void store(const Operands &operands, long long row, int column,
                                      const float (&value)[kVector], const RowValue &of_row,
                                      const ColumnValues &of_column) {
  const long long offset = offset_of(row, column);
  Pack<float> out0;
#pragma unroll
  for (int lane = 0; lane < kVector; ++lane) {
    const float normal = (value[lane] - of_row.mean) * of_row.scale * of_column.weight.lane[lane] + of_column.bias.lane[lane];
    out0.lane[lane] = normal;
  }
  store_pack(operands.out0 + offset, out0);
}

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
  const int first = warp / kWarpsPerRow * kWarpsPerRow;
  state = scratch[first + threadIdx.x % kWarpsPerRow];
#pragma unroll
  for (int mask = kWarpsPerRow / 2; mask > 0; mask /= 2)
    state = combine(state, exchange(state, mask));
  return state;
}
} // namespace layer_norm_0

// Step 1 of 2: each block reduces one of the kChunks parts of one row. The parts are numbered so
// that the blocks that run last read the last columns of all rows.
extern "C" __global__ void __launch_bounds__(layer_norm_0::kThreads)
    layer_norm_0_partial(const float *__restrict__ in0, const float *__restrict__ in1, const float *__restrict__ in2, float *__restrict__ partials) {
  using namespace layer_norm_0;
  const Operands operands{in0, in1, in2, nullptr};
  __shared__ State scratch[kThreads / kWarp];
  const int chunk = blockIdx.x / kRows;
  const long long row = blockIdx.x % kRows;
  const int first = chunk * kChunkColumns;
  const int last = first + kChunkColumns;

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
extern "C" __global__ void __launch_bounds__(layer_norm_0::kThreads, layer_norm_0::kMinBlocks)
    layer_norm_0_finish(const float *__restrict__ in0, const float *__restrict__ in1, const float *__restrict__ in2, const float *__restrict__ partials, float *__restrict__ out0) {
  using namespace layer_norm_0;
  const Operands operands{in0, in1, in2, out0};
  __shared__ RowValue values[kRowGroup];
  const long long first_row = static_cast<long long>(blockIdx.y) * kRowGroup;
  constexpr int rows = kRowGroup;

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
    }
  }
  __syncthreads();

  for (int tile = kTiles - 1 - blockIdx.x; tile >= 0; tile -= gridDim.x) {
    const int column = (tile * kThreads + threadIdx.x) * kVector;
    if (kRagged && column >= kColumns)
      continue;
    const ColumnValues of_column = load_columns(operands, column);
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
          store(operands, first_row + slot + i, column, held[i], values[slot + i], of_column);
    }
  }
}
