//===- OpCoverageTest.cpp - No aten op without a numeric case ------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/Aten/Aten.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

namespace {

/// The text of every case file, one after the other.
std::string allCases() {
  std::string text;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(KGEN_NUMERIC_CASES, error), end; it != end && !error; it.increment(error))
    if (llvm::sys::path::extension(it->path()) == ".mlir")
      if (auto file = llvm::MemoryBuffer::getFile(it->path()))
        text += (*file)->getBuffer();
  return text;
}

TEST(OpCoverage, EveryAtenOpHasANumericCase) {
  mlir::DialectRegistry registry;
  registry.insert<kgen::aten::AtenDialect>();
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  std::string cases = allCases();
  size_t ops = 0;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "aten")
      continue;
    ++ops;
    EXPECT_NE(cases.find(" = " + name.getStringRef().str() + " "), std::string::npos)
        << name.getStringRef().str() << " has no case in generate.py";
  }
  EXPECT_GE(ops, 94u);
}

} // namespace
