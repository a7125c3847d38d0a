//===- AtenDialect.cpp - The op graph's dialect ---------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/Aten/Aten.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace kgen::aten;

#include "kgen/Dialect/Aten/AtenDialect.cpp.inc"
#include "kgen/Dialect/Aten/AtenEnums.cpp.inc"
#include "kgen/Dialect/Aten/AtenInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "kgen/Dialect/Aten/AtenOps.cpp.inc"

void AtenDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "kgen/Dialect/Aten/AtenOps.cpp.inc"
      >();
}

LogicalResult kgen::aten::verifyInferredTypes(Operation *op) {
  SmallVector<Type> inferred;
  if (failed(cast<AtenShapeOpInterface>(op).inferResultTypes(inferred)))
    return failure();
  // Every op's number of results is fixed by its definition, so only types can differ.
  for (auto [index, types] : llvm::enumerate(llvm::zip_equal(inferred, op->getResultTypes()))) {
    auto [expected, found] = types;
    if (expected != found)
      return op->emitOpError() << "expected result " << index << " to be " << expected << " but found " << found;
  }
  return success();
}
