#ifndef KGEN_HOST
extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *, unsigned long long);
#define assert(e) ((e) ? (void)0 : __assertfail(#e, "kernel.cu", 1, "twice", 1))
#endif
extern "C" __global__ void twice(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 4096) {
    y[i] = 2.0f * x[i];
    assert(i != 77);
  }
}
