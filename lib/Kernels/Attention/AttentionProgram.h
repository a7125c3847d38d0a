//===- AttentionProgram.h - What attention kernels read off a dispatch ----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dispatch of family attention holds one scaled_dot_product_attention, and
// perhaps views in front of it and a permutation behind, which are strides. Four kernels compute
// it; the schedule's `mma` picks one: `none` any float type and depth, `mma_sync`
// 16-bit elements and fp32 in a class that rounds to tf32, `wgmma` 16-bit
// elements on sm_90a. `split_keys` picks the fourth, for few queries of 16-bit elements.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Dialect/KGen/Precision.h"
#include "kgen/Kernels/Emit/ContractionDispatch.h"
#include "kgen/Kernels/Emit/StridedView.h"

#include <optional>

namespace kgen::kernels {

/// Where an input's element (head, row, column) lies in an operand of the dispatch, in elements. A stride of 0 repeats.
struct AttentionInput {
  DispatchBuffer buffer;
  mlir::Type element;
  llvm::SmallVector<Span> heads; ///< of the heads' number, outermost first
  int64_t row = 0, column = 1;
  int64_t base = 0;   ///< where the first head begins
  bool plain = false; ///< heads, rows and columns lie one after the other

  /// The first element of `head`, an expression of CUDA-C.
  std::string offset() const;
};

/// Whether OP is a view of a result that kernels write through, where strides say how.
bool isAttentionStore(mlir::Operation *op);

/// How RESULT, of an attention, lies in the dispatch's result: STORE, a view of it, or itself where that is null.
std::optional<AttentionInput> readOutput(mlir::Value result, mlir::Operation *store);

/// How VALUE, behind views of a dispatch's operand, lies in it when it is broadcast to SHAPE (..., rows, columns); none
/// where strides do not say.
std::optional<AttentionInput> readInput(mlir::Value value, llvm::ArrayRef<int64_t> shape);

/// The sizes of an attention, and the dispatch's operands that it reads.
struct AttentionProgram {
  mlir::Operation *op = nullptr;
  mlir::Type element;
  int64_t heads = 1, queries = 0, keys = 0;
  int64_t depth = 0, valueDepth = 0; ///< elements of a query and key, and of a value
  double scale = 1;
  bool causal = false;
  AttentionInput query, key, value, out;
  std::optional<AttentionInput> mask;       ///< of i1, true where a key is seen, or a float that is added to the score
  llvm::SmallVector<DispatchBuffer> inputs; ///< queries, keys, values and the mask
  Precision precision = Precision::StrictFP32;

  /// Whether a head's rows are elsewhere than behind those of the head before.
  bool strided() const { return !query.plain || !key.plain || !value.plain || !out.plain; }
};

/// Constants and functions of the kernels' text that say where rows begin; "" where nothing but sizes does, unless
/// WANTED.
std::string printStarts(const AttentionProgram &program, bool wanted = false);

/// Functions of the text that hide keys. Scores are not scaled yet; what hides by a number instead of minus infinity
/// leaves the mean where it hides a whole row.
std::string printMask(const AttentionProgram &program);

/// Functions of the text for products of 16-bit elements by warps: `pack` and `multiply`.
std::string printNarrowProducts(const AttentionProgram &program);

/// Reads DISPATCH. One diagnostic at the op or type that stands in the way.
mlir::FailureOr<AttentionProgram> readAttention(DispatchOp dispatch);

/// One kernel of the family.
class AttentionKernel {
public:
  virtual ~AttentionKernel() = default;
  /// The schedule's word for it.
  virtual schedule::Mma mma() const = 0;
  /// Why it cannot compute PROGRAM, or "".
  virtual std::string fault(const AttentionProgram &program, const Chip &chip) const = 0;
  /// As Family::complete and Family::emit.
  virtual mlir::LogicalResult complete(DispatchOp dispatch, const AttentionProgram &program, ScheduleParams &params,
                                       const Chip &chip) const = 0;
  virtual DispatchCode emit(DispatchOp dispatch, const AttentionProgram &program, const ScheduleParams &params,
                            const Chip &chip) const = 0;
};

std::unique_ptr<AttentionKernel> createAttentionSimt();
std::unique_ptr<AttentionKernel> createAttentionMma();
std::unique_ptr<AttentionKernel> createAttentionSplit();
std::unique_ptr<AttentionKernel> createAttentionWgmma();

/// `attention schedule of @NAME: TEXT` at DISPATCH.
mlir::LogicalResult rejectAttention(DispatchOp dispatch, const llvm::Twine &text);

/// The first lines of every attention kernel: what it computes, and its sizes.
std::string attentionSizes(llvm::StringRef name, const AttentionProgram &program);

/// "" or why 16-bit tensor-core kernels cannot compute PROGRAM: the element type, or a depth of more than MOST.
std::string narrowFault(const AttentionProgram &program, int64_t most = 128);

/// "" or why rows cannot be copied by 16 bytes, PACK elements, or stored by two elements.
std::string alignmentFault(const AttentionProgram &program, int64_t pack);

/// "" or why tensor-core kernels that step along the depth by STEP, MOST elements of it, cannot compute PROGRAM.
std::string depthFault(const AttentionProgram &program, int64_t step, int64_t most);

/// Completes `dtype` as DTYPE, what the elements are multiplied as, and `reduce` as online.
mlir::LogicalResult completeOperands(DispatchOp dispatch, schedule::Dtype dtype, ScheduleParams &params);

} // namespace kgen::kernels
