#include <cuda_fp16.h>

extern "C" __global__ void halves(const __half *a, const __half *b, __half *c) {
  int row = blockIdx.x, column = threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < 512; ++k)
    sum += __half2float(a[row * 512 + k]) * __half2float(b[k * 16 + column]);
  c[row * 16 + column] = __float2half(sum);
}
