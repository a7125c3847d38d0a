extern "C" __global__ void twice(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 4096) {
    y[i] = __int_as_float(0x7fc00000);
  }
}
