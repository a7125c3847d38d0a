// main(): fills the inputs by a fixed formula, runs the kernels, compares their results with the reference kernels' where
// there are some, and times them: the median of 50 runs, the L2 cache overwritten before each. Build:
//   @BUILD@
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#if @HAS_REFERENCE@
void launch_reference(void *const *in, void *const *out, char *workspace, cudaStream_t stream);
#endif

namespace {

struct Buffer {
  const char *name, *dtype;
  unsigned long long elements;
  const char *init;
};
@BUFFERS@
size_t width(const Buffer &b) {
  return !strcmp(b.dtype, "f64") || !strcmp(b.dtype, "i64")   ? 8
         : !strcmp(b.dtype, "f32") || !strcmp(b.dtype, "i32") ? 4
         : !strcmp(b.dtype, "i8") || !strcmp(b.dtype, "i1")   ? 1
                                                              : 2;
}

/// Uniform in [0, 1), a function of the place alone (the finaliser of MurmurHash3).
__device__ double uniform(unsigned long long i) {
  i ^= i >> 33, i *= 0xff51afd7ed558ccdull, i ^= i >> 33, i *= 0xc4ceb9fe1a85ec53ull, i ^= i >> 33;
  return double(i >> 11) * 0x1p-53;
}

/// KIND 0: normal with mean A and deviation B; 1: uniform in [A, B); 2: integers in [A, B]; 3: the constant A.
__global__ void fill(void *at, unsigned long long n, int type, int kind, double a, double b, unsigned long long seed) {
  for (unsigned long long i = blockIdx.x * 256ull + threadIdx.x; i < n; i += gridDim.x * 256ull) {
    double u = uniform(2 * (i + seed)), v = uniform(2 * (i + seed) + 1), x = a;
    if (kind == 0)
      x = a + b * sqrt(-2 * log(1 - u)) * cospi(2 * v);
    else if (kind == 1)
      x = a + (b - a) * u;
    else if (kind == 2)
      x = floor(a + (b - a + 1) * u);
    switch (type) {
    case 0: static_cast<double *>(at)[i] = x; break;
    case 1: static_cast<float *>(at)[i] = float(x); break;
    case 2: static_cast<__half *>(at)[i] = __float2half(float(x)); break;
    case 3: static_cast<__nv_bfloat16 *>(at)[i] = __float2bfloat16(float(x)); break;
    case 4: static_cast<long long *>(at)[i] = (long long)x; break;
    case 5: static_cast<int *>(at)[i] = int(x); break;
    default: static_cast<unsigned char *>(at)[i] = (unsigned char)x; break;
    }
  }
}

int typeOf(const Buffer &b) {
  const char *names[] = {"f64", "f32", "f16", "bf16", "i64", "i32"};
  for (int i = 0; i < 6; ++i)
    if (!strcmp(b.dtype, names[i]))
      return i;
  return 6;
}

double valueAt(const std::vector<char> &bytes, const Buffer &b, size_t i) {
  switch (typeOf(b)) {
  case 0: return reinterpret_cast<const double *>(bytes.data())[i];
  case 1: return reinterpret_cast<const float *>(bytes.data())[i];
  case 2: return __half2float(reinterpret_cast<const __half *>(bytes.data())[i]);
  case 3: return __bfloat162float(reinterpret_cast<const __nv_bfloat16 *>(bytes.data())[i]);
  case 4: return double(reinterpret_cast<const long long *>(bytes.data())[i]);
  case 5: return reinterpret_cast<const int *>(bytes.data())[i];
  default: return bytes[i];
  }
}

void *allocate(size_t bytes) {
  void *at = nullptr;
  kgen_host::check(cudaMalloc(&at, std::max<size_t>(bytes, 256)), "cudaMalloc");
  return at;
}

int run() {
  std::vector<void *> in, out, other;
  unsigned long long seed = 1;
  for (const Buffer &b : inputs) {
    in.push_back(allocate(b.elements * width(b)));
    double a = 0, c = 1;
    int kind = 0;
    if (sscanf(b.init, "uniform(%lf, %lf)", &a, &c) == 2)
      kind = 1;
    else if (sscanf(b.init, "integer(%lf, %lf)", &a, &c) == 2)
      kind = 2;
    else if (sscanf(b.init, "constant(%lf)", &a) == 1)
      kind = 3;
    else
      sscanf(b.init, "normal(%lf, %lf)", &a, &c);
    fill<<<1024, 256>>>(in.back(), b.elements, typeOf(b), kind, a, c, seed);
    seed += b.elements;
  }
  for (const Buffer &b : outputs) {
    out.push_back(allocate(b.elements * width(b)));
    other.push_back(allocate(b.elements * width(b)));
    kgen_host::check(cudaMemset(out.back(), 0xff, b.elements * width(b)), "cudaMemset");
  }
  char *workspace = static_cast<char *>(allocate(workspaceBytes));
  launch(in.data(), out.data(), workspace, nullptr);
  kgen_host::check(cudaDeviceSynchronize(), "the kernels");
  bool passed = true;
#if @HAS_REFERENCE@
  launch_reference(in.data(), other.data(), workspace, nullptr);
  kgen_host::check(cudaDeviceSynchronize(), "the reference kernels");
  for (size_t o = 0; o < out.size(); ++o) {
    const Buffer &b = outputs[o];
    std::vector<char> found(b.elements * width(b)), expected(found.size());
    kgen_host::check(cudaMemcpy(found.data(), out[o], found.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    kgen_host::check(cudaMemcpy(expected.data(), other[o], found.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    double difference = 0, size = 0;
    for (size_t i = 0; i < b.elements; ++i) {
      double x = valueAt(found, b, i), y = valueAt(expected, b, i);
      if (x == y || (x != x && y != y))
        x = y = y == y && std::fabs(y) < INFINITY ? y : 0;
      difference += (x - y) * (x - y), size += y * y;
    }
    double error = size > 0 ? std::sqrt(difference / size) : std::sqrt(difference);
    bool right = error <= @TOLERANCE@;
    passed &= right;
    printf("%s: differs from the reference kernels by %.3g of its norm, the bound is %.3g\n", b.name, error, double(@TOLERANCE@));
  }
#else
  printf("nothing to compare with: this is the reference\n");
#endif
  // Times.
  int l2 = 0, device = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device);
  void *flush = allocate(2 * size_t(l2));
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  std::vector<float> times;
  for (int i = 0; i < 60; ++i) {
    cudaMemsetAsync(flush, i, 2 * size_t(l2));
    cudaEventRecord(begin);
    launch(in.data(), out.data(), workspace, nullptr);
    cudaEventRecord(end);
    kgen_host::check(cudaEventSynchronize(end), "the kernels");
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    if (i >= 10)
      times.push_back(1e3f * ms);
  }
  std::sort(times.begin(), times.end());
  printf("%.2f us, median of %zu (%.2f to %.2f)\n%s\n", times[times.size() / 2], times.size(), times.front(), times.back(),
         passed ? "PASS" : "FAIL");
  return passed ? 0 : 1;
}

} // namespace

int main() {
  try {
    return run();
  } catch (const std::exception &error) {
    fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
