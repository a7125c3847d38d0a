//===- ContractionDispatch.h - What gemm and conv read off a dispatch ------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dispatch of either family holds one contraction, layout views before it,
// element-wise ops after it and, for convolutions, a pooling among those.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Dialect/KGen/KGen.h"
#include "kgen/Kernels/CudaTemplate.h"
#include "kgen/Kernels/Family.h"

namespace kgen::kernels {

/// The ops of a contraction dispatch, in order.
struct ContractionDispatch {
  mlir::Operation *contraction = nullptr;
  llvm::SmallVector<mlir::Operation *> epilogue; ///< element-wise ops on the contraction's result
  mlir::Operation *window = nullptr;             ///< pooling after them, or null
  mlir::Operation *fold = nullptr;               ///< instead of a pooling, a reduction over channels or pixels, or null
  llvm::SmallVector<mlir::Operation *> finish;   ///< element-wise ops after the pooling or reduction
  mlir::Value result;                            ///< what is yielded, without trailing reshapes and `permuted`
  mlir::Operation *permuted = nullptr;           ///< of a convolution: puts its channels last behind all that, or null
};

/// Reads DISPATCH, of a convolution or a product. One diagnostic at the op that stands in the way: a second contraction
/// or window, a window behind a product, an op that is neither element-wise nor a view, several results.
mlir::FailureOr<ContractionDispatch> readContraction(DispatchOp dispatch, bool isConvolution);

/// The dispatch operand whose bytes VALUE is: a block argument, or a reshape of one. Nothing for other values.
std::optional<DispatchBuffer> findBuffer(mlir::Value value);

/// One more kernel parameter that an epilogue reads.
struct EpilogueOperand {
  std::string type, name; ///< `const float *__restrict__ bias`
  DispatchBuffer buffer;
};

/// The element-wise tail of a kernel, as a scalar expression.
struct Epilogue {
  std::string functions; ///< helpers and the point-wise function, for namespace scope
  llvm::SmallVector<EpilogueOperand> operands;
  int64_t longSteps = 0; ///< of one element: PointwiseFunction

  /// `, const T *__restrict__ NAME` for each operand.
  std::string parameters() const;
  /// `, NAME` for each operand.
  std::string arguments() const;
};

/// Turns OPS, which compute RESULT from SCALAR, into EPILOGUE: function NAME is printed and the new
/// operands are called PREFIX0, PREFIX1, ... Returns the call on VALUE at COORDINATES, one expression
/// for each dimension of RESULT; VALUE itself without ops.
mlir::FailureOr<std::string> appendPointwise(Epilogue &epilogue, llvm::StringRef name, llvm::StringRef prefix,
                                             llvm::ArrayRef<mlir::Operation *> ops, mlir::Value result,
                                             mlir::Value scalar, llvm::StringRef value,
                                             llvm::ArrayRef<std::string> coordinates);

/// The operand type of the same name, and back to the C type of shared memory and fragments; fp32 and tf32
/// are float.
schedule::Dtype dtypeOf(mlir::Type type);
llvm::StringRef computeTypeOf(schedule::Dtype dtype);
mlir::Type elementTypeOf(schedule::Dtype dtype, mlir::MLIRContext *context);

/// Completes `mma` and `dtype` together for operands of ELEMENTTYPE and checks that they agree.
mlir::LogicalResult completeArithmetic(DispatchOp dispatch, ScheduleParams &params, mlir::Type elementType,
                                       bool preferTensorCores);

} // namespace kgen::kernels
