//===- KGenDialect.cpp - Registration of the kgen dialect ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/KGen.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kgen;

#include "kgen/Dialect/KGen/KGenDialect.cpp.inc"
#include "kgen/Dialect/KGen/KGenEnums.cpp.inc"

// Here, where the generated parser and printer need the complete attributes.
#define GET_ATTRDEF_CLASSES
#include "kgen/Dialect/KGen/KGenAttrs.cpp.inc"

void KGenDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "kgen/Dialect/KGen/KGenAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "kgen/Dialect/KGen/KGenOps.cpp.inc"
      >();
}
