extern "C" __global__ void clear(unsigned *arrived) { *arrived = 0; }

extern "C" __global__ void rowsum(const float *x, float *out, unsigned *arrived, volatile float *part) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < 500; i += 128)
    sum += x[blockIdx.x * 500 + i];
  part[blockIdx.x * 128 + threadIdx.x] = sum;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1u);
    while (*(volatile unsigned *)arrived < gridDim.x)
      ;
  }
  __syncthreads();
  // Another block's row, so that the barrier is needed.
  int row = (blockIdx.x + 7) % 24;
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (int i = 0; i < 128; ++i)
      total += part[row * 128 + i];
    out[row] = total;
  }
}
