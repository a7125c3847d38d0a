//===- Measurement.h - What is known of a candidate after it was tried ----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Candidate/SpeedVerdict.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kgen::candidate {

/// The names of docs/ and of measurement.json. `Unsupported`: device host cannot run it.
enum class Verdict { Pass, Wrong, Fault, Timeout, Race, Cheat, Reject, BadReply, Unsupported };

/// How Measurement::sanitizer says that a tool was left out.
constexpr llvm::StringLiteral sanitizerLeftOut = ": not run: ";

/// "PASS" and the like.
llvm::StringRef verdictName(Verdict verdict);
std::optional<Verdict> parseVerdict(llvm::StringRef name);

/// Instructions of machine code by kind ("FFMA", "LDG.128", "HGMMA.F16"); MachineCode.cpp has the list.
struct InstructionCounts {
  int total = 0; ///< all of them, 0 when unknown; kinds are a part of it
  std::map<std::string, int> kinds;
};

/// What the compiler said of one kernel.
struct KernelResources {
  std::string kernel;
  int registers = 0;       ///< per thread
  int sharedBytes = 0;     ///< static, per block
  int stackBytes = 0;      ///< per thread
  int spillBytes = 0;      ///< loads plus stores, per thread
  double occupancy = 0;    ///< resident threads over the most a multiprocessor holds, 0 to 1; 0 = unknown
  bool tensorCore = false; ///< its machine code or PTX holds a matrix instruction
  InstructionCounts code;  ///< of the whole kernel
  InstructionCounts loop;  ///< of the busiest of its innermost loops
};

/// Error of one output against the fp64 oracle, normalised; see Verify.h.
struct ErrorNorms {
  double max = 0; ///< max |out - ref| / rms(ref)
  double l2 = 0;  ///< ||out - ref|| / ||ref||
};

struct InputError {
  std::string input; ///< which input set, e.g. "normal#0"
  ErrorNorms norms;
};

/// What Nsight Compute saw of one launch, in percent of what the card can do where nothing else is said.
struct KernelProfile {
  std::string kernel;
  double timeUs = 0;
  double dram = 0;        ///< of the memory's peak rate
  double tensor = 0;      ///< cycles in which the matrix units work
  double issue = 0;       ///< issue slots
  double warps = 0;       ///< resident, of the most that a multiprocessor holds
  double l2Hits = 0;      ///< of the sectors asked for
  std::string stall;      ///< what warps wait longest for, in the profiler's word; empty: unknown
  double stallCycles = 0; ///< that they wait for it, for each instruction
};

/// What the card was doing, where the system says; 0 = unknown.
struct Conditions {
  double clockMHz = 0, powerWatts = 0, temperature = 0; ///< degrees Celsius
};

/// The outcome of one candidate. Expected outcomes are values: WRONG is not an llvm::Error.
struct Measurement {
  Verdict verdict = Verdict::Reject;
  std::string detail; ///< one sentence; with WRONG the first wrong element, with REJECT the compiler's words
  std::string device; ///< "host" or "cuda:0 NVIDIA H200"
  std::string precision;
  double timeUs = 0;           ///< median of samples, 0 when not timed
  std::vector<double> samples; ///< µs, every one kept
  /// Of a network that prepares values out of weights: what that takes (median). timeUs is without it, freshUs() with.
  double prepareUs = 0;
  /// A network's launches as one CUDA graph; 0: not measured, as on device host.
  double graphUs = 0;
  std::map<std::string, double> baselines; ///< eager, compile, max_autotune, ... in µs
  double floorUs = 0;
  std::vector<InputError> errors;
  ErrorNorms tolerance;
  double compileSeconds = 0;
  std::vector<KernelResources> kernels;
  std::string diagnosis; ///< in words, what bounds it

  std::string rules = "kgen";        ///< whose rules made the verdict (Rules.h)
  std::vector<std::string> warnings; ///< what a verdict on this problem is worth less for
  std::string inputs;                ///< a commitment to the secret seed of the inputs, or the seed
  double spread = 0;                 ///< relativeSpread(samples)
  Conditions before, after;          ///< the timed runs
  /// Seconds of the evaluator's own time, by what it did: compile, reference, start, inputs, repeats, timing,
  /// comparison, sanitizer. What did not happen is not there.
  std::map<std::string, double> phases;
  std::string sanitizer;                ///< what compute-sanitizer said; empty: it was not asked
  std::optional<SpeedComparison> speed; ///< against the best kernel before it
  std::vector<KernelProfile> profile;   ///< by launch, when a profile was asked for and could be had

  bool passed() const { return verdict == Verdict::Pass; }
  /// The time where weights are new to each call.
  double freshUs() const { return timeUs + prepareUs; }
  /// Whether it is better than a best kernel of BESTUS (0: there is none). Where the two were timed in turns,
  /// that comparison has the last word.
  bool beats(double bestUs) const {
    return passed() && (bestUs == 0 || (timeUs < bestUs && !(speed && speed->low <= 1)));
  }
  /// The detail as it is shown and recorded: printable, at most 2,000 bytes and " ...". Compilers and kernels write it.
  std::string shownDetail() const;
  /// measurement.json's text.
  std::string print() const;
  /// Reads what print() wrote; the error names the place. Never throws.
  static llvm::Expected<Measurement> parse(llvm::StringRef text);
};

/// How the detail of a REJECT begins for which the device had too little memory.
inline constexpr llvm::StringLiteral noRoom = "there is no room for it";
/// Whether MEASUREMENT says so: with more memory it may say something else.
bool lacksRoom(const Measurement &measurement);

/// Middle of the sorted samples (mean of the two middle ones); 0 for none.
double median(std::vector<double> samples);

} // namespace kgen::candidate
