//===- HostJudge.cpp - Answers in this process ----------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Judge/Judge.h"

#include "kgen/Device/Parallel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>

using namespace kgen;
using namespace kgen::judge;

static AnswerFacts factsOf(const Answer &answer, double limit, unsigned threads) {
  std::mutex lock;
  AnswerFacts facts;
  facts.smallIntegers = true;
  double sum = 0;
  NormSum squares;
  device::parallelFor(int64_t(answer.size()), threads, [&](int64_t begin, int64_t end) {
    bool finite = true, integers = true;
    double partSum = 0, top = 0;
    NormSum partSquares;
    for (int64_t i = begin; i < end; ++i) {
      double v = answer.data()[i], size = std::fabs(v);
      partSum += v;
      integers &= v == std::rint(v) && size <= limit;
      if (std::isfinite(v)) {
        partSquares.add(v);
        top = std::max(top, size);
      } else {
        finite = false;
      }
    }
    std::lock_guard<std::mutex> guard(lock);
    sum += partSum, squares.add(partSquares);
    facts.largest = std::max(facts.largest, top);
    facts.finite &= finite;
    facts.smallIntegers &= integers;
  });
  double count = double(std::max<size_t>(answer.size(), 1));
  facts.mean = sum / count;
  facts.rms = squares.norm() / std::sqrt(count);
  return facts;
}

bool Findings::finite() const {
  return std::all_of(facts.begin(), facts.end(), [](const AnswerFacts &f) { return f.finite; });
}
bool Findings::allSmallIntegers() const {
  return std::all_of(facts.begin(), facts.end(), [](const AnswerFacts &f) { return f.smallIntegers; });
}

namespace {

class HostJudge : public Judge {
public:
  HostJudge(AnswerSource &source, llvm::StringRef graph, const candidate::LaunchPlan &plan, unsigned threads)
      : source(source), graph(graph.str()), inputs(plan.inputs), outputs(plan.outputs),
        ownTypes(declaredOf(plan.precision)), threads(threads) {
    size_t total;
    offsets = device::packBuffers(inputs, 0, total);
    // A question's doubles exist in our memory, in the exchange's files and in the oracle.
    double bytes = 0;
    for (auto *list : {&inputs, &outputs})
      for (const candidate::BufferSpec &spec : *list)
        bytes += 8.0 * double(spec.elements());
    double fits = device::availableMemory() / 2 / std::max(4 * bytes, 1.0);
    atOnce = unsigned(std::clamp(std::min(fits, (threads + 1) / 2.0), 1.0, 8.0));
  }

  unsigned parallel() const override { return atOnce; }
  void rest() override { source.rest(graph); }

  void drop(size_t set) override {
    std::lock_guard<std::mutex> guard(lock);
    kept.erase(set);
  }

  llvm::Expected<Findings> examine(size_t set, const Question &question) override {
    auto answers = ask(question.inputs, RoundTo::None, false);
    if (!answers)
      return answers.takeError();
    Findings found;
    for (size_t i = 0; i < answers->size(); ++i)
      found.facts.push_back(factsOf((*answers)[i], question.integersTo.empty() ? -1 : question.integersTo[i], threads));
    if (question.mustBeFinite && !found.finite())
      return found;
    if (!found.allSmallIntegers())
      for (RoundTo round : question.rounds) {
        auto moved = ask(question.inputs, round, round == RoundTo::None);
        if (!moved)
          return moved.takeError();
        found.costs.emplace_back();
        for (size_t i = 0; i < answers->size(); ++i)
          found.costs.back().push_back(compareOutput(candidate::DType::F64, (*moved)[i].data(), (*answers)[i].data(),
                                                     int64_t((*answers)[i].size()), threads, question.close[i]));
      }
    std::lock_guard<std::mutex> guard(lock);
    kept[set] = {question.inputs, std::move(*answers), {}, {}, {}};
    return found;
  }

  llvm::Error learnMagnitudes(size_t set) override {
    Kept &right = keptFor(set);
    return learn(right, right.magnitudes, Computed::Magnitudes);
  }
  llvm::Error learnReach(size_t set) override {
    Kept &right = keptFor(set);
    return learn(right, right.reach, Computed::Reach);
  }

  llvm::Expected<std::vector<Comparison>> declaredCosts(size_t set) override {
    Kept &right = keptFor(set);
    if (!right.declared.empty())
      return right.declared;
    auto found = ask(right.inputs, RoundTo::None, false, ownTypes);
    if (!found)
      return found.takeError();
    for (size_t i = 0; i < outputs.size(); ++i) {
      const double *other = (*found)[i].data();
      right.declared.push_back(compareValues(
          outputs[i].dtype, [&](int64_t begin, int64_t n, double *out) { std::copy_n(other + begin, n, out); },
          right.answers[i].data(), outputs[i].elements(), threads));
    }
    return right.declared;
  }

  llvm::Expected<Comparison> compare(size_t set, unsigned output, const Exhibit &exhibit, double close) override {
    const candidate::BufferSpec &spec = outputs[output];
    const Kept &right = keptFor(set);
    const double *reference = right.answers[output].data();
    ElementFacts facts;
    if (!right.magnitudes.empty())
      facts.magnitudes = right.magnitudes[output].data();
    if (!right.answers[output].wide.empty())
      facts.wide = right.answers[output].wide.data();
    if (exhibit.most > 0 && !right.reach.empty())
      facts.reach = right.reach[output].data(), facts.most = exhibit.most, facts.onlyInfinite = exhibit.onlyInfinite;
    auto values = [&](const ValueSource &source) {
      return compareValues(spec.dtype, source, reference, spec.elements(), threads, close, facts);
    };
    switch (exhibit.kind) {
    case Exhibit::Outputs:
      break;
    case Exhibit::Constant:
      return values([&](int64_t, int64_t n, double *out) { std::fill_n(out, n, exhibit.value); });
    case Exhibit::Input: {
      const candidate::DType type = inputs[exhibit.number].dtype;
      const char *bytes = right.inputs.data + offsets[exhibit.number];
      return values([&](int64_t begin, int64_t n, double *out) {
        widen(type, bytes + begin * int64_t(candidate::byteSize(type)), out, n);
      });
    }
    case Exhibit::Answer: {
      const double *other = keptFor(exhibit.number).answers[output].data();
      return values([&](int64_t begin, int64_t n, double *out) { std::copy_n(other + begin, n, out); });
    }
    }
    return compareOutput(spec.dtype, exhibit.bytes, reference, spec.elements(), threads, close, facts);
  }

private:
  struct Kept {
    DrawnInputs inputs;
    std::vector<Answer> answers, magnitudes, reach; ///< the latter two once somebody asked for them
    std::vector<Comparison> declared;               ///< so are these
  };
  /// Nodes of a map stay where they are.
  Kept &keptFor(size_t set) {
    std::lock_guard<std::mutex> guard(lock);
    return kept[set];
  }

  llvm::Error learn(const Kept &right, std::vector<Answer> &out, Computed what) {
    if (!out.empty())
      return llvm::Error::success();
    auto found = ask(right.inputs, RoundTo::None, false, what);
    if (!found)
      return found.takeError();
    out = std::move(*found);
    return llvm::Error::success();
  }

  llvm::Expected<std::vector<Answer>> ask(const DrawnInputs &drawn, RoundTo round, bool jittered,
                                          Computed what = Computed::Answers) {
    std::vector<std::vector<double>> wide(inputs.size());
    std::vector<llvm::ArrayRef<double>> views;
    for (size_t i = 0; i < inputs.size(); ++i) {
      wide[i].resize(size_t(inputs[i].elements()));
      widen(inputs[i].dtype, drawn.data + offsets[i], wide[i].data(), inputs[i].elements(), round, threads);
      if (jittered && candidate::isFloat(inputs[i].dtype))
        jitter(wide[i], threads);
      views.push_back(wide[i]);
    }
    auto answers = source.compute(what, graph, views);
    if (!answers)
      return answers;
    if (answers->size() != outputs.size())
      return llvm::createStringError("the graph returns %zu tensors, the plan names %zu outputs", answers->size(),
                                     outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i)
      if (int64_t((*answers)[i].size()) != outputs[i].elements())
        return llvm::createStringError("output %zu has %zu elements by the graph, %lld by the plan", i,
                                       (*answers)[i].size(), (long long)outputs[i].elements());
    return answers;
  }

  AnswerSource &source;
  std::string graph;
  std::vector<candidate::BufferSpec> inputs, outputs;
  std::vector<size_t> offsets; ///< of the inputs
  const Computed ownTypes;
  unsigned threads, atOnce = 1;
  std::mutex lock;
  std::map<size_t, Kept> kept;
};

class EndedJudge : public Judge {
public:
  llvm::Expected<Findings> examine(size_t, const Question &) override { return gone(); }
  void drop(size_t) override {}
  llvm::Expected<Comparison> compare(size_t, unsigned, const Exhibit &, double) override { return gone(); }
  bool works() const override { return false; }

private:
  static llvm::Error gone() { return llvm::createStringError("the right answers were given back"); }
};

} // namespace

std::unique_ptr<Judge> kgen::judge::createEndedJudge() { return std::make_unique<EndedJudge>(); }

llvm::Error Judge::drawInputs(size_t, const InputSet &) { return llvm::createStringError("inputs are not drawn here"); }
llvm::Error Judge::learnMagnitudes(size_t) {
  return llvm::createStringError("%s is not known here", describe(Computed::Magnitudes));
}
llvm::Error Judge::learnReach(size_t) {
  return llvm::createStringError("%s is not known here", describe(Computed::Reach));
}
llvm::Expected<std::vector<Comparison>> Judge::declaredCosts(size_t) {
  return llvm::createStringError("%s is not known here", describe(Computed::Declared));
}

std::unique_ptr<Judge> kgen::judge::createHostJudge(AnswerSource &source, llvm::StringRef graph,
                                                    const candidate::LaunchPlan &plan, unsigned threads) {
  return std::make_unique<HostJudge>(source, graph, plan, threads);
}

llvm::Expected<std::unique_ptr<Judge>> AnswerSource::judge(llvm::StringRef graph, const candidate::LaunchPlan &plan,
                                                           unsigned threads) {
  return createHostJudge(*this, graph, plan, threads);
}
