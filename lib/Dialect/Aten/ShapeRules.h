//===- ShapeRules.h - Shared by the shape rules, private to this library -----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Dialect/Aten/ShapeInference.h"

namespace kgen::aten {

/// The type of operand INDEX, a static tensor.
mlir::RankedTensorType operandType(mlir::Operation *op, unsigned index);

/// Fails at OP with TAG unless all operands have operand 0's element type.
llvm::LogicalResult checkSameElements(mlir::Operation *op, llvm::StringRef tag);

} // namespace kgen::aten
