//===- OracleNumericTest.cpp - Every aten op against PyTorch's fp64 ------===//
//
// Runs the cases that test/Conversion/AtenToLinalg/Inputs/generate.py wrote: graphs with PyTorch's answers. The
// inputs are a function of their position, the same here and there.
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/Oracle.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace kgen;

namespace {

struct Case {
  std::string name, graph;
  std::vector<std::string> inputKinds;
  std::vector<std::vector<double>> expected;
  double tolerance = 1e-12;
};

uint64_t splitmix(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

/// Element I of input number WHICH; see generate.py.
double element(llvm::StringRef kind, uint64_t which, uint64_t i) {
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

std::vector<Case> parse(llvm::StringRef text) {
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
bool agrees(double actual, double expected, double tolerance) {
  if (std::isnan(expected) || std::isinf(expected))
    return std::isnan(expected) ? std::isnan(actual) : actual == expected;
  return std::abs(actual - expected) <= tolerance * std::max(1.0, std::abs(expected));
}

/// SLICE_LIMIT as Oracle::create takes it: a few bytes make it slice everything that it can.
void check(const Case &test, int64_t sliceLimit) {
  SCOPED_TRACE(test.name);
  auto oracle = Oracle::create(test.graph, sliceLimit);
  if (!oracle) {
    ADD_FAILURE() << toString(oracle.takeError());
    return;
  }
  ASSERT_EQ(test.inputKinds.size(), (*oracle)->inputs().size());
  std::vector<std::vector<double>> inputs;
  for (size_t which = 0; which < test.inputKinds.size(); ++which) {
    std::vector<double> &values = inputs.emplace_back((*oracle)->inputs()[which].elements());
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = element(test.inputKinds[which], which, i);
  }
  auto results = (*oracle)->run(std::vector<llvm::ArrayRef<double>>(inputs.begin(), inputs.end()));
  if (!results) {
    ADD_FAILURE() << toString(results.takeError());
    return;
  }
  ASSERT_EQ(results->size(), test.expected.size());
  for (size_t r = 0; r < results->size(); ++r) {
    ASSERT_EQ((*results)[r].size(), test.expected[r].size());
    for (size_t i = 0; i < test.expected[r].size(); ++i)
      if (!agrees((*results)[r][i], test.expected[r][i], test.tolerance)) {
        ADD_FAILURE() << "result " << r << " element " << i << ": expected " << test.expected[r][i] << ", found "
                      << (*results)[r][i];
        return;
      }
  }
}

class OracleNumeric : public testing::TestWithParam<const char *> {};

void checkFile(const char *kind, int64_t sliceLimit) {
  std::string path = std::string(KGEN_NUMERIC_CASES) + "/" + kind + ".mlir";
  auto file = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(file) << path;
  std::vector<Case> cases = parse((*file)->getBuffer());
  ASSERT_GT(cases.size(), 5u);
  for (const Case &test : cases)
    check(test, sliceLimit);
}

TEST_P(OracleNumeric, AgreesWithPyTorch) { checkFile(GetParam(), int64_t(1) << 30); }

TEST(OracleSliced, AttentionAgreesWithPyTorch) { checkFile("attention", 64); }
TEST(OracleSliced, ReductionAgreesWithPyTorch) { checkFile("reduction", 64); }

INSTANTIATE_TEST_SUITE_P(Kinds, OracleNumeric,
                         testing::Values("attention", "contraction", "convolution", "normalization", "pointwise",
                                         "reduction", "shape", "window"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
