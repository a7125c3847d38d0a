extern "C" __global__ void rowsum(const float *x, float *out, int columns) {
  __shared__ float partial[128];
  float sum = 0.0f;
  for (int i = 0; i < columns / 128; ++i)
    sum += x[blockIdx.x * columns + i * 128 + threadIdx.x];
  partial[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 128; ++i)
      sum += partial[i];
    out[blockIdx.x] = sum;
  }
}
