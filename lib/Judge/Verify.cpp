//===- Verify.cpp - Comparing an output with the oracle's -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Judge/Verify.h"

#include "kgen/Device/Parallel.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <limits>
#include <mutex>

using namespace kgen;
using namespace kgen::judge;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// Half a unit in the last place of DTYPE, relative.
static double unitRoundoff(candidate::DType dtype) {
  switch (dtype) {
  case candidate::DType::F64:
    return 0x1p-53;
  case candidate::DType::F32:
    return 0x1p-24;
  case candidate::DType::F16:
    return 0x1p-11;
  case candidate::DType::BF16:
    return 0x1p-8;
  default:
    return 0;
  }
}

double kgen::judge::smallestHeld(candidate::DType dtype) {
  switch (dtype) {
  case candidate::DType::F16:
    return 0x1p-24;
  case candidate::DType::F32:
  case candidate::DType::BF16:
    return 0x1p-126;
  default:
    return 0;
  }
}

double kgen::judge::largestPartial(candidate::DType dtype) {
  return (dtype == candidate::DType::F64 ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max()) /
         0x1p20;
}

/// REFERENCE as DTYPE stores it.
static double stored(candidate::DType dtype, double reference) {
  switch (dtype) {
  case candidate::DType::F32:
    return double(float(reference));
  case candidate::DType::F16:
    return double(fromHalf(toHalf(float(reference))));
  case candidate::DType::BF16:
    return double(fromBFloat16(toBFloat16(float(reference))));
  default:
    return reference;
  }
}

/// From here on DTYPE stores a finite number as an infinity.
static double overflowOf(candidate::DType dtype) {
  switch (dtype) {
  case candidate::DType::F32:
    return 0x1.ffffffp127;
  case candidate::DType::F16:
    return 65520;
  case candidate::DType::BF16:
    return 0x1.ffp127;
  default:
    return infinity;
  }
}

/// How far OUT is from REFERENCE, which DTYPE stores as another number. An answer at the end of DTYPE's range may be
/// stored as a number or as an infinity, by what honest arithmetic made of it; elsewhere that is wrong.
static double differenceOf(candidate::DType dtype, double out, double asStored, double reference) {
  if (!candidate::isFloat(dtype) || std::isnan(out) || !std::isfinite(reference))
    return infinity;
  if (std::isfinite(out) && std::isfinite(asStored))
    return std::fabs(out - reference);
  const double end = overflowOf(dtype);
  if (std::fabs(std::fabs(reference) - end) > end / 128)
    return infinity;
  return std::fabs((std::isinf(out) ? std::copysign(end, out) : out) - reference);
}

/// Whether OUT is no finite number either, but not the one that REFERENCE is.
static bool isOtherInfinity(double out, double reference) {
  return !std::isfinite(out) && !std::isfinite(reference) && out != reference &&
         !(std::isnan(out) && std::isnan(reference));
}

static Comparison compareChunks(candidate::DType dtype, const ValueSource &source, const double *reference,
                                int64_t count, unsigned threads, double close, const ElementFacts &facts,
                                const int64_t *words = nullptr) {
  DifferenceSums total;
  std::mutex lock;
  const double unitInLastPlace = 2 * unitRoundoff(dtype), smallest = smallestHeld(dtype);
  device::parallelFor(count, threads, [&](int64_t begin, int64_t end) {
    DifferenceSums part;
    constexpr int64_t chunk = 4096;
    double values[chunk];
    for (int64_t base = begin; base < end; base += chunk) {
      int64_t n = std::min(chunk, end - base);
      source(base, n, values);
      for (int64_t i = 0; i < n; ++i) {
        double out = values[i], ref = reference[base + i];
        if (facts.reach && facts.reach[base + i] >= facts.most && (!facts.onlyInfinite || isOtherInfinity(out, ref))) {
          ++part.skipped;
          continue;
        }
        double asStored = stored(dtype, ref), difference;
        const bool sameWord = !words || words[base + i] == facts.wide[base + i];
        if ((out == asStored && sameWord) || (std::isnan(out) && std::isnan(asStored))) {
          difference = std::isfinite(ref) && std::isfinite(out) ? std::fabs(out - ref) : 0;
        } else {
          ++part.mismatches;
          difference = differenceOf(dtype, out, asStored, ref);
        }
        if (close > 0 && !(std::fabs(out - ref) <= close + close * std::fabs(ref)) && out != asStored)
          ++part.far;
        // A magnitude that is no number allows nothing.
        if (double size = facts.magnitudes ? facts.magnitudes[base + i] : 0; std::isfinite(size))
          difference = std::max(difference - accumulationRoundoff * size, 0.0);
        // What is smaller may be zero: subnormal numbers are all as far apart, and units flush them.
        difference = std::max(difference - smallest / 2, 0.0);
        part.differences.add(difference);
        if (std::isfinite(ref)) {
          // What DTYPE cannot hold is no yardstick for the others.
          double held = std::isfinite(asStored) ? ref : overflowOf(dtype);
          part.reference.add(held);
          difference = std::max(difference - std::max(unitInLastPlace * std::fabs(ref), smallest), 0.0);
        }
        if (difference > part.worst) {
          part.worst = difference, part.index = base + i;
          part.found = out, part.expected = ref;
        }
      }
    }
    std::lock_guard<std::mutex> guard(lock);
    total.add(part);
  });
  return summarize(total, count);
}

double NormSum::norm() const {
  if (large > 0) // what is small does not count beside it
    return std::sqrt(large + (medium * 0x1p-538) * 0x1p-538) * 0x1p538;
  if (medium > 0 || std::isnan(medium))
    return std::sqrt(medium + (small * 0x1p-537) * 0x1p-537);
  return std::sqrt(small) * 0x1p-537;
}

Comparison kgen::judge::summarize(const DifferenceSums &sums, int64_t count) {
  Comparison result;
  const double norm = sums.reference.norm(), rms = norm / std::sqrt(double(std::max<int64_t>(count, 1)));
  result.norms.max = std::max(sums.worst, 0.0) / (rms > 0 ? rms : 1);
  result.norms.l2 = sums.differences.norm() / (norm > 0 ? norm : 1);
  if (std::isnan(result.norms.l2))
    result.norms.l2 = infinity;
  result.mismatches = sums.mismatches;
  result.far = sums.far;
  result.skipped = sums.skipped;
  if (sums.worst > 0)
    result.worst = sums.index, result.found = sums.found, result.expected = sums.expected;
  return result;
}

void DifferenceSums::add(const DifferenceSums &part) {
  differences.add(part.differences), reference.add(part.reference);
  mismatches += part.mismatches, far += part.far, skipped += part.skipped;
  if (part.worst > worst || (part.worst == worst && part.index < index)) {
    worst = part.worst, index = part.index;
    found = part.found, expected = part.expected;
  }
}

Comparison kgen::judge::compareOutput(candidate::DType dtype, const void *bytes, const double *reference, int64_t count,
                                      unsigned threads, double close, const ElementFacts &facts) {
  const char *base = static_cast<const char *>(bytes);
  return compareChunks(
      dtype,
      [&](int64_t begin, int64_t n, double *out) {
        widen(dtype, base + begin * int64_t(candidate::byteSize(dtype)), out, n);
      },
      reference, count, threads, close, facts,
      facts.wide && dtype == candidate::DType::I64 ? static_cast<const int64_t *>(bytes) : nullptr);
}

Comparison kgen::judge::compareValues(candidate::DType dtype, const ValueSource &values, const double *reference,
                                      int64_t count, unsigned threads, double close, const ElementFacts &facts) {
  return compareChunks(
      dtype,
      [&](int64_t begin, int64_t n, double *out) {
        values(begin, n, out);
        for (int64_t i = 0; i < n; ++i)
          out[i] = stored(dtype, out[i]);
      },
      reference, count, threads, close, facts);
}

/// An e_same of one element from which on it says little of the next draw.
static constexpr double fragileMax = 0.1;

candidate::ErrorNorms kgen::judge::measuredTolerance(const candidate::ErrorNorms &same,
                                                     const candidate::ErrorNorms &low, candidate::DType dtype) {
  auto one = [&](double s, double l, double least, double draws) {
    double bound = std::min(8 * s, std::sqrt(s * std::max(l, s)));
    // s is one draw of a random error: never ask for less than a multiple of what was just seen.
    return std::max({bound, draws * s, least});
  };
  // Where one rounding of the inputs moves an element by a tenth of the rms, a few elements decide the largest
  // error, and the next draw may find three times as much; the norm over all elements is steady there too.
  double draws = same.max >= fragileMax ? 8 : 2;
  // The largest element of a result may be tens of times its rms, hence the factor on max.
  double u = unitRoundoff(dtype);
  return {one(same.max, low.max, 64 * u, draws), one(same.l2, low.l2, 4 * u, 2)};
}

RoundTo kgen::judge::roundingOfClass(llvm::StringRef precision) {
  if (precision == "tf32")
    return RoundTo::TF32;
  if (precision == "fp16")
    return RoundTo::FP16;
  if (precision == "bf16")
    return RoundTo::BF16;
  return RoundTo::None;
}

double kgen::judge::classRoundoff(llvm::StringRef precision) {
  if (precision == "tf32" || precision == "fp16")
    return 0x1p-11;
  return precision == "bf16" ? 0x1p-8 : 0;
}

RoundTo kgen::judge::roundingBelowClass(llvm::StringRef precision) {
  if (precision == "tf32" || precision == "fp16")
    return RoundTo::BF16;
  if (precision == "bf16")
    return RoundTo::FP8;
  return RoundTo::TF32;
}

std::string kgen::judge::describeElement(const candidate::BufferSpec &spec, int64_t index, double found,
                                         double expected) {
  if (index < 0) // no element is far off by itself
    return llvm::formatv("{0} is off as a whole", spec.name).str();
  std::vector<int64_t> coordinates(spec.shape.size());
  for (size_t d = spec.shape.size(); d-- > 0;) {
    coordinates[d] = index % spec.shape[d];
    index /= spec.shape[d];
  }
  std::string place;
  for (int64_t c : coordinates)
    place += (place.empty() ? "" : ",") + std::to_string(c);
  // Nine digits tell any two floats apart, but not any two integers.
  const std::string is = llvm::formatv("{0}", llvm::format("%.9g", found)).str();
  const std::string ought = llvm::formatv("{0}", llvm::format("%.9g", expected)).str();
  return spec.name + "[" + place + "] is " + is + ", expected " + ought +
         (is == ought ? "; they differ in digits that are not shown" : "");
}
