extern "C" __global__ void rowsoftmax(const float *x, float *y) {
  extern __shared__ unsigned char memory[];
  float *shared = reinterpret_cast<float *>(memory);
  const float *row = x + blockIdx.x * 300;
  float most = -3.0e38f, sum = 0.0f;
  for (int i = threadIdx.x; i < 300; i += 128)
    most = fmaxf(most, row[i]);
  shared[threadIdx.x] = most;
  __syncthreads();
  for (int stride = 64; stride > 0; stride /= 2) {
    if (threadIdx.x < stride)
      shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + stride]);
    __syncthreads();
  }
  most = shared[0];
  __syncthreads();
  for (int i = threadIdx.x; i < 300; i += 128)
    sum += expf(row[i] - most);
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (int stride = 64; stride > 0; stride /= 2) {
    if (threadIdx.x < stride)
      shared[threadIdx.x] += shared[threadIdx.x + stride];
    __syncthreads();
  }
  for (int i = threadIdx.x; i < 300; i += 128)
    y[blockIdx.x * 300 + i] = expf(row[i] - most) / shared[0];
}
