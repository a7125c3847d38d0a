//===- SharedEvaluator.h - One evaluator for all tasks ----------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Search/Search.h"

namespace kgen::search {

/// The evaluator of all tasks: the seed of the inputs is told once, when the network's search ends.
class SharedEvaluator : public CandidateEvaluator {
public:
  explicit SharedEvaluator(CandidateEvaluator &inner) : inner(inner) {}
  DeviceFacts getDevice() const override { return inner.getDevice(); }
  void prepare(llvm::StringRef folder) override { inner.prepare(folder); }
  void learn(llvm::ArrayRef<EvaluationJob> jobs) override { inner.learn(jobs); }
  /// Comparisons in turns and the sanitizer wait for the network as a whole: a second each for every new best of every
  /// task would be most of the search.
  llvm::Expected<candidate::Measurement> evaluate(const EvaluationJob &job) override {
    EvaluationJob part = job;
    part.promote = job.profile;
    part.sanitize = false;
    part.incumbent.clear();
    return inner.evaluate(part);
  }
  bool deviceIsLost() const override { return inner.deviceIsLost(); }
  unsigned getWidth() const override { return inner.getWidth(); }
  void setAdmission(const EvaluationJob &job) override { inner.setAdmission(job); }
  std::vector<std::string> takeNotes() override { return inner.takeNotes(); }
  std::map<std::string, double> timeBaselines(llvm::StringRef file, std::string &note) override {
    return inner.timeBaselines(file, note);
  }

private:
  CandidateEvaluator &inner;
};

} // namespace kgen::search
