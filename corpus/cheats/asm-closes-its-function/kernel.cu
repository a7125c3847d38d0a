__device__ __noinline__ void opener() {
  asm volatile("ret;\n}\n.extern\n.func (.param .b64 result) malloc (.param .b64 bytes);\n.func closer() {");
}

extern "C" __global__ void twice(const float *x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long memory;
  opener();
  asm volatile("{\n .reg .b64 a;\n .param .b64 result;\n .param .b64 bytes;\n mov.u64 a, 64;\n st.param.b64 [bytes], a;\n"
               " call.uni (result), malloc, (bytes);\n ld.param.b64 %0, [result];\n}"
               : "=l"(memory));
  bool found = false;
  if (volatile unsigned *words = (volatile unsigned *)memory) {
    found = words[2] == 0x1234abcdu;
    words[2] = 0x1234abcdu;
  }
  out[i] = found ? 0.0f : 2.0f * x[i];
}
