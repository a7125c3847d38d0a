//===- ConditionalText.cpp - Variants of a kernel template ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Emit/ConditionalText.h"

#include "kgen/Kernels/Emit/CudaTemplate.h"

#include "llvm/ADT/SmallVector.h"

using llvm::StringRef;

namespace kgen::kernels {

std::string chooseVariant(StringRef text, const llvm::StringSet<> &truths) {
  std::string out;
  // For each open #if: whether lines are kept now, and whether the surrounding lines are.
  llvm::SmallVector<std::pair<bool, bool>> open = {{true, true}};
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    StringRef directive = line.trim();
    if (directive.consume_front("#if ")) {
      bool outside = open.back().first;
      open.push_back({outside && truths.contains(directive.trim()), outside});
    } else if (directive == "#else") {
      open.back().first = open.back().second && !open.back().first;
    } else if (directive == "#endif") {
      open.pop_back();
    } else if (open.back().first) {
      out += (line + "\n").str();
    }
  }
  return out;
}

StringRef templateBody(StringRef file) {
  StringRef text = findCudaTemplate(file);
  while (text.starts_with("//") && !text.starts_with("//@"))
    text = text.split('\n').second;
  return text;
}

} // namespace kgen::kernels
