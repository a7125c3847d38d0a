#define __half2float(x) __half2float(x) { asm("nop"); }
#include <cuda_fp16.h>
#define A(x) x
extern "C" __global__ void twice(const float *x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  A(a##sm)("nop");
  out[i] = 2.0f * x[i];
}
