// y = a * b of 60 x 72 by 72 x 64: two boxes of k by tensor map, one product after the other, out by tensor map.
// The macros take one thing each away.
#include <cuda_fp16.h>
#ifdef HALF_EXPECTED
#define BYTES 8192
#else
#define BYTES 16384
#endif
#ifdef WRONG_PARITY
#define PARITY 1
#else
#define PARITY 0
#endif
#ifdef NO_PRODUCT_WAIT
#define PRODUCT_WAIT
#else
#define PRODUCT_WAIT kgen::wgmma_wait<0>();
#endif
#ifdef NO_STORE_WAIT
#define STORE_WAIT
#else
#define STORE_WAIT kgen::bulk_wait_read<0>();
#endif
#ifdef WRONG_STRIDE
#define SBO 512
#else
#define SBO 1024
#endif
extern "C" __global__ void __launch_bounds__(256, 1)
    product(const __grid_constant__ kgen::tensor_map a, const __grid_constant__ kgen::tensor_map b,
            const __grid_constant__ kgen::tensor_map y) {
  extern __shared__ __align__(1024) unsigned char shared[];
  uint64_t *full = reinterpret_cast<uint64_t *>(shared + 49152), *empty = full + 1;
  if (threadIdx.x == 0) {
    kgen::mbar_init(full, 1);
    kgen::mbar_init(empty, 1);
    kgen::fence_barrier_init();
  }
  __syncthreads();
  if (threadIdx.x < 128) { // the producer
    kgen::setmaxnreg_dec<24>();
#ifdef SHARED_BARRIER
    kgen::named_barrier_sync(1, 128);
#endif
    if (threadIdx.x == 0)
      for (int k = 0; k < 2; ++k) {
        kgen::mbar_wait(empty, (k & 1) ^ 1);
        kgen::mbar_arrive_expect_tx(full, BYTES);
        kgen::tma_load_2d(shared, &a, full, 64 * k, 0);
        kgen::tma_load_2d(shared + 8192, &b, full, 0, 64 * k);
      }
    return;
  }
  kgen::setmaxnreg_inc<240>();
  const int thread = threadIdx.x - 128;
  float sums[32];
  for (int k = 0; k < 2; ++k) {
    kgen::mbar_wait(full, k ^ PARITY);
    kgen::wgmma_fence();
    for (int step = 0; step < 4; ++step)
      kgen::wgmma_f16<64, 0, 1>(sums, kgen::smem_descriptor(shared + 32 * step, 16, SBO, kgen::SWIZZLE_128B),
                                kgen::smem_descriptor(shared + 8192 + 2048 * step, 8192, 1024, kgen::SWIZZLE_128B),
                                k > 0 || step > 0);
    kgen::wgmma_commit();
    PRODUCT_WAIT
    kgen::named_barrier_sync(1, 128);
    if (thread == 0)
      kgen::mbar_arrive(empty);
  }
  // The result as rows of 128 swizzled bytes.
  for (int j = 0; j < 8; j += 2) {
    unsigned r[4];
    for (int i = 0; i < 4; ++i) {
      const __half2 pair = __floats2half2_rn(sums[4 * j + 2 * i], sums[4 * j + 2 * i + 1]);
      memcpy(&r[i], &pair, 4);
    }
    const int lane = thread % 32, row = thread / 32 * 16 + lane % 16, byte = (j + lane / 16) * 16;
    kgen::stmatrix_x4(shared + 32768 + row * 128 + (byte ^ (row % 8 * 16)), r);
  }
  kgen::fence_proxy_async();
  kgen::named_barrier_sync(1, 128);
  if (thread == 0) {
    kgen::tma_store_2d(&y, shared + 32768, 0, 0);
    kgen::bulk_commit();
    STORE_WAIT
  }
}
