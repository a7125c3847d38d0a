//===- Judgement.cpp - Is what was found the right answer? ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "DrawnElement.h"
#include "Tolerance.h"
#include "kgen/Judge/Reference.h"

#include <algorithm>
#include <cmath>

using namespace kgen;
using namespace kgen::judge;

candidate::ErrorNorms kgen::judge::toleranceOf(llvm::StringRef precision, const MeasuredErrors &errors,
                                               candidate::DType dtype) {
  candidate::ErrorNorms bound = measuredTolerance(errors.same, errors.low, dtype);
  // Every class accumulates in fp32, in an order of its own. One element's error is measured against the
  // rms of all, and with wide inputs an element may be hundreds of times that.
  double u = classRoundoff(precision);
  return {std::max({bound.max, 1e-4, 1e-5 * errors.peak, 2 * u}), std::max({bound.l2, 1e-5, u / 2})};
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

/// What output I of SET may be off by where the graph's own types cost it COST.
static candidate::ErrorNorms widerTolerance(const candidate::LaunchPlan &plan, const ReferenceSet &set, unsigned i,
                                            const candidate::ErrorNorms &cost) {
  MeasuredErrors errors = set.errors[i];
  errors.same = {std::max(errors.same.max, std::min(cost.max, 1.0)), std::max(errors.same.l2, cost.l2)};
  if (plan.outputs[i].elements() <= fewDraws)
    errors.same = {errors.same.max * nextDraw, errors.same.l2 * nextDraw};
  return toleranceOf(plan.precision, errors, plan.outputs[i].dtype);
}

/// Multiplies each floating-point number of VALUES, of DTYPE, by FACTOR and moves it to one of the product's neighbours
/// there; SALT chooses. Zeros and what is not finite stay.
static void moveInputs(candidate::DType dtype, llvm::MutableArrayRef<char> values, double factor, uint64_t salt) {
  if (!candidate::isFloat(dtype))
    return;
  const size_t size = candidate::byteSize(dtype);
  const unsigned exponentBits = dtype == candidate::DType::F64 ? 11 : dtype == candidate::DType::F16 ? 5 : 8;
  const uint64_t sign = uint64_t(1) << (8 * size - 1), exponent = sign - (sign >> exponentBits);
  std::vector<double> wide(values.size() / size);
  widen(dtype, values.data(), wide.data(), int64_t(wide.size()));
  for (size_t i = 0; i < wide.size(); ++i) {
    salt = salt * 6364136223846793005u + 1442695040888963407u; // Knuth's MMIX generator
    if (!std::isfinite(wide[i]) || wide[i] == 0)
      continue;
    kgen_draw_store(values.data(), int(dtype), int64_t(i), wide[i] * factor);
    uint64_t bits = 0;
    memcpy(&bits, &values[i * size], size);
    const uint64_t moved = salt >> 63 ? bits + 1 : bits - 1;
    if ((moved & exponent) != exponent && (moved & ~sign) != 0 && (bits & ~sign) != 0)
      memcpy(&values[i * size], &moved, size);
  }
}

/// What the graph's own types may cost output I where they cost it FIRST on SET: where all elements share few roundings
/// (a maximum that is subtracted from each, say), that is a draw as well. Inputs beside those of SET give four more:
/// each moved by one rounding, and those of 16 bits, which no class rounds any further, smaller by one factor, so that
/// sums cancel as they did and results lie elsewhere between the numbers of their type. What the draws have in common
/// is left; squares of what is not add up, and may be sixteen times what lies between these few, which is next to
/// nothing where each element has roundings of its own. Of few elements widerTolerance() expects as much. Nothing that
/// is not to be had counts.
static candidate::ErrorNorms nextCost(const candidate::LaunchPlan &plan, Judge &judge, const ReferenceSet &set,
                                      unsigned i, const candidate::ErrorNorms &first) {
  constexpr unsigned draws = 4;
  constexpr size_t numbers = size_t(1) << 40; // nobody else's
  candidate::ErrorNorms least = first, most = first;
  const double beyond = plan.outputs[i].elements() <= fewDraws ? 0 : 16;
  auto next = [&]() -> candidate::ErrorNorms {
    auto one = [&](double low, double high) { return std::sqrt(high * high + beyond * (high * high - low * low)); };
    return {one(least.max, most.max), one(least.l2, most.l2)};
  };
  auto inputs = hostInputs(set, plan, 1);
  if (!inputs)
    return llvm::consumeError(inputs.takeError()), next();
  size_t total;
  const std::vector<size_t> offsets = device::packBuffers(plan.inputs, 0, total);
  for (unsigned draw = 0; draw < draws; ++draw) {
    auto memory = device::SharedMemory::create(total);
    if (!memory)
      return llvm::consumeError(memory.takeError()), next();
    memcpy(memory->data(), (*inputs)->data(), total);
    // Multiples of the golden section's fraction lie apart, whatever the distance of a result's neighbours.
    const double part = 0.6180339887 * (draw + 1), factor = 1 - 0x1p-5 * (part - std::floor(part));
    for (size_t k = 0; k < plan.inputs.size(); ++k)
      moveInputs(plan.inputs[k].dtype, {memory->data() + offsets[k], plan.inputs[k].bytes()},
                 candidate::byteSize(plan.inputs[k].dtype) == 2 ? factor : 1, draw * 1000 + k);
    Question question;
    question.inputs = DrawnInputs::of(*memory);
    question.close.assign(plan.outputs.size(), 0);
    const size_t number = numbers + set.number * draws + draw;
    auto found = judge.examine(number, question);
    auto costs = found ? judge.declaredCosts(number) : llvm::Expected<std::vector<Comparison>>(found.takeError());
    judge.drop(number); // whatever came of it: the inputs end here
    if (!costs)
      return llvm::consumeError(costs.takeError()), next();
    const candidate::ErrorNorms &norms = (*costs)[i].norms;
    if (!(norms.l2 < mostRoundingCost))
      continue;
    least = {std::min(least.max, norms.max), std::min(least.l2, norms.l2)};
    most = {std::max(most.max, norms.max), std::max(most.l2, norms.l2)};
  }
  return next();
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
/// are left out alone, and only where neither the answer nor what was found is a finite number; else the kernel is
/// wrong and OUT.unknown has the words.
static llvm::Error judgeByReach(const candidate::LaunchPlan &plan, Judge &judge, const ReferenceSet &set, unsigned i,
                                Exhibit exhibit, Judgement &out) {
  const candidate::DType dtype = plan.outputs[i].dtype;
  const Comparison &found = out.comparison;
  // What overflows ends as no number or an infinity, and what underflows as zero.
  if (std::isfinite(found.norms.max) && std::isfinite(found.found) && found.found != 0)
    return llvm::Error::success();
  // On what is timed a kernel computes every number. Which infinity, or none, is decided by the order alone: zero times
  // infinity is no number, and a product may pass zero before it.
  const bool mayLeaveOut = !set.timed() || (!std::isfinite(found.found) && !std::isfinite(found.expected));
  exhibit.onlyInfinite = set.timed() && mayLeaveOut;
  const std::string output = "output " + std::to_string(i);
  if (llvm::Error error = judge.learnReach(set.number)) {
    // The answers themselves tell when they are as large.
    std::string reason = llvm::toString(std::move(error));
    if (!mayLeaveOut)
      return llvm::Error::success();
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
      const candidate::ErrorNorms wider = widerTolerance(plan, set, i, (*costs)[i].norms);
      accepted = others->norms.max <= wider.max && others->norms.l2 <= wider.l2;
    } else {
      llvm::consumeError(costs.takeError());
    }
  }
  if (others->skipped == 0 || !accepted)
    return llvm::Error::success();
  const int64_t elements = plan.outputs[i].elements();
  const std::string text = "another order of the same products and sums takes " + std::to_string(others->skipped) +
                           " of " + std::to_string(elements) + " elements of " + output +
                           " out of the range that they are computed in";
  if (!mayLeaveOut) {
    out.unknown = text;
    return llvm::Error::success();
  }
  out.accepted = true;
  if (set.timed() && others->skipped < elements)
    out.comparison = *others;
  else
    out.meaningless = text;
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
  const candidate::ErrorNorms &found = out.comparison.norms;
  candidate::ErrorNorms wider = widerTolerance(plan, set, i, cost.norms);
  auto isWithin = [&] { return found.max <= wider.max && found.l2 <= wider.l2; };
  // What is far beyond it comes of no other draw.
  constexpr double mostChance = 16;
  // Of results that are stored in 16 bits, roundings that all elements share may cost as much as all others.
  const bool isOneDraw = isNarrow(plan.precision) || plan.outputs[i].elements() <= fewDraws;
  if (!isWithin() && isOneDraw && found.l2 <= mostChance * wider.l2)
    wider = widerTolerance(plan, set, i, nextCost(plan, judge, set, i, cost.norms));
  if (isWithin()) {
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
  if (!out.accepted)
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
  bool saysNothing = true;
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
    saysNothing = false;
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
  if (set.timed() && saysNothing && !verdict.meaningless.empty()) {
    verdict.passed = false;
    verdict.detail = verdict.meaningless;
  }
  return verdict;
}
