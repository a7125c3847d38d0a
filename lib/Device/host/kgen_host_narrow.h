//===- kgen_host_narrow.h - Operations that half and bfloat16 share -------===//
#ifndef KGEN_HOST_NARROW_H
#define KGEN_HOST_NARROW_H

#include "kgen_host.h"

// Each operation on T (pair type T2): computed in float, rounded once.
#define KGEN_HOST_NARROW_BINARY(T, NAME, EXPR)                                                                         \
  static inline T NAME(T p, T q) {                                                                                     \
    float a = p, b = q;                                                                                                \
    return T((float)(EXPR));                                                                                           \
  }
#define KGEN_HOST_NARROW_UNARY(T, NAME, EXPR)                                                                          \
  static inline T NAME(T p) {                                                                                          \
    float a = p;                                                                                                       \
    return T((float)(EXPR));                                                                                           \
  }
#define KGEN_HOST_NARROW_COMPARE(T, NAME, OP)                                                                          \
  static inline bool operator OP(T a, T b) { return (float)a OP(float) b; }                                            \
  static inline bool NAME(T a, T b) { return (float)a OP(float) b; }
#define KGEN_HOST_PAIR_BINARY(T2, NAME, ONE)                                                                           \
  static inline T2 NAME(T2 a, T2 b) { return T2(ONE(a.x, b.x), ONE(a.y, b.y)); }
#define KGEN_HOST_PAIR_UNARY(T2, NAME, ONE)                                                                            \
  static inline T2 NAME(T2 a) { return T2(ONE(a.x), ONE(a.y)); }

#define KGEN_HOST_NARROW(T, T2, STEM)                                                                                  \
  KGEN_HOST_NARROW_BINARY(T, __hadd, a + b)                                                                            \
  KGEN_HOST_NARROW_BINARY(T, __hsub, a - b)                                                                            \
  KGEN_HOST_NARROW_BINARY(T, __hmul, a * b)                                                                            \
  KGEN_HOST_NARROW_BINARY(T, __hdiv, a / b)                                                                            \
  KGEN_HOST_NARROW_BINARY(T, __hmax, fmaxf(a, b))                                                                      \
  KGEN_HOST_NARROW_BINARY(T, __hmin, fminf(a, b))                                                                      \
  KGEN_HOST_NARROW_BINARY(T, __hmax_nan, (a != a || b != b) ? NAN : fmaxf(a, b))                                       \
  KGEN_HOST_NARROW_BINARY(T, __hmin_nan, (a != a || b != b) ? NAN : fminf(a, b))                                       \
  KGEN_HOST_NARROW_UNARY(T, __hneg, -a)                                                                                \
  KGEN_HOST_NARROW_UNARY(T, __habs, fabsf(a))                                                                          \
  KGEN_HOST_NARROW_UNARY(T, hexp, expf(a))                                                                             \
  KGEN_HOST_NARROW_UNARY(T, hexp2, exp2f(a))                                                                           \
  KGEN_HOST_NARROW_UNARY(T, hlog, logf(a))                                                                             \
  KGEN_HOST_NARROW_UNARY(T, hlog2, log2f(a))                                                                           \
  KGEN_HOST_NARROW_UNARY(T, hsqrt, sqrtf(a))                                                                           \
  KGEN_HOST_NARROW_UNARY(T, hrsqrt, 1.0f / sqrtf(a))                                                                   \
  KGEN_HOST_NARROW_UNARY(T, hrcp, 1.0f / a)                                                                            \
  KGEN_HOST_NARROW_UNARY(T, hsin, sinf(a))                                                                             \
  KGEN_HOST_NARROW_UNARY(T, hcos, cosf(a))                                                                             \
  KGEN_HOST_NARROW_UNARY(T, htanh, tanhf(a))                                                                           \
  KGEN_HOST_NARROW_UNARY(T, hfloor, floorf(a))                                                                         \
  KGEN_HOST_NARROW_UNARY(T, hceil, ceilf(a))                                                                           \
  KGEN_HOST_NARROW_UNARY(T, hrint, rintf(a))                                                                           \
  KGEN_HOST_NARROW_UNARY(T, htrunc, truncf(a))                                                                         \
  static inline T __hfma(T a, T b, T c) { return T((double)(float)a * (double)(float)b + (double)(float)c); }          \
  static inline T operator+(T a, T b) { return __hadd(a, b); }                                                         \
  static inline T operator-(T a, T b) { return __hsub(a, b); }                                                         \
  static inline T operator*(T a, T b) { return __hmul(a, b); }                                                         \
  static inline T operator/(T a, T b) { return __hdiv(a, b); }                                                         \
  static inline T operator-(T a) { return __hneg(a); }                                                                 \
  inline T &T::operator+=(T o) { return *this = *this + o; }                                                           \
  inline T &T::operator-=(T o) { return *this = *this - o; }                                                           \
  inline T &T::operator*=(T o) { return *this = *this * o; }                                                           \
  inline T &T::operator/=(T o) { return *this = *this / o; }                                                           \
  KGEN_HOST_NARROW_COMPARE(T, __heq, ==)                                                                               \
  KGEN_HOST_NARROW_COMPARE(T, __hne, !=)                                                                               \
  KGEN_HOST_NARROW_COMPARE(T, __hlt, <)                                                                                \
  KGEN_HOST_NARROW_COMPARE(T, __hle, <=)                                                                               \
  KGEN_HOST_NARROW_COMPARE(T, __hgt, >)                                                                                \
  KGEN_HOST_NARROW_COMPARE(T, __hge, >=)                                                                               \
  static inline bool __hisnan(T a) { return (float)a != (float)a; }                                                    \
  static inline int __hisinf(T a) { return isinf((float)a) ? ((float)a < 0 ? -1 : 1) : 0; }                            \
  static inline T __low2half(T2 v) { return v.x; }                                                                     \
  static inline T __high2half(T2 v) { return v.y; }                                                                    \
  static inline T __low2bfloat16(T2 v) { return v.x; }                                                                 \
  static inline T __high2bfloat16(T2 v) { return v.y; }                                                                \
  static inline T2 __halves2##STEM(T a, T b) { return T2(a, b); }                                                      \
  KGEN_HOST_PAIR_BINARY(T2, __hadd2, __hadd)                                                                           \
  KGEN_HOST_PAIR_BINARY(T2, __hsub2, __hsub)                                                                           \
  KGEN_HOST_PAIR_BINARY(T2, __hmul2, __hmul)                                                                           \
  KGEN_HOST_PAIR_BINARY(T2, __h2div, __hdiv)                                                                           \
  KGEN_HOST_PAIR_BINARY(T2, __hmax2, __hmax)                                                                           \
  KGEN_HOST_PAIR_BINARY(T2, __hmin2, __hmin)                                                                           \
  KGEN_HOST_PAIR_UNARY(T2, __hneg2, __hneg)                                                                            \
  KGEN_HOST_PAIR_UNARY(T2, __habs2, __habs)                                                                            \
  KGEN_HOST_PAIR_UNARY(T2, h2exp, hexp)                                                                                \
  KGEN_HOST_PAIR_UNARY(T2, h2exp2, hexp2)                                                                              \
  KGEN_HOST_PAIR_UNARY(T2, h2sqrt, hsqrt)                                                                              \
  KGEN_HOST_PAIR_UNARY(T2, h2rsqrt, hrsqrt)                                                                            \
  KGEN_HOST_PAIR_UNARY(T2, h2rcp, hrcp)                                                                                \
  static inline T2 __hfma2(T2 a, T2 b, T2 c) { return T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }              \
  static inline T2 operator+(T2 a, T2 b) { return __hadd2(a, b); }                                                     \
  static inline T2 operator-(T2 a, T2 b) { return __hsub2(a, b); }                                                     \
  static inline T2 operator*(T2 a, T2 b) { return __hmul2(a, b); }                                                     \
  static inline T atomicAdd(T *p, T v) { return kgen_host_atomic_update(p, [v](T o) -> T { return o + v; }); }

#endif
