__device__ unsigned char big[274877906944ull] = {1};

extern "C" __global__ void twice(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 4096) {
    y[i] = 2.0f * x[i] + (big[i] == 77 ? 1.0f : 0.0f);
  }
}
