//===- Rules.cpp - Whose rules a verdict follows --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Judge/Rules.h"

using namespace kgen;
using namespace kgen::judge;

static constexpr const char *names[] = {"kgen", "kernelbench-2025", "kernelbench"};

llvm::StringRef kgen::judge::rulesName(Rules rules) { return names[size_t(rules)]; }

std::optional<Rules> kgen::judge::parseRules(llvm::StringRef name) {
  for (size_t i = 0; i < std::size(names); ++i)
    if (name == names[i])
      return Rules(i);
  return std::nullopt;
}

double kgen::judge::publishedTolerance(Rules rules, candidate::DType dtype) {
  switch (rules) {
  case Rules::KGen:
    return 0;
  case Rules::KernelBench2025:
    return 1e-2;
  case Rules::KernelBench:
    return dtype == candidate::DType::F16 || dtype == candidate::DType::BF16 ? 1e-2 : 1e-4;
  }
  return 0;
}
