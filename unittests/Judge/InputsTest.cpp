//===- InputsTest.cpp - Inputs and comparisons ----------------------------===//
#include "kgen/Judge/Inputs.h"
#include "kgen/Judge/Verify.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace kgen;

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
  BufferSpec spec;
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

TEST(Inputs, BadInitNamesTheInput) {
  BufferSpec spec;
  spec.name = "w", spec.shape = {1}, spec.init = "cauchy(0, 1)";
  char bytes[4];
  EXPECT_EQ(llvm::toString(fillInput(spec, 0, {}, bytes)),
            "input 'w': init is 'cauchy(0, 1)', expected normal(mean, deviation), uniform(low, high) or "
            "integer(low, high)");
}

TEST(Verify, FindsTheWorstElementAndPlantedNaN) {
  std::vector<float> out{1, 2, 3, 4};
  std::vector<double> ref{1, 2, 3, 4};
  EXPECT_EQ(compareOutput(DType::F32, out.data(), ref.data(), 4).worst, -1);
  out[2] = 5;
  Comparison c = compareOutput(DType::F32, out.data(), ref.data(), 4);
  EXPECT_EQ(c.worst, 2);
  EXPECT_EQ(c.mismatches, 1);
  EXPECT_NEAR(c.norms.max, 2 / std::sqrt(30.0 / 4), 1e-12);
  out[2] = NAN;
  EXPECT_TRUE(std::isinf(compareOutput(DType::F32, out.data(), ref.data(), 4).norms.max));
  ref[2] = NAN;
  EXPECT_EQ(compareOutput(DType::F32, out.data(), ref.data(), 4).mismatches, 0);
  BufferSpec spec;
  spec.name = "out0", spec.shape = {2, 2};
  EXPECT_EQ(describeElement(spec, 2, 0.25, 0.5), "out0[1,0] is 0.25, expected 0.5");
}

TEST(Verify, ToleranceSitsBetweenTheClasses) {
  ErrorNorms same{1e-3, 3e-4}, low{8e-3, 2.4e-3};
  // A few elements decide the largest error of a fragile set: the norm stays strict, one element gets room.
  ErrorNorms fragile = measuredTolerance({0.45, 0.005}, {1, 1}, DType::F32);
  EXPECT_DOUBLE_EQ(fragile.max, 3.6);
  EXPECT_LT(fragile.l2, 0.08);
  EXPECT_LT(measuredTolerance({0.05, 0.005}, {1, 1}, DType::F32).max, 0.25);
  ErrorNorms tol = measuredTolerance(same, low, DType::F32);
  EXPECT_GT(tol.l2, same.l2);
  EXPECT_LT(tol.l2, low.l2);
  EXPECT_LT(tol.max, low.max);
}
