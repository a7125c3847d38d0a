__constant__ float factors[4] = {2.0f, 2.0f, 2.0f, 2.0f};

extern "C" __global__ void twice(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 4096) {
    y[i] = factors[i % 4] * x[i];
  }
}
