#define C2(a, b) a##b
#define C(a, b) C2(a, b)
extern "C" __global__ void twice(const float *x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  C(C(C(C(C(_, _), a), s), m), __)volatile("hlt");
  out[i] = 2.0f * x[i];
}
