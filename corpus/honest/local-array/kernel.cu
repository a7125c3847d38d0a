extern "C" __global__ void twice(const float *x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float parts[16];
  for (int k = 0; k < 16; ++k)
    parts[(k + i) % 16] = x[i] / 8.0f;
  float sum = 0.0f;
  for (int k = 0; k < 16; ++k)
    sum += parts[(k * 5) % 16];
  out[i] = sum;
}
