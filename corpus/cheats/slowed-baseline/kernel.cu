extern "C" __global__ void stream(const float *x, float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 983040; i += gridDim.x * blockDim.x) {
    float value = x[i];
    y[i] = 2.0f * value;
  }
}
