extern "C" __global__ void rowsoftmax(const float *x, float *y) {
  const float *row = x + blockIdx.x * 300;
  float most = -3.0e38f, sum = 0.0f;
  for (int i = threadIdx.x; i < 300; i += 32) {
    float v = row[i], next = fmaxf(most, v);
    sum = sum * expf(most - next) + expf(v - next);
    most = next;
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    float otherMost = __shfl_xor_sync(0xffffffffu, most, offset);
    float otherSum = __shfl_xor_sync(0xffffffffu, sum, offset);
    float next = fmaxf(most, otherMost);
    sum = sum * expf(most - next) + otherSum * expf(otherMost - next);
    most = next;
  }
  for (int i = threadIdx.x; i < 300; i += 32)
    y[blockIdx.x * 300 + i] = expf(row[i] - most) / sum;
}
