#include "kgen_hopper.cuh"
// sm_90a. y = x * w^T in f32 of class tf32; x is [m][k], w is [n][k]. A map of dtype tf32 rounds to nearest what it copies; one of f32 would have
// the products cut digits off, which is less exact. wgmma_tf32 takes both operands with k innermost and 8 of k (32 bytes) at a time.
constexpr int M = 256, N = 256, K = 256, BM = 128, BN = 128, BK = 32, STAGES = 4, STEPS = K / BK;
constexpr int A_BYTES = BM * BK * 4, B_BYTES = BN * BK * 4, STAGE = A_BYTES + B_BYTES; // shared_bytes: STAGES * STAGE + 8 * STAGES

extern "C" __global__ void __launch_bounds__(256)
product(float *__restrict__ y, const __grid_constant__ kgen::tensor_map map_x, const __grid_constant__ kgen::tensor_map map_w) {
  extern __shared__ __align__(1024) unsigned char shared[];
  uint64_t *full = reinterpret_cast<uint64_t *>(shared + STAGES * STAGE);
  const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN, group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s)
      kgen::mbar_init(&full[s], 1);
    kgen::fence_barrier_init();
  }
  __syncthreads();
  auto load = [&](int step) {
    unsigned char *to = shared + step % STAGES * STAGE;
    uint64_t *bar = &full[step % STAGES];
    kgen::mbar_arrive_expect_tx(bar, STAGE);
    kgen::tma_load_2d(to, &map_x, bar, step * BK, m0);
    kgen::tma_load_2d(to + A_BYTES, &map_w, bar, step * BK, n0);
  };
  if (threadIdx.x == 0)
    for (int s = 0; s < STAGES && s < STEPS; ++s)
      load(s);
  float sum[BN / 2];
  const uint64_t a_first = kgen::smem_descriptor(shared + group * 64 * 128, 0, 1024, kgen::SWIZZLE_128B);
  const uint64_t b_first = kgen::smem_descriptor(shared + A_BYTES, 0, 1024, kgen::SWIZZLE_128B);
  for (int step = 0; step < STEPS; ++step) {
    const int stage = step % STAGES;
    kgen::mbar_wait(&full[stage], step / STAGES & 1);
    kgen::wgmma_fence();
#pragma unroll
    for (int k = 0; k < BK / 8; ++k)
      kgen::wgmma_tf32<BN>(sum, a_first + (stage * STAGE + k * 32) / 16, b_first + (stage * STAGE + k * 32) / 16, step > 0 || k > 0);
    kgen::wgmma_commit();
    kgen::wgmma_wait<0>();
    __syncthreads(); // both warpgroups have read the slice
    if (threadIdx.x == 0 && step + STAGES < STEPS)
      load(step + STAGES);
  }
  kgen::wgmma_hold(sum);
  const int thread = threadIdx.x % 128, row = m0 + group * 64 + thread / 32 * 16 + thread % 32 / 4;
#pragma unroll
  for (int j = 0; j < BN / 8; ++j) {
    float *at = y + row * N + n0 + 8 * j + thread % 4 * 2;
    *reinterpret_cast<float2 *>(at) = make_float2(sum[4 * j], sum[4 * j + 1]);
    *reinterpret_cast<float2 *>(at + 8 * N) = make_float2(sum[4 * j + 2], sum[4 * j + 3]);
  }
}
