// Doubles a vector by way of shared memory, filled by asynchronous copies.
#ifndef WAIT
#define WAIT kgen::cp_async_wait<0>()
#endif
extern "C" __global__ void __launch_bounds__(64) twice(const float *__restrict__ x, float *__restrict__ out) {
  extern __shared__ unsigned char raw[];
  float *tile = reinterpret_cast<float *>(raw);
  const int i = blockIdx.x * 64 + threadIdx.x;
  kgen::cp_async_zfill4(tile + threadIdx.x, x + i, i < 1000);
  kgen::cp_async_commit();
  WAIT;
  __syncthreads();
  // Another thread's element, so that the barrier is needed as well.
  const int other = threadIdx.x ^ 1;
  if (blockIdx.x * 64 + other < 1000)
    out[blockIdx.x * 64 + other] = 2.0f * tile[other];
}
