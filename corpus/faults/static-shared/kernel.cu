extern "C" __global__ void twice(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float big[262144];
  if (i < 4096) {
    big[threadIdx.x] = x[i];
    __syncthreads();
    y[i] = 2.0f * big[threadIdx.x];
  }
}
