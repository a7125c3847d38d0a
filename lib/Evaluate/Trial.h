//===- Trial.h - One candidate from machine code to verdict and time ------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Evaluate/Evaluator.h"

#include <random>

namespace kgen::evaluate {

/// Runs a candidate on a reference. All runs, of whichever phase, are the same request to its process and
/// are checked in the same way, so there is no timing loop to detect. Functions that return false have
/// written the verdict into the measurement.
class Trial {
public:
  struct Setting {
    bool host = false;
    bool atomics = false; ///< float atomics: bits may differ from run to run, within the tolerance
    unsigned threads = 1;
    uint64_t secret = 0; ///< of poisons, digest keys and orders
    CardGate *gate;      ///< of the card
  };

  Trial(const candidate::LaunchPlan &plan, const judge::Reference &reference, device::CandidateProcess &process,
        const EvaluateOptions &options, const Setting &setting)
      : plan(plan), reference(reference), process(process), options(options), setting(setting), random(setting.secret),
        key(random()) {}

  /// Every input, in an order of chance, then repeats; a fresh module for both.
  llvm::Expected<bool> verify(candidate::Measurement &out, bool repeats = true);
  /// A fresh module, and runs until clocks have settled.
  llvm::Expected<bool> beginTiming(candidate::Measurement &out);
  /// One timed run on the next input and buffers, its result compared with the verified one.
  llvm::Expected<bool> sample(candidate::Measurement &out, double &microseconds, double waitNanoseconds = -1);
  /// Fills samples, time, spread and conditions.
  llvm::Expected<bool> time(candidate::Measurement &out);

private:
  llvm::Expected<bool> run(unsigned set, const device::RunRequest &request, candidate::Measurement &out);
  llvm::Expected<bool> reload(candidate::Measurement &out);
  llvm::Expected<bool> tryInputs(candidate::Measurement &out);
  llvm::Expected<bool> repeat(candidate::Measurement &out);
  llvm::Expected<bool> changesOnItsOwn(unsigned set, device::RunRequest request, candidate::Measurement &out,
                                       bool &changes);
  llvm::Expected<judge::SetVerdict> compare(unsigned set) const;
  /// How the last run, on SET, departs from the verified result; "" when it does not.
  llvm::Expected<std::string> differsFromVerified(unsigned set) const;
  llvm::Expected<bool> takeSamples(candidate::Measurement &out);
  llvm::Expected<bool> timeGraph(candidate::Measurement &out);
  llvm::Expected<bool> clocksAgree(candidate::Measurement &out, std::string &words);
  device::RunRequest request();

  const candidate::LaunchPlan &plan;
  const judge::Reference &reference;
  device::CandidateProcess &process;
  const EvaluateOptions &options;
  Setting setting;
  std::mt19937_64 random;
  uint64_t key;                                ///< of the outputs' digests
  std::vector<std::vector<uint64_t>> verified; ///< by set: digests of the outputs that were compared
  std::vector<unsigned> timedSets;
  std::vector<double> prepares; ///< µs of the timed runs
  bool asGraph = false;         ///< how the next sample is launched
  bool differed = false;        ///< a sample's result was another one than the verified one
  unsigned turn = 0;
  uint64_t runs = 0;                        ///< so far
  device::RunReport report;                 ///< of the last run
  double eventSeconds = 0, wallSeconds = 0; ///< sums over the timed runs
  int timedRuns = 0;
  double longSeconds = 0; ///< of all runs that took long, see run()
};

} // namespace kgen::evaluate
