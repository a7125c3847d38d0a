__device__ __noinline__ float sum(float x) { return x + x; }
__device__ __noinline__ float product(float x) { return 2.0f * x; }
__device__ __noinline__ float fused(float x) { return fmaf(x, 1.0f, x); }

extern "C" __global__ void twice(const float *x, float *y) {
  // A constant that the loader has to fill: addresses.
  static float (*const ways[3])(float) = {sum, product, fused};
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 4096) {
    y[i] = ways[i % 3](x[i]);
  }
}
