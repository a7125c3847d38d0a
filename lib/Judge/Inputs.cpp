//===- Inputs.cpp - Input sets drawn from a seed --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Judge/Inputs.h"

#include "kgen/Device/Parallel.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <thread>

using namespace kgen;
using namespace kgen::judge;

namespace {

/// Steele, Lea and Flood's SplitMix64 finaliser: a bijection with full avalanche.
inline uint64_t mix(uint64_t z) {
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

/// Uniform in (0, 1), never an end.
inline double unit(uint64_t bits) { return (double(bits >> 11) + 0.5) * 0x1p-53; }

/// Inverse of the normal distribution function, P. J. Acklam's rational approximation
/// (relative error 1.15e-9); the central branch needs no transcendental.
double inverseNormal(double p) {
  static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                             1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                             6.680131188771972e+01, -1.328068155288572e+01};
  static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                             -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                             3.754408661907416e+00};
  constexpr double low = 0.02425;
  if (p < low || p > 1 - low) {
    double q = std::sqrt(-2 * std::log(p < low ? p : 1 - p));
    double x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
               ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
    return p < low ? x : -x;
  }
  double q = p - 0.5, r = q * q;
  return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
         (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

/// A declared distribution: `normal(mean, deviation)`, `uniform(low, high)`, `integer(low, high)`.
struct Distribution {
  enum { Normal, Uniform, Integer } kind = Normal;
  double first = 0, second = 1;

  bool positive() const { return kind != Normal && first >= 0; }
  double draw(uint64_t bits) const {
    switch (kind) {
    case Normal:
      return first + second * inverseNormal(unit(bits));
    case Uniform:
      return first + (second - first) * unit(bits);
    case Integer:
      return first + std::floor(unit(bits) * (second - first + 1));
    }
    return 0;
  }
};

llvm::Expected<Distribution> parseInit(const candidate::BufferSpec &spec) {
  llvm::StringRef text = llvm::StringRef(spec.init).trim();
  auto [name, rest] = text.split('(');
  Distribution d;
  bool known = true;
  if (name == "normal")
    d.kind = Distribution::Normal;
  else if (name == "uniform")
    d.kind = Distribution::Uniform;
  else if (name == "integer")
    d.kind = Distribution::Integer;
  else
    known = false;
  bool closed = rest.consume_back(")");
  auto [first, second] = rest.split(',');
  if (!known || !closed || first.trim().getAsDouble(d.first) || second.trim().getAsDouble(d.second) ||
      !std::isfinite(d.first) || !std::isfinite(d.second) || (d.kind != Distribution::Normal && d.second < d.first))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "input '%s': init is '%s', expected normal(mean, deviation), uniform(low, high) or "
                                   "integer(low, high)",
                                   spec.name.c_str(), spec.init.c_str());
  return d;
}

/// Integer arguments are indices or masks, and those that people have come in runs: every set keeps to the declared
/// range, but each number by itself would never make a row that is masked whole, nor an index that all share.
struct Runs {
  enum Form {
    None,   ///< each number by itself
    Lone,   ///< rows of one number but for one place
    Halves, ///< rows of the lowest number up to some place and the highest from there, or the other way round
    Whole   ///< rows of the lowest number, of the highest one, or of each by itself
  } form = None;
  int64_t row = 1; ///< numbers in a row: the extent of the last dimension that has more than one

  Runs(const Distribution &d, const candidate::BufferSpec &spec, const InputSet &set) {
    for (int64_t extent : spec.shape)
      row = extent > 1 ? extent : row;
    if (d.kind != Distribution::Integer || d.second <= d.first || row < 2)
      return;
    if (set.kind == InputKind::Wide)
      form = Lone;
    else if (set.kind == InputKind::Scaled)
      form = Halves;
    else if (set.kind == InputKind::Special && set.ordinal < lastSpecial)
      form = Whole;
  }

  /// Number I, for which BITS were drawn.
  double at(const Distribution &d, uint64_t key, int64_t i, uint64_t bits) const {
    if (form == None)
      return d.draw(bits);
    const uint64_t own = mix(mix(key ^ 0x7275) + uint64_t(i / row)); // of the row
    const int64_t place = i % row;
    const bool odd = own & 1;
    const double low = d.first, high = d.second;
    switch (form) {
    case Lone: {
      const bool two = high - low < 2;
      const double most = two ? (odd ? high : low) : d.draw(own), other = two ? (odd ? low : high) : d.draw(mix(own));
      return place == int64_t((own >> 1) % uint64_t(row)) ? other : most;
    }
    case Halves:
      return (place <= int64_t((own >> 1) % uint64_t(row - 1))) == odd ? low : high;
    case Whole:
      return own % 3 == 0 ? low : own % 3 == 1 ? high : d.draw(bits);
    case None:
      break;
    }
    return d.draw(bits);
  }
};

double drawElement(const Distribution &d, const candidate::BufferSpec &spec, InputKind kind, uint64_t bits) {
  switch (kind) {
  case InputKind::Declared:
    return d.draw(bits);
  case InputKind::Uniform:
    return d.positive() ? d.draw(bits) : 2 * unit(bits) - 1;
  case InputKind::Wide:
    return d.draw(bits) * std::exp2(8 * unit(mix(bits)) - 4);
  case InputKind::Integer:
    if (d.positive())
      return 1 + double(bits & 1);
    return double(bits % 3) - 1;
  case InputKind::Offset:
    return spec.parameter ? d.draw(bits) : 1000 + 0.1 * inverseNormal(unit(bits));
  case InputKind::Impulse:
    return d.draw(bits); // the first argument does not come here
  case InputKind::Scaled:
    return d.draw(bits);
  case InputKind::Special:
  case InputKind::NaN:
    return d.draw(bits);
  }
  return 0;
}

/// What the kinds that single elements out make of element I.
struct Alteration {
  InputKind kind = InputKind::Declared;
  bool data = false;       ///< the argument is a tensor of floats that is not a weight
  bool first = false;      ///< and the graph's first
  bool infinities = false; ///< minus infinity may stand in it
  bool far = false;        ///< and what is far below zero
  bool negatives = false;  ///< and minus zero
  int64_t place = 0;       ///< of the impulse
  double factor = 1;
  int64_t row = 1;  ///< numbers in a row; some rows have a NaN
  bool few = false; ///< there are so few rows that all have one
  uint64_t key = 0;
  bool nan = false; ///< the argument is the one that NaN stand in

  double apply(double value, int64_t i, uint64_t bits) const {
    if (kind == InputKind::Impulse && first)
      return i == place ? 1 : 0;
    if (kind == InputKind::Scaled)
      return value * factor;
    if (kind == InputKind::NaN && nan) {
      const uint64_t drawn = mix(key ^ mix(uint64_t(i / row) + 0x4a4));
      return (few || drawn % 4 == 0) && int64_t((drawn >> 8) % uint64_t(row)) == i % row ? std::nan("") : value;
    }
    if (kind == InputKind::Special && data)
      switch (mix(bits) % 256) {
      case 0:
        return 0.0;
      case 1:
        return negatives ? -0.0 : 0.0;
      case 2:
        return 0x1p-140;
      case 4: // beyond where exp() of what it is the negative of still is a number of fp32
        return far ? -100 - 900 * unit(mix(bits + 1)) : value;
      case 3:
        return first && infinities ? -std::numeric_limits<double>::infinity() : negatives ? -0x1p-130 : 0x1p-130;
      default:
        break;
      }
    return value;
  }
};

template <typename T, typename Convert>
void fill(const Distribution &d, const candidate::BufferSpec &spec, const InputSet &set, const Alteration &alteration,
          uint64_t key, char *bytes, unsigned threads, Convert convert) {
  const Runs runs(d, spec, set);
  T *out = reinterpret_cast<T *>(bytes);
  auto each = [&](auto element) {
    device::parallelFor(spec.elements(), threads, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        out[i] = convert(element(i, mix(key + uint64_t(i))));
    });
  };
  // The large sets of large problems, without a question for each element.
  if (d.kind == Distribution::Uniform && set.kind == InputKind::Declared)
    return each(
        [first = d.first, extent = d.second - d.first](int64_t, uint64_t bits) { return first + extent * unit(bits); });
  if (d.kind == Distribution::Normal && set.kind == InputKind::Declared)
    return each([first = d.first, second = d.second](int64_t, uint64_t bits) {
      return first + second * inverseNormal(unit(bits));
    });
  if (d.kind != Distribution::Integer && set.kind == InputKind::Integer)
    return d.positive() ? each([](int64_t, uint64_t bits) { return 1 + double(bits & 1); })
                        : each([](int64_t, uint64_t bits) { return double(int(bits % 3)) - 1; });
  if (d.kind != Distribution::Integer && set.kind == InputKind::Offset && !spec.parameter)
    return each([](int64_t, uint64_t bits) { return 1000 + 0.1 * inverseNormal(unit(bits)); });
  each([&](int64_t i, uint64_t bits) {
    const double drawn =
        d.kind == Distribution::Integer ? runs.at(d, key, i, bits) : drawElement(d, spec, set.kind, bits);
    return alteration.apply(drawn, i, bits);
  });
}

/// Keeps BITS bits of fraction of a normal double, ties to even.
double roundFraction(double value, int bits) {
  if (!std::isfinite(value) || value == 0)
    return value;
  int exponent;
  double m = std::frexp(value, &exponent); // 0.5 <= |m| < 1: bits + 1 significant bits
  return std::ldexp(std::nearbyint(std::ldexp(m, bits + 1)), exponent - bits - 1);
}

} // namespace

std::string InputSet::name() const {
  static constexpr const char *names[] = {"declared", "uniform", "wide",    "integer", "offset",
                                          "impulse",  "scaled",  "special", "nan"};
  return std::string(names[size_t(kind)]) + "#" + std::to_string(ordinal);
}

/// See takesNaN.
static bool takesOthers(const candidate::BufferSpec &spec, const Distribution &d) {
  return candidate::isFloat(spec.dtype) && !spec.parameter && !d.positive() && d.kind != Distribution::Integer;
}

llvm::Expected<bool> kgen::judge::takesNaN(const candidate::BufferSpec &spec) {
  auto parsed = parseInit(spec);
  if (!parsed)
    return parsed.takeError();
  return takesOthers(spec, *parsed);
}

llvm::Error kgen::judge::fillInput(const candidate::BufferSpec &spec, unsigned arg, const InputSet &set,
                                   llvm::MutableArrayRef<char> bytes, unsigned threads) {
  auto parsed = parseInit(spec);
  if (!parsed)
    return parsed.takeError();
  assert(bytes.size() == spec.bytes());
  Distribution d = *parsed;
  uint64_t key = mix(mix(set.seed) ^ mix(arg * 0x100000001b3ull + set.ordinal * 131 + uint64_t(set.kind)));
  char *p = bytes.data();
  Alteration alteration;
  alteration.kind = set.kind;
  alteration.data = takesOthers(spec, d);
  alteration.first = alteration.data && arg == 0;
  alteration.infinities = set.ordinal == 0;
  alteration.far = set.ordinal < 2;
  alteration.negatives = set.ordinal < lastSpecial;
  alteration.nan = alteration.data && arg == set.argument;
  alteration.key = key;
  for (int64_t extent : spec.shape)
    alteration.row = extent > 1 ? extent : alteration.row;
  alteration.few = spec.elements() < 8 * alteration.row;
  alteration.place = int64_t(mix(key ^ 0x1d) % uint64_t(std::max<int64_t>(spec.elements(), 1)));
  if (alteration.data) {
    static constexpr double factors[] = {0.125, 0.25, 4, 8};
    alteration.factor = factors[mix(set.seed ^ 0x5ca1e) % 4];
  }
  switch (spec.dtype) {
  case candidate::DType::F64:
    fill<double>(d, spec, set, alteration, key, p, threads, [](double v) { return v; });
    break;
  case candidate::DType::F32:
    fill<float>(d, spec, set, alteration, key, p, threads, [](double v) { return float(v); });
    break;
  case candidate::DType::F16:
    fill<uint16_t>(d, spec, set, alteration, key, p, threads, [](double v) { return toHalf(float(v)); });
    break;
  case candidate::DType::BF16:
    fill<uint16_t>(d, spec, set, alteration, key, p, threads, [](double v) { return toBFloat16(float(v)); });
    break;
  case candidate::DType::I64:
    fill<int64_t>(d, spec, set, alteration, key, p, threads, [](double v) { return int64_t(v); });
    break;
  case candidate::DType::I32:
    fill<int32_t>(d, spec, set, alteration, key, p, threads, [](double v) { return int32_t(v); });
    break;
  case candidate::DType::I8:
    fill<int8_t>(d, spec, set, alteration, key, p, threads, [](double v) { return int8_t(v); });
    break;
  case candidate::DType::I1:
    fill<uint8_t>(d, spec, set, alteration, key, p, threads, [](double v) { return uint8_t(v > 0); });
    break;
  }
  return llvm::Error::success();
}

llvm::Expected<double> kgen::judge::largestInteger(const candidate::BufferSpec &spec) {
  auto parsed = parseInit(spec);
  if (!parsed)
    return parsed.takeError();
  if (parsed->kind == Distribution::Integer)
    return std::max(std::fabs(parsed->first), std::fabs(parsed->second));
  return parsed->positive() ? 2 : 1;
}

void kgen::judge::widen(candidate::DType dtype, const void *bytes, double *out, int64_t count, RoundTo round,
                        unsigned threads) {
  device::parallelFor(count, threads, [&](int64_t begin, int64_t end) {
    auto run = [&](auto element) {
      for (int64_t i = begin; i < end; ++i)
        out[i] = element(i);
    };
    switch (dtype) {
    case candidate::DType::F64:
      run([p = static_cast<const double *>(bytes)](int64_t i) { return p[i]; });
      break;
    case candidate::DType::F32:
      run([p = static_cast<const float *>(bytes)](int64_t i) { return double(p[i]); });
      break;
    case candidate::DType::F16:
      run([p = static_cast<const uint16_t *>(bytes)](int64_t i) { return double(fromHalf(p[i])); });
      break;
    case candidate::DType::BF16:
      run([p = static_cast<const uint16_t *>(bytes)](int64_t i) { return double(fromBFloat16(p[i])); });
      break;
    case candidate::DType::I64:
      run([p = static_cast<const int64_t *>(bytes)](int64_t i) { return double(p[i]); });
      break;
    case candidate::DType::I32:
      run([p = static_cast<const int32_t *>(bytes)](int64_t i) { return double(p[i]); });
      break;
    case candidate::DType::I8:
      run([p = static_cast<const int8_t *>(bytes)](int64_t i) { return double(p[i]); });
      break;
    case candidate::DType::I1:
      // A bool is 0 or 1: PyTorch adds up and compares the bytes.
      run([p = static_cast<const uint8_t *>(bytes)](int64_t i) { return double(p[i]); });
      break;
    }
    if (round != RoundTo::None && candidate::isFloat(dtype))
      for (int64_t i = begin; i < end; ++i)
        out[i] = roundTo(round, out[i]);
  });
}

void kgen::judge::jitter(llvm::MutableArrayRef<double> values, unsigned threads) {
  device::parallelFor(int64_t(values.size()), threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      if (double &v = values[size_t(i)]; std::isfinite(v))
        v += v * 0x1p-23 * (double(mix(uint64_t(i)) >> 40) * 0x1p-23 - 1);
  });
}

double kgen::judge::roundTo(RoundTo format, double value) {
  switch (format) {
  case RoundTo::None:
    return value;
  case RoundTo::TF32:
    return roundFraction(value, 10);
  case RoundTo::BF16:
    return roundFraction(value, 7);
  case RoundTo::FP16:
    return std::isfinite(value) && std::fabs(value) > 65504 ? std::copysign(65504, value)
                                                            : double(fromHalf(toHalf(float(value))));
  case RoundTo::FP8:
    return std::isfinite(value) && std::fabs(value) > 448 ? std::copysign(448, value) : roundFraction(value, 3);
  }
  return value;
}

uint16_t kgen::judge::toHalf(float value) {
  uint32_t x;
  std::memcpy(&x, &value, 4);
  uint32_t sign = (x >> 16) & 0x8000, magnitude = x & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return uint16_t(sign | 0x7e00);
  if (magnitude >= 0x477ff000) // rounds to 65536 or more
    return uint16_t(sign | 0x7c00);
  if (magnitude < 0x38800000) { // subnormal half: let the FPU round at the right bit
    float f;
    std::memcpy(&f, &magnitude, 4);
    return uint16_t(sign | uint32_t(std::nearbyint(f * 0x1p24f)));
  }
  uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return uint16_t(sign | ((rounded - 0x38000000) >> 13));
}

float kgen::judge::fromHalf(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16, exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent == 0) {
    float f = float(fraction) * 0x1p-24f;
    return sign ? -f : f;
  }
  uint32_t x = sign | (exponent == 31 ? 0x7f800000 : (exponent + 112) << 23) | fraction << 13;
  float f;
  std::memcpy(&f, &x, 4);
  return f;
}

uint16_t kgen::judge::toBFloat16(float value) {
  uint32_t x;
  std::memcpy(&x, &value, 4);
  if ((x & 0x7fffffff) > 0x7f800000)
    return uint16_t((x >> 16) | 64);
  return uint16_t((x + 0x7fff + ((x >> 16) & 1)) >> 16);
}

float kgen::judge::fromBFloat16(uint16_t bits) {
  uint32_t x = uint32_t(bits) << 16;
  float f;
  std::memcpy(&f, &x, 4);
  return f;
}
