//===- PoolProgram.h - What a pool's dispatch computes ----------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Dialect/KGen/KGen.h"
#include "kgen/Kernels/Family.h"

#include <cstdint>
#include <optional>

namespace kgen::kernels {

/// A pool's windows along its spatial dimensions, outermost first.
struct PoolProgram {
  mlir::Operation *pool = nullptr;
  mlir::Value source; ///< the pool's operand
  bool maximum = false, adaptive = false, countsPadding = true;
  std::optional<int64_t> divisor; ///< divisor_override
  llvm::SmallVector<int64_t> window, stride, padding, dilation, input, output;
  int64_t planes = 1;
  mlir::Value lastInput;   ///< what the pool's operand is a permutation of, with its channels last; or null
  bool lastResult = false; ///< results are permuted such that channels are last
  int64_t channels = 1;    ///< with either

  unsigned rank() const { return input.size(); }
  /// Inputs from the first to the last of a window along dimension I.
  int64_t span(unsigned i) const { return (window[i] - 1) * dilation[i] + 1; }
  bool overlap(unsigned i) const { return stride[i] < span(i); }
  /// Whether a block can fold stretches of rows.
  bool hasRows() const { return rank() == 1 && !adaptive && !lastInput && !lastResult && output[0] > 0; }
  /// Of rows: outputs between two windows whose taps are the same elements, but for the TAPS that are only of one.
  int64_t apart() const;
  int64_t taps() const;
  /// Whether a window of OUTPUTS outputs along dimension I can leave the input.
  bool leavesInput(unsigned i, int64_t outputs) const;
};

constexpr int64_t mostSpan = 64; ///< floats of an input row in a thread's registers

/// The windows of OP; its `pool` is null where OP is none.
PoolProgram describePool(mlir::Operation *op);

/// What DISPATCH computes, or a diagnostic: element-wise ops around one pool, and what moves its channels.
mlir::FailureOr<PoolProgram> analyzePool(DispatchOp dispatch);

/// What YIELDED is, in the order that the pool knows.
mlir::Value beforeLayout(mlir::Value yielded);

/// How blocks fold rows: outputs of a block, those of a line of 128 bytes, floats in shared memory, blocks of a row.
struct Stretches {
  int64_t line, length, held, ofRow;

  Stretches(const PoolProgram &program, mlir::Type result, int64_t threads, int64_t coarsen);
};

/// The CUDA-C of DISPATCH, which is PROGRAM. PARAMS has been completed.
mlir::FailureOr<DispatchCode> emitPool(DispatchOp dispatch, const PoolProgram &program, const ScheduleParams &params);

} // namespace kgen::kernels
