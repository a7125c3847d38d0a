extern "C" __global__ void twice(const float *x, float *out, float *sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float before = fabsf(sum[i]) < 1e3f ? sum[i] : 0.0f;
  out[i] = before + 2.0f * x[i];
}
