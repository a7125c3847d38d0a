//===- gemm_fragments.cuh - A left operand of f32 through registers --------===//
//
// A part of gemm_wgmma.cuh and gemm_cluster.cuh, which say BK, BN, MT, mma() and
// b_step(), where the 8 elements of a k step begin in a tile of B, in bytes.
//
//===----------------------------------------------------------------------===//

// A is [K, M], of which tensor cores take no f32 out of shared memory: a thread reads its fragments. 32 rows of A lie
// beside each other, index by index of k.
__device__ __forceinline__ void load_fragment(unsigned (&a)[4], const uint4 *tile, int row, int k) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int r = row + i % 2 * 8, at = k + i / 2 * 4;
    a[i] = *reinterpret_cast<const unsigned *>(reinterpret_cast<const unsigned char *>(tile) + (r / 32 * BK + at) * 128 +
                                               (r % 32 * 4 ^ at % 8 * 16));
  }
}
// All products of one stage, whose tile of A begins at `a`.
__device__ __forceinline__ void multiply(float (&c)[MT][BN / 2], const uint4 *a, uint64_t b, bool accumulate) {
  const int thread = threadIdx.x % 128, first = (threadIdx.x / 128 - 1) * MT * 64;
  unsigned fragments[BK / 8][MT][4];
#pragma unroll
  for (int step = 0; step < BK / 8; ++step)
#pragma unroll
    for (int i = 0; i < MT; ++i)
      load_fragment(fragments[step][i], a, first + i * 64 + thread / 32 * 16 + thread % 32 / 4, step * 8 + thread % 4);
  kgen::wgmma_fence();
#pragma unroll
  for (int step = 0; step < BK / 8; ++step)
#pragma unroll
    for (int i = 0; i < MT; ++i)
      mma(c[i], fragments[step][i], b + b_step(step) / 16, accumulate || step > 0);
}
