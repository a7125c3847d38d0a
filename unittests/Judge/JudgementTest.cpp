//===- JudgementTest.cpp - Right and wrong answers ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FunctionAnswers.h"

#include <cmath>
#include <limits>
#include <set>

using namespace kgen;
using namespace kgen::judge;

TEST(Judgement, CompareNamesTheWorstElement) {
  FunctionAnswers source(twice);
  candidate::LaunchPlan plan = vectorPlan("strict-fp32");
  auto reference = build(source, plan);
  const ReferenceSet &set = reference->sets[0];
  Finished process;
  process.out.resize(512);
  memcpy(process.out.data(), set.inputs.data(), 512 * 4);
  for (float &v : process.out)
    v *= 2;
  EXPECT_TRUE(llvm::cantFail(compareWithReference(plan, *reference->judge, set, process)).passed);
  process.out[100] += 1;
  SetVerdict verdict = llvm::cantFail(compareWithReference(plan, *reference->judge, set, process));
  EXPECT_FALSE(verdict.passed);
  EXPECT_NE(verdict.detail.find("input declared#0: out0[100] is "), std::string::npos) << verdict.detail;
}

TEST(Judgement, WhatIsNotCloseEnoughIsHeldAgainstItsSize) {
  FunctionAnswers source(twice);
  candidate::LaunchPlan plan = vectorPlan("strict-fp32");
  auto judged = [&](float error) {
    auto reference = build(source, plan);
    const ReferenceSet &set = reference->sets[0];
    Finished process;
    process.out.resize(512);
    memcpy(process.out.data(), set.inputs.data(), 512 * 4);
    for (float &v : process.out)
      v *= 2;
    process.out[100] += error;
    source.sizesAsked = 0;
    return llvm::cantFail(compareWithReference(plan, *reference->judge, set, process));
  };
  EXPECT_FALSE(judged(1e-2f).passed);
  EXPECT_EQ(source.sizesAsked, 1);
  EXPECT_NE(judged(1e-2f).detail.find("; what the graph's own types make of it is not known here"), std::string::npos);
  source.size = [](llvm::ArrayRef<double>, size_t i) { return i == 100 ? 1e5 : 0.0; };
  EXPECT_TRUE(judged(1e-2f).passed);
  EXPECT_EQ(source.sizesAsked, 1);
  EXPECT_FALSE(judged(1e-1f).passed);
  // What is right without them, or wrong whatever they are, asks for none.
  EXPECT_TRUE(judged(0).passed);
  EXPECT_EQ(source.sizesAsked, 0);
  EXPECT_FALSE(judged(1e6f).passed);
  EXPECT_EQ(source.sizesAsked, 0);
  EXPECT_FALSE(judged(NAN).passed);
  EXPECT_EQ(source.sizesAsked, 0);
}

TEST(Judgement, AnAnswerWhoseSquaresAreNoNumbersHasANorm) {
  for (double scale : {1e200, 1e-200, 1.0}) {
    static double by;
    by = scale;
    FunctionAnswers source([](llvm::ArrayRef<double> x, size_t i) { return by * (x[i] + (i % 2 ? 2 : -2)); });
    candidate::LaunchPlan plan = vectorPlan("strict-fp32", candidate::DType::F64);
    auto reference = build(source, plan);
    for (const ReferenceSet &set : reference->sets) {
      EXPECT_GT(set.facts[0].rms, 0.1 * scale) << set.set.name();
      EXPECT_LT(set.facts[0].rms, 1e7 * scale) << set.set.name();
      auto judged = [&](double (*f)(double)) {
        std::vector<double> out(512);
        memcpy(out.data(), set.inputs.data(), 512 * 8);
        for (size_t i = 0; i < 512; ++i)
          out[i] = f(by * (out[i] + (i % 2 ? 2 : -2)));
        Exhibit exhibit;
        exhibit.kind = Exhibit::Outputs;
        exhibit.bytes = reinterpret_cast<const char *>(out.data());
        return llvm::cantFail(judgeExhibit(plan, *reference->judge, set, 0, exhibit)).accepted;
      };
      EXPECT_TRUE(judged([](double right) { return right; })) << set.set.name();
      EXPECT_EQ(judged([](double right) { return right * (1 + 1e-9); }), !set.exact[0]) << set.set.name();
      EXPECT_FALSE(judged([](double right) { return right * 1.01; })) << set.set.name();
      EXPECT_FALSE(judged([](double) { return 0.0; })) << set.set.name();
    }
  }
}

TEST(Judgement, WhatIsLeftOfManySumsThatCancelIsHeldAgainstThem) {
  // Variances of equal numbers: nothing but roundings, whoever computes them.
  FunctionAnswers source([](llvm::ArrayRef<double>, size_t i) { return 1e-32 * double(i); });
  candidate::LaunchPlan plan = vectorPlan("strict-fp32");
  auto judged = [&](float out) {
    auto reference = build(source, plan);
    Finished process;
    process.out.resize(512, out);
    return llvm::cantFail(compareWithReference(plan, *reference->judge, reference->sets[0], process));
  };
  source.size = [](llvm::ArrayRef<double>, size_t) { return 1e-7; };
  EXPECT_FALSE(judged(4e-15f).passed);
  // It takes both: the types lose the answers, and the sums were as large.
  source.declared = [](llvm::ArrayRef<double>, size_t i) { return i % 2 ? 3e-15 : 1e-15; };
  SetVerdict verdict = judged(4e-15f);
  EXPECT_TRUE(verdict.passed) << verdict.detail;
  EXPECT_FALSE(judged(1e-12f).passed);
  EXPECT_NE(judged(1e-12f).detail.find("; computed in the types that the graph declares, output 0 is off by"),
            std::string::npos);
  source.declared = [](llvm::ArrayRef<double>, size_t i) { return 1.3e-32 * double(i); };
  EXPECT_FALSE(judged(4e-15f).passed);
  source.declared = [](llvm::ArrayRef<double>, size_t) { return NAN; };
  EXPECT_FALSE(judged(4e-15f).passed);
}

TEST(Judgement, ARoundingThatAllElementsShareIsADraw) {
  // Each element is subtracted from one number of the inputs' size, which the types round to 32nds.
  double unit = 0;
  auto shared = [&](llvm::ArrayRef<double> x) {
    double squares = 0;
    for (double v : x)
      squares += v * v;
    return std::sqrt(squares) * unit;
  };
  auto rounded = [&](llvm::ArrayRef<double> x) { return std::rint(shared(x) * 32) / 32; };
  FunctionAnswers source([&](llvm::ArrayRef<double> x, size_t i) { return shared(x) - x[i]; });
  candidate::LaunchPlan plan = vectorPlan("fp16", candidate::DType::F16);
  auto judged = [&](double error) {
    unit = 1;
    auto reference = build(source, plan);
    const ReferenceSet &drawn = reference->sets[0];
    std::vector<double> x(512);
    widen(candidate::DType::F16, drawn.inputs.data(), x.data(), 512);
    unit = 6.0005 / shared(x); // these inputs' number needs hardly any rounding
    reference = build(source, plan);
    std::vector<uint16_t> out(512);
    for (size_t i = 0; i < 512; ++i)
      out[i] = toHalf(float(rounded(x) + error - x[i]));
    Exhibit exhibit;
    exhibit.kind = Exhibit::Outputs;
    exhibit.bytes = reinterpret_cast<const char *>(out.data());
    return llvm::cantFail(judgeExhibit(plan, *reference->judge, reference->sets[0], 0, exhibit)).accepted;
  };
  source.declared = [&](llvm::ArrayRef<double> x, size_t i) { return rounded(x) - x[i]; };
  EXPECT_TRUE(judged(0));
  EXPECT_TRUE(judged(1.0 / 32)); // the number's other neighbour
  EXPECT_FALSE(judged(8.0 / 32));
  // Roundings of their own come to as much whatever the inputs.
  source.declared = [&](llvm::ArrayRef<double> x, size_t i) { return shared(x) - x[i] + (i % 2 ? 0.008 : -0.008); };
  EXPECT_TRUE(judged(0));
  EXPECT_FALSE(judged(1.0 / 32));
}

TEST(Judgement, ASetThatTheTypesDestroySaysNothing) {
  // x * x, which an fp16 intermediate cannot hold for inputs of 1000.
  FunctionAnswers source([](llvm::ArrayRef<double> x, size_t i) { return std::sqrt(x[i] * x[i] + 1); });
  candidate::LaunchPlan plan = vectorPlan("fp16", candidate::DType::F32);
  plan.outputs[0].dtype = candidate::DType::F32;
  auto reference = build(source, plan);
  auto judged = [&](InputKind kind) {
    Finished process;
    process.out.resize(512, std::numeric_limits<float>::infinity());
    return llvm::cantFail(compareWithReference(plan, *reference->judge, *find(*reference, kind), process));
  };
  EXPECT_FALSE(judged(InputKind::Offset).passed);
  source.declared = [](llvm::ArrayRef<double> x, size_t i) {
    return x[i] * x[i] > 65504 ? INFINITY : std::sqrt(x[i] * x[i] + 1);
  };
  SetVerdict verdict = judged(InputKind::Offset);
  EXPECT_TRUE(verdict.passed);
  EXPECT_EQ(verdict.meaningless, "input offset#0 says nothing: computed in the types that the graph declares, output 0 "
                                 "overflows or is no number there");
  // Where the types do no harm, and on what is timed, it is wrong as ever.
  EXPECT_FALSE(judged(InputKind::Uniform).passed);
  EXPECT_FALSE(judged(InputKind::Declared).passed);
  source.declared = [](llvm::ArrayRef<double>, size_t) { return NAN; };
  reference = build(source, plan);
  verdict = judged(InputKind::Declared);
  EXPECT_FALSE(verdict.passed);
  EXPECT_NE(verdict.detail.find("; computed in the types that the graph declares, output 0 overflows"),
            std::string::npos)
      << verdict.detail;
}

TEST(Judgement, AnotherOrderMayOverflowWhereAnswersComeNearTheLargestNumber) {
  // As products of ever more factors do: those of some neighbours are larger than any of the answers.
  double scale = 1e35;
  auto answers = [&](llvm::ArrayRef<double> x, size_t i) { return scale * x[i]; };
  FunctionAnswers source(answers);
  source.declared = answers;
  candidate::LaunchPlan plan = vectorPlan("strict-fp32");
  auto judged = [&](InputKind kind, float out) {
    auto reference = build(source, plan);
    Finished process;
    process.out.resize(512, out);
    return llvm::cantFail(compareWithReference(plan, *reference->judge, *find(*reference, kind), process));
  };
  const float overflown = std::numeric_limits<float>::infinity();
  SetVerdict verdict = judged(InputKind::Uniform, overflown);
  EXPECT_TRUE(verdict.passed) << verdict.detail;
  EXPECT_EQ(verdict.meaningless,
            "input uniform#0 says nothing: the answers of output 0 are so large that another order of the "
            "same products and sums may overflow");
  // Zeros are wrong there as everywhere, and so is an infinity on what is timed, and where answers are smaller.
  EXPECT_FALSE(judged(InputKind::Uniform, 0.0f).passed);
  EXPECT_FALSE(judged(InputKind::Declared, overflown).passed);
  scale = 1e20;
  EXPECT_FALSE(judged(InputKind::Uniform, overflown).passed);
}

TEST(Judgement, IntegersInDoubtAreNotCompared) {
  auto answers = [](llvm::ArrayRef<double>, size_t i) { return double(i % 100); };
  FunctionAnswers source(answers);
  source.declared = answers;
  candidate::LaunchPlan plan = vectorPlan("strict-fp32");
  plan.outputs[0].dtype = candidate::DType::I32;
  auto judged = [&](InputKind kind, std::vector<size_t> wrong) {
    auto reference = build(source, plan);
    Finished process;
    process.out.resize(512);
    auto *out = reinterpret_cast<int32_t *>(process.out.data());
    for (size_t i = 0; i < 512; ++i)
      out[i] = int32_t(i % 100);
    for (size_t i : wrong)
      ++out[i];
    source.reachAsked = 0;
    return llvm::cantFail(compareWithReference(plan, *reference->judge, *find(*reference, kind), process));
  };
  source.reach = [](llvm::ArrayRef<double>, size_t i) { return i == 7 || i == 9 ? 1.0 : 0.0; };
  for (InputKind kind : {InputKind::Uniform, InputKind::Declared}) {
    EXPECT_TRUE(judged(kind, {}).passed);
    EXPECT_EQ(source.reachAsked, 0);
    SetVerdict verdict = judged(kind, {7});
    EXPECT_TRUE(verdict.passed) << verdict.detail;
    EXPECT_EQ(verdict.meaningless, "");
    EXPECT_TRUE(judged(kind, {7, 9}).passed);
    // The others are held to what they always are.
    EXPECT_FALSE(judged(kind, {8}).passed);
    EXPECT_FALSE(judged(kind, {7, 8}).passed);
  }
  // What is timed is not in doubt as a whole.
  source.reach = [](llvm::ArrayRef<double>, size_t) { return 1.0; };
  EXPECT_FALSE(judged(InputKind::Declared, {7}).passed);
  EXPECT_EQ(
      judged(InputKind::Uniform, {7}).meaningless,
      "input uniform#0 says nothing: each element of output 0 follows from a choice between numbers that rounding "
      "does not tell apart");
  source.reach = nullptr;
  EXPECT_NE(judged(InputKind::Uniform, {7}).detail.find("; how large partial sums and products may get is not known"),
            std::string::npos);
}

/// What is said of the inputs of SOURCE's set KIND as its outputs, but for element 7, which is AT7, and 8, with AT8
/// more.
static SetVerdict judgeInputs(FunctionAnswers &source, InputKind kind, float at7, float at8 = 0) {
  candidate::LaunchPlan plan = vectorPlan("strict-fp32");
  auto reference = build(source, plan);
  const ReferenceSet &set = *find(*reference, kind);
  Finished process;
  process.out.resize(512);
  memcpy(process.out.data(), set.inputs.data(), 512 * 4);
  process.out[7] = at7;
  process.out[8] += at8;
  source.reachAsked = 0;
  return llvm::cantFail(compareWithReference(plan, *reference->judge, set, process));
}

TEST(Judgement, ElementsThatAnotherOrderTakesOutOfRangeSayNothing) {
  // Zeros that a product of large factors ends in, beside ordinary answers.
  auto answers = [](llvm::ArrayRef<double> x, size_t i) { return i == 7 ? 0.0 : x[i]; };
  FunctionAnswers source(answers);
  source.declared = answers;
  auto judged = [&](InputKind kind, float at7, float at8 = 0) { return judgeInputs(source, kind, at7, at8); };
  // Where no order does, it is wrong.
  source.reach = [](llvm::ArrayRef<double>, size_t i) { return i == 7 ? 1e30 : i == 9 ? 1e60 : 1.0; };
  EXPECT_FALSE(judged(InputKind::Uniform, NAN).passed);
  EXPECT_EQ(source.reachAsked, 1);
  source.reach = [](llvm::ArrayRef<double>, size_t i) { return i == 7 ? 1e60 : 1.0; };
  SetVerdict verdict = judged(InputKind::Uniform, NAN);
  EXPECT_TRUE(verdict.passed) << verdict.detail;
  EXPECT_EQ(verdict.meaningless, "input uniform#0 says nothing: another order of the same products and sums takes 1 of "
                                 "512 elements of output 0 out of the range that they are computed in");
  // The other elements are held to what they always are, and what is timed is right everywhere.
  EXPECT_FALSE(judged(InputKind::Uniform, NAN, 0.1f).passed);
  EXPECT_FALSE(judged(InputKind::Uniform, NAN, NAN).passed);
  verdict = judged(InputKind::Declared, NAN);
  EXPECT_FALSE(verdict.passed);
  EXPECT_NE(verdict.detail.find("; another order of the same products and sums takes 1 of 512 elements of output 0 out "
                                "of the range that they are computed in"),
            std::string::npos)
      << verdict.detail;
  EXPECT_EQ(judged(InputKind::Declared, NAN, 0.1f).detail.find("another order"), std::string::npos);
  // An ordinary number in its place comes of no overflow.
  EXPECT_FALSE(judged(InputKind::Uniform, 5).passed);
  EXPECT_EQ(source.reachAsked, 0);
  source.reach = nullptr;
  EXPECT_NE(judged(InputKind::Uniform, NAN).detail.find("; how large partial sums and products may get is not known"),
            std::string::npos);
}

TEST(Judgement, AnInfinityBesideTheLargestNumberMayComeOfAnotherOrder) {
  // The error is a finite number there.
  auto answers = [](llvm::ArrayRef<double> x, size_t i) { return i == 7 ? -3.3877e38 : x[i]; };
  FunctionAnswers source(answers);
  source.declared = answers;
  auto judged = [&](float at7) { return judgeInputs(source, InputKind::Uniform, at7).passed; };
  source.reach = [](llvm::ArrayRef<double>, size_t i) { return i == 7 ? 4e38 : 1.0; };
  EXPECT_TRUE(judged(-3.3877e38f));
  EXPECT_TRUE(judged(-INFINITY));
  EXPECT_FALSE(judged(-3.1e38f));
  source.reach = [](llvm::ArrayRef<double>, size_t) { return 1.0; };
  EXPECT_FALSE(judged(-INFINITY));
}

TEST(Judgement, AnotherInfinityOnWhatIsTimedIsLeftOutAlone) {
  // A product with an infinity, whose other factors may pass zero before it, beside ordinary answers.
  auto answers = [](llvm::ArrayRef<double> x, size_t i) { return i == 7 ? INFINITY : x[i]; };
  FunctionAnswers source(answers);
  source.declared = answers;
  auto judged = [&](float at7, float at8 = 0) { return judgeInputs(source, InputKind::Declared, at7, at8); };
  source.reach = [](llvm::ArrayRef<double>, size_t i) { return i == 7 ? INFINITY : 1.0; };
  SetVerdict verdict = judged(NAN);
  EXPECT_TRUE(verdict.passed) << verdict.detail;
  EXPECT_EQ(verdict.meaningless, "");
  EXPECT_TRUE(judged(INFINITY).passed);
  EXPECT_TRUE(judged(-INFINITY).passed);
  // A number comes of no order, and the other elements are held to what they always are.
  EXPECT_FALSE(judged(0).passed);
  EXPECT_FALSE(judged(5).passed);
  EXPECT_FALSE(judged(NAN, 0.1f).passed);
  EXPECT_FALSE(judged(NAN, NAN).passed);
  // Something has to be compared.
  FunctionAnswers infinite([](llvm::ArrayRef<double>, size_t) { return INFINITY; });
  infinite.reach = [](llvm::ArrayRef<double>, size_t) { return INFINITY; };
  candidate::LaunchPlan plan = vectorPlan("strict-fp32");
  auto reference = build(infinite, plan);
  Finished process;
  process.out.assign(512, NAN);
  verdict = llvm::cantFail(compareWithReference(plan, *reference->judge, reference->sets[0], process));
  EXPECT_FALSE(verdict.passed);
  EXPECT_EQ(verdict.detail, "input declared#0 says nothing: another order of the same products and sums takes 512 of "
                            "512 elements of output 0 out of the range that they are computed in");
  process.out[3] = INFINITY;
  EXPECT_TRUE(llvm::cantFail(compareWithReference(plan, *reference->judge, reference->sets[0], process)).passed);
  // Nor is it left out where no order takes it out of range.
  source.reach = [](llvm::ArrayRef<double>, size_t) { return 1.0; };
  EXPECT_FALSE(judged(NAN).passed);
}

/// Gives every answer a second output, of one infinite element that some order takes out of range.
class WithAnInfinity : public FunctionAnswers {
public:
  using FunctionAnswers::FunctionAnswers;
  llvm::Expected<std::vector<Answer>> answer(llvm::StringRef graph,
                                             llvm::ArrayRef<llvm::ArrayRef<double>> inputs) override {
    return withOne(FunctionAnswers::answer(graph, inputs));
  }
  llvm::Expected<std::vector<Answer>> compute(Computed what, llvm::StringRef graph,
                                              llvm::ArrayRef<llvm::ArrayRef<double>> inputs) override {
    if (what == Computed::Answers)
      return answer(graph, inputs);
    return withOne(FunctionAnswers::compute(what, graph, inputs));
  }
  llvm::Expected<GraphTraits> traits(llvm::StringRef, llvm::ArrayRef<double>, double) override {
    return GraphTraits{{false, false}, {false}, {false}};
  }

private:
  static llvm::Expected<std::vector<Answer>> withOne(llvm::Expected<std::vector<Answer>> answers) {
    if (answers)
      answers->emplace_back(std::vector<double>{INFINITY});
    return answers;
  }
};

class FinishedTwo : public Finished {
public:
  float second = 0;
  const char *output(unsigned i) const override {
    return i == 0 ? Finished::output(0) : reinterpret_cast<const char *>(&second);
  }
};

TEST(Judgement, AnOutputThatIsLeftOutWholeNeedsAnotherThatIsNot) {
  WithAnInfinity source(twice);
  source.declared = twice;
  source.reach = [](llvm::ArrayRef<double>, size_t) { return 1.0; };
  candidate::LaunchPlan plan = vectorPlan("strict-fp32");
  plan.outputs.push_back({"out1", candidate::DType::F32, {1}});
  auto reference = build(source, plan);
  const ReferenceSet &set = *find(*reference, InputKind::Declared);
  FinishedTwo process;
  process.out.resize(512);
  memcpy(process.out.data(), set.inputs.data(), 512 * 4);
  for (float &value : process.out)
    value *= 2;
  auto judged = [&](float second) {
    process.second = second;
    return llvm::cantFail(compareWithReference(plan, *reference->judge, set, process));
  };
  EXPECT_EQ(judged(INFINITY).meaningless, "");
  SetVerdict verdict = judged(-INFINITY);
  EXPECT_TRUE(verdict.passed) << verdict.detail;
  EXPECT_EQ(verdict.meaningless,
            "input declared#0 says nothing: another order of the same products and sums takes 1 of "
            "1 elements of output 1 out of the range that they are computed in");
  EXPECT_FALSE(judged(1).passed);
  process.out[8] += 0.1f;
  EXPECT_FALSE(judged(-INFINITY).passed);
}

TEST(Judgement, RoundingBetweenOpsIsAnErrorOfTheClass) {
  FunctionAnswers source(twice);
  candidate::LaunchPlan plan = vectorPlan("fp16", candidate::DType::F32);
  auto judged = [&](double error) {
    auto reference = build(source, plan);
    const ReferenceSet &set = reference->sets[0];
    Finished process;
    process.out.resize(512);
    memcpy(process.out.data(), set.inputs.data(), 512 * 4);
    for (size_t i = 0; i < 512; ++i)
      process.out[i] *= float(2 * (1 + (i % 2 ? error : -error)));
    return llvm::cantFail(compareWithReference(plan, *reference->judge, set, process));
  };
  EXPECT_FALSE(judged(6e-3).passed);
  source.declared = [](llvm::ArrayRef<double> x, size_t i) { return 2 * x[i] * (i % 2 ? 1.01 : 0.99); };
  SetVerdict verdict = judged(6e-3);
  EXPECT_TRUE(verdict.passed) << verdict.detail;
  EXPECT_FALSE(judged(6e-2).passed);
  // Units round factors in fp32 to tf32 besides, also in a graph that has halves; in strict fp32 they are what it
  // declares.
  EXPECT_GT(source.factorsAsked.exchange(0), 0);
  plan = vectorPlan("tf32", candidate::DType::F32);
  EXPECT_TRUE(judged(6e-3).passed);
  EXPECT_GT(source.factorsAsked.exchange(0), 0);
  plan = vectorPlan("strict-fp32", candidate::DType::F32);
  EXPECT_TRUE(judged(6e-3).passed);
  EXPECT_EQ(source.factorsAsked, 0);
}

/// Whether the first set's ELEMENTS inputs doubled, and off by ERROR of themselves, are right. KNOWN gets the inputs.
static bool isRightDoubled(FunctionAnswers &source, int64_t elements, double error, std::set<double> *known = nullptr) {
  candidate::LaunchPlan plan = vectorPlan("fp16", candidate::DType::F32);
  plan.inputs[0].shape = plan.outputs[0].shape = {elements};
  auto reference = build(source, plan);
  const ReferenceSet &set = reference->sets[0];
  Finished process;
  process.out.resize(elements);
  memcpy(process.out.data(), set.inputs.data(), elements * 4);
  if (known)
    *known = {process.out.begin(), process.out.end()};
  for (float &value : process.out)
    value *= float(2 * (1 + error));
  return llvm::cantFail(compareWithReference(plan, *reference->judge, set, process)).passed;
}

TEST(Judgement, TheNormOfOneElementIsOneDraw) {
  // The types cost one percent; of one element the next order of roundings may cost several times that.
  FunctionAnswers source(twice);
  source.declared = [](llvm::ArrayRef<double> x, size_t i) { return 2 * x[i] * (i % 2 ? 1.01 : 0.99); };
  auto judged = [&](int64_t elements, double error) { return isRightDoubled(source, elements, error); };
  EXPECT_TRUE(judged(1, 0.03));
  EXPECT_FALSE(judged(1, 0.2));
  EXPECT_TRUE(judged(16, 0.03));
  EXPECT_FALSE(judged(17, 0.03));
  EXPECT_FALSE(judged(512, 0.03));
  source.declared = [](llvm::ArrayRef<double> x, size_t i) { return 2 * x[i]; };
  EXPECT_FALSE(judged(1, 0.03));
}

TEST(Judgement, OneElementThatCostsLittleByChanceIsDrawnAgain) {
  // The types cost nothing on the inputs that there are, and a percent on any beside them.
  FunctionAnswers source(twice);
  std::set<double> known;
  source.declared = [&](llvm::ArrayRef<double> x, size_t i) { return 2 * x[i] * (known.count(x[i]) ? 1 : 1.01); };
  auto judged = [&](int64_t elements, double error) { return isRightDoubled(source, elements, error, &known); };
  EXPECT_TRUE(judged(1, 0.03));
  EXPECT_FALSE(judged(1, 0.2));
  EXPECT_TRUE(judged(16, 0.03));
  EXPECT_FALSE(judged(17, 0.03));
  EXPECT_FALSE(judged(1, NAN));
  // Where the types cost nothing beside them either, it is wrong.
  source.declared = twice;
  EXPECT_FALSE(judged(1, 0.03));
}
