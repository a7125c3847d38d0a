//===- Reference.cpp - Input sets with their right answers ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Judge/Reference.h"
#include "Tolerance.h"

#include "kgen/Device/Parallel.h"
#include "kgen/Toolchain/Process.h"

#include "llvm/Support/TimeProfiler.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

using namespace kgen;
using namespace kgen::judge;

/// Integers up to this have every neighbour that a sum of integers may need.
static double largestExact(candidate::DType dtype) {
  switch (dtype) {
  case candidate::DType::F16:
    return 2048;
  case candidate::DType::BF16:
    return 256;
  case candidate::DType::F64:
    return 0x1p53;
  default:
    return 0x1p24;
  }
}

/// The largest integer up to which units of class PRECISION take all as factors: strict-fp32 may split one into two
/// halves.
static double largestFactor(llvm::StringRef precision) {
  return precision == "strict-fp32" ? 0x1p22 : precision == "bf16" ? 256 : 2048;
}

namespace {

class Builder {
public:
  Builder(AnswerSource *source, llvm::StringRef graph, const candidate::LaunchPlan &plan,
          const ReferenceOptions &options)
      : source(source), graph(graph), plan(plan), options(options),
        rounds{roundingOfClass(plan.precision), roundingBelowClass(plan.precision)} {
    offsets = device::packBuffers(plan.inputs, 0, inputBytes);
  }

  llvm::Expected<std::unique_ptr<Reference>> build() {
    auto opened = open();
    if (!opened)
      return opened.takeError();
    std::unique_ptr<Reference> reference = std::move(*opened);
    if (options.rules == Rules::KGen)
      if (llvm::Error error = learnTraits())
        return std::move(error);
    std::vector<Draft> drafts(1);
    double start = toolchain::monotonicSeconds();
    if (llvm::Error error = work(drafts[0]))
      return std::move(error);
    chooseSets(drafts, (toolchain::monotonicSeconds() - start) / judge->parallel());
    if (llvm::Error error = forAll(drafts.size() - 1, [&](size_t i) { return work(drafts[i + 1]); }))
      return std::move(error);
    judge->rest();
    auto &sets = reference->sets;
    for (Draft &draft : drafts)
      settle(draft);
    settleLowPasses(drafts);
    // Where the class's own rounding decides the answer there is nothing to compare with.
    for (Draft &draft : drafts)
      if (draft.conditioned || draft.number == 0)
        sets.push_back(std::move(draft.out));
      else
        judge->drop(draft.out.number);
    llvm::TimeTraceScope trace("admission");
    auto faults = findAdmissionFaults(plan, sets, *judge, lowPasses);
    if (!faults)
      return faults.takeError();
    reference->warnings = std::move(*faults);
    if (drawsHere)
      reference->warnings.push_back("inputs are drawn by the CPU: " + whyHere);
    return std::move(reference);
  }

  llvm::Expected<std::unique_ptr<Reference>> buildOn(std::vector<device::SharedMemory> inputs) {
    auto opened = open();
    if (!opened)
      return opened.takeError();
    std::unique_ptr<Reference> reference = std::move(*opened);
    auto sets = setsOn(*reference->judge, 0, std::move(inputs));
    if (!sets)
      return sets.takeError();
    reference->sets = std::move(*sets);
    return std::move(reference);
  }

  llvm::Expected<std::vector<ReferenceSet>> setsOn(Judge &asked, size_t first,
                                                   std::vector<device::SharedMemory> inputs) {
    judge = &asked;
    std::vector<ReferenceSet> sets;
    std::vector<Draft> drafts(std::min(inputs.size(), judge->room()));
    for (size_t i = 0; i < drafts.size(); ++i) {
      drafts[i].isGiven = true;
      drafts[i].ordinal = unsigned(i), drafts[i].number = first + i;
      drafts[i].out.set.ordinal = unsigned(i);
      drafts[i].out.inputs = std::move(inputs[i]);
      drafts[i].out.tolerance.resize(plan.outputs.size());
    }
    if (llvm::Error error = forAll(drafts.size(), [&](size_t i) { return work(drafts[i]); }))
      return std::move(error);
    judge->rest();
    for (Draft &draft : drafts) {
      settle(draft);
      if (draft.conditioned)
        sets.push_back(std::move(draft.out));
    }
    return std::move(sets);
  }

private:
  /// A reference without sets, whose judge is this builder's.
  llvm::Expected<std::unique_ptr<Reference>> open() {
    auto reference = std::make_unique<Reference>();
    auto judged = source->judge(graph, plan, options.threads);
    if (!judged)
      return judged.takeError();
    reference->judge = std::move(*judged);
    judge = reference->judge.get();
    return std::move(reference);
  }

  /// Bits are asked for only where the graph says that there is one right answer: that answers to some integers are
  /// integers may be chance.
  llvm::Error learnTraits() {
    std::vector<double> largest;
    for (const candidate::BufferSpec &input : plan.inputs) {
      auto size = largestInteger(input);
      if (!size)
        return size.takeError();
      largest.push_back(*size);
    }
    auto found = source->traits(graph, largest, largestFactor(plan.precision));
    if (!found)
      return found.takeError();
    if (found->exact.size() != plan.outputs.size())
      return llvm::createStringError("the graph returns %zu tensors, the plan names %zu outputs", found->exact.size(),
                                     plan.outputs.size());
    traits = std::move(*found);
    for (unsigned i = 0; i < plan.inputs.size() && i < traits.keepsNaN.size() && !nanArgument; ++i) {
      auto takes = takesNaN(plan.inputs[i]);
      if (!takes)
        return takes.takeError();
      if (*takes && traits.keepsNaN[i])
        nanArgument = i;
    }
    return llvm::Error::success();
  }

  /// A set under way.
  struct Draft {
    InputKind kind = InputKind::Declared;
    unsigned ordinal = 0;
    size_t number = 0;
    ReferenceSet out;
    std::vector<std::vector<Comparison>> costs; ///< by ROUNDS and output; empty: bits are compared
    bool conditioned = true;                    ///< it says something about a candidate
    bool isGiven = false;                       ///< its inputs are there

    bool timed() const { return kind == InputKind::Declared; }
  };

  /// Which sets there are beside the first, which took SECONDS to draw and to ask three questions about.
  void chooseSets(std::vector<Draft> &drafts, double seconds) const {
    auto add = [&](InputKind kind, unsigned ordinal) {
      if (drafts.size() >= judge->room())
        return;
      Draft draft;
      draft.kind = kind, draft.ordinal = ordinal, draft.number = drafts.size();
      drafts.push_back(std::move(draft));
    };
    if (options.rules != Rules::KGen) {
      for (unsigned i = 1; i < publishedTrials; ++i)
        add(InputKind::Declared, i);
      return;
    }
    add(InputKind::Integer, 0);
    if (seconds < options.oracleSeconds)
      add(InputKind::Offset, 0);
    if (options.few)
      return;
    if (8 * seconds < options.oracleSeconds) {
      for (InputKind kind : {InputKind::Uniform, InputKind::Wide, InputKind::Impulse, InputKind::Scaled})
        add(kind, 0);
      add(InputKind::Integer, 1);
      // A product with infinity is nothing that could be compared, and fillings with zeros show.
      add(InputKind::Special, !traits.multiplied.empty() && traits.multiplied[0] ? lastSpecial - 1 : 0);
      if (nanArgument)
        add(InputKind::NaN, 0);
    }
    // Two further inputs to time on, so that three buffer sets hold three different ones. They are answered like the
    // others: a kernel that tells inputs apart by their content would be wrong on these for nothing.
    if (10 * seconds < options.oracleSeconds && double(inputBytes) < device::availableMemory() / 16)
      for (unsigned i = 1; i <= 2; ++i)
        add(InputKind::Declared, i);
  }

  /// Draws one set and asks what is to be known of it.
  llvm::Error work(Draft &draft) {
    llvm::TimeTraceScope trace("input set", [&] { return InputSet{draft.kind, 0, draft.ordinal}.name(); });
    if (!draft.isGiven)
      if (llvm::Error error = draw(draft))
        return error;
    draft.out.number = draft.number;
    Question question;
    question.mustBeFinite = draft.kind == InputKind::Special && draft.ordinal < lastSpecial;
    for (size_t i = 0; i < plan.outputs.size(); ++i) {
      const candidate::DType dtype = plan.outputs[i].dtype;
      question.close.push_back(publishedTolerance(options.rules, dtype));
      if (draft.kind == InputKind::Integer)
        question.integersTo.push_back(traits.exact[i] ? largestExact(dtype) : -1);
    }
    // Integers cost nothing to round, what is computed of them does: they are moved by fp32's rounding instead, and
    // what that does is scaled to the class's.
    const double u = classRoundoff(plan.precision);
    const bool moved = draft.kind == InputKind::Integer && u > 0;
    for (RoundTo round : rounds)
      if (!moved && !storedIn(round))
        question.rounds.push_back(round);
    if (moved)
      question.rounds.push_back(RoundTo::None);
    question.inputs = DrawnInputs::of(draft.out.inputs);
    auto found = judge->examine(draft.number, question);
    if (!found)
      return found.takeError();
    // Special values belong to a problem where they have finite answers: softmax of minus infinity is 0, but one by
    // minus zero, which a maximum of zeros may give or not, is infinite.
    if (question.mustBeFinite && !found->finite()) {
      ++draft.ordinal;
      return work(draft);
    }
    ReferenceSet &set = draft.out;
    set.close = question.close;
    set.facts = std::move(found->facts);
    set.exact.clear();
    for (size_t i = 0; i < set.facts.size(); ++i)
      set.exact.push_back(draft.kind == InputKind::Integer && traits.exact[i] && set.facts[i].smallIntegers);
    draft.costs = std::move(found->costs);
    if (moved && !draft.costs.empty()) {
      for (Comparison &cost : draft.costs[0])
        cost.norms = {cost.norms.max * u * 0x1p24, cost.norms.l2 * u * 0x1p24};
      draft.costs.push_back(draft.costs[0]);
      for (Comparison &cost : draft.costs[1]) // three bits fewer
        cost.norms = {cost.norms.max * 8, cost.norms.l2 * 8};
      return llvm::Error::success();
    }
    // What is stored in a format already costs nothing to round to it.
    if (!draft.costs.empty() || question.rounds.empty())
      for (size_t r = 0; r < 2; ++r)
        if (storedIn(rounds[r]))
          draft.costs.insert(draft.costs.begin() + long(r), std::vector<Comparison>(plan.outputs.size()));
    return llvm::Error::success();
  }

  llvm::Error draw(Draft &draft) {
    llvm::TimeTraceScope trace("draw", [&] { return InputSet{draft.kind, 0, draft.ordinal}.name(); });
    ReferenceSet &out = draft.out;
    out.set.kind = draft.kind;
    out.set.ordinal = draft.ordinal;
    out.set.argument = draft.kind == InputKind::NaN ? *nanArgument : 0;
    out.set.seed = options.seed;
    out.inputs = device::SharedMemory();
    out.tolerance.resize(plan.outputs.size());
    if (judge->drawsInputs() && !drawsHere) {
      llvm::Error error = judge->drawInputs(draft.number, out.set);
      if (!error || !judge->works())
        return error;
      std::lock_guard<std::mutex> guard(lock);
      drawsHere = true;
      whyHere = llvm::toString(std::move(error));
    }
    return hostInputs(out, plan, options.threads).takeError();
  }

  /// Runs BODY(0) to BODY(count - 1), several at a time; the first error wins.
  llvm::Error forAll(size_t count, const std::function<llvm::Error(size_t)> &body) {
    std::atomic<bool> ends = false;
    llvm::Error first = llvm::Error::success();
    device::parallelEach(count, judge->parallel(), [&](size_t i) {
      if (ends)
        return;
      if (llvm::Error error = body(i)) {
        std::lock_guard<std::mutex> guard(lock);
        first = llvm::joinErrors(std::move(first), std::move(error));
        ends = true;
      }
    });
    return first;
  }

  /// Whether every float input is stored in FORMAT already, so that rounding to it changes nothing.
  bool storedIn(RoundTo format) const {
    if (format == RoundTo::None)
      return false;
    for (const candidate::BufferSpec &spec : plan.inputs)
      if (candidate::isFloat(spec.dtype) && !(format == RoundTo::FP16 && spec.dtype == candidate::DType::F16) &&
          !(format == RoundTo::BF16 && spec.dtype == candidate::DType::BF16))
        return false;
    return true;
  }

  /// The tolerances of a set, from what rounding costs.
  void settle(Draft &draft) {
    for (unsigned i = 0; i < draft.out.facts.size() && options.rules == Rules::KGen; ++i)
      if (double largest = draft.out.facts[i].largest; largest > 0 && largest < smallestHeld(plan.outputs[i].dtype))
        draft.conditioned = false; // zero is as good an answer
    if (draft.costs.empty())
      return;
    for (unsigned i = 0; i < plan.outputs.size(); ++i) {
      const AnswerFacts &facts = draft.out.facts[i];
      double peak = facts.rms > 0 ? std::max(facts.largest / facts.rms, 1.0) : 1.0;
      const MeasuredErrors errors = measuredErrors(draft.costs[0][i].norms, draft.costs[1][i].norms, peak);
      if (errors.same.l2 >= mostRoundingCost && options.rules == Rules::KGen)
        draft.conditioned = false;
      draft.out.tolerance[i] = toleranceOf(plan.precision, errors, plan.outputs[i].dtype);
      draft.out.errors.push_back(errors);
    }
  }

  /// Would a kernel of the class below be told from one of this class where it is timed? It can tell the other kinds
  /// of inputs by their looks, and take more care there.
  void settleLowPasses(llvm::ArrayRef<Draft> drafts) {
    lowPasses = !storedIn(rounds[1]);
    for (const Draft &draft : drafts)
      for (unsigned i = 0; i < plan.outputs.size() && draft.timed() && !draft.costs.empty(); ++i)
        if (draft.conditioned && !isAccepted(draft.out, i, draft.costs[1][i]))
          lowPasses = false;
  }

  MeasuredErrors measuredErrors(candidate::ErrorNorms same, candidate::ErrorNorms low, double peak) const {
    // Rounding to one lower class may lose everything (overflow, a vanished variance): one is enough.
    auto finite = [](double v) { return std::isfinite(v) ? std::min(v, 1.0) : 1.0; };
    low = {finite(low.max), finite(low.l2)};
    same = {finite(same.max), finite(same.l2)};
    // Inputs that the class holds exactly cost nothing to round; its arithmetic is not free, though.
    if (isNarrow(plan.precision))
      same = {std::max(same.max, low.max / 64), std::max(same.l2, low.l2 / 64)};
    return {same, low, peak};
  }

  AnswerSource *source; ///< null where the judge is given
  llvm::StringRef graph;
  const candidate::LaunchPlan &plan;
  const ReferenceOptions &options;
  const RoundTo rounds[2]; ///< the class's own and the one below; None: a perturbation
  Judge *judge = nullptr;
  std::vector<size_t> offsets;
  size_t inputBytes = 0;
  GraphTraits traits;
  std::optional<unsigned> nanArgument; ///< the first whose NaN every honest kernel treats alike
  bool lowPasses = false;              ///< the next lower class would pass
  std::mutex lock;
  std::atomic<bool> drawsHere = false; ///< the judge could not draw inputs
  std::string whyHere;                 ///< the lock's
};

} // namespace

llvm::Expected<std::unique_ptr<Reference>> kgen::judge::buildReference(AnswerSource &source, llvm::StringRef graph,
                                                                       const candidate::LaunchPlan &plan,
                                                                       const ReferenceOptions &options) {
  return Builder(&source, graph, plan, options).build();
}

llvm::Expected<std::unique_ptr<Reference>> kgen::judge::buildReferenceOn(AnswerSource &source, llvm::StringRef graph,
                                                                         const candidate::LaunchPlan &plan,
                                                                         std::vector<device::SharedMemory> inputs,
                                                                         const ReferenceOptions &options) {
  return Builder(&source, graph, plan, options).buildOn(std::move(inputs));
}

llvm::Expected<std::vector<ReferenceSet>> kgen::judge::buildSetsOn(Judge &judge, size_t first,
                                                                   const candidate::LaunchPlan &plan,
                                                                   std::vector<device::SharedMemory> inputs,
                                                                   const ReferenceOptions &options) {
  return Builder(nullptr, "", plan, options).setsOn(judge, first, std::move(inputs));
}

llvm::Expected<const device::SharedMemory *>
kgen::judge::hostInputs(const ReferenceSet &set, const candidate::LaunchPlan &plan, unsigned threads) {
  if (set.inputs.size() > 0)
    return &set.inputs;
  size_t bytes;
  const std::vector<size_t> offsets = device::packBuffers(plan.inputs, 0, bytes);
  auto memory = device::SharedMemory::create(bytes);
  if (!memory)
    return memory.takeError();
  for (unsigned i = 0; i < plan.inputs.size(); ++i)
    if (llvm::Error error =
            fillInput(plan.inputs[i], i, set.set, {memory->data() + offsets[i], plan.inputs[i].bytes()}, threads))
      return std::move(error);
  set.inputs = std::move(*memory);
  return &set.inputs;
}

std::vector<unsigned> Reference::timed() const {
  std::vector<unsigned> out;
  for (unsigned i = 0; i < sets.size(); ++i)
    if (sets[i].timed())
      out.push_back(i);
  return out;
}
