#include <cuda_fp16.h>

extern "C" __global__ void halves(const __half *a, const __half *b, __half *c) {
  int row = blockIdx.x, column = threadIdx.x;
  __half sum = __float2half(0.0f);
  for (int k = 0; k < 512; ++k)
    sum = __hadd(sum, __hmul(a[row * 512 + k], b[k * 16 + column]));
  c[row * 16 + column] = sum;
}
