//===- Rules.cpp - Whose rules a verdict follows --------------------------===//
#include "kgen/Judge/Rules.h"

using namespace kgen;

static constexpr const char *names[] = {"kgen", "kernelbench-2025", "kernelbench"};

llvm::StringRef kgen::rulesName(Rules rules) { return names[size_t(rules)]; }

std::optional<Rules> kgen::parseRules(llvm::StringRef name) {
  for (size_t i = 0; i < std::size(names); ++i)
    if (name == names[i])
      return Rules(i);
  return std::nullopt;
}

double kgen::publishedTolerance(Rules rules, DType dtype) {
  switch (rules) {
  case Rules::KGen:
    return 0;
  case Rules::KernelBench2025:
    return 1e-2;
  case Rules::KernelBench:
    return dtype == DType::F16 || dtype == DType::BF16 ? 1e-2 : 1e-4;
  }
  return 0;
}
