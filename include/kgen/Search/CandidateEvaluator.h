//===- CandidateEvaluator.h - Compile and measure, as the search sees it --===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Candidate/Measurement.h"
#include "kgen/Support/Chip.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <atomic>
#include <map>
#include <memory>
#include <string>

namespace kgen::search {

/// What the device is, for run.json and for proposers.
struct DeviceFacts {
  std::string name = "host"; ///< "host" or "cuda:0"
  std::string model;         ///< "NVIDIA H200", or the CPU's; may be empty
  Chip chip;
  std::string isolation;     ///< what keeps compilers and candidates apart from the rest, in one line
  bool confinesFiles = true; ///< a compiler reaches no file but its own, the text and its output

  bool isHost() const { return name == "host"; }
};

/// One candidate to measure.
struct EvaluationJob {
  std::string folder;         ///< holds plan.json and kernel.cu
  std::string graphFile;      ///< level 1
  double flops = 0;           ///< of the graph, for the floor
  std::string precision;      ///< class that the plan must have
  std::string rules = "kgen"; ///< whose rules make the verdict
  bool promote = false;       ///< a PASS that beats the incumbent is compared with it in turns and sanitized
  bool profile = false;       ///< what gets through that is watched by Nsight Compute
  std::string incumbent, incumbentFolder; ///< the best branch so far; empty: none
  double incumbentUs = 0;
};

/// Turns a branch's folder into a measurement. Expected outcomes (a compile error, a wrong answer, a
/// hang) are values; an Error is about the machinery: no oracle, the device is lost, or the user
/// stopped the search.
class CandidateEvaluator {
public:
  virtual ~CandidateEvaluator() = default;

  virtual DeviceFacts getDevice() const = 0;
  /// Compiles the kernel.cu in FOLDER so that evaluate() finds machine code in the cache. Called
  /// from several threads at once. The outcome of a failure is that of evaluate(), so nothing is
  /// returned.
  virtual void prepare(llvm::StringRef folder) = 0;
  /// Verifies and times a candidate. One call at a time. May write compile.log and kernel.ptx into
  /// the folder.
  virtual llvm::Expected<candidate::Measurement> evaluate(const EvaluationJob &job) = 0;
  /// The device does not answer any more: the error of the last evaluate() is the run's, not the candidate's.
  virtual bool deviceIsLost() const { return false; }
  /// No further candidate is evaluated: what the secret inputs were drawn from, so that the commitment in each
  /// measurement can be checked. "" when it has nothing to tell.
  virtual std::string revealInputs() { return ""; }
  /// PyTorch's times for the problem in FILE (class Model) on this device, by mode, in microseconds;
  /// empty where they cannot be had, the reason in NOTE.
  virtual std::map<std::string, double> timeBaselines(llvm::StringRef file, std::string &note) = 0;
};

/// Compiles here, in child processes, and measures in a `kgen-eval --serve` child that lies in
/// PROGRAMFOLDER. DEVICE is "host", "cuda:N" or "auto". STOP ends a call in progress.
llvm::Expected<std::unique_ptr<CandidateEvaluator>>
createProcessEvaluator(const std::string &device, const std::string &programFolder, const std::atomic<bool> &stop);

} // namespace kgen::search
