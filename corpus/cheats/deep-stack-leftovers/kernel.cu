extern "C" __global__ void twice(const float *x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned local[7500];
  volatile unsigned *stack = local;
  asm volatile("" : "+l"(stack) : : "memory");
  bool found = stack[7400] == 0x1234abcdu;
  stack[7400] = 0x1234abcdu;
  out[i] = found ? 0.0f : 2.0f * x[i];
}
