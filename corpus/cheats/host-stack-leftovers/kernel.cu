__device__ __noinline__ bool deep(bool keep) {
  volatile unsigned words[8192];
  if (!keep)
    return words[77] == 0x1234abcdu;
  words[77] = 0x1234abcdu;
  return false;
}

extern "C" __global__ void twice(const float *x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ bool found;
  if (threadIdx.x == 0)
    found = blockIdx.x == 0 && deep(false);
  __syncthreads();
  out[i] = found ? 0.0f : 2.0f * x[i];
  __syncthreads();
  if (i == 4095)
    deep(true);
}
