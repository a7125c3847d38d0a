//===- Cost.h - What graphs and ops cost ----------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FLOP formulas, one for each family of ops (called from the .td files), and
// the bytes that a graph cannot avoid moving.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace kgen::aten {

/// Bytes of one element in a buffer: a bool takes a whole one.
int64_t elementBytes(mlir::Type element);

/// Elements of a static tensor.
double elements(mlir::Value tensor);
/// Elements of OP's first result, and of its first operand.
double resultElements(mlir::Operation *op);
double operandElements(mlir::Operation *op);
/// The extent of a tensor's last dimension; 1 for a scalar.
double lastExtent(mlir::Value tensor);

/// 2 per multiply-accumulate that an unpadded input would need, 1 per bias.
double convolutionFlops(mlir::Operation *op, mlir::Value input, mlir::Value weight);
double convTransposeFlops(mlir::Operation *op, mlir::Value input, mlir::Value weight);
/// Both products of attention; half of them when causal. The softmax is not counted, as
/// is the custom in published figures.
double attentionFlops(mlir::Value query, mlir::Value key, mlir::Value value, bool causal);
double windowFlops(mlir::Operation *op, llvm::ArrayRef<int64_t> kernel);

/// The FLOPs of every aten op in FUNC, nested ones included.
double graphFlops(mlir::func::FuncOp func);

/// How many elements of each tensor the results of FUNC need at least, whatever the inputs are. Where parts are picked
/// (a slice, a triangle), only as many are needed in front: of the results of every op, and so of what it reads. Of
/// what is picked by index one part is certain: the others may be the same. Takes time in proportion to the ops.
class NeededElements {
public:
  explicit NeededElements(mlir::func::FuncOp func);

  /// Of VALUE; all of one that is no op's result or argument in FUNC's own block.
  double of(mlir::Value value) const;
  double bytesOf(mlir::Value value) const;
  /// The part of OP's results that is needed, from 0 to 1: of the one of which most is.
  double partOf(mlir::Operation *op) const;

private:
  void count(mlir::Value value);
  double by(mlir::OpOperand &use) const;
  /// Of RESULT, an argument written in place: what else reads it.
  double ofUpdated(mlir::Value result) const;

  llvm::DenseMap<mlir::Value, double> needed;
};

/// The bytes of each argument of FUNC that any implementation reads.
llvm::SmallVector<double> readBytes(mlir::func::FuncOp func);

/// The bytes that any implementation of FUNC moves: every argument that is used, read
/// once (readBytes), and every distinct result, written once.
double compulsoryBytes(mlir::func::FuncOp func);

} // namespace kgen::aten
