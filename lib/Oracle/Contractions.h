//===- Contractions.h - What the oracle's passes call a contraction ------===//
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace kgen::oracle {

/// Whether OP adds up products, over at least one reduction loop, and nothing else.
bool isContraction(mlir::linalg::GenericOp op);

} // namespace kgen::oracle
