extern "C" __global__ void positive(const float *x, unsigned char *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 4096)
    y[i] = x[i] > 0 ? 2 : 0;
}
