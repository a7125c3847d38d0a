//===- NumericCases.h - Graphs with PyTorch's answers ---------------------===//
//
// Reads what test/Conversion/AtenToLinalg/Inputs/generate.py wrote. The inputs are a function of their position,
// the same here and there. The oracle's and the generic kernels' tests share them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace kgen {

struct Case {
  std::string name, graph;
  std::vector<std::string> inputKinds;
  std::vector<std::vector<double>> expected;
  double tolerance = 1e-12;
};

inline uint64_t splitmix(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

/// Element I of input number WHICH; see generate.py.
inline double element(llvm::StringRef kind, uint64_t which, uint64_t i) {
  static const double special[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 800.0, -800.0, 1e-3, -1e-3, 25.0, -25.0, 1.5};
  uint64_t h = splitmix((which << 32) + i);
  double u = (h >> 11) * 0x1p-53;
  if (kind == "uniform")
    return 4 * u - 2;
  if (kind == "positive")
    return u + 0.25;
  if (kind == "offset")
    return 1000 + 0.1 * (4 * u - 2);
  if (kind == "integer")
    return static_cast<double>(h % 5) - 2;
  if (kind == "bool")
    return h % 3 != 0;
  if (kind == "first")
    return i == 0;
  EXPECT_EQ(kind, "special");
  return special[i % std::size(special)];
}

inline std::vector<Case> parseCases(llvm::StringRef text) {
  std::vector<Case> cases;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, "// -----\n");
  for (llvm::StringRef part : parts) {
    Case current;
    llvm::SmallVector<llvm::StringRef> lines;
    part.split(lines, '\n');
    for (llvm::StringRef line : lines) {
      llvm::SmallVector<llvm::StringRef> words;
      if (line.consume_front("// case: ")) {
        current.name = line.str();
      } else if (line.consume_front("// inputs:")) {
        line.split(words, ' ', -1, false);
        for (llvm::StringRef word : words)
          current.inputKinds.push_back(word.str());
      } else if (line.consume_front("// tolerance: ")) {
        current.tolerance = std::strtod(line.str().c_str(), nullptr);
      } else if (line == "// expect:") {
        current.expected.emplace_back();
      } else if (line.consume_front("//   ")) {
        line.split(words, ' ', -1, false);
        for (llvm::StringRef word : words)
          current.expected.back().push_back(std::strtod(word.str().c_str(), nullptr));
      }
    }
    current.graph = part.str();
    cases.push_back(std::move(current));
  }
  return cases;
}

/// Compares within TOLERANCE times the larger of 1 and the answer; infinities and NaN must be themselves.
inline bool agrees(double actual, double expected, double tolerance) {
  if (std::isnan(expected) || std::isinf(expected))
    return std::isnan(expected) ? std::isnan(actual) : actual == expected;
  return std::abs(actual - expected) <= tolerance * std::max(1.0, std::abs(expected));
}

} // namespace kgen
