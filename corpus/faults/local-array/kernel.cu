extern "C" __global__ void twice(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile float big[4194304];
  if (i < 4096) {
    for (int k = 0; k < 4194304; k += 4096)
      big[(k + i) % 4194304] = x[i];
    y[i] = big[(i * 4096 + i) % 4194304] + x[i];
  }
}
