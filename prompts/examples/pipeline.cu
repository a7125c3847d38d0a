#include "kgen_device.cuh"
// The same, with copies under way: a ring of STAGES slices in dynamic shared memory, filled by cp.async while an older one is multiplied.
constexpr int M = 256, N = 256, K = 512, BK = 32, A_PITCH = BK + 8, B_PITCH = 128 + 8;
constexpr int STAGES = 4, A_TILE = 128 * A_PITCH, TILE = A_TILE + BK * B_PITCH; // shared_bytes: STAGES * TILE * 2

// The products of one slice of k in shared memory.
__device__ __forceinline__ void multiply(float (&sum)[4][4][4], const __half *as, const __half *bs, int warp_m, int warp_n, int lane) {
#pragma unroll
  for (int k = 0; k < BK; k += 16) {
    unsigned x[4][4], y[4][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) // matrices: rows 0-7, rows 8-15 of k 0-7, then of k 8-15
      kgen::ldmatrix_x4(x[i], as + (warp_m + 16 * i + lane % 16) * A_PITCH + k + lane / 16 * 8);
#pragma unroll
    for (int j = 0; j < 4; j += 2) { // k 0-7, k 8-15 of eight columns, then of the next eight
      unsigned four[4];
      kgen::ldmatrix_x4_trans(four, bs + (k + lane % 16) * B_PITCH + warp_n + 8 * j + lane / 16 * 8);
      y[j][0] = four[0], y[j][1] = four[1], y[j + 1][0] = four[2], y[j + 1][1] = four[3];
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        kgen::mma_m16n8k16_f16(sum[i][j], x[i], y[j]);
  }
}
__device__ __forceinline__ void write(const float (&sum)[4][4][4], __half *c, int m, int n, int lane) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      __half *at = c + (m + 16 * i + lane / 4) * N + n + 8 * j + lane % 4 * 2;
      *reinterpret_cast<__half2 *>(at) = __floats2half2_rn(sum[i][j][0], sum[i][j][1]);
      *reinterpret_cast<__half2 *>(at + 8 * N) = __floats2half2_rn(sum[i][j][2], sum[i][j][3]);
    }
}

extern "C" __global__ void __launch_bounds__(256, 2) product(const __half *__restrict__ a, const __half *__restrict__ b, __half *__restrict__ c) {
  extern __shared__ __align__(128) unsigned char shared[];
  __half *tiles = reinterpret_cast<__half *>(shared);
  const int m0 = blockIdx.y * 128, n0 = blockIdx.x * 128, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int warp_m = warp / 4 * 64, warp_n = warp % 4 * 32;
  auto load = [&](int slice) {
    if (slice < K / BK) {
      __half *as = tiles + slice % STAGES * TILE, *bs = as + A_TILE;
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int v = threadIdx.x + 256 * i;
        kgen::cp_async16(&as[v / 4 * A_PITCH + v % 4 * 8], a + (m0 + v / 4) * K + slice * BK + v % 4 * 8);
        kgen::cp_async16(&bs[v / 16 * B_PITCH + v % 16 * 8], b + (slice * BK + v / 16) * N + n0 + v % 16 * 8);
      }
    }
    kgen::cp_async_commit(); // an empty group keeps the count of the waits
  };
  float sum[4][4][4] = {};
  for (int s = 0; s < STAGES - 1; ++s)
    load(s);
  for (int slice = 0; slice < K / BK; ++slice) {
    kgen::cp_async_wait<STAGES - 2>();
    __syncthreads(); // the slice has arrived, and everybody is done with the one before it
    load(slice + STAGES - 1);
    const __half *as = tiles + slice % STAGES * TILE;
    multiply(sum, as, as + A_TILE, warp_m, warp_n, lane);
  }
  write(sum, c, m0 + warp_m, n0 + warp_n, lane);
}
