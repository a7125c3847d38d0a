//===- ReferenceTest.cpp - Input sets, tolerances, exactness --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FunctionAnswers.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <map>

using namespace kgen;
using namespace kgen::judge;

namespace {

/// Says that it draws, and cannot from some set on.
class DrawingJudge : public Judge {
public:
  DrawingJudge(std::unique_ptr<Judge> other, const candidate::LaunchPlan &plan, size_t failFrom, int &asked)
      : other(std::move(other)), plan(plan), failFrom(failFrom), asked(asked) {}
  bool drawsInputs() const override { return true; }
  llvm::Error drawInputs(size_t set, const InputSet &how) override {
    ++asked;
    if (set >= failFrom)
      return llvm::createStringError("the card draws another x than the CPU does");
    auto memory = device::SharedMemory::create(plan.inputs[0].bytes());
    if (!memory)
      return memory.takeError();
    drawn[set] = std::move(*memory);
    return fillInput(plan.inputs[0], 0, how, {drawn[set].data(), plan.inputs[0].bytes()});
  }
  llvm::Expected<Findings> examine(size_t set, const Question &question) override {
    Question own = question;
    EXPECT_EQ(question.inputs.data == nullptr, set < failFrom) << set;
    if (!question.inputs.data)
      own.inputs = DrawnInputs::of(drawn[set]);
    return other->examine(set, own);
  }
  void drop(size_t set) override { other->drop(set); }
  llvm::Expected<Comparison> compare(size_t set, unsigned output, const Exhibit &exhibit, double close) override {
    return other->compare(set, output, exhibit, close);
  }

private:
  std::unique_ptr<Judge> other;
  const candidate::LaunchPlan &plan;
  const size_t failFrom;
  int &asked;
  std::map<size_t, device::SharedMemory> drawn;
};

class DrawingAnswers : public FunctionAnswers {
public:
  DrawingAnswers(std::function<double(llvm::ArrayRef<double>, size_t)> f, size_t failFrom)
      : FunctionAnswers(std::move(f)), failFrom(failFrom) {}
  int asked = 0;
  llvm::Expected<std::unique_ptr<Judge>> judge(llvm::StringRef graph, const candidate::LaunchPlan &plan,
                                               unsigned threads) override {
    return std::make_unique<DrawingJudge>(createHostJudge(*this, graph, plan, threads), plan, failFrom, asked);
  }

private:
  const size_t failFrom;
};

} // namespace

TEST(Reference, WhatTheJudgeCannotDrawIsDrawnHere) {
  const candidate::LaunchPlan plan = vectorPlan("strict-fp32");
  DrawingAnswers all(twice, 100), few(twice, 2);
  auto drawn = build(all, plan, 1);
  EXPECT_EQ(all.asked, 12); // special values twice: the answers were infinite
  EXPECT_TRUE(drawn->warnings.empty());
  auto partly = build(few, plan, 1);
  EXPECT_EQ(few.asked, 3); // it is not asked again
  ASSERT_EQ(partly->warnings.size(), 1u);
  EXPECT_EQ(partly->warnings[0], "inputs are drawn by the CPU: the card draws another x than the CPU does");
  ASSERT_EQ(drawn->sets.size(), 11u);
  ASSERT_EQ(partly->sets.size(), 11u);
  for (size_t i = 0; i < 11; ++i) {
    EXPECT_EQ(drawn->sets[i].inputs.size(), 0u);
    EXPECT_EQ(partly->sets[i].inputs.size() > 0, i >= 2);
    EXPECT_EQ(memcmp(llvm::cantFail(hostInputs(drawn->sets[i], plan, 1))->data(),
                     llvm::cantFail(hostInputs(partly->sets[i], plan, 1))->data(), 2048),
              0);
  }
}

TEST(Reference, ElevenSetsDeclaredFirst) {
  FunctionAnswers source(twice);
  auto reference = build(source, vectorPlan("strict-fp32"));
  ASSERT_EQ(reference->sets.size(), 11u);
  EXPECT_EQ(reference->timed(), (std::vector<unsigned>{0, 9, 10}));
  EXPECT_EQ(reference->sets[0].set.name(), "declared#0");
  EXPECT_EQ(source.rests, 1);
  // The answers belong to the inputs that stand beside them.
  for (const ReferenceSet &set : reference->sets) {
    Comparison same = shown(*reference, set, [](double x) { return 2 * x; });
    EXPECT_EQ(same.mismatches, 0) << set.set.name();
    EXPECT_EQ(shown(*reference, set, [](double x) { return 2 * x + 1; }).mismatches, 512) << set.set.name();
  }
}

TEST(Reference, IntegersAreExactOnlyWhereAnswersAre) {
  FunctionAnswers linear(twice),
      root([](llvm::ArrayRef<double> x, size_t i) { return std::sqrt(std::fabs(x[i]) + 1); });
  EXPECT_TRUE(find(*build(linear, vectorPlan("tf32")), InputKind::Integer)->exact[0]);
  EXPECT_FALSE(find(*build(linear, vectorPlan("tf32")), InputKind::Declared)->exact[0]);
  EXPECT_FALSE(find(*build(root, vectorPlan("tf32")), InputKind::Integer)->exact[0]);
}

TEST(Reference, IntegersByChanceAreNotExact) {
  // The answers are those of a graph that keeps integers exact; this one says that it does not.
  FunctionAnswers source(twice);
  source.keepsIntegers = false;
  auto reference = build(source, vectorPlan("tf32"));
  const ReferenceSet *set = find(*reference, InputKind::Integer);
  ASSERT_NE(set, nullptr);
  EXPECT_FALSE(set->exact[0]);
  EXPECT_EQ(source.products, 2048);
  // There is a tolerance then.
  EXPECT_FALSE(isAccepted(*set, 0, shown(*reference, *set, [](double x) { return 2 * x + 1; })));
  EXPECT_TRUE(isAccepted(*set, 0, shown(*reference, *set, [](double x) { return 2 * x * (1 + 0x1p-20); })));
}

TEST(Reference, InfinitiesAreNotDrawnWhereTheyWouldBeMultiplied) {
  for (bool multiplies : {false, true}) {
    FunctionAnswers source([](llvm::ArrayRef<double> x, size_t i) { return std::tanh(x[i]); });
    source.multiplies = multiplies;
    auto reference = build(source, vectorPlan("tf32"));
    const ReferenceSet *set = find(*reference, InputKind::Special);
    ASSERT_NE(set, nullptr);
    EXPECT_EQ(set->set.ordinal, multiplies ? lastSpecial - 1 : 0u);
  }
}

TEST(Reference, NaNAreDrawnWhereTheirFateIsDetermined) {
  auto larger = [](llvm::ArrayRef<double> x, size_t i) { return x[i] < 0 ? 0 : x[i]; }; // relu(NaN) is NaN
  FunctionAnswers source(larger);
  candidate::LaunchPlan plan = vectorPlan("strict-fp32");
  EXPECT_EQ(find(*build(source, plan), InputKind::NaN), nullptr);
  source.keepsNaN = true;
  source.declared = larger;
  auto reference = build(source, plan);
  ASSERT_EQ(reference->sets.size(), 12u);
  const ReferenceSet *set = find(*reference, InputKind::NaN);
  ASSERT_NE(set, nullptr);
  auto judged = [&](float (*f)(float)) {
    Finished process;
    process.out.resize(512);
    memcpy(process.out.data(), set->inputs.data(), 512 * 4);
    for (float &v : process.out)
      v = f(v);
    return llvm::cantFail(compareWithReference(plan, *reference->judge, *set, process));
  };
  EXPECT_TRUE(judged([](float v) { return v < 0 ? 0 : v; }).passed);
  // As CUDA's maximum is.
  SetVerdict swallowed = judged([](float v) { return std::fmax(v, 0.0f); });
  EXPECT_FALSE(swallowed.passed);
  EXPECT_NE(swallowed.detail.find("is 0, expected nan"), std::string::npos) << swallowed.detail;
  // A weight has none.
  plan.inputs[0].parameter = true;
  EXPECT_EQ(find(*build(source, plan), InputKind::NaN), nullptr);
}

TEST(Reference, ToleranceSeparatesTheClasses) {
  FunctionAnswers source(twice);
  // Rounding x to tf32 costs about 3e-4 of its norm.
  double strict = build(source, vectorPlan("strict-fp32"))->sets[0].tolerance[0].l2;
  double tf32 = build(source, vectorPlan("tf32"))->sets[0].tolerance[0].l2;
  EXPECT_LE(strict, 2e-5);
  EXPECT_GT(tf32, 2e-4);
  EXPECT_LT(tf32, 3e-3); // bf16's rounding
}

TEST(Reference, SumsOfOneSignMayDriftInMatrixUnits) {
  // The inputs' roundings cancel in a mean, so that what they cost says little of how it was added up.
  FunctionAnswers mean([](llvm::ArrayRef<double> x, size_t i) {
    double sum = 0;
    for (double v : x)
      sum += std::fabs(v);
    return sum / double(x.size()) * (1 + double(i) / 512);
  });
  auto l2 = [&](const char *precision) {
    return find(*build(mean, vectorPlan(precision)), InputKind::Declared)->tolerance[0].l2;
  };
  EXPECT_LT(l2("strict-fp32"), 5e-5);
  EXPECT_DOUBLE_EQ(l2("tf32"), 0x1p-12);
  EXPECT_DOUBLE_EQ(l2("bf16"), 0x1p-9);
}

TEST(Reference, WhatIsComputedOfIntegersIsRounded) {
  // Integers are exact in every class; twenty times as far into a sine their roundings are not.
  FunctionAnswers steep([](llvm::ArrayRef<double> x, size_t i) { return std::sin(20 * x[i] + 0.5); });
  auto l2 = [&](const char *precision) {
    return find(*build(steep, vectorPlan(precision)), InputKind::Integer)->tolerance[0].l2;
  };
  EXPECT_LT(l2("strict-fp32"), 5e-5);
  EXPECT_GT(l2("tf32"), 2e-3);
  EXPECT_LT(l2("tf32"), 5e-2);
}

TEST(Reference, HalfInputsCostNothingToRoundYetHaveATolerance) {
  FunctionAnswers source(twice);
  auto reference = build(source, vectorPlan("fp16", candidate::DType::F16));
  EXPECT_GT(reference->sets[0].tolerance[0].l2, 1e-5);
  EXPECT_LT(reference->sets[0].tolerance[0].l2, 1e-2);
}

TEST(Reference, SetsThatSayNothingAreDropped) {
  // Multiplied by 1e6 and wrapped: inputs of mean 1000 keep no digit that fp32 could be held to.
  FunctionAnswers source(
      [](llvm::ArrayRef<double> x, size_t i) { return std::sin(1e6 * x[i] * std::fabs(x[i]) / 10); });
  auto reference = build(source, vectorPlan("strict-fp32"));
  EXPECT_EQ(find(*reference, InputKind::Offset), nullptr);
  ASSERT_FALSE(reference->sets.empty());
  EXPECT_EQ(reference->sets[0].set.kind, InputKind::Declared);
}

TEST(Reference, WideAnswersScaleTheBoundOfOneElement) {
  FunctionAnswers source([](llvm::ArrayRef<double> x, size_t i) { return i == 3 ? 1e4 : x[i] * 1e-3; });
  const candidate::ErrorNorms bound = build(source, vectorPlan("strict-fp32"))->sets[0].tolerance[0];
  EXPECT_NEAR(bound.max, 1e-5 * std::sqrt(512.0), 1e-6);
}

TEST(Reference, OneFailureEndsItWithASentence) {
  for (int from : {1, 2, 5}) {
    FunctionAnswers source(twice);
    source.failFrom = from;
    auto reference = buildReference(source, "graph", vectorPlan("tf32"), {});
    ASSERT_FALSE(bool(reference));
    EXPECT_EQ(llvm::toString(reference.takeError()), "the oracle died");
  }
}

TEST(Admission, ARealProblemHasNoWarnings) {
  FunctionAnswers source([](llvm::ArrayRef<double> x, size_t i) { return x[i] * x[(i + 1) % x.size()] + 0.5 * x[0]; });
  auto reference = build(source, vectorPlan("strict-fp32"));
  EXPECT_TRUE(reference->warnings.empty()) << reference->warnings[0];
}

/// A kernel that only measures its inputs sees which kind they are, and could compute where it must.
TEST(Admission, CountsTheInputsThatAreTimed) {
  FunctionAnswers source([](llvm::ArrayRef<double> x, size_t i) {
    double largest = 0;
    for (double v : x)
      largest = std::max(largest, std::fabs(v));
    return largest > 6 ? x[i] : 0.0; // no normal number is as large
  });
  auto reference = build(source, vectorPlan("strict-fp32"));
  ASSERT_FALSE(reference->warnings.empty());
  EXPECT_EQ(reference->warnings[0],
            "this problem cannot tell zeros from a right kernel: it passes on all inputs that are timed");
}

TEST(Admission, WorthlessProblemsAreNamed) {
  auto warningsOf = [](double (*f)(llvm::ArrayRef<double>, size_t)) {
    FunctionAnswers source(f);
    return build(source, vectorPlan("strict-fp32"))->warnings;
  };
  auto holds = [](const std::vector<std::string> &warnings, const char *words) {
    for (const std::string &warning : warnings)
      if (warning.find(words) != std::string::npos)
        return true;
    return false;
  };
  EXPECT_TRUE(holds(warningsOf([](llvm::ArrayRef<double>, size_t) { return 0.0; }), "cannot tell zeros"));
  EXPECT_TRUE(holds(warningsOf([](llvm::ArrayRef<double>, size_t) { return 1.0; }), "cannot tell ones"));
  EXPECT_TRUE(holds(warningsOf([](llvm::ArrayRef<double>, size_t) { return 3.0; }), "the answers' mean"));
  EXPECT_TRUE(holds(warningsOf([](llvm::ArrayRef<double>, size_t) { return 3.0; }), "the answer to another input"));
  EXPECT_TRUE(holds(warningsOf([](llvm::ArrayRef<double> x, size_t i) { return x[i]; }), "a copy of input x"));
  // The sign of x is the same in every class.
  EXPECT_TRUE(holds(warningsOf([](llvm::ArrayRef<double> x, size_t i) { return x[i] > 0 ? i + 1.0 : 0.0; }),
                    "one precision class below strict-fp32"));
}

TEST(Reference, SpecialValuesBelongWhereAnswersAreFinite) {
  FunctionAnswers bounded([](llvm::ArrayRef<double> x, size_t i) { return std::tanh(x[i]); }), linear(twice);
  EXPECT_EQ(find(*build(bounded, vectorPlan("strict-fp32")), InputKind::Special)->set.ordinal, 0u);
  EXPECT_EQ(find(*build(linear, vectorPlan("strict-fp32")), InputKind::Special)->set.ordinal, 1u);
}
