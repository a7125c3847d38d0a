//===- CompileRecord.h - What the cache keeps beside an artifact ----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Toolchain/Compiler.h"

#include <functional>

namespace kgen::toolchain {

using CompileStep = std::function<llvm::Expected<CompileResult>(const std::string &folder)>;

/// Runs FILL in a cache folder for the key, unless it is there already and its files are what was written. FILL writes
/// its files into the folder and returns the result, its artifact named relative to the folder. A failure is cached
/// too, when it is about the text: a time limit that was hit is not, nor what is unexplained. The latter is tried
/// once more; when it stays, PROBE compiles a text that is known to be right in the same way, and when that fails as
/// well the error says that it is the compiler that does not work here.
llvm::Expected<CompileResult> compileCached(llvm::StringRef key, const CompileStep &fill, const CompileStep &probe);

/// A kernel that every compiler takes.
inline constexpr char knownText[] = "extern \"C\" __global__ void kgen_known_text(float *x) { x[threadIdx.x] = 1; }\n";

/// Whether LOG complains of a place in the text (FILE:LINE:COLUMN: error, FILE(LINE): error), not of a part of the
/// compiler that was killed or cannot write.
bool namesPlaceInText(llvm::StringRef log);

/// The first line of LOG that names an error, without the compiler's own noise; capped.
std::string firstError(llvm::StringRef log);

} // namespace kgen::toolchain
