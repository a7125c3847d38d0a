//===- Reference.cpp - Input sets with their right answers ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Judge/Reference.h"

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

/// Where rounding moves the answers by more than this share of their norm they say nothing of a candidate.
static constexpr double mostRoundingCost = 0.05;

/// What outputs of DTYPE may be off by in class PRECISION.
static candidate::ErrorNorms toleranceOf(llvm::StringRef precision, const MeasuredErrors &errors,
                                         candidate::DType dtype) {
  candidate::ErrorNorms bound = measuredTolerance(errors.same, errors.low, dtype);
  // Every class accumulates in fp32, in an order of its own. One element's error is measured against the
  // rms of all, and with wide inputs an element may be hundreds of times that.
  double u = classRoundoff(precision);
  return {std::max({bound.max, 1e-4, 1e-5 * errors.peak, 2 * u}), std::max({bound.l2, 1e-5, u / 2})};
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
    if (plan.precision == "fp16" || plan.precision == "bf16")
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

bool kgen::judge::isAccepted(const ReferenceSet &set, unsigned i, const Comparison &c) {
  if (set.close[i] > 0)
    return c.far == 0;
  if (set.exact[i])
    return c.mismatches == 0;
  return c.norms.max <= set.tolerance[i].max && c.norms.l2 <= set.tolerance[i].l2;
}

/// By half of itself an honest answer is not off where rounding moves the answers by at most 5 %; of a few elements
/// that share may be a lucky draw. Other outputs have lost themselves as well when the graph's own types compute them.
static constexpr double mostHonestError = 0.5;
static constexpr int64_t fewElements = 64;

/// Whether the size of what was added up for output I of SET may explain an error like FOUND. A long graph's magnitudes
/// may exceed its answers by far: they alone are no excuse for an answer that is nothing like the right one.
static llvm::Expected<bool> mayHaveCancelled(const candidate::LaunchPlan &plan, Judge &judge, const ReferenceSet &set,
                                             unsigned i, const candidate::ErrorNorms &found) {
  if (!std::isfinite(found.max) || !std::isfinite(found.l2) || set.exact[i])
    return false;
  if (found.l2 < mostHonestError || plan.outputs[i].elements() <= fewElements)
    return true;
  auto costs = judge.declaredCosts(set.number);
  if (!costs)
    return costs.takeError();
  const double lost = (*costs)[i].norms.l2;
  return std::isfinite(lost) && lost >= mostHonestError;
}

/// A norm of so few elements is a draw or little more, as the largest of them is: the next may be several times that.
static constexpr int64_t fewDraws = 16;
static constexpr double nextDraw = 4;

/// What output I of SET may be off by where the graph's own types cost COST.
static candidate::ErrorNorms widerTolerance(const candidate::LaunchPlan &plan, const ReferenceSet &set, unsigned i,
                                            const Comparison &cost) {
  MeasuredErrors errors = set.errors[i];
  errors.same = {std::max(errors.same.max, std::min(cost.norms.max, 1.0)), std::max(errors.same.l2, cost.norms.l2)};
  if (plan.outputs[i].elements() <= fewDraws)
    errors.same = {errors.same.max * nextDraw, errors.same.l2 * nextDraw};
  return toleranceOf(plan.precision, errors, plan.outputs[i].dtype);
}

/// Accepts integers of output I of SET whose only wrong elements follow from a choice between numbers that rounding
/// does not tell apart; the others are held to what they always are. How many do.
static llvm::Expected<int64_t> judgeByChoices(const candidate::LaunchPlan &plan, Judge &judge, const ReferenceSet &set,
                                              unsigned i, Exhibit exhibit, Judgement &out) {
  if (llvm::Error error = judge.learnReach(set.number)) {
    out.unknown = llvm::toString(std::move(error));
    return 0;
  }
  exhibit.most = 1; // what kgen-reach says of an integer in doubt
  auto others = judge.compare(set.number, i, exhibit, set.close[i]);
  if (!others)
    return others.takeError();
  if (others->skipped == 0 || !isAccepted(set, i, *others))
    return others->skipped;
  const int64_t elements = plan.outputs[i].elements();
  if (others->skipped < elements) {
    out.comparison = *others;
    out.accepted = true;
  } else if (!set.timed()) {
    out.meaningless = "each element of output " + std::to_string(i) +
                      " follows from a choice between numbers that rounding does not tell apart";
    out.accepted = true;
  }
  return others->skipped;
}

/// Whether what EXHIBIT has of output I of SET may come of another order: all of it is right but for elements whose
/// partial sums and products may leave the range that they are kept in. It says so in OUT. On a set that is timed those
/// are left out alone, and only where neither the answer nor what was found is a finite number.
static llvm::Error judgeByReach(const candidate::LaunchPlan &plan, Judge &judge, const ReferenceSet &set, unsigned i,
                                Exhibit exhibit, Judgement &out) {
  const candidate::DType dtype = plan.outputs[i].dtype;
  const Comparison &found = out.comparison;
  // What overflows ends as no number or an infinity, and what underflows as zero.
  if (std::isfinite(found.norms.max) && found.found != 0)
    return llvm::Error::success();
  // On what is timed a kernel computes every number. Which infinity, or none, is decided by the order alone: zero times
  // infinity is no number, and a product may pass zero before it.
  exhibit.onlyInfinite = set.timed();
  if (exhibit.onlyInfinite && (std::isfinite(found.found) || std::isfinite(found.expected)))
    return llvm::Error::success();
  const std::string output = "output " + std::to_string(i);
  if (llvm::Error error = judge.learnReach(set.number)) {
    // The answers themselves tell when they are as large.
    std::string reason = llvm::toString(std::move(error));
    if (set.timed() || std::isfinite(found.norms.max) || set.facts[i].largest <= largestPartial(dtype)) {
      out.unknown = out.unknown.empty() ? std::move(reason) : std::move(out.unknown);
      return llvm::Error::success();
    }
    out.meaningless =
        "the answers of " + output + " are so large that another order of the same products and sums may overflow";
    out.accepted = true;
    return llvm::Error::success();
  }
  exhibit.most = largestPartial(dtype);
  auto others = judge.compare(set.number, i, exhibit, set.close[i]);
  if (others && others->skipped > 0 && !isAccepted(set, i, *others) && !set.exact[i]) {
    llvm::consumeError(judge.learnMagnitudes(set.number)); // without them the bounds stay as they are
    others = judge.compare(set.number, i, exhibit, set.close[i]);
  }
  if (!others)
    return others.takeError();
  bool accepted = isAccepted(set, i, *others);
  if (!accepted && others->skipped > 0 && !set.exact[i] && !set.errors.empty()) {
    auto costs = judge.declaredCosts(set.number);
    if (costs) {
      const candidate::ErrorNorms wider = widerTolerance(plan, set, i, (*costs)[i]);
      accepted = others->norms.max <= wider.max && others->norms.l2 <= wider.l2;
    } else {
      llvm::consumeError(costs.takeError());
    }
  }
  if (others->skipped == 0 || !accepted)
    return llvm::Error::success();
  if (set.timed()) {
    if (others->skipped < plan.outputs[i].elements()) {
      out.comparison = *others;
      out.accepted = true;
    }
    return llvm::Error::success();
  }
  out.meaningless = "another order of the same products and sums takes " + std::to_string(others->skipped) + " of " +
                    std::to_string(plan.outputs[i].elements()) + " elements of " + output +
                    " out of the range that they are computed in";
  out.accepted = true;
  return llvm::Error::success();
}

/// Holds OUT's comparison against what the graph's own types make of output I, of which INDOUBT elements follow from a
/// choice between numbers that rounding does not tell apart.
static void judgeByDeclared(const candidate::LaunchPlan &plan, Judge &judge, const ReferenceSet &set, unsigned i,
                            int64_t inDoubt, Judgement &out) {
  auto costs = judge.declaredCosts(set.number);
  if (!costs) {
    out.unknown = llvm::toString(costs.takeError());
    return;
  }
  const Comparison &cost = (*costs)[i];
  if (inDoubt > 0 && cost.mismatches <= inDoubt) // the types say nothing of the others
    return;
  if (!(cost.norms.l2 < mostRoundingCost) || (set.exact[i] && cost.mismatches > 0)) {
    std::string text = "computed in the types that the graph declares, output " + std::to_string(i);
    char share[40];
    snprintf(share, sizeof share, " is off by %.2g of its norm", cost.norms.l2);
    text += std::isfinite(cost.norms.l2) ? share : " overflows or is no number there";
    (set.timed() ? out.unknown : out.meaningless) = text;
    out.accepted = !set.timed();
    return;
  }
  if (set.exact[i] || set.errors.empty())
    return;
  const candidate::ErrorNorms wider = widerTolerance(plan, set, i, cost), &found = out.comparison.norms;
  if (found.max <= wider.max && found.l2 <= wider.l2) {
    out.accepted = true;
    out.tolerance = wider;
  }
}

llvm::Expected<Judgement> kgen::judge::judgeExhibit(const candidate::LaunchPlan &plan, Judge &judge,
                                                    const ReferenceSet &set, unsigned i, const Exhibit &exhibit) {
  Judgement out;
  out.tolerance = set.tolerance[i];
  auto compare = [&]() -> llvm::Error {
    auto compared = judge.compare(set.number, i, exhibit, set.close[i]);
    if (!compared)
      return compared.takeError();
    out.comparison = *compared;
    out.accepted = isAccepted(set, i, *compared);
    return llvm::Error::success();
  };
  if (llvm::Error error = compare())
    return std::move(error);
  if (out.accepted || set.close[i] > 0)
    return std::move(out);
  auto cancelled = mayHaveCancelled(plan, judge, set, i, out.comparison.norms);
  if (!cancelled) {
    out.unknown = llvm::toString(cancelled.takeError());
  } else if (*cancelled) {
    if (llvm::Error error = judge.learnMagnitudes(set.number))
      out.unknown = llvm::toString(std::move(error));
    else if (llvm::Error error = compare())
      return std::move(error);
  }
  const bool isInteger = !candidate::isFloat(plan.outputs[i].dtype);
  int64_t inDoubt = 0;
  if (isInteger && !out.accepted) {
    auto found = judgeByChoices(plan, judge, set, i, exhibit, out);
    if (!found)
      return found.takeError();
    inDoubt = *found;
  }
  // On what is timed a kernel has to be right, and the types have to be able to tell.
  if (!out.accepted && (!set.timed() || std::isfinite(out.comparison.norms.max)))
    judgeByDeclared(plan, judge, set, i, inDoubt, out);
  if (!out.accepted && !isInteger)
    if (llvm::Error error = judgeByReach(plan, judge, set, i, exhibit, out))
      return std::move(error);
  return std::move(out);
}

llvm::Expected<SetVerdict> kgen::judge::compareWithReference(const candidate::LaunchPlan &plan, Judge &judge,
                                                             const ReferenceSet &set,
                                                             const device::CandidateProcess &process) {
  SetVerdict verdict;
  for (unsigned i = 0; i < plan.outputs.size(); ++i) {
    const candidate::BufferSpec &spec = plan.outputs[i];
    Exhibit exhibit;
    exhibit.kind = Exhibit::Outputs;
    exhibit.bytes = process.output(i);
    exhibit.memory = process.outputMemory();
    exhibit.onDevice = process.sharesOutputs();
    auto judged = judgeExhibit(plan, judge, set, i, exhibit);
    if (!judged)
      return judged.takeError();
    if (!judged->meaningless.empty()) {
      verdict.meaningless = "input " + set.set.name() + " says nothing: " + judged->meaningless;
      continue;
    }
    const Comparison &c = judged->comparison;
    if (c.norms.l2 >= verdict.worst.l2) {
      verdict.worst = c.norms;
      verdict.tolerance = judged->tolerance;
    }
    if (judged->accepted || !verdict.passed)
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
    if (!judged->unknown.empty())
      verdict.detail += "; " + judged->unknown;
  }
  return verdict;
}
