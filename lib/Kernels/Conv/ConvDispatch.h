//===- ConvDispatch.h - What a convolution's schedules read off a dispatch -===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One- and two-dimensional convolutions are three-dimensional ones of depth (and height) 1.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Kernels/Emit/ContractionDispatch.h"

#include "llvm/Support/MathExtras.h"

#include <array>

namespace kgen::kernels {

/// Depth, height, width.
using Sizes = std::array<int64_t, 3>;

/// Pooling of the convolution's outputs; windows of 1 when there is none.
struct Pooling {
  enum class Kind { None, Max, Average } kind = Kind::None;
  Sizes window = {1, 1, 1}, stride = {1, 1, 1}, padding = {0, 0, 0};
  int64_t divisor = 0; ///< of the average; 0: the elements inside the input
};

/// A transposed convolution, read as a plain one of stride 1 for each phase of its stride: an output at
/// o = stride * q + phase takes input q + t with tap k = (phase + padding - dilation * k) / stride steps on, for the k
/// for which that is whole.
struct Transposed {
  Sizes stride, padding, dilation, kernel, out; ///< of the transposed convolution itself
  Sizes apart;                                  ///< from one tap of a phase to its next
  int64_t columns = 1;                          ///< from the first that any phase takes for an output to the last
  int64_t fewestTaps = 1;                       ///< of a phase that has any

  int64_t phases() const { return stride[0] * stride[1] * stride[2]; }
};

struct Conv {
  ContractionDispatch ops;
  DispatchBuffer input = DispatchBuffer::operand(0), weight = DispatchBuffer::operand(0);
  std::optional<DispatchBuffer> bias;
  int64_t rank = 2;                                              ///< spatial dimensions
  int64_t images = 1, groups = 1, channels = 1, outChannels = 1; ///< channels of one group
  Sizes in, out, kernel, stride, padding, dilation;
  Sizes pooled; ///< outputs after pooling
  Pooling pooling;
  std::optional<OutputFold> fold; ///< of the outputs, which then end in fewer, or in a softmax of them
  /// Then outputs and paddings are those of one phase, and taps of the one with the most.
  std::optional<Transposed> transposed;
  /// Whether the buffers of input, weight and result have dimension 1, the channels, last: the dispatch permutes them.
  bool lastInput = false, lastWeight = false, lastResult = false;
  mlir::Type elementType, resultType;

  int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t phases() const { return transposed ? transposed->phases() : 1; }
  /// Whether the one schedule that computes this is the one of shifted pixels: no other folds outputs, or pools those
  /// of a transposed convolution.
  bool shiftsOnly() const { return fold || (transposed && ops.window); }
  /// The op's own output and filter; not those of one phase, if it is transposed.
  const Sizes &wholeOut() const { return transposed ? transposed->out : out; }
  const Sizes &wholeKernel() const { return transposed ? transposed->kernel : kernel; }
};

/// Reads DISPATCH. One diagnostic at the op or type that stands in the way.
mlir::FailureOr<Conv> readConv(DispatchOp dispatch);

/// Completes `dtype` of a schedule on warpgroups, named by HOW in diagnostics: operands are multiplied as they are, f32
/// ones as tf32 or, where the schedule asks for it and SCALES, as fp16 under powers of two.
mlir::LogicalResult completeOperandType(DispatchOp dispatch, const Conv &conv, ScheduleParams &params,
                                        llvm::StringRef how, bool scales = false);

/// SIZES of the trailing spatial dimensions, with FILL for the missing leading ones.
Sizes spatial(llvm::ArrayRef<int64_t> sizes, int64_t fill);

/// The element-wise ops before and after the pooling or reduction, each an expression of `value`, the operands' names
/// and the element's own coordinates `image`, `channel`, `z`, `y`, `x` (of those, the convolution's dimensions). With
/// ADDBIAS the first adds the bias; `bias` is an operand either way.
struct ConvTail {
  Epilogue tail;
  std::string epilogue, finish;
};
mlir::FailureOr<ConvTail> makeConvTail(const Conv &conv, llvm::StringRef name, bool addBias);

inline int64_t ceilDiv(int64_t a, int64_t b) { return llvm::divideCeil(a, b); }
inline int64_t roundUp(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }

} // namespace kgen::kernels
