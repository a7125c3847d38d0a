// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What element I of an input is: for the host, and in front of judge_kernels.cu for a card, to the same bits. So there
// is nothing here but integers and operations that IEEE 754 rounds in one way (+, *, /, sqrt, fma, conversions), and no
// product that rounds is added to anything but by fma(): a compiler may contract what it likes. Powers of two do not
// round.
#ifndef KGEN_DRAWN_ELEMENT_H
#define KGEN_DRAWN_ELEMENT_H

#if defined(__CUDACC__) || defined(KGEN_HOST)
#define KGEN_DRAW static __device__ __forceinline__
#define KGEN_DRAW_FMA fma
#define KGEN_DRAW_SQRT sqrt
#else
#define KGEN_DRAW static inline __attribute__((always_inline))
#define KGEN_DRAW_FMA __builtin_fma
#ifdef __clang__
#define KGEN_DRAW_SQRT __builtin_elementwise_sqrt // sets no errno, so that vectors have it
#else
#define KGEN_DRAW_SQRT __builtin_sqrt
#endif
#endif

typedef unsigned long long kgen_word;

/// How an argument's elements are drawn for a set. The numbers of an enumeration are known to both sides.
enum { KGEN_LAW_NORMAL, KGEN_LAW_UNIFORM, KGEN_LAW_INTEGER, KGEN_LAW_ONE_OR_TWO, KGEN_LAW_SIGN };
/// Integers in rows: each by itself; rows of one number but for one place; of the lowest up to some place and the
/// highest from there, or the other way round; of the lowest, of the highest or of each by itself.
enum { KGEN_RUNS_NONE, KGEN_RUNS_LONE, KGEN_RUNS_HALVES, KGEN_RUNS_WHOLE };
/// What is made of a number that was drawn.
enum { KGEN_ALTER_NOT, KGEN_ALTER_WIDE, KGEN_ALTER_IMPULSE, KGEN_ALTER_SCALED, KGEN_ALTER_SPECIAL, KGEN_ALTER_NAN };
/// Of KGEN_ALTER_SPECIAL: what there is besides zeros and subnormals. Of KGEN_ALTER_NAN: each row has one.
enum { KGEN_MAY_BE_INFINITE = 1, KGEN_MAY_BE_FAR = 2, KGEN_MAY_BE_NEGATIVE = 4, KGEN_EACH_ROW = 8 };

/// Words only, as a kernel's arguments.
struct kgen_drawing {
  kgen_word key;
  double first;    ///< mean, lowest
  double second;   ///< deviation; of uniform numbers high - low; of integers how many there are
  double high;     ///< of integers
  double factor;   ///< of KGEN_ALTER_SCALED
  long long row;   ///< numbers in a row
  long long place; ///< of the impulse
  int law, runs, alter, may;
};

/// Steele, Lea and Flood's SplitMix64 finaliser: a bijection with full avalanche.
KGEN_DRAW kgen_word kgen_draw_mix(kgen_word z) {
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

/// Uniform in (0, 1), never an end: an odd number of 2^-53.
KGEN_DRAW double kgen_draw_unit(kgen_word bits) {
  return __builtin_bit_cast(double, bits >> 12 | 0x3ff0000000000000ull) - 0x1.fffffffffffffp-1;
}

/// BITS modulo 3, by what vectors can do: 2^32 and 2^16 leave 1.
KGEN_DRAW unsigned kgen_draw_third(kgen_word bits) {
  kgen_word sum = (bits & 0xffffffffull) + (bits >> 32);
  sum = (sum & 0xffffull) + (sum >> 16);
  return (unsigned)(sum - (sum * 0x55555556ull >> 32) * 3);
}

/// log(x) of a normal x, to about an ulp: x = 2^e m with m about 1, log(m) = 2 atanh((m - 1) / (m + 1)).
KGEN_DRAW double kgen_draw_log(double x) {
  const kgen_word bits = __builtin_bit_cast(kgen_word, x) - 0x3fe6a09e667f3bcdull; // of sqrt(1/2)
  const double e = (double)(int)((long long)bits >> 52);
  const double m = __builtin_bit_cast(double, (bits & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull);
  const double s = (m - 1) / (m + 1), z = s * s;
  double sum = 1.0 / 21;
  sum = KGEN_DRAW_FMA(sum, z, 1.0 / 19);
  sum = KGEN_DRAW_FMA(sum, z, 1.0 / 17);
  sum = KGEN_DRAW_FMA(sum, z, 1.0 / 15);
  sum = KGEN_DRAW_FMA(sum, z, 1.0 / 13);
  sum = KGEN_DRAW_FMA(sum, z, 1.0 / 11);
  sum = KGEN_DRAW_FMA(sum, z, 1.0 / 9);
  sum = KGEN_DRAW_FMA(sum, z, 1.0 / 7);
  sum = KGEN_DRAW_FMA(sum, z, 1.0 / 5);
  sum = KGEN_DRAW_FMA(sum, z, 1.0 / 3);
  sum = KGEN_DRAW_FMA(sum, z, 1.0);
  return KGEN_DRAW_FMA(e, 0x1.62e42fefa39efp-1, 2 * s * sum);
}

/// 2^(8 u - 4) of a u in [0, 1], to about an ulp: Taylor's series of 2^(f - 1/2), f the fraction.
KGEN_DRAW double kgen_draw_spread(double u) {
  const double y = 8 * u;
  const int whole = (int)y;
  const double x = (y - whole - 0.5) * 0x1.62e42fefa39efp-1;
  double sum = 1.0 / 6227020800;
  sum = KGEN_DRAW_FMA(sum, x, 1.0 / 479001600);
  sum = KGEN_DRAW_FMA(sum, x, 1.0 / 39916800);
  sum = KGEN_DRAW_FMA(sum, x, 1.0 / 3628800);
  sum = KGEN_DRAW_FMA(sum, x, 1.0 / 362880);
  sum = KGEN_DRAW_FMA(sum, x, 1.0 / 40320);
  sum = KGEN_DRAW_FMA(sum, x, 1.0 / 5040);
  sum = KGEN_DRAW_FMA(sum, x, 1.0 / 720);
  sum = KGEN_DRAW_FMA(sum, x, 1.0 / 120);
  sum = KGEN_DRAW_FMA(sum, x, 1.0 / 24);
  sum = KGEN_DRAW_FMA(sum, x, 1.0 / 6);
  sum = KGEN_DRAW_FMA(sum, x, 0.5);
  sum = KGEN_DRAW_FMA(sum, x, 1.0);
  sum = KGEN_DRAW_FMA(sum, x, 1.0);
  return sum * __builtin_bit_cast(double, (kgen_word)(long long)(whole - 4 + 1023) << 52) * 0x1.6a09e667f3bcdp+0;
}

/// Inverse of the normal distribution function, P. J. Acklam's rational approximation (relative error 1.15e-9), in the
/// middle and in the tails.
KGEN_DRAW bool kgen_draw_is_tail(double p) { return p < 0.02425 || p > 1 - 0.02425; }

KGEN_DRAW double kgen_draw_middle(double p) {
  const double q = p - 0.5, r = q * q;
  double above = -3.969683028665376e+01, below = -5.447609879822406e+01;
  above = KGEN_DRAW_FMA(above, r, 2.209460984245205e+02);
  above = KGEN_DRAW_FMA(above, r, -2.759285104469687e+02);
  above = KGEN_DRAW_FMA(above, r, 1.383577518672690e+02);
  above = KGEN_DRAW_FMA(above, r, -3.066479806614716e+01);
  above = KGEN_DRAW_FMA(above, r, 2.506628277459239e+00);
  below = KGEN_DRAW_FMA(below, r, 1.615858368580409e+02);
  below = KGEN_DRAW_FMA(below, r, -1.556989798598866e+02);
  below = KGEN_DRAW_FMA(below, r, 6.680131188771972e+01);
  below = KGEN_DRAW_FMA(below, r, -1.328068155288572e+01);
  below = KGEN_DRAW_FMA(below, r, 1.0);
  return above * q / below;
}

KGEN_DRAW double kgen_draw_tail(double p) {
  const bool low = p < 0.5;
  const double q = KGEN_DRAW_SQRT(-2 * kgen_draw_log(low ? p : 1 - p));
  double above = -7.784894002430293e-03, below = 7.784695709041462e-03;
  above = KGEN_DRAW_FMA(above, q, -3.223964580411365e-01);
  above = KGEN_DRAW_FMA(above, q, -2.400758277161838e+00);
  above = KGEN_DRAW_FMA(above, q, -2.549732539343734e+00);
  above = KGEN_DRAW_FMA(above, q, 4.374664141464968e+00);
  above = KGEN_DRAW_FMA(above, q, 2.938163982698783e+00);
  below = KGEN_DRAW_FMA(below, q, 3.224671290700398e-01);
  below = KGEN_DRAW_FMA(below, q, 2.445134137142996e+00);
  below = KGEN_DRAW_FMA(below, q, 3.754408661907416e+00);
  below = KGEN_DRAW_FMA(below, q, 1.0);
  return low ? above / below : -(above / below);
}

/// A number by the law, from BITS.
KGEN_DRAW double kgen_draw_normal(const kgen_drawing *d, double standard) {
  return KGEN_DRAW_FMA(d->second, standard, d->first);
}
KGEN_DRAW double kgen_draw_uniform(const kgen_drawing *d, kgen_word bits) {
  return KGEN_DRAW_FMA(d->second, kgen_draw_unit(bits), d->first);
}
KGEN_DRAW double kgen_draw_integer(const kgen_drawing *d, kgen_word bits) {
  return d->first + (double)(long long)(kgen_draw_unit(bits) * d->second); // nothing below zero is cut off
}
KGEN_DRAW double kgen_draw_one_or_two(kgen_word bits) { return 1 + (double)(int)(bits & 1); }
KGEN_DRAW double kgen_draw_sign(kgen_word bits) { return (double)((int)kgen_draw_third(bits) - 1); }

KGEN_DRAW double kgen_draw_by_law(const kgen_drawing *d, kgen_word bits) {
  switch (d->law) {
  case KGEN_LAW_NORMAL: {
    const double p = kgen_draw_unit(bits);
    return kgen_draw_normal(d, kgen_draw_is_tail(p) ? kgen_draw_tail(p) : kgen_draw_middle(p));
  }
  case KGEN_LAW_UNIFORM:
    return kgen_draw_uniform(d, bits);
  case KGEN_LAW_INTEGER:
    return kgen_draw_integer(d, bits);
  case KGEN_LAW_ONE_OR_TWO:
    return kgen_draw_one_or_two(bits);
  default:
    return kgen_draw_sign(bits);
  }
}

/// What number PLACE of row ROW is in runs of integers.
KGEN_DRAW double kgen_draw_in_run(const kgen_drawing *d, long long row, long long place, kgen_word bits) {
  const kgen_word own = kgen_draw_mix(kgen_draw_mix(d->key ^ 0x7275) + (kgen_word)row);
  const bool odd = own & 1, two = d->second < 3;
  if (d->runs == KGEN_RUNS_LONE) {
    if (place == (long long)((own >> 1) % (kgen_word)d->row))
      return two ? (odd ? d->first : d->high) : kgen_draw_integer(d, kgen_draw_mix(own));
    return two ? (odd ? d->high : d->first) : kgen_draw_integer(d, own);
  }
  if (d->runs == KGEN_RUNS_HALVES)
    return (place <= (long long)((own >> 1) % (kgen_word)(d->row - 1))) == odd ? d->first : d->high;
  const unsigned which = kgen_draw_third(own);
  return which == 0 ? d->first : which == 1 ? d->high : kgen_draw_integer(d, bits);
}

/// Where in row ROW a NaN stands, or -1.
KGEN_DRAW long long kgen_draw_nan_place(const kgen_drawing *d, long long row) {
  const kgen_word drawn = kgen_draw_mix(d->key ^ kgen_draw_mix((kgen_word)row + 0x4a4));
  return (d->may & KGEN_EACH_ROW) || drawn % 4 == 0 ? (long long)((drawn >> 8) % (kgen_word)d->row) : -1;
}

/// Two in a hundred numbers are special ones: which of 256 cases BITS are; those from 5 on are none.
KGEN_DRAW unsigned kgen_draw_case(kgen_word bits) { return (unsigned)kgen_draw_mix(bits) & 255u; }

KGEN_DRAW double kgen_draw_special(const kgen_drawing *d, double value, kgen_word bits) {
  const double sign = d->may & KGEN_MAY_BE_NEGATIVE ? -1 : 1;
  switch (kgen_draw_case(bits)) {
  case 0:
    return 0;
  case 1:
    return sign * 0.0;
  case 2:
    return 0x1p-140;
  case 3:
    return d->may & KGEN_MAY_BE_INFINITE ? __builtin_bit_cast(double, 0xfff0000000000000ull) : sign * 0x1p-130;
  case 4: // beyond where exp() of what it is the negative of still is a number of fp32
    return d->may & KGEN_MAY_BE_FAR ? KGEN_DRAW_FMA(-900.0, kgen_draw_unit(kgen_draw_mix(bits + 1)), -100.0) : value;
  default:
    return value;
  }
}

KGEN_DRAW double kgen_draw_nan() { return __builtin_bit_cast(double, 0x7ff8000000000000ull); }

KGEN_DRAW double kgen_draw_altered(const kgen_drawing *d, double value, long long i, kgen_word bits) {
  switch (d->alter) {
  case KGEN_ALTER_WIDE:
    return value * kgen_draw_spread(kgen_draw_unit(kgen_draw_mix(bits)));
  case KGEN_ALTER_IMPULSE:
    return i == d->place ? 1 : 0;
  case KGEN_ALTER_SCALED:
    return value * d->factor;
  case KGEN_ALTER_SPECIAL:
    return kgen_draw_special(d, value, bits);
  case KGEN_ALTER_NAN:
    return kgen_draw_nan_place(d, i / d->row) == i % d->row ? kgen_draw_nan() : value;
  default:
    return value;
  }
}

/// Element I, before it is stored.
KGEN_DRAW double kgen_draw_element(const kgen_drawing *d, long long i) {
  const kgen_word bits = kgen_draw_mix(d->key + (kgen_word)i);
  const double value =
      d->runs == KGEN_RUNS_NONE ? kgen_draw_by_law(d, bits) : kgen_draw_in_run(d, i / d->row, i % d->row, bits);
  return kgen_draw_altered(d, value, i, bits);
}

/// The bits of VALUE in fp32, fp16 (from those of fp32) and bfloat16 (the same), to nearest even; a NaN is the one that
/// processors make.
KGEN_DRAW unsigned kgen_bits_of_float(double value) {
  return value != value ? 0x7fc00000u : __builtin_bit_cast(unsigned, (float)value);
}
KGEN_DRAW unsigned kgen_half_of_bits(unsigned x) {
  const unsigned sign = (x >> 16) & 0x8000u, magnitude = x & 0x7fffffffu;
  // A subnormal half: the sum with 1/2 rounds at its last bit, 2^-24.
  const unsigned small = __builtin_bit_cast(unsigned, __builtin_bit_cast(float, magnitude) + 0.5f) - 0x3f000000u;
  const unsigned normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
  const unsigned finite = magnitude < 0x38800000u ? small : normal;
  // From 0x477ff000 on it rounds to 65536 or more.
  return sign | (magnitude > 0x7f800000u ? 0x7e00u : magnitude >= 0x477ff000u ? 0x7c00u : finite);
}
KGEN_DRAW unsigned kgen_bfloat_of_bits(unsigned x) {
  return (x & 0x7fffffffu) > 0x7f800000u ? x >> 16 | 64u : (x + 0x7fffu + ((x >> 16) & 1u)) >> 16;
}
KGEN_DRAW unsigned kgen_bits_of_half(unsigned half) {
  const unsigned sign = (half & 0x8000u) << 16, exponent = (half >> 10) & 31u, fraction = half & 1023u;
  if (exponent == 0)
    return sign | __builtin_bit_cast(unsigned, (float)(int)fraction * 0x1p-24f);
  return sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | fraction << 13;
}

/// Stores VALUE as element I of TYPE, in the order of DType: f64 f32 f16 bf16 i64 i32 i8 i1.
KGEN_DRAW void kgen_draw_store(void *to, int type, long long i, double value) {
  switch (type) {
  case 0:
    ((double *)to)[i] = value;
    break;
  case 1:
    ((unsigned *)to)[i] = kgen_bits_of_float(value);
    break;
  case 2:
    ((unsigned short *)to)[i] = (unsigned short)kgen_half_of_bits(kgen_bits_of_float(value));
    break;
  case 3:
    ((unsigned short *)to)[i] = (unsigned short)kgen_bfloat_of_bits(kgen_bits_of_float(value));
    break;
  case 4:
    ((long long *)to)[i] = (long long)value;
    break;
  case 5:
    ((int *)to)[i] = (int)(long long)value;
    break;
  case 6:
    ((signed char *)to)[i] = (signed char)(long long)value;
    break;
  default:
    ((unsigned char *)to)[i] = value > 0;
    break;
  }
}

/// Moves a finite number I by up to one rounding of fp32: what no fp32 code can be blamed for.
KGEN_DRAW double kgen_jittered(double value, kgen_word i) {
  const double step = (double)(int)(kgen_draw_mix(i) >> 40) * 0x1p-23 - 1;
  return value - value == 0 ? KGEN_DRAW_FMA(value * 0x1p-23, step, value) : value;
}

#endif
