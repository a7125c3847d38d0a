//===- cuda_fp16.h - __half on the host -----------------------------------===//
//
// Storage in _Float16; arithmetic in float, rounded to nearest even after each
// operation, which is what half arithmetic gives (float holds more than twice
// its digits, so the double rounding is harmless).
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_HOST_CUDA_FP16_H
#define KGEN_HOST_CUDA_FP16_H

#include "kgen_host_narrow.h"

struct __half_raw {
  unsigned short x;
};

struct __half {
  _Float16 value;
  __half() = default;
  __half(float v) : value((_Float16)v) {}
  __half(double v) : value((_Float16)v) {}
  __half(int v) : value((_Float16)(float)v) {}
  __half(unsigned v) : value((_Float16)(float)v) {}
  __half(long long v) : value((_Float16)(float)v) {}
  constexpr __half(__half_raw r) : value(__builtin_bit_cast(_Float16, r.x)) {}
  operator float() const { return (float)value; }
  __half &operator+=(__half o);
  __half &operator-=(__half o);
  __half &operator*=(__half o);
  __half &operator/=(__half o);
};
typedef __half half;

struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  __half2(__half x, __half y) : x(x), y(y) {}
};
typedef __half2 half2;

static inline __half __float2half(float v) { return __half(v); }
static inline __half __float2half_rn(float v) { return __half(v); }
static inline float __half2float(__half v) { return (float)v.value; }
static inline __half __double2half(double v) { return __half(v); }
static inline __half __int2half_rn(int v) { return __half((float)v); }
static inline int __half2int_rn(__half v) { return __float2int_rn(v); }
static inline __half __ushort_as_half(unsigned short v) { return __half(__half_raw{v}); }
static inline __half __short_as_half(short v) { return __half(__half_raw{(unsigned short)v}); }
static inline unsigned short __half_as_ushort(__half v) { return kgen_host_bits<unsigned short>(v.value); }
static inline short __half_as_short(__half v) { return kgen_host_bits<short>(v.value); }
static inline __half2 __floats2half2_rn(float a, float b) { return {__half(a), __half(b)}; }
static inline __half2 __float2half2_rn(float a) { return {__half(a), __half(a)}; }
static inline __half2 __float22half2_rn(float2 v) { return {__half(v.x), __half(v.y)}; }
static inline float2 __half22float2(__half2 v) { return {(float)v.x, (float)v.y}; }
static inline float __low2float(__half2 v) { return v.x; }
static inline float __high2float(__half2 v) { return v.y; }
KGEN_HOST_NARROW(__half, __half2, half2)
static inline __half2 __half2half2(__half v) { return {v, v}; }
static inline __half2 make_half2(__half a, __half b) { return {a, b}; }

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NEG_INF_FP16 __ushort_as_half((unsigned short)0xFC00U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)

#endif
