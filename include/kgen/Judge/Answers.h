//===- Answers.h - Where right answers come from --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Candidate/LaunchPlan.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <memory>
#include <vector>

namespace kgen::toolchain {
class Compiler;
} // namespace kgen::toolchain

namespace kgen::judge {

/// Doubles in memory that belong to a file already deleted, or to the heap.
class Answer {
public:
  Answer() = default;
  explicit Answer(std::vector<double> values) : owned(std::move(values)), base(owned.data()), count(owned.size()) {}
  Answer(Answer &&other) noexcept { *this = std::move(other); }
  Answer &operator=(Answer &&other) noexcept;
  ~Answer();
  /// Maps a raw little-endian f64 file and deletes its name.
  static llvm::Expected<Answer> takeFile(const std::string &path);
  const double *data() const { return base; }
  size_t size() const { return count; }
  /// The elements themselves where they are integers that doubles do not tell apart, as large as the answer; else
  /// empty.
  std::vector<int64_t> wide;

private:
  std::vector<double> owned;
  const double *base = nullptr;
  size_t count = 0, mapped = 0;
};

class Judge;

/// What can be computed of a graph.
enum class Computed {
  Answers,
  /// For each element of the outputs, the size of what was added up for it: arithmetic of unit roundoff u may be blamed
  /// for an error of a small multiple of u times that (docs/evaluation.md).
  Magnitudes,
  /// For each element of the outputs, how large the partial sums and products that lead to it may get in any order.
  Reach,
  /// The answers in the types that the graph declares, each op's result rounded to its own, as PyTorch computes them.
  Declared,
  /// So, with the fp32 factors of contractions rounded to tf32: results of ops that are factors again, too.
  DeclaredTF32,
};
/// "the size of what was added up", ...
const char *describe(Computed what);
/// What the graph's own types make of it where kernels are of class PRECISION: units of tf32, fp16 and bf16 take
/// factors in fp32 as tf32, whatever else the graph has in halves.
Computed declaredOf(llvm::StringRef precision);

/// What follows from a graph for inputs of whatever values (kgen-oracle --traits).
struct GraphTraits {
  std::vector<bool> exact;      ///< by result: every honest kernel computes the same bits of integers
  std::vector<bool> multiplied; ///< by input: its infinities are factors of a contraction
  std::vector<bool> keepsNaN;   ///< by input: what its NaN become is the same in every honest kernel
};

/// The trusted side: fp64 outputs of a graph for given inputs. Candidate code never enters its process.
/// Thread safe: several questions may be under way at once.
class AnswerSource {
public:
  virtual ~AnswerSource() = default;
  /// GRAPH is the op graph's MLIR text; INPUTS one array of doubles for each argument.
  virtual llvm::Expected<std::vector<Answer>> answer(llvm::StringRef graph,
                                                     llvm::ArrayRef<llvm::ArrayRef<double>> inputs) = 0;
  /// Anything else that may be computed of a graph, in the same form. An error where that is not to be had; the default
  /// has answers only.
  virtual llvm::Expected<std::vector<Answer>> compute(Computed what, llvm::StringRef graph,
                                                      llvm::ArrayRef<llvm::ArrayRef<double>> inputs);
  /// What follows from GRAPH. LARGEST has the largest absolute value of each input, PRODUCTS is the largest integer up
  /// to which the class's units take all as factors.
  virtual llvm::Expected<GraphTraits> traits(llvm::StringRef graph, llvm::ArrayRef<double> largest,
                                             double products) = 0;
  /// Floating-point operations of GRAPH; an error where that is not to be had, as by default.
  virtual llvm::Expected<double> flops(llvm::StringRef graph);
  /// No question about GRAPH is expected soon: gives memory back.
  virtual void rest(llvm::StringRef /*graph*/) {}
  /// The same graphs will be asked about again and again: rest() gives nothing back from now on.
  virtual void stay() {}
  /// Does for judge(GRAPH, PLAN) what takes its time and can be done ahead. What goes wrong is judge()'s to tell.
  virtual void prepare(llvm::StringRef /*graph*/, const candidate::LaunchPlan & /*plan*/) {}
  /// Answers GRAPH's questions and keeps what it answered. PLAN's inputs and outputs are the graph's; THREADS may
  /// compare. The source outlives the judge; the default judges in this process.
  virtual llvm::Expected<std::unique_ptr<Judge>> judge(llvm::StringRef graph, const candidate::LaunchPlan &plan,
                                                       unsigned threads);
};

/// kgen-oracle in children, one for each question under way, kept for the next one about the same graph. The
/// tool is looked for beside the running binary; KGEN_ORACLE overrides it.
std::unique_ptr<AnswerSource> createOracleProcess();

/// The elements of PLAN's inputs. A card's oracle leaves graphs with fewer than smallElements, and less than quickFlops
/// to do, to the CPU, which answers before a process has started.
int64_t inputElements(const candidate::LaunchPlan &plan);
constexpr int64_t smallElements = 1 << 20;
/// Thirty questions of so many take a core a second or two.
constexpr double quickFlops = 2e8;

/// A place on a card, which ends with what is returned: nobody times anything meanwhile. Empty: nobody else is there.
using UseCard = std::function<std::shared_ptr<void>()>;

/// Answers on a card: the generic lowering of the graph in fp64, once its reduced form has agreed with CPU
/// to 1e-9, in a process that keeps the answers there. Small graphs go to CPU itself. The process and
/// its kernels are made ready from the start. Needs kgen-opt and kgen-translate beside the running binary.
std::unique_ptr<AnswerSource> createCardOracle(std::string device, std::string arch,
                                               std::shared_ptr<toolchain::Compiler> compiler,
                                               std::unique_ptr<AnswerSource> cpu, UseCard useCard = {});

} // namespace kgen::judge
