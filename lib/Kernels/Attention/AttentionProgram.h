//===- AttentionProgram.h - What attention kernels read off a dispatch ----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dispatch of family attention holds one scaled_dot_product_attention. Three
// kernels compute it; the schedule's `mma` picks one: `none` any float type and
// depth, `mma_sync` 16-bit elements, `wgmma` 16-bit elements on sm_90a.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Kernels/Emit/ContractionDispatch.h"

namespace kgen::kernels {

/// The sizes of an attention, and the dispatch's operands that it reads.
struct AttentionProgram {
  mlir::Operation *op = nullptr;
  mlir::Type element;
  int64_t heads = 1, queries = 0, keys = 0;
  int64_t depth = 0, valueDepth = 0; ///< elements of a query and key, and of a value
  double scale = 1;
  bool causal = false;
  llvm::SmallVector<DispatchBuffer> inputs; ///< queries, keys, values
};

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
std::unique_ptr<AttentionKernel> createAttentionWgmma();

/// `attention schedule of @NAME: TEXT` at DISPATCH.
mlir::LogicalResult rejectAttention(DispatchOp dispatch, const llvm::Twine &text);

/// The first lines of every attention kernel: what it computes, and its sizes.
std::string attentionSizes(llvm::StringRef name, const AttentionProgram &program);

/// "" or why 16-bit tensor-core kernels cannot compute PROGRAM: the element type, or the depth.
std::string narrowFault(const AttentionProgram &program);

/// Completes `dtype` as the 16-bit type of the elements and `reduce` as online.
mlir::LogicalResult completeNarrow(DispatchOp dispatch, const AttentionProgram &program, ScheduleParams &params);

} // namespace kgen::kernels
