//===- OracleNumericTest.cpp - Every aten op against PyTorch's fp64 ------===//
//
// Runs the cases of NumericCases.h on the oracle.
//
//===----------------------------------------------------------------------===//
#include "NumericCases.h"

#include "kgen/Oracle/Oracle.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace kgen;

namespace {

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
  std::vector<Case> cases = parseCases((*file)->getBuffer());
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
