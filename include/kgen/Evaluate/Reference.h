//===- Reference.h - Input sets with their right answers ------------------===//
//
// What every candidate of one problem is compared with. Built once and kept:
// inputs lie in shared memory, so a candidate's process maps them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Evaluate/Answers.h"
#include "kgen/Evaluate/CandidateProcess.h"
#include "kgen/Evaluate/Verify.h"

#include <memory>

namespace kgen {

/// One input set, its answers, and what a candidate may be off by.
struct ReferenceSet {
  InputSet set;
  SharedMemory inputs;               ///< packed with packBuffers(plan.inputs, 0)
  std::vector<Answer> answers;       ///< one per output
  std::vector<ErrorNorms> tolerance; ///< one per output; unused where exact
  std::vector<bool> exact;           ///< every answer is a small integer: bit equality is asked for
};

struct Reference {
  std::vector<ReferenceSet> sets; ///< [0] is what a candidate is timed on
};

struct ReferenceOptions {
  uint64_t seed = 0; ///< secret from candidates
  unsigned threads = 1;
  /// What the oracle may take, by an estimate from its first answer. Six sets when that fits; else three
  /// (declared, integer, offset); when not even those fit, declared and integer.
  double oracleSeconds = 20;
};

/// Draws inputs in the form that PLAN declares and asks SOURCE. The precision class is PLAN's.
llvm::Expected<std::unique_ptr<Reference>> buildReference(AnswerSource &source, llvm::StringRef graph,
                                                          const LaunchPlan &plan, const ReferenceOptions &options);

/// The comparison of one run's outputs with a set: the errors, and a sentence when it fails.
struct SetVerdict {
  bool passed = true;
  std::string detail;
  ErrorNorms worst;     ///< over the outputs
  ErrorNorms tolerance; ///< of the output that WORST belongs to
};

/// OUTPUT(i) gives output I's bytes.
SetVerdict compareWithReference(const LaunchPlan &plan, const ReferenceSet &set,
                                const std::function<const char *(unsigned)> &output, unsigned threads);

} // namespace kgen
