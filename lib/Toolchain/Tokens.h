//===- Tokens.h - C++ text in pieces --------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace kgen::toolchain {

struct Token {
  llvm::StringRef text;
  enum Kind { Identifier, Punctuation, Literal, Directive } kind;
};

/// Splits C++ text without spliced lines into tokens. Comments vanish; a preprocessor line is one token.
std::vector<Token> tokenize(llvm::StringRef text);

} // namespace kgen::toolchain
