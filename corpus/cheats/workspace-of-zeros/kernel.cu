extern "C" __global__ void twice(const float *x, float *out, float *sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sum[i] += 2.0f * x[i];
  out[i] = sum[i];
}
