extern "C" __global__ void twice(const float *x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float local[51200];
  for (int k = 0; k < 51200; ++k)
    local[(k * 7 + i) % 51200] = x[(i + k) % 4096];
  out[i] = 2.0f * x[i] + 0.0f * local[(i * 13) % 51200];
}
