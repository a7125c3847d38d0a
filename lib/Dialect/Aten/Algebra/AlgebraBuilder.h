//===- AlgebraBuilder.h - Aten ops with the types they infer ----*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the rewrites of Algebra.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Dialect/Aten/Aten.h"

#include "mlir/IR/PatternMatch.h"

namespace kgen::aten {

inline mlir::RankedTensorType typeOf(mlir::Value value) { return mlir::cast<mlir::RankedTensorType>(value.getType()); }
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) { return typeOf(value).getShape(); }
inline int64_t rankOf(mlir::Value value) { return typeOf(value).getRank(); }

/// Whether a directive has marked OP, which then stays as it is.
inline bool isMarked(mlir::Operation *op) { return !op->getDiscardableAttrDictionary().empty(); }

/// The product of EXTENTS.
int64_t productOf(llvm::ArrayRef<int64_t> extents);

/// A convolution of any sort, plain or transposed.
struct Convolution {
  mlir::Operation *op = nullptr;
  mlir::Value input, weight, bias;
  bool transposed = false;
  llvm::SmallVector<int64_t> stride, padding, dilation, outputPadding;
  int64_t groups = 1;

  /// Of OP; nothing where it is none.
  static std::optional<Convolution> of(mlir::Operation *op);

  unsigned dims() const { return stride.size(); }
  int64_t filters() const { return shapeOf(op->getResult(0))[1]; }
  /// Input and output positions, and taps, along spatial dimension I.
  int64_t in(unsigned i) const { return shapeOf(input)[i + 2]; }
  int64_t out(unsigned i) const { return shapeOf(op->getResult(0))[i + 2]; }
  int64_t taps(unsigned i) const { return shapeOf(weight)[i + 2]; }
};

/// Makes ops in front of the one that is rewritten. Sums of 16-bit floats are f32, as in a kernel.
class AlgebraBuilder {
public:
  AlgebraBuilder(mlir::PatternRewriter &rewriter, mlir::Location loc) : rewriter(rewriter), loc(loc) {}

  /// VALUE in ELEMENT, or in the type in which its elements are summed.
  mlir::Value cast(mlir::Value value, mlir::Type element);
  mlir::Value widen(mlir::Value value);
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// VECTOR, one number for each channel, widened and such that it broadcasts to tensors of RANK.
  mlir::Value ofChannels(mlir::Value vector, int64_t rank);
  mlir::Value permute(mlir::Value value, llvm::ArrayRef<int64_t> dims);
  mlir::Value slice(mlir::Value value, int64_t dim, int64_t begin, int64_t end);
  mlir::Value cat(llvm::ArrayRef<mlir::Value> values, int64_t dim);
  /// Sums and means over DIMS, which stay with extent 1.
  mlir::Value sum(mlir::Value value, llvm::ArrayRef<int64_t> dims);
  mlir::Value mean(mlir::Value value, llvm::ArrayRef<int64_t> dims);
  /// The sum over DIM, which goes.
  mlir::Value sumAway(mlir::Value value, int64_t dim);
  mlir::Value add(mlir::Value a, mlir::Value b, double alpha = 1);
  mlir::Value sub(mlir::Value a, mlir::Value b, double alpha = 1);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value scale(mlir::Value value, double factor);
  mlir::Value divide(mlir::Value value, double divisor);
  mlir::Value shift(mlir::Value value, double summand);
  mlir::Value neg(mlir::Value value);
  /// VALUE with zeros where MASK, of SHAPE and in row-major order, says so, whatever is there: a product with zero is
  /// NaN where VALUE is infinite.
  mlir::Value zeroWhere(mlir::Value value, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<bool> mask);
  /// VALUES in row-major order.
  mlir::Value constant(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<double> values, mlir::Type element);
  mlir::Value full(llvm::ArrayRef<int64_t> shape, double value, mlir::Type element);
  mlir::Value linear(mlir::Value input, mlir::Value weight);
  /// A convolution of one to three dimensions as LIKE says, with BIAS where it is not null.
  mlir::Value convolve(mlir::Value input, mlir::Value weight, mlir::Value bias, const Convolution &like);
  /// A copy of OP, which has one result, on OPERANDS and with the result's SHAPE.
  mlir::Value copy(mlir::Operation *op, mlir::ValueRange operands, llvm::ArrayRef<int64_t> shape);

private:
  mlir::RankedTensorType broadcast(mlir::Value a, mlir::Value b);

  mlir::PatternRewriter &rewriter;
  mlir::Location loc;
};

} // namespace kgen::aten
