//===- OracleTool.h - What the command kgen-oracle does -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Oracle/Oracle.h"

#include <cstdint>
#include <string>

namespace kgen::oracle {

/// The command line; see kgen-oracle --help.
struct OracleToolOptions {
  std::string graph, inputs, outputs, jobs;
  bool check = false;
  OracleResult result = OracleResult::Answers;
  int64_t sliceLimit = int64_t(1) << 30;
  /// PRODUCTS:SIZE,SIZE,... as findTraits takes them; instead of an answer, a line with 0 or 1 for each result (exact)
  /// and one for each argument (multiplied).
  std::string traits;
};

/// Does what OPTIONS say and returns the process's exit code: 0, or 1 after one sentence on stderr.
int runOracleTool(const OracleToolOptions &options);

} // namespace kgen::oracle
