//===- PointwiseFunction.h - Element-wise ops as one device function ------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Families fuse prologues and epilogues by calling such a function on the value
// that they hold in a register. The text comes from the ops' linalg form, so
// that no family repeats what an op means.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace kgen::kernels {

/// `__device__ __forceinline__ float NAME(float acc0, ..., int d0, int d1, ..., const T *p0, ...)`:
/// one accN per scalar, one dN per dimension of the result, one pN per entry of `operands`.
struct PointwiseFunction {
  std::string text;                        ///< helpers it needs, then the function
  llvm::SmallVector<mlir::Value> operands; ///< the tensors behind p0, p1, ...
  int64_t longSteps = 0;                   ///< exponentials, quotients and others of many instructions
};

/// How the function's arithmetic may differ from one rounding after another.
struct PointwiseOptions {
  /// Where the result is a product, it is rounded before the caller adds anything to it.
  bool roundsProduct = false;
  /// See ScalarEmitter::Options.
  bool approximates = false;
};

/// Turns OPS, element-wise aten ops in program order, into the function of one element of RESULT.
/// SCALARS are the values whose element the caller passes in accN; each has RESULT's shape or
/// broadcasts to it, and accN is then the element that RESULT's coordinates select. Any other
/// value that OPS take from outside is an operand, read through its own indexing map (a bias over
/// channels is `p0[d1]`). COMPUTE_TYPE ("float", "double") is the type of accN and of the answer;
/// with "float", f16 and bf16 values in between are held in float.
/// One diagnostic at an op that is not element-wise or has no linalg form.
mlir::FailureOr<PointwiseFunction> emitPointwiseFunction(llvm::StringRef functionName,
                                                         llvm::ArrayRef<mlir::Operation *> ops, mlir::Value result,
                                                         llvm::ArrayRef<mlir::Value> scalars,
                                                         llvm::StringRef computeType, PointwiseOptions options = {});

} // namespace kgen::kernels
