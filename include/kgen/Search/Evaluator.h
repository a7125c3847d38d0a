//===- Evaluator.h - Compile and measure, as the search sees it -----------===//
#pragma once

#include "kgen/Evaluate/Measurement.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace kgen {

/// What the device is, for run.json and for proposers.
struct DeviceFacts {
  std::string name = "host"; ///< "host" or "cuda:0"
  std::string model;         ///< "NVIDIA H200", or the CPU's; may be empty
  std::string arch = "sm_90a";
  int sharedBytesPerBlock = 232448;
  int multiprocessors = 132;

  bool isHost() const { return name == "host"; }
};

/// Turns a branch's folder into a measurement. Expected outcomes (a compile error, a wrong answer, a
/// hang) are values; an Error means that the device itself is lost, or that the user stopped the
/// search, and ends it.
class Evaluator {
public:
  virtual ~Evaluator() = default;

  virtual DeviceFacts getDevice() const = 0;
  /// Compiles the kernel.cu in FOLDER so that evaluate() finds machine code in the cache. Called
  /// from several threads at once. The outcome of a failure is that of evaluate(), so nothing is
  /// returned.
  virtual void prepare(llvm::StringRef folder) = 0;
  /// Verifies and times the candidate in FOLDER against GRAPHFILE, the level 1 graph. One call at a
  /// time. PRECISION is the class that it must keep.
  virtual llvm::Expected<Measurement> evaluate(llvm::StringRef folder, llvm::StringRef graphFile,
                                               llvm::StringRef precision) = 0;
};

} // namespace kgen
