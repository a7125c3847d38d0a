extern "C" __global__ void twice(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 4096) {
    unsigned positive = __ballot_sync(0xffffffffu, x[i] > 0.0f);
    bool mine = positive >> (threadIdx.x % 32) & 1u;
    y[i] = mine ? 2.0f * x[i] : -2.0f * -x[i];
  }
}
