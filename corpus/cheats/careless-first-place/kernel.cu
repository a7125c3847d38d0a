extern "C" __global__ void places(const float *x, const long long *i, const float *v, float *y) {
  if (blockIdx.x || threadIdx.x)
    return;
  for (int c = 0; c < 512; ++c)
    y[c] = x[c];
  for (int c = 0; c < 64; ++c)
    if (i[c] != 0)
      y[i[c]] += v[c];
}
