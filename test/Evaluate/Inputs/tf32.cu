// out0 = x as a copy by a map of tf32 makes it, out1 = out0 * w^T: 60 x 48 by 64 x 48, boxes of 32 columns.
#ifdef WRONG_STEP
#define STEP 16
#else
#define STEP 32
#endif
extern "C" __global__ void __launch_bounds__(128, 1)
    product(float *out0, float *out1, const __grid_constant__ kgen::tensor_map x,
            const __grid_constant__ kgen::tensor_map w) {
  extern __shared__ __align__(1024) unsigned char shared[];
  uint64_t *full = reinterpret_cast<uint64_t *>(shared + 32768);
  if (threadIdx.x == 0) {
    kgen::mbar_init(full, 1);
    kgen::fence_barrier_init();
    kgen::mbar_arrive_expect_tx(full, 32768);
    for (int k = 0; k < 2; ++k) {
      kgen::tma_load_2d(shared + 8192 * k, &x, full, 32 * k, 0);
      kgen::tma_load_2d(shared + 16384 + 8192 * k, &w, full, 32 * k, 0);
    }
  }
  __syncthreads();
  kgen::mbar_wait(full, 0);
  for (int i = threadIdx.x; i < 60 * 48; i += 128) {
    const int row = i / 48, column = i % 48, byte = column % 32 * 4 ^ row % 8 * 16;
    out0[i] = *reinterpret_cast<const float *>(shared + column / 32 * 8192 + row * 128 + byte);
  }
  float sums[32];
  kgen::wgmma_fence();
  for (int step = 0; step < 8; ++step) {
    const int at = step / 4 * 8192 + step % 4 * STEP;
    kgen::wgmma_tf32<64>(sums, kgen::smem_descriptor(shared + at, 16, 1024, kgen::SWIZZLE_128B),
                         kgen::smem_descriptor(shared + 16384 + at, 16, 1024, kgen::SWIZZLE_128B), step > 0);
  }
  kgen::wgmma_commit();
  kgen::wgmma_wait<0>();
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
  for (int i = 0; i < 32; ++i)
    if (const int r = row + i / 2 % 2 * 8; r < 60)
      out1[r * 64 + i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2] = sums[i];
}
