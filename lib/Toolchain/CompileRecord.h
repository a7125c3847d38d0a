//===- CompileRecord.h - What the cache keeps beside an artifact ----------===//
#pragma once

#include "kgen/Toolchain/Compiler.h"

#include <functional>

namespace kgen {

/// Runs FILL in a cache folder for the key, unless it is there already. FILL writes its files into the
/// folder and returns the result, its artifact named relative to the folder. A failure is cached too,
/// except a time limit that was hit.
llvm::Expected<CompileResult>
compileCached(llvm::StringRef key, const std::function<llvm::Expected<CompileResult>(const std::string &folder)> &fill);

/// The first line of LOG that names an error, without the compiler's own noise; capped.
std::string firstError(llvm::StringRef log);

} // namespace kgen
