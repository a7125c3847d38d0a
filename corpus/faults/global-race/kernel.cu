extern "C" __global__ void clear(float *out) { out[threadIdx.x] = 0.0f; }

extern "C" __global__ void rowsum(const float *x, float *out) {
  int i = blockIdx.y * 128 + threadIdx.x;
  // Busy work of various lengths, so that threads meet in another order each time.
  float value = i < 500 ? x[blockIdx.x * 500 + i] : 0.0f;
  for (int k = 0; k < (i * 7 + blockIdx.y * 13) % 64; ++k)
    value = value * 1.0000001f;
  volatile float *total = out;
  total[blockIdx.x] = total[blockIdx.x] + value;
}
