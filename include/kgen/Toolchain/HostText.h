//===- HostText.h - Making kernel.cu compile with a host compiler ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kgen::toolchain {

/// How device host runs a kernel.
enum class HostMode {
  Plain,       ///< no barrier within reach: a loop over threads
  PlainGlobal, ///< the same, but a device function reads threadIdx
  Fibres,      ///< one fibre per thread
};

struct HostKernel {
  std::string name;      ///< as plan.json names it
  std::string qualified; ///< with its namespaces
  HostMode mode = HostMode::Plain;
};

/// What stands in the host's text for `asm`: it does not compile, and the message names it.
constexpr const char *hostAssemblyMark = "kgen_host_has_no_inline_assembly";

struct HostText {
  std::string text;
  std::vector<HostKernel> kernels;
  std::string launchers; ///< what calls them; free of macros
};

/// Rewrites CUDA-C so that g++ compiles it against lib/Device/host: kernels get their indices as
/// hidden parameters, and dynamic shared memory becomes one array. The launchers come behind it once its macros are
/// gone: none of them reaches what decides how kernels run. Works on tokens and keeps every line's number. Fails when
/// there is no kernel.
llvm::Expected<HostText> rewriteForHost(llvm::StringRef cuda);

/// The rules of the contract that any compiler of kernel.cu relies on: only the known headers, no
/// other file access, no host constructors. The error is the reason for REJECT.
llvm::Error checkSource(llvm::StringRef cuda);

/// The rules for kernel.cu on the host once its macros are gone: TEXT is what g++ -E wrote of what rewriteForHost made.
/// No assembly, no attributes but those of optimisation, no names of the runtime, the linker or the loader.
llvm::Error checkPreprocessed(llvm::StringRef text);

/// TEXT with every backslash at a line's end joined to the next line, as compilers see it first. Lines after a joined
/// one keep their numbers.
std::string joinLines(llvm::StringRef text);

/// The tokens of CUDA, joined lines as joinLines leaves them, that stand outside comments; strings are one token each.
llvm::StringSet<> findWords(llvm::StringRef cuda);

/// The part of checkSource that looks at names outside comments and strings.
llvm::Error checkTokens(llvm::StringRef cuda);

} // namespace kgen::toolchain
