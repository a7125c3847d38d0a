//===- Origins.h - What values of a graph depend on -------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace kgen {

/// What a value depends on.
enum class Origin {
  Constants, ///< on no argument
  Weights,   ///< on arguments with kgen.parameter that the graph does not write (kgen.mutates)
  Inputs,    ///< on other arguments too
};

/// The origins of all values of a graph's function, as it was when this was made.
class Origins {
public:
  explicit Origins(mlir::func::FuncOp func);
  Origin of(mlir::Value value) const { return values.lookup(value); }
  /// Of all that OP reads.
  Origin of(mlir::Operation *op) const;
  /// Of an op that was added since.
  void add(mlir::Operation *op);

private:
  llvm::DenseMap<mlir::Value, Origin> values;
};

} // namespace kgen
