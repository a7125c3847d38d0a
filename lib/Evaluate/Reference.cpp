//===- Reference.cpp - Input sets with their right answers ----------------===//
#include "kgen/Evaluate/Reference.h"

#include "kgen/Toolchain/Process.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <mutex>
#include <thread>

using namespace kgen;

/// Integers up to this have every neighbour that a sum of integers may need.
static double largestExact(DType dtype) {
  switch (dtype) {
  case DType::F16:
    return 2048;
  case DType::BF16:
    return 256;
  case DType::F64:
    return 0x1p53;
  default:
    return 0x1p24;
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

/// Bytes of memory that nobody uses; a guess where the system does not say.
static double availableMemory() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  double kilobytes;
  while (file >> name >> kilobytes) {
    if (name == "MemAvailable:")
      return kilobytes * 1024;
    file.ignore(256, '\n');
  }
  return 4e9;
}

namespace {

class Builder {
public:
  Builder(AnswerSource &source, llvm::StringRef graph, const LaunchPlan &plan, const ReferenceOptions &options)
      : source(source), graph(graph), plan(plan), options(options) {
    offsets = packBuffers(plan.inputs, 0, inputBytes);
    // A question's doubles exist in our memory, in the exchange's files and in the oracle.
    double bytes = 0;
    for (auto *list : {&plan.inputs, &plan.outputs})
      for (const BufferSpec &spec : *list)
        bytes += 8.0 * double(spec.elements());
    double room = availableMemory() / 2 / std::max(4 * bytes, 1.0);
    parallel = unsigned(std::clamp(std::min(room, (options.threads + 1) / 2.0), 1.0, 8.0));
  }

  llvm::Expected<std::unique_ptr<Reference>> build() {
    auto reference = std::make_unique<Reference>();
    auto &sets = reference->sets;
    double start = monotonicSeconds();
    if (llvm::Error error = draw(sets, InputKind::Declared, 0))
      return std::move(error);
    if (llvm::Error error = answerExactly(sets[0]))
      return std::move(error);
    // Three questions a set; the first answer tells what one takes.
    double perSet = 3 * (monotonicSeconds() - start) / parallel;
    if (options.rules != Rules::KGen) {
      for (unsigned i = 1; i < publishedTrials; ++i)
        if (llvm::Error error = draw(sets, InputKind::Declared, i))
          return std::move(error);
    } else {
      std::vector<InputKind> more = {InputKind::Integer};
      if (perSet < options.oracleSeconds)
        more.push_back(InputKind::Offset);
      if (8 * perSet < options.oracleSeconds)
        more.insert(more.end(), {InputKind::Uniform, InputKind::Wide, InputKind::Impulse, InputKind::Scaled});
      for (InputKind kind : more)
        if (llvm::Error error = draw(sets, kind, 0))
          return std::move(error);
      if (more.size() > 2) {
        if (llvm::Error error = draw(sets, InputKind::Integer, 1))
          return std::move(error);
        if (llvm::Error error = draw(sets, InputKind::Special, 0))
          return std::move(error);
      }
    }
    if (llvm::Error error = forAll(sets.size() - 1, [&](size_t i) { return answerExactly(sets[i + 1]); }))
      return std::move(error);
    if (llvm::Error error = settleSpecial(sets))
      return std::move(error);
    if (llvm::Error error = measureTolerances(sets))
      return std::move(error);
    source.rest();
    // Where the class's own rounding decides the answer there is nothing to compare with.
    for (size_t i = sets.size(); i-- > 1;)
      if (!conditioned[i])
        sets.erase(sets.begin() + long(i));
    reference->warnings = findAdmissionFaults(plan, sets, lowPasses, options.threads);
    // Two further inputs to time on, so that three buffer sets hold three different ones.
    if (options.rules == Rules::KGen && inputBytes < availableMemory() / 16)
      for (unsigned i = 1; i <= 2; ++i)
        if (llvm::Error error = draw(sets, InputKind::Declared, i))
          return std::move(error);
    return std::move(reference);
  }

private:
  llvm::Error draw(std::vector<ReferenceSet> &sets, InputKind kind, unsigned ordinal) {
    ReferenceSet out;
    out.set.kind = kind;
    out.set.ordinal = ordinal;
    out.set.seed = options.seed;
    auto memory = SharedMemory::create(inputBytes);
    if (!memory)
      return memory.takeError();
    out.inputs = std::move(*memory);
    for (unsigned i = 0; i < plan.inputs.size(); ++i)
      if (llvm::Error error = fillInput(
              plan.inputs[i], i, out.set,
              llvm::MutableArrayRef<char>(out.inputs.data() + offsets[i], plan.inputs[i].bytes()), options.threads))
        return error;
    out.tolerance.resize(plan.outputs.size());
    sets.push_back(std::move(out));
    return llvm::Error::success();
  }

  llvm::Error answerExactly(ReferenceSet &set) {
    auto answers = ask(set, RoundTo::None);
    if (!answers)
      return answers.takeError();
    set.answers = std::move(*answers);
    for (unsigned i = 0; i < plan.outputs.size(); ++i)
      set.exact.push_back(set.set.kind == InputKind::Integer &&
                          allSmallIntegers(set.answers[i], plan.outputs[i].dtype, options.threads));
    for (const BufferSpec &output : plan.outputs)
      set.close.push_back(publishedTolerance(options.rules, output.dtype));
    return llvm::Error::success();
  }

  /// Special values belong to a problem where they have finite answers: softmax of minus infinity is 0, a
  /// product with it is nothing that bits could be compared of.
  llvm::Error settleSpecial(std::vector<ReferenceSet> &sets) {
    if (sets.back().set.kind != InputKind::Special)
      return llvm::Error::success();
    auto finite = [&] {
      std::atomic<bool> all{true};
      for (const Answer &answer : sets.back().answers)
        parallelFor(int64_t(answer.size()), options.threads, [&](int64_t begin, int64_t end) {
          bool ok = true;
          for (int64_t i = begin; i < end; ++i)
            ok &= std::isfinite(answer.data()[i]);
          if (!ok)
            all = false;
        });
      return all.load();
    };
    if (finite())
      return llvm::Error::success();
    sets.pop_back();
    if (llvm::Error error = draw(sets, InputKind::Special, 1))
      return error;
    return answerExactly(sets.back());
  }

  /// Runs BODY(0) to BODY(count - 1), several at a time; the first error wins.
  llvm::Error forAll(size_t count, const std::function<llvm::Error(size_t)> &body) {
    std::atomic<size_t> next{0};
    std::mutex lock;
    llvm::Error first = llvm::Error::success();
    auto work = [&] {
      for (size_t i; (i = next++) < count;)
        if (llvm::Error error = body(i)) {
          std::lock_guard<std::mutex> guard(lock);
          first = llvm::joinErrors(std::move(first), std::move(error));
          next = count;
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < parallel && i < count; ++i)
      threads.emplace_back(work);
    work();
    for (std::thread &thread : threads)
      thread.join();
    return first;
  }

  /// Moves each value by up to one rounding of fp32: what no fp32 code can be blamed for.
  static void jitter(std::vector<double> &values) {
    uint64_t state = 0x9e3779b97f4a7c15ull;
    for (double &v : values) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      if (std::isfinite(v))
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

  /// Whether every float input is stored in FORMAT already, so that rounding to it changes nothing.
  bool storedIn(RoundTo format) const {
    for (const BufferSpec &spec : plan.inputs)
      if (isFloat(spec.dtype) && !(format == RoundTo::FP16 && spec.dtype == DType::F16) &&
          !(format == RoundTo::BF16 && spec.dtype == DType::BF16))
        return false;
    return true;
  }

  /// What rounding the inputs through a format costs, by output; None stands for fp32.
  llvm::Expected<std::vector<Comparison>> costOf(const ReferenceSet &set, RoundTo round) {
    std::vector<Comparison> norms(plan.outputs.size());
    if (round != RoundTo::None && storedIn(round))
      return norms;
    auto answers = ask(set, round, round == RoundTo::None);
    if (!answers)
      return answers.takeError();
    for (unsigned i = 0; i < plan.outputs.size(); ++i)
      norms[i] = compareOutput(DType::F64, (*answers)[i].data(), set.answers[i].data(), int64_t(set.answers[i].size()),
                               options.threads, set.close[i]);
    return norms;
  }

  llvm::Error measureTolerances(std::vector<ReferenceSet> &sets) {
    conditioned.assign(sets.size(), true);
    std::vector<size_t> open; // sets with an output that is not compared bit by bit
    for (size_t i = 0; i < sets.size(); ++i)
      if (std::find(sets[i].exact.begin(), sets[i].exact.end(), false) != sets[i].exact.end())
        open.push_back(i);
    const RoundTo rounds[2] = {roundingOfClass(plan.precision), roundingBelowClass(plan.precision)};
    std::vector<std::vector<Comparison>> costs(2 * open.size());
    llvm::Error error = forAll(costs.size(), [&](size_t i) -> llvm::Error {
      auto cost = costOf(sets[open[i / 2]], rounds[i % 2]);
      if (!cost)
        return cost.takeError();
      costs[i] = std::move(*cost);
      return llvm::Error::success();
    });
    if (error)
      return error;
    for (size_t n = 0; n < open.size(); ++n)
      for (unsigned i = 0; i < plan.outputs.size(); ++i)
        sets[open[n]].tolerance[i] = toleranceOf(costs[2 * n][i].norms, costs[2 * n + 1][i].norms,
                                                 plan.outputs[i].dtype, open[n], peakOf(sets[open[n]].answers[i]));
    // Would a kernel of the class below be told from one of this class?
    lowPasses = !storedIn(rounds[1]);
    for (size_t n = 0; n < open.size(); ++n)
      for (unsigned i = 0; i < plan.outputs.size(); ++i)
        if (conditioned[open[n]] && !isAccepted(sets[open[n]], i, costs[2 * n + 1][i]))
          lowPasses = false;
    return llvm::Error::success();
  }

  /// The largest element over the root mean square of all, at least 1.
  double peakOf(const Answer &answer) const {
    std::mutex lock;
    double squares = 0, largest = 0;
    parallelFor(int64_t(answer.size()), options.threads, [&](int64_t begin, int64_t end) {
      double sum = 0, top = 0;
      for (int64_t i = begin; i < end; ++i) {
        double v = std::fabs(answer.data()[i]);
        if (std::isfinite(v)) {
          sum += v * v;
          top = std::max(top, v);
        }
      }
      std::lock_guard<std::mutex> guard(lock);
      squares += sum;
      largest = std::max(largest, top);
    });
    double rms = std::sqrt(squares / double(std::max<size_t>(answer.size(), 1)));
    return rms > 0 ? std::max(largest / rms, 1.0) : 1.0;
  }

  ErrorNorms toleranceOf(ErrorNorms same, ErrorNorms low, DType dtype, size_t set, double peak) {
    // Rounding to one lower class may lose everything (overflow, a vanished variance): one is enough.
    auto finite = [](double v) { return std::isfinite(v) ? std::min(v, 1.0) : 1.0; };
    low = {finite(low.max), finite(low.l2)};
    same = {finite(same.max), finite(same.l2)};
    // Inputs that the class holds exactly cost nothing to round; its arithmetic is not free, though.
    if (plan.precision == "fp16" || plan.precision == "bf16")
      same = {std::max(same.max, low.max / 64), std::max(same.l2, low.l2 / 64)};
    if (same.l2 >= 0.05 && options.rules == Rules::KGen)
      conditioned[set] = false;
    ErrorNorms bound = measuredTolerance(same, low, dtype);
    // Every class accumulates in fp32, in an order of its own. One element's error is measured against the
    // rms of all, and with wide inputs an element may be hundreds of times that.
    return {std::max({bound.max, 1e-4, 1e-5 * peak}), std::max(bound.l2, 1e-5)};
  }

  AnswerSource &source;
  llvm::StringRef graph;
  const LaunchPlan &plan;
  const ReferenceOptions &options;
  std::vector<size_t> offsets;
  size_t inputBytes = 0;
  unsigned parallel = 1;
  std::vector<char> conditioned; ///< by set: it says something about a candidate
  bool lowPasses = false;        ///< the next lower class would pass
};

} // namespace

llvm::Expected<std::unique_ptr<Reference>> kgen::buildReference(AnswerSource &source, llvm::StringRef graph,
                                                                const LaunchPlan &plan,
                                                                const ReferenceOptions &options) {
  return Builder(source, graph, plan, options).build();
}

std::vector<unsigned> Reference::timed() const {
  std::vector<unsigned> out;
  for (unsigned i = 0; i < sets.size(); ++i)
    if (sets[i].set.kind == InputKind::Declared)
      out.push_back(i);
  return out;
}

bool kgen::isAccepted(const ReferenceSet &set, unsigned i, const Comparison &c) {
  if (set.close[i] > 0)
    return c.far == 0;
  if (set.exact[i])
    return c.mismatches == 0;
  return c.norms.max <= set.tolerance[i].max && c.norms.l2 <= set.tolerance[i].l2;
}

SetVerdict kgen::compareWithReference(const LaunchPlan &plan, const ReferenceSet &set,
                                      const std::function<const char *(unsigned)> &output, unsigned threads) {
  SetVerdict verdict;
  for (unsigned i = 0; i < plan.outputs.size(); ++i) {
    const BufferSpec &spec = plan.outputs[i];
    Comparison c = compareOutput(spec.dtype, output(i), set.answers[i].data(), spec.elements(), threads, set.close[i]);
    if (c.norms.l2 >= verdict.worst.l2) {
      verdict.worst = c.norms;
      verdict.tolerance = set.tolerance[i];
    }
    if (isAccepted(set, i, c) || !verdict.passed)
      continue;
    verdict.passed = false;
    char numbers[160];
    if (set.close[i] > 0)
      snprintf(numbers, sizeof numbers, "%lld of %lld elements are not close by %.0e", (long long)c.far,
               (long long)spec.elements(), set.close[i]);
    else if (set.exact[i])
      snprintf(numbers, sizeof numbers, "%lld of %lld elements are not exact on integer inputs",
               (long long)c.mismatches, (long long)spec.elements());
    else
      snprintf(numbers, sizeof numbers, "relative error %.3g (max %.3g), allowed %.3g (max %.3g)", c.norms.l2,
               c.norms.max, set.tolerance[i].l2, set.tolerance[i].max);
    verdict.detail =
        "input " + set.set.name() + ": " + describeElement(spec, c.worst, c.found, c.expected) + "; " + numbers;
  }
  return verdict;
}
