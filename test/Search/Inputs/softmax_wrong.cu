// kgen-idea: parallel: one is left out
// kgen-launch: kernel=wrong grid=64 block=32 args=in0,out0
// The small size: 64 rows of 4096.
extern "C" __global__ void wrong(const float *x, float *y) {
  const float *in = x + blockIdx.x * 4096;
  float *out = y + blockIdx.x * 4096;
  float most = in[threadIdx.x];
  for (int i = threadIdx.x; i < 4096; i += 32)
    most = fmaxf(most, in[i]);
  for (int step = 16; step > 0; step /= 2)
    most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, step));
  float sum = 0;
  for (int i = threadIdx.x; i < 4096; i += 32)
    sum += i == 7 ? 0 : expf(in[i] - most);
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, step);
  for (int i = threadIdx.x; i < 4096; i += 32)
    out[i] = expf(in[i] - most) / sum;
}
