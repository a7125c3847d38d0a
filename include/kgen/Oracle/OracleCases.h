//===- OracleCases.h - Graphs with known answers --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Case files are MLIR text: graphs separated by `// -----`, each under comments that
// name its inputs and hold PyTorch's fp64 answer. generate.py in
// test/Conversion/AtenToLinalg/Inputs writes them. No mlir/ types here.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Oracle/Oracle.h"

namespace kgen::oracle {

/// One graph and its answer.
struct OracleCase {
  std::string name, graph;
  std::vector<std::string> inputKinds;       ///< one for each argument: "uniform", "positive", ...
  std::vector<std::vector<double>> expected; ///< one for each result
  double tolerance = 1e-12;                  ///< relative to the larger of 1 and the answer
};

/// The cases in TEXT. Comments that are no part of a case are skipped.
std::vector<OracleCase> parseOracleCases(llvm::StringRef text);

/// ELEMENTS values of input number WHICH: a function of kind and position, the same in generate.py.
std::vector<double> oracleCaseInput(llvm::StringRef kind, uint64_t which, int64_t elements);

/// Whether ACTUAL is within TOLERANCE times the larger of 1 and EXPECTED. Infinities and NaN must be themselves.
bool agreesWithCase(double actual, double expected, double tolerance);

/// An error that names the first element of ACTUAL that does not agree.
llvm::Error compareOracleCase(const OracleCase &expected, llvm::ArrayRef<std::vector<double>> actual);

/// Runs the oracle on every case of TEXT, with the slice limit of Oracle::create, and prints a line on stderr for each
/// that fails. Returns whether all passed and there was one.
bool checkOracleCases(llvm::StringRef text, int64_t sliceLimit = int64_t(1) << 30);

} // namespace kgen::oracle
