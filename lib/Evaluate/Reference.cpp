//===- Reference.cpp - Input sets with their right answers ----------------===//
#include "kgen/Evaluate/Reference.h"

#include "kgen/Toolchain/Process.h"

#include <atomic>
#include <cmath>

using namespace kgen;

/// Integers up to this have every neighbour that a sum of integers may need.
static double largestExact(DType dtype) {
  switch (dtype) {
  case DType::F16: return 2048;
  case DType::BF16: return 256;
  case DType::F64: return 0x1p53;
  default: return 0x1p24;
  }
}

static bool allSmallIntegers(const Answer &answer, DType dtype, unsigned threads) {
  std::atomic<bool> all{true};
  double limit = largestExact(dtype);
  parallelFor(int64_t(answer.size()), threads, [&](int64_t begin, int64_t end) {
    bool ok = true;
    for (int64_t i = begin; i < end; ++i) {
      double v = answer.data()[i];
      ok &= v == std::rint(v) && std::fabs(v) <= limit;
    }
    if (!ok)
      all = false;
  });
  return all;
}

namespace {

class Builder {
public:
  Builder(AnswerSource &source, llvm::StringRef graph, const LaunchPlan &plan, const ReferenceOptions &options)
      : source(source), graph(graph), plan(plan), options(options) {
    offsets = packBuffers(plan.inputs, 0, inputBytes);
  }

  llvm::Error add(Reference &reference, InputKind kind, unsigned ordinal) {
    ReferenceSet out;
    out.set.kind = kind;
    out.set.ordinal = ordinal;
    out.set.seed = options.seed;
    auto memory = SharedMemory::create(inputBytes);
    if (!memory)
      return memory.takeError();
    out.inputs = std::move(*memory);
    for (unsigned i = 0; i < plan.inputs.size(); ++i)
      if (llvm::Error error =
              fillInput(plan.inputs[i], i, out.set,
                        llvm::MutableArrayRef<char>(out.inputs.data() + offsets[i], plan.inputs[i].bytes()),
                        options.threads))
        return error;
    auto answers = ask(out, RoundTo::None);
    if (!answers)
      return answers.takeError();
    out.answers = std::move(*answers);
    bool measured = false;
    conditioned = true;
    for (unsigned i = 0; i < plan.outputs.size(); ++i) {
      out.exact.push_back(kind == InputKind::Integer &&
                          allSmallIntegers(out.answers[i], plan.outputs[i].dtype, options.threads));
      measured |= !out.exact.back();
    }
    out.tolerance.resize(plan.outputs.size());
    if (measured)
      if (llvm::Error error = measureTolerance(out))
        return error;
    // Where the class's own rounding decides the answer there is nothing to compare with.
    if (conditioned || reference.sets.empty())
      reference.sets.push_back(std::move(out));
    return llvm::Error::success();
  }

private:
  /// Moves each value by up to one rounding of fp32: what no fp32 code can be blamed for.
  static void jitter(std::vector<double> &values) {
    uint64_t state = 0x9e3779b97f4a7c15ull;
    for (double &v : values) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      v += v * 0x1p-23 * (double(state >> 40) * 0x1p-23 - 1);
    }
  }

  llvm::Expected<std::vector<Answer>> ask(const ReferenceSet &set, RoundTo round, bool jittered = false) {
    std::vector<std::vector<double>> wide(plan.inputs.size());
    std::vector<llvm::ArrayRef<double>> views;
    for (unsigned i = 0; i < plan.inputs.size(); ++i) {
      wide[i].resize(size_t(plan.inputs[i].elements()));
      widen(plan.inputs[i].dtype, set.inputs.data() + offsets[i], wide[i].data(), plan.inputs[i].elements(), round,
            options.threads);
      if (jittered && isFloat(plan.inputs[i].dtype))
        jitter(wide[i]);
      views.push_back(wide[i]);
    }
    auto answers = source.answer(graph, views);
    if (!answers)
      return answers;
    if (answers->size() != plan.outputs.size())
      return llvm::createStringError("the graph returns %zu tensors, the plan names %zu outputs", answers->size(),
                                     plan.outputs.size());
    for (unsigned i = 0; i < plan.outputs.size(); ++i)
      if (int64_t((*answers)[i].size()) != plan.outputs[i].elements())
        return llvm::createStringError("output %u has %zu elements by the graph, %lld by the plan", i,
                                       (*answers)[i].size(), (long long)plan.outputs[i].elements());
    return answers;
  }

  /// What rounding the inputs through a format costs, by output; None stands for fp32.
  llvm::Expected<std::vector<ErrorNorms>> costOf(const ReferenceSet &set, RoundTo round) {
    std::vector<ErrorNorms> norms(plan.outputs.size());
    auto answers = ask(set, round, round == RoundTo::None);
    if (!answers)
      return answers.takeError();
    for (unsigned i = 0; i < plan.outputs.size(); ++i)
      norms[i] = compareOutput(DType::F64, (*answers)[i].data(), set.answers[i].data(), int64_t(set.answers[i].size()),
                               options.threads)
                     .norms;
    return norms;
  }

  llvm::Error measureTolerance(ReferenceSet &set) {
    auto same = costOf(set, roundingOfClass(plan.precision));
    if (!same)
      return same.takeError();
    auto low = costOf(set, roundingBelowClass(plan.precision));
    if (!low)
      return low.takeError();
    for (unsigned i = 0; i < plan.outputs.size(); ++i) {
      ErrorNorms s = (*same)[i], l = (*low)[i];
      // Rounding to one lower class may lose everything (overflow, a vanished variance): one is enough.
      auto finite = [](double v) { return std::isfinite(v) ? std::min(v, 1.0) : 1.0; };
      l.max = finite(l.max), l.l2 = finite(l.l2);
      s.max = finite(s.max), s.l2 = finite(s.l2);
      // Inputs that the class holds exactly cost nothing to round; its arithmetic is not free, though.
      if (plan.precision == "fp16" || plan.precision == "bf16")
        s.max = std::max(s.max, l.max / 64), s.l2 = std::max(s.l2, l.l2 / 64);
      conditioned &= s.l2 < 0.05;
      ErrorNorms bound = measuredTolerance(s, l, plan.outputs[i].dtype);
      // Every class accumulates in fp32, in an order of its own.
      bound.max = std::max(bound.max, 1e-4), bound.l2 = std::max(bound.l2, 1e-5);
      set.tolerance[i] = bound;
    }
    return llvm::Error::success();
  }

  AnswerSource &source;
  llvm::StringRef graph;
  const LaunchPlan &plan;
  const ReferenceOptions &options;
  std::vector<size_t> offsets;
  size_t inputBytes = 0;
  bool conditioned = true; ///< the set under way says something about a candidate
};

} // namespace

llvm::Expected<std::unique_ptr<Reference>> kgen::buildReference(AnswerSource &source, llvm::StringRef graph,
                                                                const LaunchPlan &plan,
                                                                const ReferenceOptions &options) {
  auto reference = std::make_unique<Reference>();
  Builder builder(source, graph, plan, options);
  double start = monotonicSeconds();
  struct Wanted {
    InputKind kind;
    unsigned ordinal;
    bool always;
  };
  const Wanted wanted[] = {{InputKind::Declared, 0, true}, {InputKind::Integer, 0, true}, {InputKind::Offset, 0, true},
                           {InputKind::Uniform, 0, false}, {InputKind::Wide, 0, false},   {InputKind::Declared, 1, false}};
  for (const Wanted &w : wanted) {
    if (!w.always && monotonicSeconds() - start > options.oracleSeconds)
      break;
    if (llvm::Error error = builder.add(*reference, w.kind, w.ordinal))
      return std::move(error);
  }
  return std::move(reference);
}

SetVerdict kgen::compareWithReference(const LaunchPlan &plan, const ReferenceSet &set,
                                      const std::function<const char *(unsigned)> &output, unsigned threads) {
  SetVerdict verdict;
  for (unsigned i = 0; i < plan.outputs.size(); ++i) {
    const BufferSpec &spec = plan.outputs[i];
    Comparison c = compareOutput(spec.dtype, output(i), set.answers[i].data(), spec.elements(), threads);
    if (c.norms.l2 >= verdict.worst.l2) {
      verdict.worst = c.norms;
      verdict.tolerance = set.tolerance[i];
    }
    bool ok = set.exact[i] ? c.mismatches == 0
                           : c.norms.max <= set.tolerance[i].max && c.norms.l2 <= set.tolerance[i].l2;
    if (ok || !verdict.passed)
      continue;
    verdict.passed = false;
    char numbers[160];
    if (set.exact[i])
      snprintf(numbers, sizeof numbers, "%lld of %lld elements are not exact on integer inputs",
               (long long)c.mismatches, (long long)spec.elements());
    else
      snprintf(numbers, sizeof numbers, "relative error %.3g (max %.3g), allowed %.3g (max %.3g)", c.norms.l2,
               c.norms.max, set.tolerance[i].l2, set.tolerance[i].max);
    verdict.detail = "input " + set.set.name() + ": " + describeElement(spec, c.worst, c.found, c.expected) + "; " + numbers;
  }
  return verdict;
}
