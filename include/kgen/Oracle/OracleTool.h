//===- OracleTool.h - What the command kgen-oracle does -------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace kgen::oracle {

/// The command line; see kgen-oracle --help.
struct OracleToolOptions {
  std::string graph, inputs, outputs, jobs;
  bool check = false, magnitudes = false;
  int64_t sliceLimit = int64_t(1) << 30;
};

/// Does what OPTIONS say and returns the process's exit code: 0, or 1 after one sentence on stderr.
int runOracleTool(const OracleToolOptions &options);

} // namespace kgen::oracle
