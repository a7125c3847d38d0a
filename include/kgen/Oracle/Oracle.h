//===- Oracle.h - The right answer of a graph, in fp64 on the CPU --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Root of trust of a verdict: the graph's linalg semantics, computed in double
// precision by code that MLIR compiled for this CPU. No mlir/ types here.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kgen::oracle {

/// The type that one argument or result has in the graph as written, before promotion.
struct OracleTensor {
  std::string dtype; ///< "f32", "i64", ...
  std::vector<int64_t> shape;
  int64_t elements() const;
  bool isFloat() const;
};

/// What is computed of a graph.
enum class OracleResult {
  Answers,      ///< in fp64
  Magnitudes,   ///< in fp64, instead of each answer the size of what was added up for it (kgen-magnitudes)
  Reach,        ///< in fp64, how large partial sums and products may get in any order (kgen-reach)
  Declared,     ///< the answers in the types that the graph declares, as PyTorch computes it op by op
  DeclaredTF32, ///< so, and the fp32 factors of contractions are rounded to tf32, as matrix units take them
};

/// How much is done for the speed of a graph's code: to optimise it takes longer than a small graph's answer.
enum class OracleCode {
  ByWork,    ///< as much as the graph's work is worth
  Optimised, ///< everything, whatever the graph
};

/// One compiled graph. Not thread-safe; may be run any number of times.
class Oracle {
public:
  /// Compiles GRAPH, MLIR text with one public function of aten ops (or linalg on tensors). Errors
  /// are one sentence with the place. Intermediate tensors of more than SLICE_LIMIT bytes are computed
  /// slice by slice where the graph allows it. NAME is the graph's file in messages.
  static llvm::Expected<std::unique_ptr<Oracle>> create(llvm::StringRef graph, int64_t sliceLimit = int64_t(1) << 30,
                                                        llvm::StringRef name = "graph",
                                                        OracleResult result = OracleResult::Answers,
                                                        OracleCode code = OracleCode::ByWork);
  ~Oracle();

  const std::vector<OracleTensor> &inputs() const;
  const std::vector<OracleTensor> &outputs() const;

  /// One row-major buffer of doubles for each argument, integers and booleans as doubles too; results
  /// come back in the same form. Inputs of a wrong count or length are an error.
  llvm::Expected<std::vector<std::vector<double>>> run(llvm::ArrayRef<llvm::ArrayRef<double>> inputs);
  /// Of the last run, by result: the elements themselves where they are i64 and one is beyond 2^53, which doubles do
  /// not tell from its neighbours; else nothing.
  const std::vector<std::vector<int64_t>> &wide() const;

private:
  struct State;
  explicit Oracle(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

/// Answers one job from files: reads IN_DIR/in0.bin .. (raw little-endian f64), writes OUT_DIR/out0.bin .. and,
/// for results of Oracle::wide(), their i64 as OUT_DIR/wide0.bin .., each by way of a temporary name, so that a file
/// that exists is whole.
llvm::Error runOracleOnFiles(Oracle &oracle, llvm::StringRef inDir, llvm::StringRef outDir);

/// Serves jobs on GRAPH, one a line of LIST ("IN_DIR<tab>OUT_DIR"; "-" reads stdin until it ends): prints "ok" or
/// "error: ..." for each on stdout at once. "traits REQUEST" is answered as describeTraits says (GraphTraits.h). The
/// first other job compiles the graph with MAKE, whose error ends it all. Whether all succeeded.
llvm::Expected<bool> serveOracleJobs(llvm::StringRef graph,
                                     llvm::function_ref<llvm::Expected<std::unique_ptr<Oracle>>()> make,
                                     llvm::StringRef list);

} // namespace kgen::oracle
