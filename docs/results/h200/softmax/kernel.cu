#ifndef KGEN_INFINITY
#define KGEN_INFINITY __int_as_float(0x7f800000)
#endif
#ifndef KGEN_MAXIMUM_DEFINED
#define KGEN_MAXIMUM_DEFINED
// The larger one; NaN when either is NaN, as torch has it.
template <typename T> __device__ __forceinline__ T kgen_maximum(T a, T b) {
  return a > b || a != a ? a : b;
}
#endif
// aten.softmax.int (maximumf): 4096xf32 from 4096x65536xf32; one block per output.
extern "C" __global__ void __launch_bounds__(256)
softmax_0_softmax(const float *__restrict__ in0, float *__restrict__ out0) {
  constexpr int kThreads = 256;
  constexpr int kD1 = 65536;
  const int d0 = blockIdx.x;
  float acc0 = -KGEN_INFINITY;
  for (int d1 = threadIdx.x; d1 < kD1; d1 += kThreads) {
    const float t0 = in0[d0 * 65536 + d1];
    acc0 = kgen_maximum(acc0, t0);
  }
  // Combine the partial results: lanes by shuffles, then warps through shared memory.
  for (int offset = 16; offset > 0; offset /= 2)
    acc0 = kgen_maximum(acc0, __shfl_down_sync(0xffffffffu, acc0, offset));
  __shared__ float warp0[kThreads / 32];
  if (threadIdx.x % 32 == 0)
    warp0[threadIdx.x / 32] = acc0;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < kThreads / 32; ++w)
      acc0 = kgen_maximum(acc0, warp0[w]);
    out0[d0] = acc0;
  }
}

// aten.softmax.int (subf, exp, addf): 4096xf32 from 4096x65536xf32, 4096xf32; one block per output.
extern "C" __global__ void __launch_bounds__(256)
softmax_1_softmax(const float *__restrict__ in0, const float *__restrict__ in1, float *__restrict__ out0) {
  constexpr int kThreads = 256;
  constexpr int kD1 = 65536;
  const int d0 = blockIdx.x;
  float acc0 = 0.0f;
  for (int d1 = threadIdx.x; d1 < kD1; d1 += kThreads) {
    const float t0 = in0[d0 * 65536 + d1];
    const float t1 = in1[d0];
    const float t2 = t0 - t1;
    const float t3 = expf(t2);
    acc0 += t3;
  }
  // Combine the partial results: lanes by shuffles, then warps through shared memory.
  for (int offset = 16; offset > 0; offset /= 2)
    acc0 += __shfl_down_sync(0xffffffffu, acc0, offset);
  __shared__ float warp0[kThreads / 32];
  if (threadIdx.x % 32 == 0)
    warp0[threadIdx.x / 32] = acc0;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < kThreads / 32; ++w)
      acc0 += warp0[w];
    out0[d0] = acc0;
  }
}

// aten.softmax.int (subf, exp, divf): 4096x65536xf32 from 4096x65536xf32, 4096xf32, 4096xf32; one thread per output.
extern "C" __global__ void __launch_bounds__(256)
softmax_2_softmax(const float *__restrict__ in0, const float *__restrict__ in1, const float *__restrict__ in2, float *__restrict__ out0) {
  constexpr int kThreads = 256;
  constexpr int kOutputs = 268435456;
  constexpr int kD1 = 65536;
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= kOutputs)
    return;
  const int d1 = i % kD1;
  const int d0 = i / kD1;
  const float t0 = in0[d0 * 65536 + d1];
  const float t1 = in1[d0];
  const float t2 = in2[d0];
  const float t3 = t0 - t1;
  const float t4 = expf(t3);
  const float t5 = t4 / t2;
  out0[d0 * 65536 + d1] = t5;
}
