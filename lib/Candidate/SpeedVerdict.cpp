//===- SpeedVerdict.cpp - Whether one kernel is faster than another -------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Candidate/SpeedVerdict.h"

#include "kgen/Candidate/Measurement.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace kgen;
using namespace kgen::candidate;

static constexpr const char *names[] = {"FAST", "SAME", "SLOW", "AMBIGUOUS", "INVALID"};

llvm::StringRef kgen::candidate::speedName(Speed speed) { return names[size_t(speed)]; }

std::optional<Speed> kgen::candidate::parseSpeed(llvm::StringRef name) {
  for (size_t i = 0; i < std::size(names); ++i)
    if (name == names[i])
      return Speed(i);
  return std::nullopt;
}

double kgen::candidate::relativeSpread(std::vector<double> samples) {
  const size_t n = samples.size();
  if (n < 6)
    return std::numeric_limits<double>::infinity();
  std::sort(samples.begin(), samples.end());
  // The number of samples below the median is binomial(n, 1/2): ranks n/2 +- 0.98 sqrt(n) hold it in 95 %.
  double half = 0.98 * std::sqrt(double(n));
  size_t low = size_t(std::max(0.0, std::floor(n / 2.0 - half)));
  size_t high = std::min(n - 1, size_t(std::ceil(n / 2.0 + half)));
  return (samples[high] - samples[low]) / 2 / median(samples);
}

SpeedComparison kgen::candidate::judgeSpeed(llvm::ArrayRef<SpeedBlock> blocks, double aloneUs, uint64_t seed,
                                            double disturbed) {
  SpeedComparison out;
  out.blocks = int(blocks.size());
  out.baselineAloneUs = aloneUs;
  std::vector<double> ratios, candidate, baseline;
  for (const SpeedBlock &block : blocks) {
    bool usable = true;
    for (double us : {block.candidate[0], block.candidate[1], block.baseline[0], block.baseline[1]})
      usable &= std::isfinite(us) && us > 0;
    if (!usable)
      continue;
    ratios.push_back((std::log(block.baseline[0]) + std::log(block.baseline[1]) - std::log(block.candidate[0]) -
                      std::log(block.candidate[1])) /
                     2);
    candidate.insert(candidate.end(), block.candidate, block.candidate + 2);
    baseline.insert(baseline.end(), block.baseline, block.baseline + 2);
  }
  if (ratios.size() < 5) {
    out.verdict = Speed::Invalid;
    return out;
  }
  out.candidateUs = median(candidate);
  out.baselineUs = median(baseline);
  out.ratio = std::exp(median(ratios));
  constexpr int resamples = 1000;
  std::mt19937_64 random(seed);
  std::vector<double> medians, drawn(ratios.size());
  for (int r = 0; r < resamples; ++r) {
    for (double &value : drawn)
      value = ratios[random() % ratios.size()];
    // The lower of the two middle ones for an even count: good enough for an interval.
    std::nth_element(drawn.begin(), drawn.begin() + long(drawn.size() / 2), drawn.end());
    medians.push_back(drawn[drawn.size() / 2]);
  }
  std::sort(medians.begin(), medians.end());
  out.low = std::exp(medians[size_t(resamples * 0.025)]);
  out.high = std::exp(medians[size_t(resamples * 0.975)]);
  const double margin = std::max(speedMargin, speedResolutionUs / std::min(out.candidateUs, out.baselineUs));
  if (aloneUs > 0 && out.baselineUs > aloneUs * (1 + disturbed))
    out.verdict = Speed::Invalid;
  else if (out.low > 1 + margin)
    out.verdict = Speed::Fast;
  else if (out.high < 1 - margin)
    out.verdict = Speed::Slow;
  else if (out.low >= 1 - margin && out.high <= 1 + margin)
    out.verdict = Speed::Same;
  return out;
}

std::string kgen::candidate::describeSpeed(const SpeedComparison &s) {
  char text[160];
  snprintf(text, sizeof text, "%s: %.4f times as fast, 95 %% of it in %.4f to %.4f, %d blocks, %.2f us against %.2f us",
           speedName(s.verdict).str().c_str(), s.ratio, s.low, s.high, s.blocks, s.candidateUs, s.baselineUs);
  return text;
}
