//===- SharedEvaluator.h - One evaluator for all tasks ----------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Search/Search.h"
#include "kgen/Toolchain/Process.h"

#include <mutex>

namespace kgen::search {

/// A task's side of the evaluator of all tasks, of which several are at work: one candidate is measured at a time,
/// and with several evaluators a task stays with one of them, so that its times can be compared. The seed of the inputs
/// is told once, when the network's search ends.
class SharedEvaluator : public CandidateEvaluator {
public:
  /// MEASURING is locked by whoever has INNER, where that is one evaluator. TASK is the task's number; with BRIEF no
  /// run of the network has it.
  SharedEvaluator(CandidateEvaluator &inner, std::mutex &measuring, int task, bool brief)
      : inner(inner), measuring(measuring), task(task), brief(brief) {}
  DeviceFacts getDevice() const override { return inner.getDevice(); }
  void prepare(llvm::StringRef folder) override { inner.prepare(folder); }
  /// Comparisons in turns and the sanitizer wait for the network as a whole: a second each for every new best of every
  /// task would be most of the search.
  llvm::Expected<candidate::Measurement> evaluate(const EvaluationJob &job) override {
    EvaluationJob part = job;
    part.promote = job.profile;
    part.sanitize = false;
    part.incumbent.clear();
    part.onReference = false;
    part.lane = task;
    part.brief = brief;
    if (inner.getWidth() > 1)
      return inner.evaluate(part);
    std::lock_guard<std::mutex> guard(measuring);
    const double begin = toolchain::monotonicSeconds();
    auto measurement = inner.evaluate(part);
    if (job.seconds)
      *job.seconds = toolchain::monotonicSeconds() - begin;
    return measurement;
  }
  bool deviceIsLost() const override {
    std::lock_guard<std::mutex> guard(measuring);
    return inner.deviceIsLost();
  }
  void setAdmission(const EvaluationJob &job) override { inner.setAdmission(job); }
  std::map<std::string, double> timeBaselines(llvm::StringRef file, std::string &note) override {
    return inner.timeBaselines(file, note);
  }

private:
  CandidateEvaluator &inner;
  std::mutex &measuring;
  const int task;
  const bool brief;
};

} // namespace kgen::search
