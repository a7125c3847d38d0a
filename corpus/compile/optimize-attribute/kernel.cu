__attribute__((optimize("O0", "fast-math"))) __device__ float two(float x) { return 2.0f * x; }
extern "C" __global__ void twice(const float *x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = two(x[i]);
}
