//===- UntrustedText.h - Text that something else wrote -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace kgen::candidate {

/// TEXT as it may be shown and recorded: valid UTF-8 in which a control character (but newlines and tabs), one that
/// turns the direction of reading and one that nobody sees is a question mark. Compilers quote what a candidate wrote,
/// and a terminal obeys it.
std::string printable(llvm::StringRef text);

/// The same on one line: what a model says must not look like a row of a table that follows.
std::string onOneLine(llvm::StringRef text);

/// "WHOSE holds the bidirectional control character U+202E, ..." for the first character in TEXT that makes it read
/// differently from what it is, or "": what turns the direction of reading, what nobody sees (zero width, tags,
/// fillers; but not what joins or varies a symbol before it), a carriage return that ends no line, bytes that are no
/// UTF-8.
std::string findDisguise(llvm::StringRef text, llvm::StringRef whose);

/// What is asked of JSON before a tree is made of it.
struct JsonLimits {
  size_t levels;             ///< of objects and lists within each other
  size_t members = SIZE_MAX; ///< of one object
};

/// What TEXT does that readers disagree on or pay for more than once: "nests deeper than N levels", "has the key "K"
/// twice in one object", "has an object of more than N members"; empty when there is nothing, or when it is no JSON at
/// all. Linear in TEXT but for a logarithm of an object's members; takes no recursion.
std::string findJsonFault(llvm::StringRef text, JsonLimits limits);

} // namespace kgen::candidate
