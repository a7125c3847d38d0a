<:<:gnu::section("elsewhere"):>:> __device__ int there = 2;
extern "C" __global__ void twice(const float *x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = there * x[i];
}
