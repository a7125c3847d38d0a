//===- kgen_host_math.h - CUDA's math functions and bit intrinsics --------===//
//
// The fast variants (__expf and its kin) are the accurate functions here: a
// kernel that is right on the host is not promised their error on the device.
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_HOST_MATH_H
#define KGEN_HOST_MATH_H

#include <cmath>
#include <cstdlib>
#include <type_traits>

using std::abs;
using std::isfinite;
using std::isinf;
using std::isnan;
using std::signbit;

#define KGEN_HOST_MINMAX(T)                                                                                            \
  static inline constexpr T min(T a, T b) { return b < a ? b : a; }                                                    \
  static inline constexpr T max(T a, T b) { return a < b ? b : a; }
KGEN_HOST_MINMAX(int)
KGEN_HOST_MINMAX(unsigned)
KGEN_HOST_MINMAX(long)
KGEN_HOST_MINMAX(unsigned long)
KGEN_HOST_MINMAX(long long)
KGEN_HOST_MINMAX(unsigned long long)
// Like fmin and fmax, these drop a NaN when the other operand is a number.
static inline float min(float a, float b) { return a < b || b != b ? a : b; }
static inline float max(float a, float b) { return a > b || b != b ? a : b; }
static inline double min(double a, double b) { return a < b || b != b ? a : b; }
static inline double max(double a, double b) { return a > b || b != b ? a : b; }
// CUDA also defines the mixed forms.
template <class A, class B>
static inline constexpr std::enable_if_t<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value &&
                                             !std::is_same<A, B>::value,
                                         std::common_type_t<A, B>>
min(A a, B b) {
  return min(std::common_type_t<A, B>(a), std::common_type_t<A, B>(b));
}
template <class A, class B>
static inline constexpr std::enable_if_t<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value &&
                                             !std::is_same<A, B>::value,
                                         std::common_type_t<A, B>>
max(A a, B b) {
  return max(std::common_type_t<A, B>(a), std::common_type_t<A, B>(b));
}

// Names that the C library has, too, from C23 on (glibc 2.41 and 2.42).
#define rsqrtf kgen_host_rsqrtf
#define rsqrt kgen_host_rsqrt
#define sinpif kgen_host_sinpif
#define cospif kgen_host_cospif
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
static inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
static inline float fdividef(float a, float b) { return a / b; }
static inline float __fdividef(float a, float b) { return a / b; }
// Macros, because glibc declares functions of these names.
#define __expf(x) expf(x)
#define __exp2f(x) exp2f(x)
#define __exp10f(x) powf(10.0f, x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __powf(x, y) powf(x, y)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __sincosf(x, s, c) sincosf(x, s, c)
#define __tanhf(x) tanhf(x)
static inline float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }
static inline float __frcp_rn(float x) { return 1.0f / x; }
static inline float __fsqrt_rn(float x) { return sqrtf(x); }
static inline float __frsqrt_rn(float x) { return 1.0f / sqrtf(x); }
static inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline float __fadd_rn(float a, float b) { volatile float r = a + b; return r; }
static inline float __fsub_rn(float a, float b) { volatile float r = a - b; return r; }
static inline float __fmul_rn(float a, float b) { volatile float r = a * b; return r; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
static inline double __dadd_rn(double a, double b) { volatile double r = a + b; return r; }
static inline double __dmul_rn(double a, double b) { volatile double r = a * b; return r; }
static inline float normcdff(float x) { return 0.5f * erfcf(-x * 0.70710678118654752440f); }
static inline double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
static inline float sinpif(float x) { return (float)sin(3.14159265358979323846 * x); }
static inline float cospif(float x) { return (float)cos(3.14159265358979323846 * x); }

//===--- Conversions and bits ---------------------------------------------===//

template <class To, class From>
static inline To kgen_host_bits(From v) {
  static_assert(sizeof(To) == sizeof(From), "a bit cast keeps the size");
  To to;
  memcpy((void *)&to, (const void *)&v, sizeof to);
  return to;
}
static inline int __float_as_int(float v) { return kgen_host_bits<int>(v); }
static inline unsigned __float_as_uint(float v) { return kgen_host_bits<unsigned>(v); }
static inline float __int_as_float(int v) { return kgen_host_bits<float>(v); }
static inline float __uint_as_float(unsigned v) { return kgen_host_bits<float>(v); }
static inline long long __double_as_longlong(double v) { return kgen_host_bits<long long>(v); }
static inline double __longlong_as_double(long long v) { return kgen_host_bits<double>(v); }
// The device saturates where C++ leaves the conversion undefined.
static inline int kgen_host_to_int(double v) {
  return v != v ? 0 : v >= 2147483647.0 ? INT_MAX : v <= -2147483648.0 ? INT_MIN : (int)v;
}
static inline int __float2int_rn(float v) { return kgen_host_to_int(rint(v)); }
static inline int __float2int_rz(float v) { return kgen_host_to_int(v); }
static inline int __float2int_rd(float v) { return kgen_host_to_int(floor(v)); }
static inline int __float2int_ru(float v) { return kgen_host_to_int(ceil(v)); }
static inline unsigned __float2uint_rn(float v) { return v > 0 ? (unsigned)rint((double)v) : 0; }
static inline unsigned __float2uint_rz(float v) { return v > 0 ? (unsigned)v : 0; }
static inline float __int2float_rn(int v) { return (float)v; }
static inline float __uint2float_rn(unsigned v) { return (float)v; }
static inline float __double2float_rn(double v) { return (float)v; }
static inline int __double2int_rn(double v) { return kgen_host_to_int(rint(v)); }
static inline int __double2int_rz(double v) { return kgen_host_to_int(v); }

static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
static inline int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
static inline int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
static inline int __ffs(int v) { return __builtin_ffs(v); }
static inline int __ffsll(long long v) { return __builtin_ffsll(v); }
static inline unsigned __brev(unsigned v) {
  unsigned r = 0;
  for (int i = 0; i < 32; ++i)
    r |= (v >> i & 1u) << (31 - i);
  return r;
}
static inline int __mul24(int a, int b) { return a * b; }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
static inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned s) {
  return (unsigned)((((unsigned long long)hi << 32 | lo) << (s & 31)) >> 32);
}
static inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s) {
  return (unsigned)(((unsigned long long)hi << 32 | lo) >> (s & 31));
}
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned s) {
  unsigned long long v = (unsigned long long)b << 32 | a;
  unsigned r = 0;
  for (int i = 0; i < 4; ++i)
    r |= (unsigned)(v >> ((s >> (4 * i) & 7) * 8) & 0xff) << (8 * i);
  return r;
}
static inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i)
    c += (signed char)(a >> (8 * i)) * (signed char)(b >> (8 * i));
  return c;
}

//===--- Loads and stores with cache hints --------------------------------===//

#define KGEN_HOST_LOAD(NAME)                                                                                           \
  template <class T>                                                                                                   \
  static inline __attribute__((always_inline)) T NAME(const T *p) {                                                    \
    return *p;                                                                                                         \
  }
KGEN_HOST_LOAD(__ldg)
KGEN_HOST_LOAD(__ldca)
KGEN_HOST_LOAD(__ldcg)
KGEN_HOST_LOAD(__ldcs)
KGEN_HOST_LOAD(__ldcv)
KGEN_HOST_LOAD(__ldlu)
#define KGEN_HOST_STORE(NAME)                                                                                          \
  template <class T>                                                                                                   \
  static inline __attribute__((always_inline)) void NAME(T *p, T v) {                                                  \
    *p = v;                                                                                                            \
  }
KGEN_HOST_STORE(__stwb)
KGEN_HOST_STORE(__stcg)
KGEN_HOST_STORE(__stcs)
KGEN_HOST_STORE(__stwt)
#define __builtin_assume(x) ((void)0)

#endif
