#include "kgen_hopper.cuh"
// sm_90a. Clusters of two blocks, one below the other, share their tiles of B: each copies half of them to both. One warpgroup copies, with few
// registers, two multiply. `full` says that a slice has arrived, `empty` that all four consumers of the cluster have read it, so that nobody
// meets a barrier of the whole block on the way.
constexpr int M = 256, N = 256, K = 512, BM = 128, BN = 128, BK = 64, STAGES = 4, STEPS = K / BK;
constexpr int CLUSTER = 2;
constexpr int A_BYTES = BM * BK * 2, B_BYTES = BN * BK * 2, STAGE = A_BYTES + B_BYTES; // shared_bytes: STAGES * STAGE + 16 * STAGES

extern "C" __global__ void __launch_bounds__(384, 1)
product(__half *__restrict__ c, const __grid_constant__ kgen::tensor_map map_a, const __grid_constant__ kgen::tensor_map map_b) {
  extern __shared__ __align__(1024) unsigned char shared[];
  uint64_t *full = reinterpret_cast<uint64_t *>(shared + STAGES * STAGE), *empty = full + STAGES;
  const int m0 = blockIdx.x % (M / BM) * BM, n0 = blockIdx.x / (M / BM) * BN, group = threadIdx.x / 128, rank = kgen::cluster_rank();
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      kgen::mbar_init(&full[s], 1);
      kgen::mbar_init(&empty[s], 2 * CLUSTER);
    }
    kgen::fence_barrier_init();
  }
  kgen::cluster_sync(); // nobody copies into a block whose barriers are not ready
  if (group == 0) {
    kgen::setmaxnreg_dec<40>();
    if (threadIdx.x == 0)
      for (int step = 0; step < STEPS; ++step) {
        const int stage = step % STAGES;
        unsigned char *a = shared + stage * STAGE, *b = a + A_BYTES;
        kgen::mbar_wait(&empty[stage], step / STAGES & 1 ^ 1);
        kgen::mbar_arrive_expect_tx(&full[stage], STAGE); // what this block gets, whoever copies it
        kgen::tma_load_2d(a, &map_a, &full[stage], step * BK, m0);
        for (int i = 0; i < BN / 64 / CLUSTER; ++i) {
          const int s = rank * (BN / 64 / CLUSTER) + i;
          kgen::tma_load_2d_multicast(b + s * BK * 128, &map_b, &full[stage], n0 + s * 64, step * BK, (1 << CLUSTER) - 1);
        }
      }
  } else {
    kgen::setmaxnreg_inc<232>();
    const int consumer = group - 1, thread = threadIdx.x % 128;
    float sum[BN / 2];
    const uint64_t a_first = kgen::smem_descriptor(shared + consumer * 64 * 128, 0, 1024, kgen::SWIZZLE_128B);
    const uint64_t b_first = kgen::smem_descriptor(shared + A_BYTES, BK * 128, 1024, kgen::SWIZZLE_128B);
    for (int step = 0; step < STEPS; ++step) {
      const int stage = step % STAGES;
      kgen::mbar_wait(&full[stage], step / STAGES & 1);
      kgen::wgmma_fence();
#pragma unroll
      for (int k = 0; k < BK / 16; ++k)
        kgen::wgmma_f16<BN, 0, 1>(sum, a_first + (stage * STAGE + k * 32) / 16, b_first + (stage * STAGE + k * 16 * 128) / 16, step > 0 || k > 0);
      kgen::wgmma_commit();
      kgen::wgmma_wait<0>();
      if (thread < CLUSTER)
        kgen::mbar_arrive_cluster(&empty[stage], thread); // in each block that copies into this one
    }
    kgen::wgmma_hold(sum);
    const int row = m0 + consumer * 64 + thread / 32 * 16 + thread % 32 / 4;
#pragma unroll
    for (int j = 0; j < BN / 8; ++j) {
      __half *at = c + row * N + n0 + 8 * j + thread % 4 * 2;
      *reinterpret_cast<__half2 *>(at) = __floats2half2_rn(sum[4 * j], sum[4 * j + 1]);
      *reinterpret_cast<__half2 *>(at + 8 * N) = __floats2half2_rn(sum[4 * j + 2], sum[4 * j + 3]);
    }
  }
  __syncthreads();
  kgen::cluster_sync(); // nobody leaves while others copy into it or arrive at its barriers
}
