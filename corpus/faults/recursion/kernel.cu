__device__ __noinline__ float descend(const float *x, int i, int depth) {
  volatile float here[16];
  here[depth % 16] = x[(i + depth) % 4096];
  float below = here[depth % 16] == 123456.0f ? 0.0f : descend(x, i, depth + 1);
  return below + here[(depth + 1) % 16];
}

extern "C" __global__ void twice(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 4096) {
    y[i] = descend(x, i, 1);
  }
}
