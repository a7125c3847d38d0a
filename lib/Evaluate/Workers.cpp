//===- Workers.cpp - What kgen's binaries do for each other ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Evaluate/Workers.h"

#include "kgen/Device/CandidateProcess.h"
#include "kgen/Evaluate/RecoveryBench.h"
#include "kgen/Evaluate/Sanitize.h"
#include "kgen/Judge/JudgeProcess.h"
#include "kgen/Toolchain/Compiler.h"

using namespace kgen;
using namespace kgen::evaluate;

std::optional<int> kgen::evaluate::runWorkerIfAsked(int argc, char **argv) {
  if (argc < 2)
    return std::nullopt;
  std::vector<std::string> arguments(argv + 2, argv + argc);
  llvm::StringRef command = argv[1];
  if (command == "--kgen-compile-worker")
    return toolchain::runCompileWorker(arguments);
  if (command == "--kgen-candidate-worker")
    return device::runCandidateWorker(arguments);
  if (command == "--kgen-judge-worker")
    return judge::runJudgeWorker(arguments);
  if (command == "--kgen-doctor")
    return runDoctorProbe(arguments.empty() ? "card" : arguments[0]);
  if (command == "--kgen-cards")
    return printCards();
  if (command == "bench-recovery")
    return runRecoveryBench(arguments);
  if (command == "--kgen-sanitize-worker")
    return runSanitizeWorker(arguments);
  return std::nullopt;
}
