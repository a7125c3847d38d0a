//===- OracleCases.cpp - Graphs with known answers ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/OracleCases.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace kgen;
using namespace kgen::oracle;

std::vector<OracleCase> kgen::oracle::parseOracleCases(llvm::StringRef text) {
  std::vector<OracleCase> cases;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, "// -----\n");
  for (llvm::StringRef part : parts) {
    OracleCase current;
    llvm::SmallVector<llvm::StringRef> lines;
    part.split(lines, '\n');
    for (llvm::StringRef line : lines) {
      llvm::SmallVector<llvm::StringRef> words;
      if (line.consume_front("// case: ")) {
        current.name = line.str();
      } else if (line.consume_front("// inputs:")) {
        line.split(words, ' ', -1, /*KeepEmpty=*/false);
        for (llvm::StringRef word : words)
          current.inputKinds.push_back(word.str());
      } else if (line.consume_front("// tolerance: ")) {
        current.tolerance = std::strtod(line.str().c_str(), nullptr);
      } else if (line == "// expect:") {
        current.expected.emplace_back();
      } else if (line.consume_front("//   ") && !current.expected.empty()) {
        line.split(words, ' ', -1, /*KeepEmpty=*/false);
        for (llvm::StringRef word : words)
          current.expected.back().push_back(std::strtod(word.str().c_str(), nullptr));
      }
    }
    current.graph = part.str();
    if (!current.name.empty())
      cases.push_back(std::move(current));
  }
  return cases;
}

/// The splitmix64 generator's output function (Steele, Lea, Flood 2014).
static uint64_t splitmix(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

static double element(llvm::StringRef kind, uint64_t which, uint64_t i) {
  static const double special[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 800.0, -800.0, 1e-3, -1e-3, 25.0, -25.0, 1.5};
  uint64_t h = splitmix((which << 32) + i);
  double u = (h >> 11) * 0x1p-53; // [0, 1)
  if (kind == "uniform")
    return 4 * u - 2;
  if (kind == "positive")
    return u + 0.25;
  if (kind == "offset")
    return 1000 + 0.1 * (4 * u - 2);
  if (kind == "unit") // inside (-1, 1)
    return 2 * u - 1;
  if (kind == "position") // in an extent of 4
    return static_cast<double>(h % 4);
  if (kind == "order") // the four positions, each once
    return static_cast<double>(i * 3 % 4);
  if (kind == "integer")
    return static_cast<double>(h % 5) - 2;
  if (kind == "bool")
    return h % 3 != 0;
  if (kind == "first")
    return i == 0;
  return special[i % std::size(special)];
}

std::vector<double> kgen::oracle::oracleCaseInput(llvm::StringRef kind, uint64_t which, int64_t elements) {
  std::vector<double> values(elements);
  for (auto [i, value] : llvm::enumerate(values))
    value = element(kind, which, i);
  return values;
}

bool kgen::oracle::agreesWithCase(double actual, double expected, double tolerance) {
  if (std::isnan(expected) || std::isinf(expected))
    return std::isnan(expected) ? std::isnan(actual) : actual == expected;
  return std::abs(actual - expected) <= tolerance * std::max(1.0, std::abs(expected));
}

llvm::Error kgen::oracle::compareOracleCase(const OracleCase &test, llvm::ArrayRef<std::vector<double>> actual) {
  if (actual.size() != test.expected.size())
    return llvm::createStringError("expected %zu results, found %zu", test.expected.size(), actual.size());
  for (size_t r = 0; r < actual.size(); ++r) {
    if (actual[r].size() != test.expected[r].size())
      return llvm::createStringError("expected %zu elements of result %zu, found %zu", test.expected[r].size(), r,
                                     actual[r].size());
    for (size_t i = 0; i < actual[r].size(); ++i)
      if (!agreesWithCase(actual[r][i], test.expected[r][i], test.tolerance))
        return llvm::createStringError("element %zu of result %zu: expected %.17g, found %.17g", i, r,
                                       test.expected[r][i], actual[r][i]);
  }
  return llvm::Error::success();
}

static llvm::Error check(const OracleCase &test, int64_t sliceLimit) {
  // Cases are small, and what they show is to hold for the code of large graphs.
  auto oracle = Oracle::create(test.graph, sliceLimit, "graph", OracleResult::Answers, OracleCode::Optimised);
  if (!oracle)
    return oracle.takeError();
  const std::vector<OracleTensor> &arguments = (*oracle)->inputs();
  if (test.inputKinds.size() != arguments.size())
    return llvm::createStringError("%zu kinds of input for %zu arguments", test.inputKinds.size(), arguments.size());
  std::vector<std::vector<double>> inputs;
  for (auto [i, kind] : llvm::enumerate(test.inputKinds))
    inputs.push_back(oracleCaseInput(kind, i, arguments[i].elements()));
  auto results = (*oracle)->run(std::vector<llvm::ArrayRef<double>>(inputs.begin(), inputs.end()));
  if (!results)
    return results.takeError();
  return compareOracleCase(test, *results);
}

bool kgen::oracle::checkOracleCases(llvm::StringRef text, int64_t sliceLimit) {
  std::vector<OracleCase> cases = parseOracleCases(text);
  bool good = !cases.empty();
  for (const OracleCase &test : cases)
    if (auto error = check(test, sliceLimit)) {
      llvm::errs() << test.name << ": " << toString(std::move(error)) << '\n';
      good = false;
    }
  if (cases.empty())
    llvm::errs() << "no cases\n";
  return good;
}
