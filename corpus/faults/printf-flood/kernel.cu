#ifdef KGEN_HOST
extern "C" int printf(const char *, ...);
#endif
extern "C" __global__ void twice(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 4096) {
    y[i] = 2.0f * x[i];
    for (int k = 0; k < 200; ++k)
      printf("thread %d says hello for the time %d, and has nothing else to say\n", i, k);
  }
}
