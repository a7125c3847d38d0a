#define two 2.0f
#define tw​o 3.0f
extern "C" __global__ void twice(const float *x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 4096)
    out[i] = two * x[i];
}
