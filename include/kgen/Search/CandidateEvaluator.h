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
#include <vector>

namespace kgen::search {

/// What the device is, for run.json and for proposers.
struct DeviceFacts {
  std::string name = "host"; ///< "host" or "cuda:0"
  std::string model;         ///< "NVIDIA H200", or the CPU's; may be empty
  Chip chip;
  std::string isolation;     ///< what keeps compilers and candidates apart from the rest, in one line
  bool confinesFiles = true; ///< a compiler reaches no file but its own, the text and its output
  std::string compiler;      ///< which one makes its machine code; "": it did not say
  std::string machine;       ///< the name of the machine that it is in
  std::string version;       ///< a digest of what decides verdicts and times
  int64_t memoryBytes = 0;   ///< the card's; 0: not known

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
  bool sanitize = true;       ///< false: it is looked at as a part of something larger
  double checkSeconds = 0;    ///< that the sanitizer may take; 0: as long as it takes
  double knownUs = 0;         ///< what a run of it took, for the sanitizer; 0: not known
  bool profile = false;       ///< what gets through that is watched by Nsight Compute
  std::string incumbent, incumbentFolder; ///< the best branch so far; empty: none
  double incumbentUs = 0;
  /// Where there are several evaluators: only the run's reference may do it, so that its times can be compared with
  /// the best one's.
  bool onReference = false;
  int lane = -1;            ///< the number of the evaluator that is to do it while it can; -1: whoever is free
  bool time = true;         ///< false: verify only
  double timingSeconds = 0; ///< samples end after this long, settled or not; 0: as long as the evaluator sees fit
  bool brief = false;       ///< verified on few inputs and timed a few times: what it is a part of is looked at closely
  bool later = false;       ///< learn(): its candidates come after those of the others
  bool writesResults = true; ///< the evaluator may write compile.log and kernel.ptx into the folder
  double *seconds = nullptr; ///< where who is shared says how long the job took, without what it waited; may be null
  enum What {
    Measure,
    Compare,  ///< it passed elsewhere: only timed in turns with the incumbent, on one device whichever
    Sanitize, ///< it passed elsewhere: only the sanitizer looks at it
  } what = Measure;
  bool isUrgent = false; ///< others wait for what it comes to: it is the next that somebody takes
};

/// The evaluator itself is gone, through no fault of the candidate: another one can do the same job.
class EvaluatorLost : public llvm::ErrorInfo<EvaluatorLost> {
public:
  static char ID;
  explicit EvaluatorLost(std::string why, bool forGood = false) : forGood(forGood), why(std::move(why)) {}
  const bool forGood; ///< its device does not answer any more: it must not be started again
  void log(llvm::raw_ostream &os) const override { os << why; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  std::string why;
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
  /// Whether CUDA compiles within SECONDS, as far as can be told here; its machine code is in the cache then. Called
  /// from several threads at once.
  virtual bool compiles(llvm::StringRef /*cuda*/, double /*seconds*/) { return true; }
  /// Draws the inputs of problems and asks for their answers, several at a time, so that evaluate() finds them. Nothing
  /// else is asked meanwhile. Each job's folder holds a plan.json of the problem.
  virtual void learn(llvm::ArrayRef<EvaluationJob> jobs) {}
  /// Verifies and times a candidate. As many calls at a time as getWidth() says.
  virtual llvm::Expected<candidate::Measurement> evaluate(const EvaluationJob &job) = 0;
  /// Gives back what is kept on the device for later calls. Nothing else is asked meanwhile.
  virtual void makeRoom() {}
  /// The device does not answer any more: the error of the last evaluate() is the run's, not the candidate's.
  virtual bool deviceIsLost() const { return false; }
  /// How many candidates it measures at once at most; does not change.
  virtual unsigned getWidth() const { return 1; }
  /// Each evaluator of several that is new from now on has to find the candidate of JOB right before it gets others.
  virtual void setAdmission(const EvaluationJob &job) {}
  /// What happened to evaluators since the last call, a sentence each.
  virtual std::vector<std::string> takeNotes() { return {}; }
  /// No further candidate is evaluated: what the secret inputs were drawn from, so that the commitment in each
  /// measurement can be checked. Nothing of those who have nothing to tell.
  virtual std::vector<std::string> revealInputs() { return {}; }
  /// PyTorch's times for the problem in FILE (class Model) on this device, by mode, in microseconds;
  /// empty where they cannot be had, the reason in NOTE.
  virtual std::map<std::string, double> timeBaselines(llvm::StringRef file, std::string &note) = 0;
};

} // namespace kgen::search
