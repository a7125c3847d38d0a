//===- Contractions.h - What the oracle's passes call a contraction ------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace kgen::oracle {

/// Whether OP adds up products, over at least one reduction loop, and nothing else.
bool isContraction(mlir::linalg::GenericOp op);

} // namespace kgen::oracle
