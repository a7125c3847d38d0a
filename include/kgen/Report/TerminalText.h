//===- TerminalText.h - Lines that fit a terminal -------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace kgen::report {

/// Columns that TEXT, one line of UTF-8, takes.
int columnsOf(llvm::StringRef text);
/// TEXT on one line of at most WIDTH columns, without control characters: a model's words must not move the cursor.
/// What does not fit ends in "...".
std::string clipLine(llvm::StringRef text, int width);
/// TEXT in lines of at most WIDTH columns, broken between words, at most MOST of them; 0: as many as it takes. A word
/// that is longer than a line is cut into several.
std::vector<std::string> wrapLines(llvm::StringRef text, int width, size_t most = 0);

/// TEXT with blanks behind it, or before it, up to WIDTH columns.
std::string padRight(llvm::StringRef text, int width);
std::string padLeft(llvm::StringRef text, int width);

/// What a colour says; the terminal's own theme says which it is.
enum class Ink { Plain, Good, Bad, Doubtful, Faint, Strong };
/// TEXT between the escape sequences of INK; TEXT alone without COLOUR.
std::string paint(llvm::StringRef text, Ink ink, bool colour);

/// "42 s", "3 min 20 s", "2 h 5 min".
std::string printDuration(double seconds);

} // namespace kgen::report
