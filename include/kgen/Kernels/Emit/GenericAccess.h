//===- GenericAccess.h - Where an element of a tensor value comes from ----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reshapes, slices, pads, transposes and broadcasts move no data in a kernel of
// the generic path: they are folded into the index, or into a condition on it,
// of the load that needs them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Value.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <string>

namespace kgen::kernels {

/// `low <= expr < high`, and `expr % multipleOf == 0`.
struct AccessCondition {
  mlir::AffineExpr expr;
  int64_t low, high;
  int64_t multipleOf = 1;
  bool checkLow = true, checkHigh = true; ///< false where the loop bounds already say so
};

/// How one element is had. All expressions are over the dimensions of an AccessTracer.
struct Access {
  enum class Kind {
    Load,    ///< buffer[index]
    Literal, ///< a constant
    Choice,  ///< all conditions hold ? inside : outside
  };
  Kind kind = Kind::Literal;
  mlir::Value buffer;
  mlir::AffineExpr index; ///< in elements, row-major
  mlir::Attribute literal;
  llvm::SmallVector<AccessCondition, 4> conditions;
  std::unique_ptr<Access> inside, outside;
};

/// Follows a tensor value back to buffers. Dimensions d0 .. d(n-1) of all expressions are the
/// loops; dimensions from n on are named coordinates, defined over earlier ones, which exist where a
/// condition and an index share a sum.
class AccessTracer {
public:
  struct Range {
    int64_t low, high; ///< both inclusive
  };

  AccessTracer(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> extents);

  /// The access to VALUE at COORDINATES, one per dimension. On failure one diagnostic stands at
  /// USER, with a note at the op that cannot be read through.
  mlir::FailureOr<Access> trace(mlir::Operation *user, mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> coordinates);

  /// Definitions of the named coordinates; entry k defines dimension getNumLoops() + k.
  llvm::ArrayRef<mlir::AffineExpr> getNamedCoordinates() const { return named; }
  unsigned getNumLoops() const { return numLoops; }

  Range rangeOf(mlir::AffineExpr expr) const;
  /// EXPR without the divisions and remainders that the ranges make trivial.
  mlir::AffineExpr simplify(mlir::AffineExpr expr) const;

private:
  mlir::FailureOr<Access> choose(mlir::Operation *user, llvm::ArrayRef<AccessCondition> conditions,
                                 llvm::function_ref<mlir::FailureOr<Access>()> inside,
                                 llvm::function_ref<mlir::FailureOr<Access>()> outside);
  mlir::AffineExpr nameCoordinate(mlir::AffineExpr expr);

  mlir::MLIRContext *context;
  unsigned numLoops;
  llvm::SmallVector<Range> ranges;  ///< where tracing stands: narrowed inside a condition
  llvm::SmallVector<Range> natural; ///< anywhere
  llvm::SmallVector<mlir::AffineExpr> named;
};

/// ACCESS as one C expression: `c0 >= 0 && c0 < 7 ? in0[c0] : 0.0f`. PRINT_INDEX spells an index,
/// PRINT_LOAD a load, which may fail with a diagnostic of its own. With WIDEN, literals of 16-bit floats
/// are spelled as float.
mlir::FailureOr<std::string> printAccess(const Access &access, CudaHelpers &helpers, bool widen,
                                         llvm::function_ref<std::string(mlir::AffineExpr)> printIndex,
                                         llvm::function_ref<mlir::FailureOr<std::string>(const Access &)> printLoad);

/// VALUE without reshapes and casts: the same elements in the same order.
mlir::Value stripReshapes(mlir::Value value);

/// True for a value that a kernel can take a pointer to: a function argument, a launch's result, a
/// constant table, or a marked part of one of the first two.
bool isBuffer(mlir::Value value);

/// True for an op that only moves elements (a transpose, a broadcast, a fill), so that its
/// consumers read through it. A copy that was asked for (`kgen.copy`) is none.
bool isViewGeneric(mlir::linalg::GenericOp op);

/// The name of the unit attribute on a generic op that has to become a kernel.
inline constexpr llvm::StringLiteral kCopyAttr = "kgen.copy";

/// Marks a tensor.extract_slice that is one piece of a buffer's memory: kernels get a pointer to where it begins.
inline constexpr llvm::StringLiteral kPartAttr = "kgen.part";

} // namespace kgen::kernels
