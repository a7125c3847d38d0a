//===- Comparing.cpp - Two candidates timed in turns ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Trial.h"

#include "kgen/Evaluate/Comparing.h"
#include "kgen/Toolchain/Process.h"

#include <algorithm>
#include <cmath>

using namespace kgen;
using namespace kgen::evaluate;

static constexpr int fewestBlocks = 15, mostBlocks = 60, aloneSamples = 15, longSamples = 5;
/// So few blocks are enough where the ratio is surely above this or below its inverse.
static constexpr int clearBlocks = 5;
static constexpr double clearRatio = 1.2;
static constexpr double clearHostRatio = 2; ///< other programs are at work on the processor
/// Microseconds: of kernels that take longer, fewer runs tell the median.
static constexpr double longRun = 10e3;
/// An interval this narrow needs no more blocks.
static constexpr double narrow = 0.004;

namespace {

/// A candidate whose verdict is PASS, ready to be timed.
struct Contestant {
  PreparedCandidate candidate;
  std::unique_ptr<Trial> trial;
};

} // namespace

static llvm::Expected<CompareResult> compareOnce(Evaluator &evaluator, const CandidateFiles &candidate,
                                                 const CandidateFiles &baseline, const EvaluateOptions &options,
                                                 const CompareOptions &how) {
  CompareResult result;
  Contestant both[2];
  const CandidateFiles *files[2] = {&candidate, &baseline};
  candidate::Measurement *measurements[2] = {&result.candidate, &result.baseline};
  for (int i = 0; i < 2; ++i) {
    auto prepared = evaluator.start(*files[i], options, *measurements[i], both[i].candidate);
    if (!prepared)
      return prepared.takeError();
    if (!*prepared)
      return std::move(result);
    both[i].trial = evaluator.makeTrial(both[i].candidate, options);
    auto right = both[i].trial->verify(*measurements[i], !how.passedBefore);
    if (!right)
      return right.takeError();
    if (!*right)
      return std::move(result);
    measurements[i]->verdict = candidate::Verdict::Pass;
    auto begun = both[i].trial->beginTiming(*measurements[i]);
    if (!begun)
      return begun.takeError();
    if (!*begun)
      return std::move(result);
  }
  auto timing = evaluator.cardGate().alone();
  // What a run takes; an added wait makes the candidate (which = 0) slower.
  double candidateWait = -1, baselineWait = -1;
  auto sample = [&](int which, double &us) {
    return both[which].trial->sample(*measurements[which], us, which == 0 ? candidateWait : baselineWait);
  };
  auto medianOf = [&](int which, double &us) -> llvm::Expected<bool> {
    std::vector<double> samples;
    for (int wanted = aloneSamples; int(samples.size()) < wanted;) {
      auto ran = sample(which, us);
      if (!ran || !*ran)
        return ran;
      samples.push_back(us);
      if (us > longRun)
        wanted = longSamples;
    }
    us = candidate::median(samples);
    return true;
  };
  if (how.slowDownPercent > 0) {
    double plain = 0, empty = 0;
    for (double *us : {&plain, &empty}) {
      candidateWait = us == &plain ? -1 : 0;
      auto ran = medianOf(0, *us);
      if (!ran)
        return ran.takeError();
      if (!*ran)
        return std::move(result);
    }
    // Another launch costs something by itself.
    double wait = how.slowDownPercent / 100 * plain - std::max(0.0, empty - plain);
    if (wait < 0)
      return llvm::createStringError("the kernel takes %.3g us: one more launch slows it by more than %.3g %%", plain,
                                     how.slowDownPercent);
    candidateWait = wait * 1e3;
  }
  double alone = 0;
  auto ran = medianOf(1, alone);
  if (!ran)
    return ran.takeError();
  if (!*ran)
    return std::move(result);
  if (how.disturbPercent > 0)
    baselineWait = how.disturbPercent / 100 * alone * 1e3;
  for (int pair = 0; pair < how.pairs; ++pair) {
    std::vector<candidate::SpeedBlock> blocks;
    candidate::SpeedComparison judged;
    const bool onHost = evaluator.device() == "host";
    const double enough = onHost ? clearHostRatio : clearRatio;
    bool clear = false;
    do {
      candidate::SpeedBlock block;
      const int order[4] = {0, 1, 1, 0};
      double *slots[4] = {&block.candidate[0], &block.baseline[0], &block.baseline[1], &block.candidate[1]};
      for (int i = 0; i < 4; ++i) {
        auto took = sample(order[i], *slots[i]);
        if (!took)
          return took.takeError();
        if (!*took)
          return std::move(result);
      }
      blocks.push_back(block);
      if (int(blocks.size()) == clearBlocks || int(blocks.size()) >= fewestBlocks)
        judged = candidate::judgeSpeed(blocks, alone, uint64_t(pair) + 1,
                                       onHost ? candidate::disturbedHostMargin : candidate::disturbedMargin);
      clear = int(blocks.size()) == clearBlocks && judged.verdict != candidate::Speed::Invalid &&
              (judged.low > enough || judged.high < 1 / enough);
    } while (!clear && (int(blocks.size()) < fewestBlocks ||
                        (how.pairs == 1 && int(blocks.size()) < mostBlocks && judged.high - judged.low > 2 * narrow)));
    result.comparisons.push_back(judged);
  }
  return std::move(result);
}

llvm::Expected<CompareResult> kgen::evaluate::compareCandidates(Evaluator &evaluator, const CandidateFiles &candidate,
                                                                const CandidateFiles &baseline,
                                                                const EvaluateOptions &options,
                                                                const CompareOptions &how) {
  auto result = compareOnce(evaluator, candidate, baseline, options, how);
  if (!result) {
    llvm::Error error = result.takeError();
    const bool hasNoRoom = isOutOfMemory(error);
    if (!hasNoRoom && !error.isA<toolchain::ProcessLost>())
      return std::move(error);
    llvm::consumeError(std::move(error));
    if (hasNoRoom)
      evaluator.makeRoom(candidate);
  } else if (!isReportedByCard(result->candidate) && !isReportedByCard(result->baseline)) {
    return result;
  }
  return compareOnce(evaluator, candidate, baseline, options, how);
}
