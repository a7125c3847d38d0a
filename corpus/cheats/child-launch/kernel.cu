__global__ void child(const float *x, float *y) { y[threadIdx.x] = 2.0f * x[threadIdx.x]; }

extern "C" __global__ void twice(const float *x, float *y) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    child<<<4, 1024>>>(x, y);
}
