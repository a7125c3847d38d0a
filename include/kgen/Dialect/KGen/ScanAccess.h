//===- ScanAccess.h - How a scan's rows are read and written ----*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A running sum from the end of a row, or of the elements before each one, is
// written with flips, or with a neutral element in front. Kernels of family
// scan move no data for these: they walk the other way, or write one later.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"

#include "llvm/ADT/SmallVector.h"

namespace kgen {

/// What views say of the rows of a scan.
struct ScanAccess {
  mlir::Value source; ///< holds the rows in memory's order
  mlir::Value result; ///< what is written: the scan's result, or its flip
  int64_t dim = 0;
  bool readsReversed = false;  ///< from the last element of a row to the first
  bool writesReversed = false; ///< likewise
  bool exclusive = false;      ///< result c is of the elements before c: of none for the first
  bool writesTotal = false;    ///< exclusive, and behind a row's last result stands one of all its elements
  llvm::SmallVector<mlir::Operation *> views; ///< the ops that say so; each has one user
};

/// Whether OP is a running sum or product.
bool isScan(mlir::Operation *op);

/// How SCAN reads and writes its rows. Where it stands in a dispatch, views outside of it count only if LEAVES.
ScanAccess readScan(mlir::Operation *scan, bool leaves);

} // namespace kgen
