//===- ReferenceTest.cpp - Input sets, tolerances, exactness --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Judge/Reference.h"

#include "gtest/gtest.h"

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

using namespace kgen;
using namespace kgen::judge;

namespace {

/// Answers by a function of the first input; counts and can fail.
class FunctionAnswers : public AnswerSource {
public:
  explicit FunctionAnswers(std::function<double(llvm::ArrayRef<double>, size_t)> f) : f(std::move(f)) {}
  std::atomic<int> calls{0};
  int failFrom = 1 << 30, rests = 0;
  llvm::Expected<std::vector<Answer>> answer(llvm::StringRef, llvm::ArrayRef<llvm::ArrayRef<double>> inputs) override {
    if (++calls >= failFrom)
      return llvm::createStringError("the oracle died");
    std::vector<double> out(inputs[0].size());
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = f(inputs[0], i);
    std::vector<Answer> answers;
    answers.emplace_back(std::move(out));
    return std::move(answers);
  }
  void rest(llvm::StringRef) override { ++rests; }
  /// What the graph says; asked with these factors.
  bool keepsIntegers = true, multiplies = false, keepsNaN = false;
  double products = 0;
  llvm::Expected<GraphTraits> traits(llvm::StringRef, llvm::ArrayRef<double>, double factors) override {
    products = factors;
    return GraphTraits{{keepsIntegers}, {multiplies}, {keepsNaN}};
  }
  /// What was added up for each answer, where a test says so.
  std::function<double(llvm::ArrayRef<double>, size_t)> size;
  std::atomic<int> sizesAsked{0}, factorsAsked{0};
  /// The answers in the graph's own types.
  std::function<double(llvm::ArrayRef<double>, size_t)> declared;
  /// How large partial results may get.
  std::function<double(llvm::ArrayRef<double>, size_t)> reach;
  std::atomic<int> reachAsked{0};
  llvm::Expected<std::vector<Answer>> compute(Computed what, llvm::StringRef graph,
                                              llvm::ArrayRef<llvm::ArrayRef<double>> inputs) override {
    if (what == Computed::Answers)
      return answer(graph, inputs);
    sizesAsked += what == Computed::Magnitudes;
    factorsAsked += what == Computed::DeclaredTF32;
    reachAsked += what == Computed::Reach;
    const auto &function = what == Computed::Magnitudes ? size : what == Computed::Reach ? reach : declared;
    if (!function)
      return AnswerSource::compute(what, graph, inputs);
    std::vector<double> out(inputs[0].size());
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = function(inputs[0], i);
    std::vector<Answer> answers;
    answers.emplace_back(std::move(out));
    return std::move(answers);
  }

private:
  std::function<double(llvm::ArrayRef<double>, size_t)> f;
};

candidate::LaunchPlan vectorPlan(const std::string &precision, candidate::DType dtype = candidate::DType::F32) {
  candidate::LaunchPlan plan;
  plan.precision = precision;
  plan.inputs = {{"x", dtype, {512}}};
  plan.outputs = {{"out0", dtype, {512}}};
  return plan;
}

std::unique_ptr<Reference> build(AnswerSource &source, const candidate::LaunchPlan &plan, unsigned threads = 4) {
  ReferenceOptions options;
  options.seed = 7;
  options.threads = threads;
  auto reference = buildReference(source, "graph", plan, options);
  EXPECT_TRUE(bool(reference)) << llvm::toString(reference.takeError());
  return reference ? std::move(*reference) : std::make_unique<Reference>();
}

const ReferenceSet *find(const Reference &reference, InputKind kind) {
  for (const ReferenceSet &set : reference.sets)
    if (set.set.kind == kind)
      return &set;
  return nullptr;
}

double twice(llvm::ArrayRef<double> x, size_t i) { return 2 * x[i]; }

/// F of the set's own inputs, held against its answer.
Comparison shown(const Reference &reference, const ReferenceSet &set, double (*f)(double)) {
  std::vector<float> out(512);
  memcpy(out.data(), set.inputs.data(), 512 * 4);
  for (float &v : out)
    v = float(f(v));
  Exhibit exhibit;
  exhibit.kind = Exhibit::Outputs;
  exhibit.bytes = reinterpret_cast<const char *>(out.data());
  return llvm::cantFail(reference.judge->compare(set.number, 0, exhibit, 0));
}

/// A candidate that left OUT.
class Finished : public device::CandidateProcess {
public:
  std::vector<float> out;
  Outcome run(unsigned, const device::RunRequest &, device::RunReport &) override { return std::nullopt; }
  Outcome reload() override { return std::nullopt; }
  candidate::Conditions conditions() override { return {}; }
  const char *output(unsigned) const override { return reinterpret_cast<const char *>(out.data()); }
  std::string deviceName() const override { return "fake"; }
};

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

TEST(Reference, CompareNamesTheWorstElement) {
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

TEST(Reference, WhatIsNotCloseEnoughIsHeldAgainstItsSize) {
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

TEST(Reference, AnAnswerWhoseSquaresAreNoNumbersHasANorm) {
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

TEST(Reference, WhatIsLeftOfManySumsThatCancelIsHeldAgainstThem) {
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

TEST(Reference, ASetThatTheTypesDestroySaysNothing) {
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
  EXPECT_FALSE(judged(InputKind::Declared).passed);
}

TEST(Reference, AnotherOrderMayOverflowWhereAnswersComeNearTheLargestNumber) {
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

TEST(Reference, IntegersInDoubtAreNotCompared) {
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

TEST(Reference, ElementsThatAnotherOrderTakesOutOfRangeSayNothing) {
  // Zeros that a product of large factors ends in, beside ordinary answers.
  auto answers = [](llvm::ArrayRef<double> x, size_t i) { return i == 7 ? 0.0 : x[i]; };
  FunctionAnswers source(answers);
  source.declared = answers;
  candidate::LaunchPlan plan = vectorPlan("strict-fp32");
  auto judged = [&](InputKind kind, float at7, float at8 = 0) {
    auto reference = build(source, plan);
    const ReferenceSet &set = *find(*reference, kind);
    Finished process;
    process.out.resize(512);
    memcpy(process.out.data(), set.inputs.data(), 512 * 4);
    process.out[7] = at7;
    process.out[8] += at8;
    source.reachAsked = 0;
    return llvm::cantFail(compareWithReference(plan, *reference->judge, set, process));
  };
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
  EXPECT_FALSE(judged(InputKind::Declared, NAN).passed);
  EXPECT_EQ(source.reachAsked, 0);
  // An ordinary number in its place comes of no overflow.
  EXPECT_FALSE(judged(InputKind::Uniform, 5).passed);
  EXPECT_EQ(source.reachAsked, 0);
  source.reach = nullptr;
  EXPECT_NE(judged(InputKind::Uniform, NAN).detail.find("; how large partial sums and products may get is not known"),
            std::string::npos);
}

TEST(Reference, AnotherInfinityOnWhatIsTimedIsLeftOutAlone) {
  // A product with an infinity, whose other factors may pass zero before it, beside ordinary answers.
  auto answers = [](llvm::ArrayRef<double> x, size_t i) { return i == 7 ? INFINITY : x[i]; };
  FunctionAnswers source(answers);
  source.declared = answers;
  candidate::LaunchPlan plan = vectorPlan("strict-fp32");
  auto judged = [&](float at7, float at8 = 0) {
    auto reference = build(source, plan);
    const ReferenceSet &set = *find(*reference, InputKind::Declared);
    Finished process;
    process.out.resize(512);
    memcpy(process.out.data(), set.inputs.data(), 512 * 4);
    process.out[7] = at7;
    process.out[8] += at8;
    return llvm::cantFail(compareWithReference(plan, *reference->judge, set, process));
  };
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
  // Nor is it left out where no order takes it out of range.
  source.reach = [](llvm::ArrayRef<double>, size_t) { return 1.0; };
  EXPECT_FALSE(judged(NAN).passed);
}

TEST(Reference, RoundingBetweenOpsIsAnErrorOfTheClass) {
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

TEST(Reference, TheNormOfOneElementIsOneDraw) {
  // The types cost one percent; of one element the next order of roundings may cost several times that.
  FunctionAnswers source(twice);
  source.declared = [](llvm::ArrayRef<double> x, size_t i) { return 2 * x[i] * (i % 2 ? 1.01 : 0.99); };
  auto judged = [&](int64_t elements, double error) {
    candidate::LaunchPlan plan = vectorPlan("fp16", candidate::DType::F32);
    plan.inputs[0].shape = plan.outputs[0].shape = {elements};
    auto reference = build(source, plan);
    const ReferenceSet &set = reference->sets[0];
    Finished process;
    process.out.resize(elements);
    memcpy(process.out.data(), set.inputs.data(), elements * 4);
    for (float &value : process.out)
      value *= float(2 * (1 + error));
    return llvm::cantFail(compareWithReference(plan, *reference->judge, set, process)).passed;
  };
  EXPECT_TRUE(judged(1, 0.03));
  EXPECT_FALSE(judged(1, 0.2));
  EXPECT_TRUE(judged(16, 0.03));
  EXPECT_FALSE(judged(17, 0.03));
  EXPECT_FALSE(judged(512, 0.03));
  source.declared = [](llvm::ArrayRef<double> x, size_t i) { return 2 * x[i]; };
  EXPECT_FALSE(judged(1, 0.03));
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
