//===- Judge.h - Holds right answers and compares with them ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers can be gigabytes, so they stay where they were computed: in this
// process for the CPU's oracle, on the card for the card's. What comes back
// of a comparison is a handful of numbers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Device/CandidateProcess.h"
#include "kgen/Judge/Answers.h"
#include "kgen/Judge/Verify.h"

namespace kgen::judge {

/// What one answer is like.
struct AnswerFacts {
  bool finite = true;
  bool smallIntegers = false;  ///< every element is an integer up to the limit that was asked for
  double mean = 0;             ///< of all elements
  double rms = 0, largest = 0; ///< finite elements only; rms over the number of all
};

/// Inputs packed with packBuffers(plan.inputs, 0), and the descriptor to map them by.
struct DrawnInputs {
  const char *data = nullptr;
  size_t bytes = 0;
  int descriptor = -1;

  static DrawnInputs of(const device::SharedMemory &memory) {
    return {memory.data(), memory.size(), memory.readOnlyDescriptor()};
  }
};

/// One input set to answer, and what is to be known of its answers.
struct Question {
  DrawnInputs inputs;             ///< no data: those that drawInputs() drew
  std::vector<double> integersTo; ///< by output, the limit of smallIntegers; empty: not asked
  bool mustBeFinite = false;      ///< else the answer is dropped and costs are not asked for
  std::vector<RoundTo> rounds;    ///< for Findings::costs; None moves each input by up to one rounding of fp32
  std::vector<double> close;      ///< by output, as in compareOutput
};

struct Findings {
  std::vector<AnswerFacts> facts; ///< by output
  /// How far the answers move when inputs are rounded first, by round and output. Empty where every output has
  /// small integers.
  std::vector<std::vector<Comparison>> costs;

  bool finite() const;
  bool allSmallIntegers() const;
};

/// What is held against an answer.
struct Exhibit {
  enum Kind {
    Outputs,  ///< stored elements in memory
    Constant, ///< VALUE everywhere
    Input,    ///< input NUMBER of the same set, element by element
    Answer,   ///< the same output of set NUMBER
  } kind = Constant;
  double value = 0;
  size_t number = 0;
  const char *bytes = nullptr;                  ///< of this output
  const device::SharedMemory *memory = nullptr; ///< where BYTES lie, packed with packBuffers(plan.outputs, 4096)
  bool onDevice = false;                        ///< instead of both: they are in the judge's outputsOnDevice()
  /// > 0: elements whose partial results may reach this in some order are not compared (Judge::learnReach).
  double most = 0;
  bool onlyInfinite = false; ///< of those only an infinity or NaN where the answer is another of them
};

/// Candidate code never runs in the process that holds the answers. Sets are numbered by whoever asks.
/// Thread safe.
class Judge {
public:
  virtual ~Judge() = default;
  /// How many questions are worth asking at once.
  virtual unsigned parallel() const { return 1; }
  /// How many sets' answers it can keep.
  virtual size_t room() const { return SIZE_MAX; }
  /// Whether drawInputs() is worth a try: nobody needs the inputs in this process's memory then.
  virtual bool drawsInputs() const { return false; }
  /// Draws the inputs of SET where the answers are computed, to the same bits as fillInput does. An error where that is
  /// not to be had: somebody draws them here then.
  virtual llvm::Error drawInputs(size_t set, const InputSet &how);
  /// Computes and keeps the answer to SET. Its inputs stay where they are as long as the judge lives.
  virtual llvm::Expected<Findings> examine(size_t set, const Question &question) = 0;
  /// The answer to SET is of no more use.
  virtual void drop(size_t set) = 0;
  /// Computes and keeps the size of what was added up for each answer of SET; compare() takes it into account from then
  /// on (Comparison::norms). An error where that is not to be had.
  virtual llvm::Error learnMagnitudes(size_t set);
  /// Computes and keeps how large the partial results of SET's answers may get in any order, for exhibits that ask for
  /// it (Exhibit::most). An error where that is not to be had.
  virtual llvm::Error learnReach(size_t set);
  /// How far the answers of SET move, by output, when each op is computed in the types that the graph declares. An
  /// error where that is not to be had.
  virtual llvm::Expected<std::vector<Comparison>> declaredCosts(size_t set);
  /// EXHIBIT, stored as the plan's output OUTPUT is, against that output of SET.
  virtual llvm::Expected<Comparison> compare(size_t set, unsigned output, const Exhibit &exhibit, double close) = 0;
  /// Descriptors of memory on the device that holds the inputs of SET, packed as they were given, and of memory that a
  /// candidate's outputs may be copied to, packed with packBuffers(plan.outputs, 4096); -1: there is none.
  virtual int inputsOnDevice(size_t) { return -1; }
  virtual int outputsOnDevice() { return -1; }
  /// Seconds that learning of what came after the answers took so far: whoever is compared later finds it known.
  virtual double learningSeconds() const { return 0; }
  /// No more answers will be asked for soon, comparisons will: gives memory back.
  virtual void rest() {}
  /// False: its process is gone, and the answers with it.
  virtual bool works() const { return true; }
};

/// Answers of SOURCE in this process, compared by the CPU with THREADS. SOURCE outlives it.
std::unique_ptr<Judge> createHostJudge(AnswerSource &source, llvm::StringRef graph, const candidate::LaunchPlan &plan,
                                       unsigned threads);

/// A judge whose answers are gone: whatever it is asked is an error.
std::unique_ptr<Judge> createEndedJudge();

} // namespace kgen::judge
