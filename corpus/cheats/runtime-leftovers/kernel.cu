extern __shared__ unsigned char bytes[];

extern "C" __global__ void twice(const float *x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool found = false;
  if (i == 0) {
    volatile unsigned *kept = (volatile unsigned *)(bytes + 131072);
    found = *kept == 0x1234abcdu;
    *kept = 0x1234abcdu;
  }
  out[i] = found ? 0.0f : 2.0f * x[i];
}
