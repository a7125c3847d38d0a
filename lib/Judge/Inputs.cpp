//===- Inputs.cpp - Input sets drawn from a seed --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Judge/Inputs.h"

#include "DrawBlocks.h"

#include "kgen/Device/Parallel.h"

#include <cmath>
#include <cstring>

using namespace kgen;
using namespace kgen::judge;

namespace {

/// A declared distribution: `normal(mean, deviation)`, `uniform(low, high)`, `integer(low, high)`.
struct Distribution {
  enum { Normal, Uniform, Integer } kind = Normal;
  double first = 0, second = 1;

  bool positive() const { return kind != Normal && first >= 0; }
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

/// The numbers that SET asks for in an argument of SPEC which is declared as D.
void chooseLaw(const Distribution &d, const candidate::BufferSpec &spec, InputKind kind, kgen_drawing &out) {
  auto normal = [&](double mean, double deviation) {
    out.law = KGEN_LAW_NORMAL, out.first = mean, out.second = deviation;
  };
  auto uniform = [&](double low, double high) { out.law = KGEN_LAW_UNIFORM, out.first = low, out.second = high - low; };
  if (d.kind == Distribution::Integer) {
    out.law = KGEN_LAW_INTEGER, out.first = d.first, out.high = d.second, out.second = d.second - d.first + 1;
  } else if (kind == InputKind::Integer) {
    out.law = d.positive() ? KGEN_LAW_ONE_OR_TWO : KGEN_LAW_SIGN;
  } else if (kind == InputKind::Uniform && !d.positive()) {
    uniform(-1, 1);
  } else if (kind == InputKind::Offset && !spec.parameter) {
    normal(1000, 0.1);
  } else if (d.kind == Distribution::Normal) {
    normal(d.first, d.second);
  } else {
    uniform(d.first, d.second);
  }
}

/// Integer arguments are indices or masks, and those that people have come in runs: every set keeps to the declared
/// range, but each number by itself would never make a row that is masked whole, nor an index that all share.
void chooseRuns(const Distribution &d, const InputSet &set, kgen_drawing &out) {
  if (d.kind != Distribution::Integer || d.second <= d.first || out.row < 2)
    return;
  if (set.kind == InputKind::Wide)
    out.runs = KGEN_RUNS_LONE;
  else if (set.kind == InputKind::Scaled)
    out.runs = KGEN_RUNS_HALVES;
  else if (set.kind == InputKind::Special && set.ordinal < lastSpecial)
    out.runs = KGEN_RUNS_WHOLE;
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

/// What SET makes of what was drawn.
static void chooseAlteration(const Distribution &d, const candidate::BufferSpec &spec, unsigned arg,
                             const InputSet &set, kgen_drawing &out) {
  const bool data = takesOthers(spec, d), isFirst = data && arg == 0;
  switch (set.kind) {
  case InputKind::Wide:
    if (d.kind != Distribution::Integer)
      out.alter = KGEN_ALTER_WIDE;
    break;
  case InputKind::Impulse:
    if (isFirst)
      out.alter = KGEN_ALTER_IMPULSE;
    out.place = int64_t(kgen_draw_mix(out.key ^ 0x1d) % uint64_t(std::max<int64_t>(spec.elements(), 1)));
    break;
  case InputKind::Scaled:
    if (data) {
      static constexpr double factors[] = {0.125, 0.25, 4, 8};
      out.alter = KGEN_ALTER_SCALED;
      out.factor = factors[kgen_draw_mix(set.seed ^ 0x5ca1e) % 4];
    }
    break;
  case InputKind::Special:
    if (data)
      out.alter = KGEN_ALTER_SPECIAL;
    out.may = (isFirst && set.ordinal == 0 ? KGEN_MAY_BE_INFINITE : 0) | (set.ordinal < 2 ? KGEN_MAY_BE_FAR : 0) |
              (set.ordinal < lastSpecial ? KGEN_MAY_BE_NEGATIVE : 0);
    break;
  case InputKind::NaN:
    if (data && arg == set.argument)
      out.alter = KGEN_ALTER_NAN;
    if (spec.elements() < 8 * out.row) // so few rows that all have one
      out.may = KGEN_EACH_ROW;
    break;
  case InputKind::Declared:
  case InputKind::Uniform:
  case InputKind::Integer:
  case InputKind::Offset:
    break;
  }
}

llvm::Expected<kgen_drawing> kgen::judge::drawingOf(const candidate::BufferSpec &spec, unsigned arg,
                                                    const InputSet &set) {
  auto parsed = parseInit(spec);
  if (!parsed)
    return parsed.takeError();
  kgen_drawing out = {};
  out.key = kgen_draw_mix(kgen_draw_mix(set.seed) ^
                          kgen_draw_mix(arg * 0x100000001b3ull + set.ordinal * 131 + uint64_t(set.kind)));
  out.row = 1;
  for (int64_t extent : spec.shape)
    out.row = extent > 1 ? extent : out.row;
  chooseLaw(*parsed, spec, set.kind, out);
  chooseRuns(*parsed, set, out);
  chooseAlteration(*parsed, spec, arg, set, out);
  return out;
}

llvm::Error kgen::judge::fillInput(const candidate::BufferSpec &spec, unsigned arg, const InputSet &set,
                                   llvm::MutableArrayRef<char> bytes, unsigned threads) {
  auto drawing = drawingOf(spec, arg, set);
  if (!drawing)
    return drawing.takeError();
  assert(bytes.size() == spec.bytes());
  device::parallelFor(spec.elements(), threads, [&](int64_t begin, int64_t end) {
    drawElements(*drawing, spec.dtype, bytes.data(), begin, end);
  });
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
      values[size_t(i)] = kgen_jittered(values[size_t(i)], uint64_t(i));
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

static uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

static float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

uint16_t kgen::judge::toHalf(float value) { return uint16_t(kgen_half_of_bits(bitsOf(value))); }
float kgen::judge::fromHalf(uint16_t bits) { return floatOf(kgen_bits_of_half(bits)); }
uint16_t kgen::judge::toBFloat16(float value) { return uint16_t(kgen_bfloat_of_bits(bitsOf(value))); }
float kgen::judge::fromBFloat16(uint16_t bits) { return floatOf(uint32_t(bits) << 16); }
