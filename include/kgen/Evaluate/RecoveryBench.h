//===- RecoveryBench.h - A thousand faults and hangs ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace kgen::evaluate {

struct RecoveryBenchRequest {
  std::string device = "auto";
  int count = 1000;          ///< faults and hangs together
  int hangs = 100;           ///< how many of them hang
  int jobs = 1;              ///< faulting at the same time, each in a process of its own
  double hangSeconds = 0.05; ///< after which a hang is killed
  double mostSeconds = 0;    ///< begins no mishap after this long; 0: until all are done
  std::string out;           ///< a file for every recovery's seconds, JSON, kept up to date; empty: none
};

/// Runs faulty kernels one after the other, each followed by the known-answer kernel in a fresh process, and prints
/// how long the device took from each kill to the right answer; on stderr how far it has come. An error when a verdict
/// is not the expected one, or the device is lost. The return value is the 99th percentile in seconds.
llvm::Expected<double> benchRecovery(const RecoveryBenchRequest &request);

/// `kgen-eval bench-recovery [--device D] [--count N] [--hangs N] [--jobs N] [--hang-seconds S]
/// [--max-seconds S] [--out FILE]`. 0 when the 99th
/// percentile is below a second.
int runRecoveryBench(llvm::ArrayRef<std::string> arguments);

} // namespace kgen::evaluate
