extern "C" __global__ void twice(const float *__restrict__ x, float *__restrict__ y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 4096; i += gridDim.x * blockDim.x)
    y[i] = 2.0f * __ldg(x + i);
}
