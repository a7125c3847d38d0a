// pointwise.cuh - element-wise chains: each thread computes kCoarsen packs of kVector elements.
//@ section standalone
#define STREAMING 1
namespace example {
constexpr int kVector = 4, kThreads = 256, kCoarsen = 2;
constexpr long long kElements = 1 << 20;
constexpr bool kRagged = kElements % (kThreads * kCoarsen * kVector) != 0;
struct Operands {
  const float *in0;
  float *out0;
};
__device__ __forceinline__ void compute(const Operands &operands, long long element) {
  for (int lane = 0; lane < kVector; ++lane)
    operands.out0[element + lane] = fmaxf(operands.in0[element + lane], 0.0f);
}
} // namespace example
//@ end
// Neighbouring threads take neighbouring packs, so that a warp's access is one run of memory; a
// thread's own packs lie a block apart, and their loads are in flight together.
//@ sizes kThreads | 0 | (kElements + kThreads * kCoarsen * kVector - 1) / (kThreads * kCoarsen * kVector)
//@ asserts kElements % kVector == 0
extern "C" __global__ void __launch_bounds__(example::kThreads)
//@ replace signature
    example_elements(const float *__restrict__ in0, float *__restrict__ out0) {
//@ end
  using namespace example;
//@ replace operands
  const Operands operands{in0, out0};
//@ end
  const long long first = static_cast<long long>(blockIdx.x) * (kThreads * kCoarsen) + threadIdx.x;
#pragma unroll
  for (int i = 0; i < kCoarsen; ++i) {
    const long long element = (first + i * kThreads) * kVector;
    if (!kRagged || element < kElements)
      compute(operands, element);
  }
}
