//===- Admission.cpp - Does a problem tell right from wrong? --------------===//
#include "kgen/Evaluate/Reference.h"

#include <algorithm>
#include <cmath>
#include <mutex>

using namespace kgen;

namespace {

/// Values for output I on set S, or none where the idea does not apply.
using Fake = std::function<ValueSource(size_t s, unsigned i)>;

ValueSource constant(double value) {
  return [value](int64_t, int64_t n, double *out) { std::fill_n(out, n, value); };
}

double meanOf(const Answer &answer, unsigned threads) {
  std::mutex lock;
  double total = 0;
  parallelFor(int64_t(answer.size()), threads, [&](int64_t begin, int64_t end) {
    double sum = 0;
    for (int64_t i = begin; i < end; ++i)
      sum += answer.data()[i];
    std::lock_guard<std::mutex> guard(lock);
    total += sum;
  });
  return total / double(std::max<size_t>(answer.size(), 1));
}

} // namespace

std::vector<std::string> kgen::findAdmissionFaults(const LaunchPlan &plan, llvm::ArrayRef<ReferenceSet> sets,
                                                   bool lowPasses, unsigned threads) {
  std::vector<std::string> faults;
  // One wrong set is enough, so almost every fake costs one comparison.
  auto passes = [&](const Fake &fake) {
    for (size_t s = 0; s < sets.size(); ++s)
      for (unsigned i = 0; i < plan.outputs.size(); ++i) {
        ValueSource values = fake(s, i);
        const BufferSpec &spec = plan.outputs[i];
        if (!values || !isAccepted(sets[s], i,
                                   compareValues(spec.dtype, values, sets[s].answers[i].data(), spec.elements(),
                                                 threads, sets[s].close[i])))
          return false;
      }
    return true;
  };
  auto tryFake = [&](const std::string &what, const Fake &fake) {
    if (passes(fake))
      faults.push_back("this problem cannot tell " + what + " from a right kernel: it passes on all " +
                       std::to_string(sets.size()) + " inputs");
  };
  tryFake("zeros", [](size_t, unsigned) { return constant(0); });
  tryFake("ones", [](size_t, unsigned) { return constant(1); });
  tryFake("the answers' mean", [&](size_t s, unsigned i) { return constant(meanOf(sets[s].answers[i], threads)); });
  size_t total;
  std::vector<size_t> offsets = packBuffers(plan.inputs, 0, total);
  for (unsigned k = 0; k < plan.inputs.size(); ++k) {
    const BufferSpec &input = plan.inputs[k];
    tryFake("a copy of input " + input.name, [&](size_t s, unsigned i) -> ValueSource {
      if (input.elements() < plan.outputs[i].elements())
        return nullptr;
      const char *bytes = sets[s].inputs.data() + offsets[k];
      return [&input, bytes](int64_t begin, int64_t n, double *out) {
        widen(input.dtype, bytes + begin * int64_t(byteSize(input.dtype)), out, n);
      };
    });
  }
  if (sets.size() > 1)
    tryFake("the answer to another input", [&](size_t s, unsigned i) -> ValueSource {
      const double *other = sets[s == 0 ? sets.size() - 1 : s - 1].answers[i].data();
      return [other](int64_t begin, int64_t n, double *out) { std::copy_n(other + begin, n, out); };
    });
  if (lowPasses)
    faults.push_back("this problem cannot tell a kernel one precision class below " + plan.precision +
                     " from a right one: its error is within the tolerance on every input");
  return faults;
}
