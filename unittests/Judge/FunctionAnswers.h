//===- FunctionAnswers.h - Right answers by a function ----------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Judge/Reference.h"

#include "gtest/gtest.h"

#include <atomic>
#include <cstring>

namespace kgen::judge {

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

inline candidate::LaunchPlan vectorPlan(const std::string &precision, candidate::DType dtype = candidate::DType::F32) {
  candidate::LaunchPlan plan;
  plan.precision = precision;
  plan.inputs = {{"x", dtype, {512}}};
  plan.outputs = {{"out0", dtype, {512}}};
  return plan;
}

inline std::unique_ptr<Reference> build(AnswerSource &source, const candidate::LaunchPlan &plan, unsigned threads = 4) {
  ReferenceOptions options;
  options.seed = 7;
  options.threads = threads;
  auto reference = buildReference(source, "graph", plan, options);
  EXPECT_TRUE(bool(reference)) << llvm::toString(reference.takeError());
  return reference ? std::move(*reference) : std::make_unique<Reference>();
}

inline const ReferenceSet *find(const Reference &reference, InputKind kind) {
  for (const ReferenceSet &set : reference.sets)
    if (set.set.kind == kind)
      return &set;
  return nullptr;
}

inline double twice(llvm::ArrayRef<double> x, size_t i) { return 2 * x[i]; }

/// F of the set's own inputs, held against its answer.
inline Comparison shown(const Reference &reference, const ReferenceSet &set, double (*f)(double)) {
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

} // namespace kgen::judge
