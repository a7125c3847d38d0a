//===- Compiler.h - CUDA-C to something that runs -------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Candidate/Measurement.h"
#include "kgen/Support/Chip.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace kgen::toolchain {

struct CompileOptions {
  std::string arch = Chip().arch; ///< the card's architecture; device host ignores it
  double wallSeconds = 30;
  uint64_t memoryBytes = 6ull << 30;
};

struct ProcessLimits;
/// The limits of a compiler's process: time, memory, 64 KiB of log, 256 MiB of files.
ProcessLimits compileLimits(const CompileOptions &options);

/// Machine code, and what the compiler said of it.
struct Compiled {
  std::string artifact; ///< path of the cubin or shared library, in the cache
  std::string ptx;      ///< empty on device host
  std::string log;      ///< at most 64 KiB
  std::vector<candidate::KernelResources> kernels;
  double seconds = 0; ///< of the compile itself, also when it came from the cache
  bool fromCache = false;
};

/// An expected outcome: the text does not compile.
struct CompileFailed {
  std::string reason; ///< one sentence: the first error, or the limit that was hit
  std::string log;
  bool timedOut = false;
  bool unsupported = false; ///< right perhaps, but nothing this compiler can translate (inline PTX on the host)
  /// The compiler says nothing of the text: it was killed, or could not write. compile() returns such a failure only
  /// when it came twice and a text that is known to be right does compile.
  bool unexplained = false;
};

using CompileResult = std::variant<Compiled, CompileFailed>;

/// CUDA-C text in, machine code out. Thread safe. Errors are about the compiler itself (not found, no
/// room in the cache); what is wrong with the text is a CompileFailed.
class Compiler {
public:
  virtual ~Compiler() = default;
  virtual llvm::Expected<CompileResult> compile(llvm::StringRef source, const CompileOptions &options) = 0;
  /// What makes the cache forget: names the compiler and its version.
  virtual std::string version() = 0;
};

/// NVRTC in one-shot child processes. Fails with one sentence when the library is not found: looked for
/// in KGEN_NVRTC, the loader's path, CUDA_HOME, and pip's nvidia packages.
llvm::Expected<std::unique_ptr<Compiler>> createNvrtcCompiler();

/// g++ against lib/Device/host. Fails with one sentence when there is none.
llvm::Expected<std::unique_ptr<Compiler>> createHostCompiler();

/// Compiles all sources, at most PARALLEL at once; results in the sources' order.
std::vector<llvm::Expected<CompileResult>> compileAll(Compiler &compiler, llvm::ArrayRef<std::string> sources,
                                                      const CompileOptions &options, unsigned parallel);

/// The child's side of NvrtcCompiler: `BINARY --kgen-compile-worker LIBRARY ARCH SOURCE OUTDIR INCLUDE...`.
/// Writes kernel.cubin, kernel.ptx and compile.log into OUTDIR. 0: compiled, 1: the text is wrong,
/// 2: NVRTC is not usable.
int runCompileWorker(llvm::ArrayRef<std::string> arguments);

} // namespace kgen::toolchain
