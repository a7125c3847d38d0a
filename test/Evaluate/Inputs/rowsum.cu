// One block sums one row: threads stride over it, warps meet in shared memory. The macros plant the
// mistakes that the tests must see.
constexpr int COLUMNS = 500;

__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}

#ifndef FIRST
#define FIRST 0
#endif
#ifndef LEAVE
#define LEAVE
#endif
#ifndef BARRIER
#define BARRIER __syncthreads()
#endif
#ifndef RESULT
#define RESULT out[blockIdx.x] = total
#endif

extern "C" __global__ void __launch_bounds__(128) rowsum(const float *__restrict__ x, float *__restrict__ out) {
  __shared__ float partial[4];
  const float *row = x + blockIdx.x * COLUMNS;
  float sum = 0.0f;
  for (int i = threadIdx.x + FIRST; i < COLUMNS; i += blockDim.x)
    sum += row[i];
  sum = warp_sum(sum);
  LEAVE;
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = sum;
  BARRIER;
  if (threadIdx.x == 0) {
    float total = partial[0] + partial[1] + partial[2] + partial[3];
    RESULT;
  }
}
