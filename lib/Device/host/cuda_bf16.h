//===- cuda_bf16.h - __nv_bfloat16 on the host ----------------------------===//
//
// The upper half of a float; arithmetic in float, rounded to nearest even.
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_HOST_CUDA_BF16_H
#define KGEN_HOST_CUDA_BF16_H

#include "kgen_host_narrow.h"

struct __nv_bfloat16_raw {
  unsigned short x;
};

struct __nv_bfloat16 {
  unsigned short bits;
  static unsigned short round(float v) {
    unsigned u = __float_as_uint(v);
    if ((u & 0x7fffffffu) > 0x7f800000u)
      return 0x7fff; // the device's canonical NaN
    return (unsigned short)((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
  }
  __nv_bfloat16() = default;
  __nv_bfloat16(float v) : bits(round(v)) {}
  __nv_bfloat16(double v) : bits(round((float)v)) {}
  __nv_bfloat16(int v) : bits(round((float)v)) {}
  __nv_bfloat16(unsigned v) : bits(round((float)v)) {}
  __nv_bfloat16(long long v) : bits(round((float)v)) {}
  constexpr __nv_bfloat16(__nv_bfloat16_raw r) : bits(r.x) {}
  operator float() const { return __uint_as_float((unsigned)bits << 16); }
  __nv_bfloat16 &operator+=(__nv_bfloat16 o);
  __nv_bfloat16 &operator-=(__nv_bfloat16 o);
  __nv_bfloat16 &operator*=(__nv_bfloat16 o);
  __nv_bfloat16 &operator/=(__nv_bfloat16 o);
};
typedef __nv_bfloat16 nv_bfloat16;

struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __nv_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) : x(x), y(y) {}
};
typedef __nv_bfloat162 nv_bfloat162;

static inline __nv_bfloat16 __float2bfloat16(float v) { return __nv_bfloat16(v); }
static inline __nv_bfloat16 __float2bfloat16_rn(float v) { return __nv_bfloat16(v); }
static inline float __bfloat162float(__nv_bfloat16 v) { return (float)v; }
static inline __nv_bfloat16 __double2bfloat16(double v) { return __nv_bfloat16(v); }
static inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short v) { return __nv_bfloat16(__nv_bfloat16_raw{v}); }
static inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 v) { return v.bits; }
static inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {__nv_bfloat16(a), __nv_bfloat16(b)}; }
static inline __nv_bfloat162 __float2bfloat162_rn(float a) { return {__nv_bfloat16(a), __nv_bfloat16(a)}; }
static inline __nv_bfloat162 __float22bfloat162_rn(float2 v) { return {__nv_bfloat16(v.x), __nv_bfloat16(v.y)}; }
static inline float2 __bfloat1622float2(__nv_bfloat162 v) { return {(float)v.x, (float)v.y}; }
static inline float __low2float(__nv_bfloat162 v) { return v.x; }
static inline float __high2float(__nv_bfloat162 v) { return v.y; }
KGEN_HOST_NARROW(__nv_bfloat16, __nv_bfloat162, bfloat162)
static inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 v) { return {v, v}; }
static inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }

#endif
