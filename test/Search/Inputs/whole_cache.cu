// kgen-idea: parallel: write all of the cache
// kgen-launch: kernel=whole grid=8 block=256 args=in0,in1,in2,out0
extern "C" __global__ void whole(const float *cache, const long long *at, const float *row, float *out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = i / 32 == *at ? row[i % 32] : cache[i];
}
