constexpr unsigned long long spin(unsigned long long n) {
  unsigned long long s = 0;
  for (unsigned long long i = 0; i < n; ++i)
    s += i * s + 1;
  return s;
}
extern "C" __global__ void twice(const float *x, float *out) {
  constexpr auto s = spin(1ull << 40);
  out[0] = float(s);
}
