//===- InputsTest.cpp - Inputs and comparisons ----------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Judge/Inputs.h"
#include "kgen/Judge/Verify.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <array>
#include <map>

#include <cmath>
#include <cstring>
#include <limits>

using namespace kgen;
using namespace kgen::judge;

TEST(Inputs, HalfConversionsRoundTripAndRound) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7c00) == 0x7c00 && (bits & 0x3ff))
      continue; // NaN
    EXPECT_EQ(toHalf(fromHalf(uint16_t(bits))), bits);
  }
  EXPECT_EQ(toHalf(1.0f + 0x1p-11f), 0x3c00); // tie to even
  EXPECT_EQ(toHalf(1.0f + 3 * 0x1p-11f), 0x3c02);
  EXPECT_EQ(toHalf(65519.996f), 0x7bff);
  EXPECT_EQ(toHalf(65520.0f), 0x7c00);
  EXPECT_EQ(toBFloat16(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(roundTo(RoundTo::TF32, 1 + 0x1p-11 + 0x1p-20), 1 + 0x1p-10);
  EXPECT_EQ(roundTo(RoundTo::TF32, 1 + 0x1p-11), 1.0);
}

TEST(Inputs, AreTheSameHoweverTheyAreSplit) {
  candidate::BufferSpec spec;
  spec.name = "x", spec.shape = {300000};
  std::vector<float> one(300000), four(300000);
  InputSet set{InputKind::Declared, 42, 0};
  auto bytes = [](std::vector<float> &v) { return llvm::MutableArrayRef<char>((char *)v.data(), v.size() * 4); };
  ASSERT_FALSE(bool(fillInput(spec, 0, set, bytes(one), 1)));
  ASSERT_FALSE(bool(fillInput(spec, 0, set, bytes(four), 4)));
  EXPECT_EQ(one, four);
  double mean = 0, square = 0;
  for (float v : one)
    mean += v, square += v * v;
  EXPECT_NEAR(mean / 300000, 0, 0.01);
  EXPECT_NEAR(square / 300000, 1, 0.02);
  set.seed = 43;
  ASSERT_FALSE(bool(fillInput(spec, 0, set, bytes(four), 1)));
  EXPECT_NE(one, four);
}

TEST(Inputs, SomeRowsOfOneArgumentHaveANaN) {
  auto drawn = [](std::vector<int64_t> shape, unsigned argument, bool parameter = false) {
    candidate::BufferSpec spec;
    spec.name = "x", spec.shape = std::move(shape), spec.parameter = parameter;
    std::vector<float> out(size_t(spec.elements()));
    InputSet set{InputKind::NaN, 42, 0, 1};
    EXPECT_EQ(set.name(), "nan#0");
    EXPECT_FALSE(
        bool(fillInput(spec, argument, set, llvm::MutableArrayRef<char>((char *)out.data(), out.size() * 4), 1)));
    return out;
  };
  auto count = [](llvm::ArrayRef<float> values) {
    return llvm::count_if(values, [](float v) { return std::isnan(v); });
  };
  std::vector<float> x = drawn({400, 64, 1}, 1);
  std::map<size_t, int> places;
  int rows = 0;
  for (size_t row = 0; row < 400; ++row) {
    EXPECT_LE(count(llvm::ArrayRef(x).slice(64 * row, 64)), 1);
    for (size_t i = 0; i < 64; ++i)
      if (std::isnan(x[64 * row + i]))
        ++places[i], ++rows;
  }
  EXPECT_GT(rows, 60);
  EXPECT_LT(rows, 140);
  EXPECT_GT(places.size(), 30u);
  // Of few rows each has one; other arguments and weights have none.
  EXPECT_EQ(count(drawn({2, 64}, 1)), 2);
  EXPECT_EQ(count(drawn({400, 64}, 0)), 0);
  EXPECT_EQ(count(drawn({400, 64}, 1, true)), 0);
}

TEST(Inputs, BadInitNamesTheInput) {
  candidate::BufferSpec spec;
  spec.name = "w", spec.shape = {1}, spec.init = "cauchy(0, 1)";
  char bytes[4];
  EXPECT_EQ(llvm::toString(fillInput(spec, 0, {}, bytes)),
            "input 'w': init is 'cauchy(0, 1)', expected normal(mean, deviation), uniform(low, high) or "
            "integer(low, high)");
}

TEST(Verify, FindsTheWorstElementAndPlantedNaN) {
  std::vector<float> out{1, 2, 3, 4};
  std::vector<double> ref{1, 2, 3, 4};
  EXPECT_EQ(compareOutput(candidate::DType::F32, out.data(), ref.data(), 4).worst, -1);
  out[2] = 5;
  Comparison c = compareOutput(candidate::DType::F32, out.data(), ref.data(), 4);
  EXPECT_EQ(c.worst, 2);
  EXPECT_EQ(c.mismatches, 1);
  EXPECT_NEAR(c.norms.max, 2 / std::sqrt(30.0 / 4), 1e-6);
  out[2] = NAN;
  EXPECT_TRUE(std::isinf(compareOutput(candidate::DType::F32, out.data(), ref.data(), 4).norms.max));
  ref[2] = NAN;
  EXPECT_EQ(compareOutput(candidate::DType::F32, out.data(), ref.data(), 4).mismatches, 0);
  candidate::BufferSpec spec;
  spec.name = "out0", spec.shape = {2, 2};
  EXPECT_EQ(describeElement(spec, 2, 0.25, 0.5), "out0[1,0] is 0.25, expected 0.5");
  EXPECT_EQ(describeElement(spec, 0, 1234567890, 1234567891),
            "out0[0,0] is 1.23456789e+09, expected 1.23456789e+09; they differ in digits that are not shown");
}

TEST(Verify, ToleranceSitsBetweenTheClasses) {
  candidate::ErrorNorms same{1e-3, 3e-4}, low{8e-3, 2.4e-3};
  // A few elements decide the largest error of a fragile set: the norm stays strict, one element gets room.
  candidate::ErrorNorms fragile = measuredTolerance({0.45, 0.005}, {1, 1}, candidate::DType::F32);
  EXPECT_DOUBLE_EQ(fragile.max, 3.6);
  EXPECT_LT(fragile.l2, 0.08);
  EXPECT_LT(measuredTolerance({0.05, 0.005}, {1, 1}, candidate::DType::F32).max, 0.25);
  candidate::ErrorNorms tol = measuredTolerance(same, low, candidate::DType::F32);
  EXPECT_GT(tol.l2, same.l2);
  EXPECT_LT(tol.l2, low.l2);
  EXPECT_LT(tol.max, low.max);
}

TEST(Verify, AnElementMayBeRoundedAsItsTypeIs) {
  // One element of a softmax is near 1, the rms of all is 0.03: the last place of that element is a fiftieth of the
  // rms.
  std::vector<double> ref(1000, 2e-5);
  ref[7] = 0.9761;
  std::vector<uint16_t> out;
  for (double v : ref)
    out.push_back(toHalf(float(v)));
  EXPECT_EQ(compareOutput(candidate::DType::F16, out.data(), ref.data(), 1000).norms.max, 0);
  ++out[7]; // its other neighbour
  EXPECT_LT(compareOutput(candidate::DType::F16, out.data(), ref.data(), 1000).norms.max, 1e-2);
  out[7] += 4;
  Comparison c = compareOutput(candidate::DType::F16, out.data(), ref.data(), 1000);
  EXPECT_GT(c.norms.max, 0.04);
  EXPECT_EQ(c.worst, 7);
  // Subnormal halves are 6e-8 apart: the norm of small numbers does not count that, one bit more it does.
  std::vector<double> small(1000, 1.49 * 0x1p-24);
  std::vector<uint16_t> ones(1000, 1), twos(1000, 2);
  EXPECT_EQ(compareOutput(candidate::DType::F16, ones.data(), small.data(), 1000).norms.l2, 0);
  EXPECT_GT(compareOutput(candidate::DType::F16, twos.data(), small.data(), 1000).norms.l2, 0.006);
}

TEST(Verify, WhatATypeCannotHoldIsZero) {
  float zero = 0;
  uint16_t brain = 0;
  double tiny = 9.8e-55, held = 1e-37; // fp32's smallest normal number is 1.2e-38
  EXPECT_EQ(compareOutput(candidate::DType::F32, &zero, &tiny, 1).norms.max, 0);
  EXPECT_EQ(compareOutput(candidate::DType::F32, &zero, &tiny, 1).norms.l2, 0);
  EXPECT_GT(compareOutput(candidate::DType::F32, &zero, &held, 1).norms.l2, 0.9);
  EXPECT_EQ(compareOutput(candidate::DType::BF16, &brain, &tiny, 1).norms.l2, 0);
  EXPECT_GT(compareOutput(candidate::DType::BF16, &brain, &held, 1).norms.l2, 0.9);
}

TEST(Inputs, SpecialSetsLoseInfinityThenWhatIsFarThenMinusZero) {
  candidate::BufferSpec spec;
  spec.name = "x", spec.init = "normal(0, 1)", spec.dtype = candidate::DType::F32, spec.shape = {100000};
  for (unsigned ordinal = 0; ordinal <= lastSpecial; ++ordinal) {
    std::vector<float> x(100000);
    llvm::MutableArrayRef<char> bytes(reinterpret_cast<char *>(x.data()), x.size() * 4);
    ASSERT_FALSE(bool(fillInput(spec, 0, InputSet{InputKind::Special, 7, ordinal}, bytes)));
    EXPECT_EQ(llvm::any_of(x, [](float v) { return std::isinf(v); }), ordinal == 0);
    EXPECT_EQ(llvm::any_of(x, [](float v) { return v <= -100 && v >= -1000; }), ordinal < 2);
    EXPECT_EQ(llvm::any_of(x, [](float v) { return v == 0 && std::signbit(v); }), ordinal < lastSpecial);
    EXPECT_TRUE(llvm::any_of(x, [](float v) { return v == 0 && !std::signbit(v); }));
  }
}

/// Masks as people have them: whole rows, none, the end of a row; and indices that all are one.
TEST(Inputs, IntegersComeInRuns) {
  constexpr int rows = 300, columns = 40;
  auto draw = [&](InputKind kind, unsigned ordinal, const char *init) {
    candidate::BufferSpec spec;
    spec.name = "m", spec.init = init, spec.dtype = candidate::DType::I64, spec.shape = {rows, 1, columns, 1};
    std::vector<int64_t> m(rows * columns);
    llvm::MutableArrayRef<char> bytes(reinterpret_cast<char *>(m.data()), m.size() * 8);
    EXPECT_FALSE(bool(fillInput(spec, 1, InputSet{kind, 7, ordinal}, bytes)));
    return m;
  };
  // How many rows have N ones.
  auto counts = [&](InputKind kind, unsigned ordinal = 0) {
    const std::vector<int64_t> m = draw(kind, ordinal, "integer(0, 1)");
    std::map<int64_t, int> out;
    for (int r = 0; r < rows; ++r)
      ++out[std::count(m.begin() + r * columns, m.begin() + (r + 1) * columns, 1)];
    return out;
  };
  auto lone = counts(InputKind::Wide);
  EXPECT_EQ(lone[1] + lone[columns - 1], rows);
  EXPECT_GT(std::min(lone[1], lone[columns - 1]), rows / 4);
  auto halves = counts(InputKind::Scaled);
  EXPECT_GT(halves.size(), size_t(columns / 2)); // rows end anywhere
  EXPECT_EQ(halves[0] + halves[columns], 0);
  const std::vector<int64_t> half = draw(InputKind::Scaled, 0, "integer(0, 1)");
  for (int r = 0; r < rows; ++r) {
    int changes = 0;
    for (int c = 1; c < columns; ++c)
      changes += half[r * columns + c] != half[r * columns + c - 1];
    EXPECT_EQ(changes, 1);
  }
  for (unsigned ordinal = 0; ordinal < lastSpecial; ++ordinal) {
    auto whole = counts(InputKind::Special, ordinal);
    EXPECT_GT(std::min(whole[0], whole[columns]), rows / 5);
    EXPECT_GT(rows - whole[0] - whole[columns], rows / 5);
  }
  EXPECT_EQ(counts(InputKind::Special, lastSpecial)[0], 0);
  EXPECT_EQ(counts(InputKind::Declared)[0], 0);
  // Both ends of a range are indexed.
  for (InputKind kind : {InputKind::Scaled, InputKind::Special}) {
    const std::vector<int64_t> index = draw(kind, 0, "integer(3, 100000)");
    EXPECT_EQ(*std::min_element(index.begin(), index.end()), 3);
    EXPECT_EQ(*std::max_element(index.begin(), index.end()), 100000);
  }
}

TEST(Verify, ABoolIsNoughtOrOne) {
  const double ref[] = {1, 0};
  const uint8_t right[] = {1, 0}, wrong[] = {2, 0};
  EXPECT_EQ(compareOutput(candidate::DType::I1, right, ref, 2).norms.l2, 0);
  EXPECT_GT(compareOutput(candidate::DType::I1, wrong, ref, 2).norms.l2, 0.5);
}

TEST(Verify, TheEndOfARangeIsANumberOrAnInfinity) {
  double ref = 65521; // fp16 rounds that to infinity, and 65519 to 65504
  uint16_t largest = toHalf(65504), infinite = toHalf(1e6f), half = toHalf(32000);
  EXPECT_LT(compareOutput(candidate::DType::F16, &largest, &ref, 1).norms.max, 1e-3);
  EXPECT_EQ(compareOutput(candidate::DType::F16, &infinite, &ref, 1).norms.max, 0);
  EXPECT_GT(compareOutput(candidate::DType::F16, &infinite, &(ref = -65521), 1).norms.max, 1);
  EXPECT_LT(compareOutput(candidate::DType::F16, &infinite, &(ref = 65519), 1).norms.max, 1e-3);
  EXPECT_TRUE(std::isinf(compareOutput(candidate::DType::F16, &infinite, &(ref = 60000), 1).norms.max));
  EXPECT_TRUE(std::isinf(compareOutput(candidate::DType::F16, &largest, &(ref = 1e6), 1).norms.max));
  EXPECT_GT(compareOutput(candidate::DType::F16, &half, &(ref = 65521), 1).norms.max, 0.4);
}

TEST(Verify, WhatCancelsIsHeldAgainstWhatWasAddedUp) {
  // 3000 was added up and 4e-5 is left: an error of 2e-4 is honest, one of 4e-3 is not.
  double ref = 4e-5, size = 3000;
  float honest = 2.4e-4f, wrong = 4e-3f, nan = NAN;
  EXPECT_GT(compareOutput(candidate::DType::F32, &honest, &ref, 1).norms.l2, 1);
  Comparison c = compareOutput(candidate::DType::F32, &honest, &ref, 1, 1, 0, {&size});
  EXPECT_EQ(c.norms.l2, 0);
  EXPECT_EQ(c.norms.max, 0);
  EXPECT_EQ(c.mismatches, 1);
  EXPECT_GT(compareOutput(candidate::DType::F32, &wrong, &ref, 1, 1, 0, {&size}).norms.l2, 1);
  EXPECT_TRUE(std::isinf(compareOutput(candidate::DType::F32, &nan, &ref, 1, 1, 0, {&size}).norms.l2));
  // A size that is no number allows nothing.
  for (double none : {double(INFINITY), double(NAN)})
    EXPECT_GT(compareOutput(candidate::DType::F32, &honest, &ref, 1, 1, 0, {&none}).norms.l2, 1);
}

TEST(Verify, IntegersBeyond2To53AreComparedBitByBit) {
  const int64_t large = (int64_t(1) << 53) + 1, right[] = {large, -large, 7, std::numeric_limits<int64_t>::max()};
  double reference[4];
  std::copy(right, right + 4, reference);
  auto compare = [&](std::array<int64_t, 4> out) {
    return compareOutput(candidate::DType::I64, out.data(), reference, 4, 1, 0, {nullptr, nullptr, 0, right});
  };
  EXPECT_EQ(compare({right[0], right[1], right[2], right[3]}).mismatches, 0);
  for (size_t i = 0; i < 4; ++i) {
    std::array<int64_t, 4> out = {right[0], right[1], right[2], right[3]};
    --out[i];
    Comparison c = compare(out);
    EXPECT_EQ(c.mismatches, 1) << i;
    EXPECT_EQ(c.worst, int64_t(i));
    EXPECT_TRUE(std::isinf(c.norms.l2)) << i;
  }
  // Doubles alone do not tell.
  EXPECT_EQ(compareOutput(candidate::DType::I64, std::array<int64_t, 1>{large - 1}.data(), reference, 1).mismatches, 0);
}

TEST(Verify, WhatSomeOrderTakesOutOfRangeIsNotCompared) {
  const double ref[] = {0, 1, 2}, reach[] = {1e60, 1, 1e30};
  const float found[] = {NAN, 1, 2}, wrong[] = {NAN, 1, NAN};
  const double most = largestPartial(candidate::DType::F32);
  EXPECT_GT(most, 1e30);
  EXPECT_TRUE(std::isinf(compareOutput(candidate::DType::F32, found, ref, 3).norms.l2));
  Comparison c = compareOutput(candidate::DType::F32, found, ref, 3, 1, 0, {nullptr, reach, most});
  EXPECT_EQ(c.norms.l2, 0);
  EXPECT_EQ(c.mismatches, 0);
  EXPECT_EQ(c.skipped, 1);
  c = compareOutput(candidate::DType::F32, wrong, ref, 3, 1, 0, {nullptr, reach, most});
  EXPECT_TRUE(std::isinf(c.norms.l2));
  EXPECT_EQ(c.worst, 2);
  EXPECT_EQ(c.mismatches, 1);
  // fp64 holds it.
  EXPECT_GT(largestPartial(candidate::DType::F64), 1e60);
}

TEST(Verify, OnlyAnotherInfinityMayBeLeftOutAlone) {
  const double inf = std::numeric_limits<double>::infinity();
  const double ref[] = {inf, NAN, 0, inf, -inf, 3}, reach[] = {inf, inf, 1e60, 1, inf, 1e60};
  const double most = largestPartial(candidate::DType::F32);
  auto compare = [&](std::array<float, 6> found) {
    return compareOutput(candidate::DType::F32, found.data(), ref, 6, 1, 0, {nullptr, reach, most, nullptr, true});
  };
  Comparison c = compare({INFINITY, NAN, 0, INFINITY, -INFINITY, 3});
  EXPECT_EQ(c.mismatches, 0);
  EXPECT_EQ(c.skipped, 0);
  c = compare({NAN, INFINITY, 0, INFINITY, INFINITY, 3});
  EXPECT_EQ(c.mismatches, 0);
  EXPECT_EQ(c.skipped, 3);
  // A number, an infinity or none in place of the other, and what no order takes out of range.
  for (std::array<float, 6> wrong : {std::array<float, 6>{1, NAN, 0, INFINITY, -INFINITY, 3},
                                     {INFINITY, NAN, NAN, INFINITY, -INFINITY, 3},
                                     {INFINITY, NAN, 0, NAN, -INFINITY, 3},
                                     {INFINITY, NAN, 0, INFINITY, -INFINITY, NAN}}) {
    c = compare(wrong);
    EXPECT_EQ(c.mismatches, 1);
    EXPECT_EQ(c.skipped, 0);
  }
}
