//===- Html.h - Text for a page, and drawings in it -------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace kgen::report::html {

/// TEXT as it may stand in an element or a quoted attribute: markup characters as references, control
/// characters as spaces (but tabs and line ends), bytes that are not UTF-8 as U+FFFD.
std::string escape(llvm::StringRef text);

/// "127.4 µs"; a dash for 0.
std::string time(double us);
/// "873 %"; a dash for 0.
std::string percent(double value);

/// A branch in a drawing.
struct Mark {
  double x = 0, y = 0;
  int round = 0;
  bool best = false; ///< better than all before it
  std::string title; ///< what a reader sees when he points at it; not escaped
};
/// A horizontal line: PyTorch's time, the floor.
struct Level {
  std::string name; ///< not escaped
  double y = 0;
};

/// Times over the number of branches, on a logarithmic scale: dots for all, a line for the best so far.
std::string drawCurve(llvm::ArrayRef<Mark> marks, llvm::ArrayRef<Level> levels);
/// Measured time over what the prior expected, both logarithmic.
std::string drawScatter(llvm::ArrayRef<Mark> marks);

/// The page's style sheet.
extern const char *const style;

} // namespace kgen::report::html
