#include "kgen_hopper.cuh"
// sm_90a. Tensor copies and warpgroup products: two warpgroups compute 128 x 128 results, 64 rows each. A slice of A is 128 rows of 128 bytes of
// k; one of B is two slabs, each 64 rows of k of 128 bytes of n: B is multiplied as it lies (TransB), with 64 columns to a slab. The swizzle of
// the maps, of the descriptors and the 1024-byte alignment of slabs go together; a box's inner side is at most 128 bytes.
constexpr int M = 256, N = 256, K = 512, BM = 128, BN = 128, BK = 64, STAGES = 4, STEPS = K / BK;
constexpr int A_BYTES = BM * BK * 2, B_BYTES = BN * BK * 2, STAGE = A_BYTES + B_BYTES; // shared_bytes: STAGES * STAGE + 8 * STAGES

extern "C" __global__ void __launch_bounds__(256)
product(__half *__restrict__ c, const __grid_constant__ kgen::tensor_map map_a, const __grid_constant__ kgen::tensor_map map_b) {
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
    unsigned char *a = shared + step % STAGES * STAGE, *b = a + A_BYTES;
    uint64_t *bar = &full[step % STAGES];
    kgen::mbar_arrive_expect_tx(bar, STAGE); // all bytes of the slice, also those out of bounds
    kgen::tma_load_2d(a, &map_a, bar, step * BK, m0);
    for (int s = 0; s < BN / 64; ++s)
      kgen::tma_load_2d(b + s * BK * 128, &map_b, bar, n0 + s * 64, step * BK);
  };
  if (threadIdx.x == 0)
    for (int s = 0; s < STAGES && s < STEPS; ++s)
      load(s);
  float sum[BN / 2];
  const uint64_t a_first = kgen::smem_descriptor(shared + group * 64 * 128, 0, 1024, kgen::SWIZZLE_128B);
  const uint64_t b_first = kgen::smem_descriptor(shared + A_BYTES, BK * 128, 1024, kgen::SWIZZLE_128B);
  for (int step = 0; step < STEPS; ++step) {
    const int stage = step % STAGES;
    kgen::mbar_wait(&full[stage], step / STAGES & 1);
    kgen::wgmma_fence();
#pragma unroll
    for (int k = 0; k < BK / 16; ++k) // a descriptor counts 16 bytes: 32 bytes of k in A, 16 rows of k in B
      kgen::wgmma_f16<BN, 0, 1>(sum, a_first + (stage * STAGE + k * 32) / 16, b_first + (stage * STAGE + k * 16 * 128) / 16, step > 0 || k > 0);
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
    __half *at = c + row * N + n0 + 8 * j + thread % 4 * 2;
    *reinterpret_cast<__half2 *>(at) = __floats2half2_rn(sum[4 * j], sum[4 * j + 1]);
    *reinterpret_cast<__half2 *>(at + 8 * N) = __floats2half2_rn(sum[4 * j + 2], sum[4 * j + 3]);
  }
}
