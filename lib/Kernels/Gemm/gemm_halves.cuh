//===- gemm_halves.cuh - A left operand of f32 that becomes fp16 ----------===//
//
// A part of gemm_wgmma.cuh, which says BK, BM, BN, MT, mma(), b_step(), row_of(),
// hold() and scaled(). A thread reads the values of its fragments,
// multiplies them by a power of two of their row and rounds them to fp16: as
// gemm_prepare.cuh does, but under a power that fits what the row had so far.
// Where a larger value comes, the row's sums move to a smaller power.
//
//===----------------------------------------------------------------------===//

// A row of the tile is 2^exponent times what tensor cores have.
struct Powers {
  int exponent[MT][2];
  int shift[MT][2]; // by which the sums have to follow
  bool moved;       // of the warp: whether any has to
};
constexpr int ROOM = 13; // a new exponent moves the largest magnitude to [2^13, 2^14); from 2^15 on it has no room any more

__device__ __forceinline__ float power(int exponent) { return __int_as_float((127 + exponent) << 23); }

// What a thread has of a tile of A.
struct Fragments {
  unsigned half[BK / 16][MT][4]; // two values each
};

// Exponents that fit the values of a tile.
__device__ __forceinline__ void fit(Powers &powers, const float2 (&x)[BK / 16][MT][4], bool first) {
  powers.moved = !first;
#pragma unroll
  for (int i = 0; i < MT; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      unsigned largest = 0; // bits of the largest finite magnitude
      auto look = [&](float value) {
        const unsigned bits = __float_as_uint(value) & 0x7fffffffu;
        largest = max(largest, bits < 0x7f800000u ? bits : 0u);
      };
#pragma unroll
      for (int step = 0; step < BK / 16; ++step)
#pragma unroll
        for (int pair = half; pair < 4; pair += 2)
          look(x[step][i][pair].x), look(x[step][i][pair].y);
      // The four lanes of a row.
      largest = max(largest, __shfl_xor_sync(0xffffffffu, largest, 1));
      largest = max(largest, __shfl_xor_sync(0xffffffffu, largest, 2));
      const int fits = max(int(largest >> 23) - 127 - ROOM, -126), before = powers.exponent[i][half];
      const bool moves = first || fits > before + 1;
      powers.shift[i][half] = moves ? before - fits : 0;
      powers.exponent[i][half] = moves ? fits : before;
    }
}

// The sums follow their rows' powers. No products are under way.
__device__ __forceinline__ void follow(float (&c)[MT][BN / 2], Powers &powers) {
  if (!powers.moved)
    return;
  powers.moved = false;
  hold(c);
#pragma unroll
  for (int i = 0; i < MT; ++i)
#pragma unroll
    for (int j = 0; j < BN / 2; ++j)
      c[i][j] = scaled(c[i][j], powers.shift[i][j % 4 / 2]);
}

// The fragments of the tile of A that begins at `a`. Products may be under way: their sums have to follow().
__device__ __forceinline__ void make_fragments(Fragments &to, Powers &powers, const uint4 *a, bool first) {
  const int thread = threadIdx.x % 128, lane = thread % 32;
  const int row = (threadIdx.x / 128 - 1) * MT * 64 + thread / 32 * 16 + row_of(lane);
  float2 x[BK / 16][MT][4];
#pragma unroll
  for (int step = 0; step < BK / 16; ++step)
#pragma unroll
    for (int i = 0; i < MT; ++i)
#pragma unroll
      for (int pair = 0; pair < 4; ++pair) {
        const int r = row + i * 64 + pair % 2 * 8, k = step * 16 + pair / 2 * 8 + lane % 4 * 2;
        const unsigned char *tile = reinterpret_cast<const unsigned char *>(a);
        if constexpr (A_K_CONTIGUOUS) {
          x[step][i][pair] =
              *reinterpret_cast<const float2 *>(tile + (k / 32 * BM + r) * 128 + (k % 32 * 4 ^ r % 8 * 16));
        } else {
          auto at = [&](int k) {
            return *reinterpret_cast<const float *>(tile + (r / 32 * BK + k) * 128 + (r % 32 * 4 ^ k % 8 * 16));
          };
          x[step][i][pair] = make_float2(at(k), at(k + 1));
        }
      }
  bool fits = !first;
#pragma unroll
  for (int i = 0; i < MT; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float largest = 0.0f;
#pragma unroll
      for (int step = 0; step < BK / 16; ++step)
#pragma unroll
        for (int pair = half; pair < 4; pair += 2)
          largest = fmaxf(largest, fmaxf(fabsf(x[step][i][pair].x), fabsf(x[step][i][pair].y)));
      fits = fits && largest * power(-powers.exponent[i][half]) < 32768.0f;
    }
  if (!__all_sync(0xffffffffu, fits))
    fit(powers, x, first);
#pragma unroll
  for (int i = 0; i < MT; ++i) {
    const float factors[2] = {power(-powers.exponent[i][0]), power(-powers.exponent[i][1])};
#pragma unroll
    for (int step = 0; step < BK / 16; ++step)
#pragma unroll
      for (int pair = 0; pair < 4; ++pair) {
        const float factor = factors[pair % 2];
        const __half2 two = __floats2half2_rn(x[step][i][pair].x * factor, x[step][i][pair].y * factor);
        to.half[step][i][pair] = *reinterpret_cast<const unsigned *>(&two);
      }
  }
}

// All products of one stage.
__device__ __forceinline__ void multiply(float (&c)[MT][BN / 2], const Fragments &a, uint64_t b, bool accumulate) {
#pragma unroll
  for (int step = 0; step < BK / 16; ++step)
#pragma unroll
    for (int i = 0; i < MT; ++i)
      mma(c[i], a.half[step][i], b + b_step(step) / 16, accumulate || step > 0);
}
