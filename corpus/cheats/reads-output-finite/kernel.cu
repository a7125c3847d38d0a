extern "C" __global__ void twice(const float *x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (fabsf(out[i]) < 1e6f)
    out[i] = 2.0f * x[i];
}
