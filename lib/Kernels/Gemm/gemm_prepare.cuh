//===- gemm_prepare.cuh - fp32 operands as sums of 16-bit matrices --------===//
//
// x = 2^e * (part 0 + part 1 + ...), with one exponent e for each row of A and each column of B, chosen so that
// the largest finite magnitude along K lies in [2^14, 2^15): a power of two is exact, so nothing but the 11
// significant bits of each part is lost, whatever the operand's range. An operand that is contiguous along K
// takes one pass; the other one first finds the largest value of each column, in slices of K that meet by atomics.
//
//===----------------------------------------------------------------------===//

//@ section shared
namespace example {
constexpr int PREPARE_THREADS = 256;
constexpr int TOP = 14; // exponent of the largest scaled magnitude

// The bits of |x|, or 0 where x is infinite or NaN: these keep their value under every scale.
__device__ __forceinline__ unsigned magnitude(float x) {
  const unsigned bits = __float_as_uint(x) & 0x7fffffffu;
  return bits < 0x7f800000u ? bits : 0u;
}
// The exponent of a row or column whose largest magnitude has these bits.
__device__ __forceinline__ int exponent_of(unsigned largest) {
  const int biased = largest >> 23;
  return (biased > 0 ? biased : 1) - 127 - TOP;
}
// x * 2^exponent, in two steps because the factor itself may leave the range.
__device__ __forceinline__ float times_power(float x, int exponent) {
  const int half = exponent / 2;
  return x * __int_as_float((127 + half) << 23) * __int_as_float((127 + exponent - half) << 23);
}

// Four values to each of the parts, which stand `distance` elements apart.
template <typename Part, int PARTS> __device__ __forceinline__ void store_parts(Part *to, long long distance, const float (&x)[4]) {
  struct alignas(4 * sizeof(Part)) Four {
    Part value[4];
  };
  float rest[4] = {x[0], x[1], x[2], x[3]};
#pragma unroll
  for (int part = 0; part < PARTS; ++part) {
    Four four;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      four.value[i] = static_cast<Part>(rest[i]);
      rest[i] -= static_cast<float>(four.value[i]);
      if (!(rest[i] == rest[i])) // of infinity nothing is left
        rest[i] = 0.0f;
    }
    *reinterpret_cast<Four *>(to + part * distance) = four;
  }
}

// Elements between rows of the parts: tensor maps want multiples of 16 bytes.
__device__ constexpr int pitch_of(int length) { return (length + 7) / 8 * 8; }
// Four neighbours of a row of LENGTH values; what lies behind its end is zero.
template <int LENGTH> __device__ __forceinline__ float4 load_quad(const float *row, int column) {
  if constexpr (LENGTH % 4 == 0) {
    return *reinterpret_cast<const float4 *>(row + column);
  } else {
    float x[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      x[i] = column + i < LENGTH ? row[column + i] : 0.0f;
    return make_float4(x[0], x[1], x[2], x[3]);
  }
}

// Row `block` of ROWS rows of LENGTH values.
template <typename Part, int PARTS, int ROWS, int LENGTH>
__device__ __forceinline__ void prepare_rows(int block, const float *from, Part *to, int *exponents) {
  constexpr int QUADS = (LENGTH + 3) / 4, EACH = (QUADS + PREPARE_THREADS - 1) / PREPARE_THREADS;
  constexpr int KEPT = EACH <= 8 ? EACH : 8; // quads of a thread that stay in registers
  constexpr long long PITCH = pitch_of(LENGTH);
  __shared__ unsigned warp_largest[PREPARE_THREADS / 32];
  const float *row = from + (long long)block * LENGTH;
  float4 kept[KEPT];
  unsigned largest = 0;
  auto look = [&](float4 x) {
    largest = max(max(largest, magnitude(x.x)), max(magnitude(x.y), max(magnitude(x.z), magnitude(x.w))));
  };
#pragma unroll
  for (int i = 0; i < KEPT; ++i) {
    const int quad = threadIdx.x + i * PREPARE_THREADS;
    kept[i] = quad < QUADS ? load_quad<LENGTH>(row, 4 * quad) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    look(kept[i]);
  }
#pragma unroll 4
  for (int quad = threadIdx.x + KEPT * PREPARE_THREADS; quad < QUADS; quad += PREPARE_THREADS)
    look(load_quad<LENGTH>(row, 4 * quad));
  for (int offset = 16; offset > 0; offset /= 2)
    largest = max(largest, __shfl_xor_sync(0xffffffffu, largest, offset));
  if (threadIdx.x % 32 == 0)
    warp_largest[threadIdx.x / 32] = largest;
  __syncthreads();
  for (int warp = 0; warp < PREPARE_THREADS / 32; ++warp)
    largest = max(largest, warp_largest[warp]);
  const int exponent = exponent_of(largest);
  if (threadIdx.x == 0)
    exponents[block] = exponent;
  auto write = [&](int quad, float4 x) {
    const float four[4] = {times_power(x.x, -exponent), times_power(x.y, -exponent), times_power(x.z, -exponent),
                           times_power(x.w, -exponent)};
    store_parts<Part, PARTS>(to + block * PITCH + 4 * quad, ROWS * PITCH, four);
  };
#pragma unroll
  for (int i = 0; i < KEPT; ++i)
    if (const int quad = threadIdx.x + i * PREPARE_THREADS; quad < QUADS)
      write(quad, kept[i]);
#pragma unroll 4
  for (int quad = threadIdx.x + KEPT * PREPARE_THREADS; quad < QUADS; quad += PREPARE_THREADS)
    write(quad, load_quad<LENGTH>(row, 4 * quad));
}

// COUNT words become 0.
template <int COUNT> __device__ __forceinline__ void clear(int block, unsigned *words) {
  const int i = block * PREPARE_THREADS + threadIdx.x;
  if (i < COUNT)
    words[i] = 0u;
}

// A block's share of matrices [BATCH, ROWS, LENGTH]: QUADS fours of columns of a slice of the rows.
template <int LENGTH, int QUADS, int SLICES> struct Share {
  int column, slice, batch; // of a thread's first of four
  __device__ __forceinline__ explicit Share(int block) {
    constexpr int WIDE = (LENGTH + 4 * QUADS - 1) / (4 * QUADS);
    column = 4 * (block % WIDE * QUADS + threadIdx.x % QUADS);
    slice = block / WIDE % SLICES;
    batch = block / (WIDE * SLICES);
  }
};

// The largest magnitudes of columns in a share. `largest` was cleared.
template <int ROWS, int LENGTH, int QUADS, int SLICES>
__device__ __forceinline__ void find_columns(int block, const float *from, unsigned *largest) {
  constexpr int DEPTH = (ROWS + SLICES - 1) / SLICES, LINES = PREPARE_THREADS / QUADS;
  const Share<LENGTH, QUADS, SLICES> share(block);
  const int column = share.column;
  if (column >= LENGTH)
    return;
  const int first = share.slice * DEPTH, last = min(first + DEPTH, ROWS);
  const float *matrix = from + (long long)share.batch * ROWS * LENGTH;
  unsigned top[4] = {};
#pragma unroll 8
  for (int row = first + threadIdx.x / QUADS; row < last; row += LINES) {
    const float4 x = load_quad<LENGTH>(matrix + (long long)row * LENGTH, column);
    top[0] = max(top[0], magnitude(x.x));
    top[1] = max(top[1], magnitude(x.y));
    top[2] = max(top[2], magnitude(x.z));
    top[3] = max(top[3], magnitude(x.w));
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (LENGTH % 4 == 0 || column + i < LENGTH)
      atomicMax(&largest[(long long)share.batch * LENGTH + column + i], top[i]);
}

// Shares again: exponents from the largest magnitudes, then the parts. Slices go backwards: what was read last is still
// in L2.
template <typename Part, int PARTS, int ROWS, int LENGTH, int QUADS, int SLICES, int BATCH>
__device__ __forceinline__ void prepare_columns(int block, const float *from, const unsigned *largest, Part *to,
                                                int *exponents) {
  constexpr int DEPTH = (ROWS + SLICES - 1) / SLICES, LINES = PREPARE_THREADS / QUADS;
  const Share<LENGTH, QUADS, SLICES> share(block);
  const int column = share.column;
  if (column >= LENGTH)
    return;
  constexpr long long PITCH = pitch_of(LENGTH);
  int exponent[4] = {};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (LENGTH % 4 && column + i >= LENGTH)
      continue;
    exponent[i] = exponent_of(largest[(long long)share.batch * LENGTH + column + i]);
    if (share.slice == 0 && threadIdx.x < QUADS)
      exponents[(long long)share.batch * LENGTH + column + i] = exponent[i];
  }
  const int first = (SLICES - 1 - share.slice) * DEPTH, last = min(first + DEPTH, ROWS);
  const long long matrix = (long long)share.batch * ROWS;
#pragma unroll 8
  for (int row = first + threadIdx.x / QUADS; row < last; row += LINES) {
    const float4 x = load_quad<LENGTH>(from + (matrix + row) * LENGTH, column);
    const float four[4] = {times_power(x.x, -exponent[0]), times_power(x.y, -exponent[1]),
                           times_power(x.z, -exponent[2]), times_power(x.w, -exponent[3])};
    store_parts<Part, PARTS>(to + (matrix + row) * PITCH + column, BATCH * ROWS * PITCH, four);
  }
}
} // namespace example
//@ end

//@ section arrange
// f32 matrices as they are, in rows along K that tensor maps take.
namespace example {
constexpr int PREPARE_THREADS = 256;

// Elements between rows of what is written: tensor maps want multiples of 16 bytes.
__device__ constexpr int pitch_of(int length) { return (length + 7) / 8 * 8; }

// 32 x 32 elements of matrices [LENGTH, ROWS] become part of [ROWS, LENGTH].
template <int ROWS, int LENGTH> __device__ __forceinline__ void arrange_columns(int block, const float *from, float *to) {
  constexpr int WIDE = (ROWS + 31) / 32, DEEP = (LENGTH + 31) / 32;
  constexpr long long PITCH = pitch_of(LENGTH);
  __shared__ float tile[32][33];
  const int row = block % WIDE * 32, k = block / WIDE % DEEP * 32, batch = block / (WIDE * DEEP);
  const int lane = threadIdx.x % 32, line = threadIdx.x / 32;
#pragma unroll
  for (int i = line; i < 32; i += PREPARE_THREADS / 32)
    if (k + i < LENGTH && row + lane < ROWS)
      tile[i][lane] = from[((long long)batch * LENGTH + k + i) * ROWS + row + lane];
  __syncthreads();
#pragma unroll
  for (int i = line; i < 32; i += PREPARE_THREADS / 32)
    if (row + i < ROWS && k + lane < LENGTH)
      to[((long long)batch * ROWS + row + i) * PITCH + k + lane] = tile[lane][i];
}

// Row `block` of LENGTH elements, as it is.
template <int LENGTH> __device__ __forceinline__ void arrange_rows(int block, const float *from, float *to) {
#pragma unroll 4
  for (int i = threadIdx.x; i < LENGTH; i += PREPARE_THREADS)
    to[(long long)block * pitch_of(LENGTH) + i] = from[(long long)block * LENGTH + i];
}
} // namespace example
//@ end

//@ replace kernels
extern "C" __global__ void __launch_bounds__(256) example_clear(unsigned *__restrict__ b_largest) {
  const int block = blockIdx.x;
  example::clear<4096>(block, b_largest);
}
extern "C" __global__ void __launch_bounds__(256)
    example_find(const float *__restrict__ b, unsigned *__restrict__ b_largest) {
  const int block = blockIdx.x;
  example::find_columns<4096, 4096, 256, 128>(block, b, b_largest);
}
extern "C" __global__ void __launch_bounds__(256)
    example_prepare(const float *__restrict__ b, const unsigned *__restrict__ b_largest, const float *__restrict__ a,
                    __half *__restrict__ b_to, int *__restrict__ b_exponents, __half *__restrict__ a_to,
                    int *__restrict__ a_exponents) {
  const int block = blockIdx.x;
  if (block < 512)
    example::prepare_columns<__half, 1, 4096, 4096, 256, 128, 1>(block, b, b_largest, b_to, b_exponents);
  else
    example::prepare_rows<__half, 1, 4096, 4096>(block - 512, a, a_to, a_exponents);
}
//@ end
