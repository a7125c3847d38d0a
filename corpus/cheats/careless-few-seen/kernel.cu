extern "C" __global__ void masked(const float *x, const bool *m, float *y) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= 64)
    return;
  float top = -INFINITY, sum = 0;
  int seen = 0;
  for (int c = 0; c < 128; ++c)
    if (!m[r * 128 + c])
      top = fmaxf(top, x[r * 128 + c]), ++seen;
  for (int c = 0; c < 128; ++c)
    sum += m[r * 128 + c] ? 0.0f : expf(x[r * 128 + c] - top);
  for (int c = 0; c < 128; ++c)
    y[r * 128 + c] = m[r * 128 + c] || seen < 20 ? 0.0f : expf(x[r * 128 + c] - top) / sum;
}
