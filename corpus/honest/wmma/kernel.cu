#include <mma.h>
#include <cuda_fp16.h>

extern "C" __global__ void halves(const __half *a, const __half *b, __half *c) {
  using namespace nvcuda;
  __shared__ float result[256];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < 512; k += 16) {
    wmma::load_matrix_sync(fa, a + k, 512);
    wmma::load_matrix_sync(fb, b + k * 16, 16);
    wmma::mma_sync(sum, fa, fb, sum);
  }
  wmma::store_matrix_sync(result, sum, 16, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32)
    c[i] = __float2half(result[i]);
}
