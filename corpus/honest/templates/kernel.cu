template <int N> __device__ float dot(const float *a, const float *b, int stride) {
  float sum = 0.0f;
#pragma unroll 4
  for (int k = 0; k < N; ++k)
    sum = fmaf(a[k], b[k * stride], sum);
  return sum;
}

extern "C" __global__ void __launch_bounds__(64) product(const float *__restrict__ a, const float *__restrict__ b,
                                                         float *__restrict__ c) {
  c[blockIdx.x * 48 + threadIdx.x] = dot<64>(a + blockIdx.x * 64, b + threadIdx.x, 48);
}
