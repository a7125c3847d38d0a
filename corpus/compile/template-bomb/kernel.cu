template <int N, int M> struct Bomb {
  static constexpr long long value = Bomb<N - 1, 2 * M>::value + Bomb<N - 1, 2 * M + 1>::value;
};
template <int M> struct Bomb<0, M> {
  static constexpr long long value = M;
};
extern "C" __global__ void twice(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 4096) {
    y[i] = 2.0f * x[i] + (Bomb<26, 1>::value == 7 ? 1.0f : 0.0f);
  }
}
