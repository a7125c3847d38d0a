//===- Rows.h - Statistics over a set of dimensions -----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "LinalgBuilder.h"

#include "llvm/ADT/SmallBitVector.h"

namespace kgen::conversion {

/// Splits a tensor's dimensions into those that are folded and those that stay. A statistic of such
/// rows is a tensor over the dimensions that stay, in the compute type.
class Rows {
public:
  Rows(LinalgBuilder &b, mlir::Value tensor, const llvm::SmallBitVector &folded);
  /// DIMS may count from the end; none means all.
  static llvm::SmallBitVector dims(llvm::ArrayRef<int64_t> dims, int64_t rank);

  mlir::Value tensor;
  /// The type that statistics accumulate in and are stored as.
  mlir::Type type;
  /// Elements in one row.
  double count = 1;
  llvm::SmallVector<int64_t> keptShape;
  /// From the tensor's dimensions to the statistic's.
  mlir::AffineMap kept;

  Operand self() const { return {tensor, identity}; }
  Operand read(mlir::Value statistic) const { return {statistic, kept}; }

  mlir::Value max();
  /// Sum over each row of TERM applied to the elements of INPUTS, all over the tensor's dimensions.
  mlir::Value sum(llvm::ArrayRef<Operand> inputs, LinalgBuilder::Formula term);
  mlir::Value mean();
  /// The largest exponent of each row, 0 where it is infinite, so that x - shift is a number.
  mlir::Value shift();

private:
  LinalgBuilder &b;
  mlir::AffineMap identity;
};

} // namespace kgen::conversion
