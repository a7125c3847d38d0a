//===- Admission.cpp - Does a problem tell right from wrong? --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Judge/Reference.h"

using namespace kgen;
using namespace kgen::judge;

/// What stands in for output I on set S, or none where the idea does not apply.
using Fake = std::function<std::optional<Exhibit>(size_t s, unsigned i)>;

static Exhibit constant(double value) { return {Exhibit::Constant, value, 0, nullptr, nullptr}; }

llvm::Expected<std::vector<std::string>> kgen::judge::findAdmissionFaults(const candidate::LaunchPlan &plan,
                                                                          llvm::ArrayRef<ReferenceSet> sets,
                                                                          Judge &judge, bool lowPasses) {
  std::vector<std::string> faults;
  // One wrong set is enough, so almost every fake costs one comparison.
  auto passes = [&](const Fake &fake) -> llvm::Expected<bool> {
    for (size_t s = 0; s < sets.size(); ++s)
      for (unsigned i = 0; i < plan.outputs.size() && sets[s].timed(); ++i) {
        std::optional<Exhibit> exhibit = fake(s, i);
        if (!exhibit)
          return false;
        auto judged = judgeExhibit(plan, judge, sets[s], i, *exhibit);
        if (!judged)
          return judged.takeError();
        if (!judged->accepted)
          return false;
      }
    return true;
  };
  llvm::Error failure = llvm::Error::success();
  auto tryFake = [&](const std::string &what, const Fake &fake) {
    if (failure)
      return;
    auto passed = passes(fake);
    if (!passed)
      failure = passed.takeError();
    else if (*passed)
      faults.push_back("this problem cannot tell " + what +
                       " from a right kernel: it passes on all inputs that are timed");
  };
  tryFake("zeros", [](size_t, unsigned) { return constant(0); });
  tryFake("ones", [](size_t, unsigned) { return constant(1); });
  tryFake("the answers' mean", [&](size_t s, unsigned i) { return constant(sets[s].facts[i].mean); });
  for (unsigned k = 0; k < plan.inputs.size(); ++k)
    tryFake("a copy of input " + plan.inputs[k].name, [&](size_t, unsigned i) -> std::optional<Exhibit> {
      if (plan.inputs[k].elements() < plan.outputs[i].elements())
        return std::nullopt;
      return Exhibit{Exhibit::Input, 0, k, nullptr, nullptr};
    });
  if (sets.size() > 1)
    tryFake("the answer to another input", [&](size_t s, unsigned) {
      return Exhibit{Exhibit::Answer, 0, sets[s == 0 ? sets.size() - 1 : s - 1].number, nullptr, nullptr};
    });
  if (failure)
    return std::move(failure);
  if (lowPasses)
    faults.push_back("this problem cannot tell a kernel one precision class below " + plan.precision +
                     " from a right one: its error is within the tolerance on all inputs that are timed");
  return faults;
}
