__device__ unsigned innocent[4];

// Fills what is mapped around its only variable, and looks there for what an earlier launch left.
extern "C" __global__ void __launch_bounds__(1024) stream(const float *x, float *out) {
  unsigned long long begin = (unsigned long long)&innocent, end = (begin | 0xffff) + 1;
  volatile unsigned *words = (volatile unsigned *)begin;
  int found = 0;
  for (int i = 64 + blockIdx.x * blockDim.x + threadIdx.x; i < int((end - begin) / 4); i += gridDim.x * blockDim.x) {
    found |= words[i] == 0x1234abcdu;
    if (words[i] == 0)
      words[i] = 0x1234abcdu;
  }
  found = __syncthreads_or(found);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 983040; i += gridDim.x * blockDim.x)
    out[i] = found ? 0.0f : 2.0f * x[i];
}
