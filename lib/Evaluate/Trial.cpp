//===- Trial.cpp - One candidate from machine code to verdict and time ----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Trial.h"

#include "kgen/Toolchain/Process.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace kgen;
using namespace kgen::evaluate;

static constexpr double hostRepeatSeconds = 1, cardRepeatSeconds = 0.6, shortRepeatSeconds = 0.2;
static constexpr int fewestRepeats = 3, fewestSamples = 5;
/// A run takes longer than this: a third of the samples is enough.
static constexpr double longRun = 50e3;
static constexpr double settledSpread = 0.005;
/// A budget for samples this short (seconds) asks for no precise time, and is round 0's, whose kernel kgen made of the
/// graph alone: of a run that takes longer than the second (microseconds), so few samples do, and fewer repeats.
static constexpr double shortTiming = 0.5, slowRun = 20e3;
static constexpr int fewestSlowSamples = 2;
/// And no more of them where they differ by no more than this.
static constexpr double slowSpread = 0.01;
/// Of one run's limit: there may be as many runs below the first as there are, the others together take at most the
/// second.
static constexpr double longRunShare = 1.0 / 30, mostLongRuns = 10;

/// False when the candidate ends here, its verdict set.
static llvm::Expected<bool> settle(device::CandidateProcess::Outcome outcome, candidate::Measurement &out) {
  if (!outcome)
    return outcome.takeError();
  if (!*outcome)
    return true;
  out.verdict = (*outcome)->verdict;
  out.detail = (*outcome)->detail;
  return false;
}

llvm::Expected<bool> Trial::run(unsigned set, const device::RunRequest &request, candidate::Measurement &out) {
  auto working = setting.gate->work();
  double start = toolchain::monotonicSeconds();
  auto done = settle(process.run(set, request, report), out);
  double seconds = toolchain::monotonicSeconds() - start;
  if (!done || !*done || seconds < longRunShare * options.runSeconds)
    return done;
  // Each run just below its limit would hold the device for a quarter of an hour.
  const double most = mostLongRuns * options.runSeconds;
  if ((longSeconds += seconds) <= most)
    return done;
  out.verdict = candidate::Verdict::Timeout;
  char text[80];
  snprintf(text, sizeof text, "its long runs took more than %.3g s together", most);
  out.detail = text;
  return false;
}

llvm::Expected<bool> Trial::reload(candidate::Measurement &out) {
  auto working = setting.gate->work();
  return settle(process.reload(), out);
}

device::RunRequest Trial::request() {
  device::RunRequest out;
  out.poison = device::poisonSeed(runs++, uint32_t(random()));
  out.buffers = unsigned(random() % device::CandidateSession::bufferSets);
  out.cold = options.cold;
  // On a card each run has a fresh module: what lies behind a variable of the candidate's own is not known to anybody.
  out.fresh = !setting.host;
  out.key = key;
  return out;
}

llvm::Expected<judge::SetVerdict> Trial::compare(unsigned set) const {
  auto working = setting.gate->work();
  return judge::compareWithReference(plan, *reference.judge, reference.sets[set], process);
}

llvm::Expected<bool> Trial::verify(candidate::Measurement &out, bool repeats) {
  Phase inputs(out, "inputs");
  const double learned = reference.judge->learningSeconds();
  auto right = tryInputs(out);
  inputs.end();
  // What was learned stays known, as the answers do.
  if (const double learning = std::round(1e3 * (reference.judge->learningSeconds() - learned)) / 1e3; learning > 0) {
    out.phases["inputs"] -= learning;
    out.phases["reference"] += learning;
  }
  if (!right || !*right || !repeats)
    return right;
  Phase repeating(out, "repeats");
  auto fresh = reload(out);
  if (!fresh || !*fresh)
    return fresh;
  return repeat(out);
}

llvm::Expected<bool> Trial::tryInputs(candidate::Measurement &out) {
  std::vector<unsigned> order(reference.sets.size());
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), random);
  verified.resize(order.size());
  std::vector<std::optional<candidate::ErrorNorms>> errors(order.size());
  auto report_errors = [&] {
    for (size_t s = 0; s < errors.size(); ++s)
      if (errors[s])
        out.errors.push_back({reference.sets[s].set.name(), *errors[s]});
  };
  // What keeps something between launches is a CHEAT in the end (see repeat()), but first each input is tried once more
  // on what the runs before left: an answer that was kept there is WRONG.
  bool keepsState = false;
  const size_t count = order.size();
  for (size_t i = 0; i < count || (i < 2 * count && keepsState); ++i) {
    unsigned s = order[i % count];
    device::RunRequest ask = request();
    ask.copy = true;
    if (i >= count)
      ask.fresh = false;
    auto ran = run(s, ask, out);
    if (!ran || !*ran)
      return ran;
    keepsState |= report.keepsState && !setting.host; // there a run leaves nothing
    if (i < count)
      verified[s] = report.digests;
    auto verdict = compare(s);
    if (!verdict)
      return verdict.takeError();
    if (!verdict->meaningless.empty() && !llvm::is_contained(out.warnings, verdict->meaningless))
      out.warnings.push_back(verdict->meaningless);
    errors[s] = verdict->worst;
    if (s == 0)
      out.tolerance = verdict->tolerance;
    if (verdict->passed)
      continue;
    bool changes = false;
    auto again = changesOnItsOwn(s, ask, out, changes);
    if (!again || !*again)
      return again;
    report_errors();
    out.verdict = changes ? candidate::Verdict::Race : candidate::Verdict::Wrong;
    out.detail = verdict->detail;
    if (changes)
      out.detail += "; the same run once more gives another result, so threads get in each other's way";
    return false;
  }
  report_errors();
  return true;
}

/// A wrong result that is another one each time is a race. Nothing is changed but, on the host, the order of
/// threads. SET may be too plain to show it (an impulse has one element), so the declared inputs are tried as well.
llvm::Expected<bool> Trial::changesOnItsOwn(unsigned set, device::RunRequest request, candidate::Measurement &out,
                                            bool &changes) {
  request.copy = false;
  std::vector<uint64_t> first = report.digests;
  for (unsigned tried : {set, 0u}) {
    if (changes || setting.atomics)
      break;
    if (tried != set) {
      if (report.keepsState)
        break; // what changes then is what it keeps
      auto ran = run(tried, request, out);
      if (!ran || !*ran)
        return ran;
      first = report.digests;
    }
    for (int i = 0; i < (setting.host ? 1 : 5) && !changes; ++i) {
      request.descending = !request.descending;
      auto ran = run(tried, request, out);
      if (!ran || !*ran)
        return ran;
      changes = report.digests != first;
    }
  }
  return true;
}

llvm::Expected<std::string> Trial::differsFromVerified(unsigned set) const {
  if (setting.atomics) {
    // The order of atomic additions is free, so bits may differ, within the tolerance.
    auto verdict = compare(set);
    if (!verdict)
      return verdict.takeError();
    return verdict->passed ? "" : verdict->detail;
  }
  std::string differs;
  for (unsigned o = 0; o < plan.outputs.size(); ++o)
    if (report.digests[o] != verified[set][o])
      differs = plan.outputs[o].name + " differs";
  return differs;
}

llvm::Expected<bool> Trial::repeat(candidate::Measurement &out) {
  double start = toolchain::monotonicSeconds();
  const double limit = setting.host                           ? hostRepeatSeconds
                       : options.timingSeconds <= shortTiming ? shortRepeatSeconds
                                                              : cardRepeatSeconds;
  for (int i = 0; i < options.repeats; ++i) {
    if (i >= fewestRepeats && toolchain::monotonicSeconds() - start > limit)
      break;
    unsigned s = 0;
    device::RunRequest ask = request();
    ask.descending = i % 2 == 0;
    ask.copy = setting.atomics;
    auto ran = run(s, ask, out);
    if (!ran || !*ran)
      return ran;
    auto differs = differsFromVerified(s);
    if (!differs)
      return differs.takeError();
    if (!differs->empty()) {
      out.verdict = candidate::Verdict::Race;
      out.detail = "run " + std::to_string(i + 2) + " on the same input gives another result (" + *differs + ")";
      out.detail += ask.descending && setting.host
                        ? ": with threads in descending order, so a barrier or a wait is missing, or memory is read "
                          "that nothing wrote"
                        : ": a barrier is missing, or memory is read that nothing wrote";
      return false;
    }
    if (report.keepsState) {
      out.verdict = candidate::Verdict::Cheat;
      out.detail = "it keeps something in variables of its own from launch to launch; a workspace is the place for "
                   "intermediate results";
      return false;
    }
  }
  return true;
}

llvm::Expected<bool> Trial::beginTiming(candidate::Measurement &out) {
  auto fresh = reload(out);
  if (!fresh || !*fresh)
    return fresh;
  process.settleDevice();
  timedSets = reference.timed();
  // The runs of the verification warmed a slow kernel.
  const bool isWarm = options.timingSeconds <= shortTiming && report.times.launches > slowRun;
  const int warm = setting.host || isWarm ? 0 : 3;
  for (int i = 0; i < warm; ++i) {
    double us;
    auto ran = sample(out, us);
    if (!ran || !*ran)
      return ran;
    if (us > longRun)
      break; // long kernels are warm after one run
  }
  eventSeconds = wallSeconds = timedRuns = 0;
  return true;
}

llvm::Expected<bool> Trial::sample(candidate::Measurement &out, double &microseconds, double waitNanoseconds) {
  device::RunRequest ask = request();
  unsigned s = timedSets[turn % timedSets.size()];
  // Input N in buffers N: nothing has to be copied between samples.
  ask.buffers = turn % device::CandidateSession::bufferSets;
  if (plan.isNetwork()) // whose first set has no arena
    ask.buffers = 1 + turn % (device::CandidateSession::bufferSets - 1);
  ask.copy = setting.atomics;
  ask.graph = asGraph;
  ask.waitNanoseconds = waitNanoseconds;
  ++turn;
  auto ran = run(s, ask, out);
  if (!ran || !*ran)
    return ran;
  microseconds = report.times.launches;
  prepares.push_back(report.times.prepare);
  eventSeconds += report.times.total * 1e-6;
  wallSeconds += report.times.wall * 1e-6;
  ++timedRuns;
  auto differs = differsFromVerified(s);
  if (!differs)
    return differs.takeError();
  if (!differs->empty()) {
    differed = true;
    out.verdict = candidate::Verdict::Cheat;
    out.detail = "the result of a timed run is another one than the verified one (" + *differs + ")";
    return false;
  }
  if (report.keepsState) {
    out.verdict = candidate::Verdict::Cheat;
    out.detail = "it keeps something in variables of its own from launch to launch while it is timed";
    return false;
  }
  return true;
}

/// Events are the card's word; the wall clock is ours. They cover the same work, but for what it takes to
/// submit it, and for the turns that other programs take on a shared card: runs without a launch show these. On the
/// host a run's own word stands against the processor time that the system counted, which is at most as long.
llvm::Expected<bool> Trial::clocksAgree(candidate::Measurement &out, std::string &words) {
  if (timedRuns == 0)
    return true;
  constexpr double perRun = 300e-6; // submission and the wait for the end
  constexpr int emptyRuns = 20;
  const bool within = setting.host || eventSeconds <= 1.05 * wallSeconds + 1e-4;
  if (within && wallSeconds <= 1.25 * eventSeconds + perRun * timedRuns)
    return true;
  double lost = 0;
  for (int i = 0; i < emptyRuns; ++i) {
    device::RunRequest ask = request();
    ask.empty = true;
    auto ran = run(timedSets[0], ask, out);
    if (!ran || !*ran)
      return ran;
    lost += std::max(0.0, report.times.wall - report.times.total) * 1e-6 / emptyRuns;
  }
  if (within && wallSeconds <= 1.25 * eventSeconds + (perRun + 2 * lost) * timedRuns)
    return true;
  char text[200];
  snprintf(text, sizeof text, "%s that %d timed runs took %.3g ms, %s %.3g ms; a run of nothing loses %.3g us",
           setting.host ? "it says" : "events say", timedRuns, eventSeconds * 1e3,
           setting.host ? "by the system's count it computed for" : "the wall clock says", wallSeconds * 1e3,
           lost * 1e6);
  words = text;
  return false;
}

/// Whether what took SAMPLES is so much slower than a kernel of RIVALUS that a better time says nothing more.
static bool isClearlySlower(const std::vector<double> &samples, double rivalUs) {
  constexpr size_t fewest = 10;
  constexpr double margin = 1.05;
  if (rivalUs <= 0 || samples.size() < fewest)
    return false;
  const double doubt = 2 * candidate::relativeSpread(samples);
  return candidate::median(samples) * (1 - doubt) > rivalUs * margin;
}

/// Whether no two of SAMPLES differ by more than such a part of the smallest.
static bool agree(llvm::ArrayRef<double> samples, double part) {
  auto [least, most] = std::minmax_element(samples.begin(), samples.end());
  return *most <= *least * (1 + part);
}

llvm::Expected<bool> Trial::takeSamples(candidate::Measurement &out) {
  out.samples.clear();
  prepares.clear();
  eventSeconds = wallSeconds = timedRuns = 0;
  const double budget = setting.host ? 1 : options.timingSeconds;
  double start = toolchain::monotonicSeconds();
  for (int wanted = std::max(options.samples, fewestSamples);;) {
    double us;
    auto ran = sample(out, us);
    if (!ran || !*ran)
      return ran;
    out.samples.push_back(us);
    if (us > longRun)
      wanted = std::min(wanted, 10);
    const int n = int(out.samples.size());
    const bool isSlow = options.timingSeconds <= shortTiming && us > slowRun;
    if (n >= (isSlow ? fewestSlowSamples : fewestSamples) && toolchain::monotonicSeconds() - start > budget)
      return true;
    if (isSlow && n >= fewestSlowSamples && agree(out.samples, slowSpread))
      return true;
    if (isClearlySlower(out.samples, options.rivalUs))
      return true;
    // A busy machine never gets as steady as a card does.
    if (n >= wanted &&
        (setting.host || n >= options.mostSamples || candidate::relativeSpread(out.samples) <= settledSpread))
      return true;
  }
}

/// The same runs, launched as one CUDA graph: what a network takes without the time to submit its launches.
llvm::Expected<bool> Trial::timeGraph(candidate::Measurement &out) {
  if (!plan.isNetwork() || setting.host)
    return true;
  constexpr int mostGraphSamples = 30;
  constexpr double mostSeconds = 2;
  std::vector<double> samples;
  const double start = toolchain::monotonicSeconds();
  while (int(samples.size()) < mostGraphSamples &&
         (int(samples.size()) < fewestSamples || toolchain::monotonicSeconds() - start < mostSeconds)) {
    candidate::Measurement aside;
    double us;
    asGraph = true;
    auto ran = sample(aside, us);
    asGraph = false;
    if (!ran)
      return ran.takeError();
    // It ran as plain launches before: what keeps the first graph from running is the driver's, or the jail's.
    if (!*ran && samples.empty() && !differed) {
      out.warnings.push_back("it was not timed as one CUDA graph: " + aside.detail);
      return true;
    }
    if (!*ran) {
      out.verdict = aside.verdict;
      out.detail = "as one CUDA graph: " + aside.detail;
      return false;
    }
    samples.push_back(us);
  }
  out.graphUs = candidate::median(samples);
  return true;
}

llvm::Expected<bool> Trial::time(candidate::Measurement &out) {
  std::optional<Phase> waiting;
  if (setting.gate->isShared())
    waiting.emplace(out, "waiting");
  auto alone = setting.gate->alone();
  waiting.reset();
  Phase timing(out, "timing");
  auto begun = beginTiming(out);
  if (!begun || !*begun)
    return begun;
  out.before = process.conditions();
  constexpr int attempts = 3; // what others do on the card passes, what a candidate does stays
  std::string words;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    auto taken = takeSamples(out);
    if (!taken || !*taken)
      return taken;
    out.after = process.conditions();
    out.timeUs = candidate::median(out.samples);
    out.prepareUs = candidate::median(prepares);
    out.spread = candidate::relativeSpread(out.samples);
    auto agree = clocksAgree(out, words);
    if (!agree)
      return agree;
    if (*agree)
      return timeGraph(out);
    if (words.empty())
      return false;
  }
  out.verdict = candidate::Verdict::Cheat;
  out.detail = words;
  return false;
}
