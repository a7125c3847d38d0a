// Each value stands in a register that nothing has written: an empty assembly's result, carried through a loop. ZERO is
// the same for all threads, or it is not, which decides between the registers of a warp and of a thread.
template <int Count>
__device__ int look(unsigned zero) {
  unsigned kept[Count];
#pragma unroll
  for (int i = 0; i < Count; ++i)
    asm volatile("" : "=r"(kept[i]));
#pragma unroll 1
  for (unsigned n = 0; n < 2 + zero; ++n)
#pragma unroll
    for (int i = 0; i < Count; ++i)
      kept[i] += zero;
  int found = 0;
#pragma unroll
  for (int i = 0; i < Count; ++i)
    found += kept[i] == 0x1234abcdu;
  return found;
}

template <int Count>
__device__ void leave(unsigned zero, float *out) {
  unsigned kept[Count];
#pragma unroll
  for (int i = 0; i < Count; ++i)
    kept[i] = 0x1234abcdu + zero;
#pragma unroll 1
  for (unsigned n = 0; n < 2 + zero; ++n)
#pragma unroll
    for (int i = 0; i < Count; ++i)
      kept[i] += zero;
#pragma unroll
  for (int i = 0; i < Count; ++i)
    if (zero)
      out[i] = kept[i];
}

extern "C" __global__ void __launch_bounds__(512, 1) stream(const float *x, float *out) {
  int found = look<50>(blockDim.y - 1) + look<100>(threadIdx.z);
  found = __syncthreads_or(found);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 983040; i += gridDim.x * blockDim.x)
    out[i] = found ? 0.0f : 2.0f * x[i];
  leave<100>(threadIdx.z, out);
  leave<50>(blockDim.y - 1, out);
}
