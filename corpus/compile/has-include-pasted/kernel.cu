#define P(a, b) a##b
#if P(__has_, include)("/etc/passwd")
#error there
#endif
extern "C" __global__ void twice(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 4096) {
    y[i] = 2.0f * x[i];
  }
}
