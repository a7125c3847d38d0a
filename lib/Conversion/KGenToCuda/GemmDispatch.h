//===- GemmDispatch.h - What family gemm reads off a dispatch --------------===//
#pragma once

#include "ContractionDispatch.h"

#include "llvm/Support/MathExtras.h"

namespace kgen {

/// One operand as the kernel sees it: `batches` matrices, k contiguous or not.
struct GemmOperand {
  DispatchBuffer buffer;
  int64_t batches = 1;
  bool kContiguous = true;
};

/// C[batch] = A[batch] * B[batch] (+ bias), then the epilogue.
struct Gemm {
  ContractionDispatch ops;
  GemmOperand a, b;
  std::optional<DispatchBuffer> bias; ///< one value per column
  int64_t batch = 1, m = 1, n = 1, k = 1;
  mlir::Type elementType, resultType;
};

/// Reads DISPATCH; one diagnostic at what stands in the way.
mlir::FailureOr<Gemm> readGemm(DispatchOp dispatch);

/// The operands behind the epilogue's parameters, and the text of `Out epilogue(float value, int batch, int row, int
/// column, ...)`.
mlir::FailureOr<std::pair<Epilogue, std::string>> emitGemmEpilogue(DispatchOp dispatch, const Gemm &gemm);

/// The schedule of a product on warpgroups (mma = wgmma): checks what it holds and fills in the rest.
mlir::LogicalResult completeWgmma(DispatchOp dispatch, const Gemm &gemm, ScheduleParams &params, const Chip &chip);
/// Its kernels.
mlir::FailureOr<DispatchCode> emitWgmma(DispatchOp dispatch, const Gemm &gemm, const ScheduleParams &params,
                                        const Chip &chip);

inline int64_t ceilDiv(int64_t a, int64_t b) { return llvm::divideCeil(a, b); }

} // namespace kgen
