//===- Sanitize.h - A candidate under compute-sanitizer -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Candidate/Measurement.h"
#include "kgen/Toolchain/Process.h"

#include "llvm/ADT/ArrayRef.h"

namespace kgen::evaluate {

/// compute-sanitizer on PATH or in the toolkit's folder; empty when it is not installed.
std::string findSanitizer();

/// The tools for a kernel of this PTX: memcheck and initcheck always, synccheck where there are barriers, racecheck
/// where there is shared memory; all four where PTX is empty.
std::vector<std::string> sanitizerTools(llvm::StringRef ptx);

/// Seconds that racecheck may be expected to take, by what it took before, with a kernel of PTX that was timed at US
/// and has buffers of BYTES; 0: not known. No bound: some take less.
double expectedRacecheckSeconds(llvm::StringRef ptx, double us, double bytes);

/// What one tool said.
struct SanitizerReport {
  enum Outcome { Clean, Objects, Unknown } outcome = Clean;
  candidate::Verdict verdict = candidate::Verdict::Pass; ///< with Objects: RACE for racecheck, FAULT for the others
  std::string words;                                     ///< its first complaint, or why nothing is known
};

/// Reads the end and the output of `compute-sanitizer --tool TOOL`.
SanitizerReport readSanitizerOutput(llvm::StringRef tool, const toolchain::ProcessResult &run);

/// The watched process: `BINARY --kgen-sanitize-worker DEVICE PLAN ARTIFACT SEED`.
int runSanitizeWorker(llvm::ArrayRef<std::string> arguments);

} // namespace kgen::evaluate
