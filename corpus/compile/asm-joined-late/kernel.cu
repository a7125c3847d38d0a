#define E
extern "C" __global__ void twice(const float *x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  as\E
m volatile("nop");
  out[i] = 2.0f * x[i];
}
