extern "C" __global__ void parts(const float *x, float *part) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < 125; i += 32)
    sum += x[blockIdx.x * 500 + blockIdx.y * 125 + i];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (threadIdx.x == 0)
    part[blockIdx.x * 4 + blockIdx.y] = sum;
}

extern "C" __global__ void rowsum(const float *part, float *out) {
  int row = threadIdx.x;
  if (row < 24)
    out[row] = (part[4 * row] + part[4 * row + 1]) + (part[4 * row + 2] + part[4 * row + 3]);
}
