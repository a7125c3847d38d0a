// The functions that C23 adds to math.h, as a C library declares them that has them all.
#pragma once
#include <math.h>
#define DECLARE(NAME)                                                                                                  \
  extern "C" double NAME(double) noexcept;                                                                             \
  extern "C" float NAME##f(float) noexcept;
#define DECLARE2(NAME, SECOND)                                                                                         \
  extern "C" double NAME(double, SECOND) noexcept;                                                                     \
  extern "C" float NAME##f(float, SECOND) noexcept;
DECLARE(acospi)
DECLARE(asinpi)
DECLARE(atanpi)
DECLARE(cospi)
DECLARE(sinpi)
DECLARE(tanpi)
DECLARE(exp10)
DECLARE(exp10m1)
DECLARE(exp2m1)
DECLARE(log10p1)
DECLARE(log2p1)
DECLARE(logp1)
DECLARE(rsqrt)
DECLARE(roundeven)
DECLARE2(compoundn, long long)
DECLARE2(pown, long long)
DECLARE2(rootn, long long)
#undef DECLARE
#undef DECLARE2
#define DECLARE2(NAME)                                                                                                 \
  extern "C" double NAME(double, double) noexcept;                                                                     \
  extern "C" float NAME##f(float, float) noexcept;
DECLARE2(atan2pi)
DECLARE2(powr)
DECLARE2(fmaximum)
DECLARE2(fmaximum_mag)
DECLARE2(fmaximum_mag_num)
DECLARE2(fmaximum_num)
DECLARE2(fminimum)
DECLARE2(fminimum_mag)
DECLARE2(fminimum_mag_num)
DECLARE2(fminimum_num)
