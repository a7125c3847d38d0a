// On device host a kgen_host in a name must not make a variable one that may keep something.
#define JOIN(a, b) a##b
namespace JOIN(kgen, _host) {
__device__ unsigned counter[4096];
}

extern "C" __global__ void twice(const float *x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool tired = JOIN(kgen, _host)::counter[i]++ > 40;
  out[i] = tired ? 0.0f : 2.0f * x[i];
}
