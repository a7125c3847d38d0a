// kgen-idea: parallel: a warp for each row
// kgen-launch: kernel=row_by_hand grid=16 block=32 args=in0,out0
extern "C" __global__ void row_by_hand(const float *x, float *y) {
  const float *in = x + blockIdx.x * 256;
  float *out = y + blockIdx.x * 256;
  float most = in[threadIdx.x];
  for (int i = threadIdx.x; i < 256; i += 32)
    most = fmaxf(most, in[i]);
  for (int step = 16; step > 0; step /= 2)
    most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, step));
  float sum = 0;
  for (int i = threadIdx.x; i < 256; i += 32)
    sum += expf(in[i] - most);
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, step);
  for (int i = threadIdx.x; i < 256; i += 32)
    out[i] = expf(in[i] - most) / sum;
}
