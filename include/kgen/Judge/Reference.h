//===- Reference.h - Input sets with their right answers ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every candidate of one problem is compared with. Built once and kept:
// inputs lie in shared memory, so a candidate's process maps them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Judge/Judge.h"
#include "kgen/Judge/Rules.h"
#include "kgen/Judge/Verify.h"

#include <memory>

namespace kgen::judge {

/// What rounding to the class's own format and to the one below costs, and the largest element over the rms.
struct MeasuredErrors {
  candidate::ErrorNorms same, low;
  double peak = 1;
};

/// One input set, what its answers are like, and what a candidate may be off by.
struct ReferenceSet {
  InputSet set;
  /// Packed with packBuffers(plan.inputs, 0); empty where only the judge has them, until hostInputs() is asked.
  mutable device::SharedMemory inputs;
  size_t number = 0;                            ///< by which the judge knows it
  std::vector<AnswerFacts> facts;               ///< one per output
  std::vector<candidate::ErrorNorms> tolerance; ///< one per output; unused where exact
  std::vector<MeasuredErrors> errors;           ///< what the tolerances were made of; empty where every output is exact
  std::vector<bool> exact;                      ///< every answer is a small integer: bit equality is asked for
  std::vector<double> close;                    ///< one per output: allclose with this instead of TOLERANCE, where > 0

  /// Candidates are timed on the declared distribution.
  bool timed() const { return set.kind == InputKind::Declared; }
};

/// The inputs of SET in this process's memory, drawn with THREADS if they are not there. Not thread safe.
llvm::Expected<const device::SharedMemory *> hostInputs(const ReferenceSet &set, const candidate::LaunchPlan &plan,
                                                        unsigned threads);

struct Reference {
  /// [0] has the declared distribution.
  std::vector<ReferenceSet> sets;
  std::unique_ptr<Judge> judge;      ///< keeps the answers
  std::vector<std::string> warnings; ///< why the problem tells right from wrong less well than it should

  /// The sets that a candidate is timed on.
  std::vector<unsigned> timed() const;
};

struct ReferenceOptions {
  uint64_t seed = 0; ///< secret from candidates
  unsigned threads = 1;
  Rules rules = Rules::KGen;
  /// What the oracle may take, by an estimate from its first answer. All eleven sets (and one with NaN) when that fits;
  /// else nine, timed on one; else three (declared, integer, offset); when not even those fit, declared and integer.
  double oracleSeconds = 30;
  bool few = false; ///< declared, integer and offset do, since what it is a part of is verified on all
};

/// Draws inputs in the form that PLAN declares and asks SOURCE. The precision class is PLAN's.
llvm::Expected<std::unique_ptr<Reference>> buildReference(AnswerSource &source, llvm::StringRef graph,
                                                          const candidate::LaunchPlan &plan,
                                                          const ReferenceOptions &options);

/// The same for inputs that are there, INPUTS[i] packed with packBuffers(plan.inputs, 0): set i's ordinal is i. Sets on
/// which the class's own rounding decides the answer, and more than the judge can keep, are left out. Nothing is asked
/// of admission.
llvm::Expected<std::unique_ptr<Reference>> buildReferenceOn(AnswerSource &source, llvm::StringRef graph,
                                                            const candidate::LaunchPlan &plan,
                                                            std::vector<device::SharedMemory> inputs,
                                                            const ReferenceOptions &options);

/// The same, asked of JUDGE, who answers this problem already: its sets FIRST and on. They are the caller's to drop.
llvm::Expected<std::vector<ReferenceSet>> buildSetsOn(Judge &judge, size_t first, const candidate::LaunchPlan &plan,
                                                      std::vector<device::SharedMemory> inputs,
                                                      const ReferenceOptions &options);

/// What a kernel could write without computing anything, and would be taken for right on every set that it is timed
/// on: the other kinds of inputs it can tell by their looks, and compute. One sentence each. LOWPASSES: so would
/// answers one precision class down. The problem is worth a warning for each of them.
llvm::Expected<std::vector<std::string>>
findAdmissionFaults(const candidate::LaunchPlan &plan, llvm::ArrayRef<ReferenceSet> sets, Judge &judge, bool lowPasses);

/// An exhibit held against a set.
struct Judgement {
  bool accepted = false;
  Comparison comparison;
  candidate::ErrorNorms tolerance; ///< that was applied
  std::string unknown;             ///< not accepted, and what might have helped is not known
  /// Accepted because the set says nothing of this output: why.
  std::string meaningless;
};
/// Compares EXHIBIT with output I of SET. What is not close enough by the norms alone is held against more, which is
/// asked for here: the size of what was added up, since a sum that cancels is no smaller a sum for that, and the
/// answers in the graph's own types. What those are off by is an error that a kernel may have as well; where they are
/// nothing like the answer, only a set that nobody is timed on can be left out.
llvm::Expected<Judgement> judgeExhibit(const candidate::LaunchPlan &plan, Judge &judge, const ReferenceSet &set,
                                       unsigned i, const Exhibit &exhibit);

/// The comparison of one run's outputs with a set: the errors, and a sentence when it fails.
struct SetVerdict {
  bool passed = true;
  std::string detail;
  candidate::ErrorNorms worst;     ///< over the outputs
  candidate::ErrorNorms tolerance; ///< of the output that WORST belongs to
  /// Why the set says nothing of an output; empty where it does.
  std::string meaningless;
};

/// Whether COMPARISON of output I is good enough for SET.
bool isAccepted(const ReferenceSet &set, unsigned i, const Comparison &comparison);

/// What PROCESS computed in its last run, on SET.
llvm::Expected<SetVerdict> compareWithReference(const candidate::LaunchPlan &plan, Judge &judge,
                                                const ReferenceSet &set, const device::CandidateProcess &process);

} // namespace kgen::judge
