//===- ConvDispatch.cpp - What a convolution's schedules read off a dispatch ===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvDispatch.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Dialect/KGen/Precision.h"
#include "kgen/Kernels/Emit/ElementPiece.h"
#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include <limits>
#include <numeric>

using namespace mlir;

namespace kgen::kernels {

Sizes spatial(ArrayRef<int64_t> sizes, int64_t fill) {
  Sizes all = {fill, fill, fill};
  llvm::copy(sizes, all.end() - sizes.size());
  return all;
}

template <typename PoolOp>
static void readWindow(PoolOp op, Pooling &pooling) {
  pooling.window = spatial(op.getKernelSize(), 1);
  pooling.stride = spatial(op.getEffectiveStride(), 1);
  pooling.padding = spatial(op.getPadding(), 0);
}

static LogicalResult readPooling(Operation *op, int64_t rank, Pooling &pooling) {
  auto readMax = [&](auto max) -> LogicalResult {
    readWindow(max, pooling);
    pooling.kind = Pooling::Kind::Max;
    if (llvm::any_of(max.getDilation(), [](int64_t d) { return d != 1; }))
      return op->emitError("family conv fuses pooling without dilation only");
    return success();
  };
  auto readAverage = [&](auto average, std::optional<int64_t> divisor) -> LogicalResult {
    readWindow(average, pooling);
    pooling.kind = Pooling::Kind::Average;
    if (average.getCeilMode())
      return op->emitError("family conv fuses average pooling without ceil_mode only");
    pooling.divisor = divisor                        ? *divisor
                      : average.getCountIncludePad() ? pooling.window[0] * pooling.window[1] * pooling.window[2]
                                                     : 0;
    return success();
  };
  if (auto max = dyn_cast<aten::MaxPool1dOp>(op); max && rank == 1)
    return readMax(max);
  if (auto max = dyn_cast<aten::MaxPool2dOp>(op); max && rank == 2)
    return readMax(max);
  if (auto max = dyn_cast<aten::MaxPool3dOp>(op); max && rank == 3)
    return readMax(max);
  if (auto average = dyn_cast<aten::AvgPool1dOp>(op); average && rank == 1)
    return readAverage(average, std::nullopt);
  if (auto average = dyn_cast<aten::AvgPool2dOp>(op); average && rank == 2)
    return readAverage(average, average.getDivisorOverride());
  if (auto average = dyn_cast<aten::AvgPool3dOp>(op); average && rank == 3)
    return readAverage(average, average.getDivisorOverride());
  return op->emitError("family conv cannot fuse ") << op->getName();
}

template <typename ConvOp>
static void readShape(ConvOp op, Conv &conv) {
  conv.stride = spatial(op.getStride(), 1);
  conv.padding = spatial(op.getPadding(), 0);
  conv.dilation = spatial(op.getDilation(), 1);
  conv.groups = op.getGroups();
}

template <typename ConvOp>
static void readTransposed(ConvOp op, Conv &conv) {
  conv.transposed.emplace();
  conv.transposed->stride = spatial(op.getStride(), 1);
  conv.transposed->padding = spatial(op.getPadding(), 0);
  conv.transposed->dilation = spatial(op.getDilation(), 1);
  conv.groups = op.getGroups();
}

/// Turns CONV, which has the input's and the real output's sizes, into the plain convolutions; see Transposed.
static LogicalResult foldPhases(Operation *op, Conv &conv) {
  Transposed &real = *conv.transposed;
  auto weight = cast<RankedTensorType>(op->getOperand(1).getType());
  conv.channels = weight.getDimSize(0) / conv.groups;
  conv.outChannels = weight.getDimSize(1);
  real.kernel = conv.kernel;
  real.out = conv.out;
  for (int d = 0; d < 3; ++d) {
    conv.stride[d] = 1;
    conv.out[d] = conv.pooled[d] = ceilDiv(real.out[d], real.stride[d]);
    // Of consecutive taps, those of one phase lie `apart`, and the steps of the input that they need `dilation`.
    int64_t common = std::gcd(real.stride[d], real.dilation[d]);
    conv.dilation[d] = real.dilation[d] / common;
    real.apart[d] = real.stride[d] / common;
    int64_t first = std::numeric_limits<int64_t>::max(), last = std::numeric_limits<int64_t>::min();
    int64_t most = 0, fewest = real.kernel[d];
    for (int64_t phase = 0; phase < real.stride[d]; ++phase) {
      int64_t taps = 0;
      for (int64_t k = 0; k < real.kernel[d]; ++k)
        if (int64_t place = phase + real.padding[d] - k * real.dilation[d]; place % real.stride[d] == 0) {
          first = std::min(first, place / real.stride[d]);
          last = std::max(last, place / real.stride[d]);
          ++taps;
        }
      most = std::max(most, taps);
      fewest = taps ? std::min(fewest, taps) : fewest;
    }
    conv.kernel[d] = most;
    conv.padding[d] = -first;
    real.columns = last - first + 1; // of the last dimension
    real.fewestTaps *= fewest;
    if (conv.padding[d] < 0)
      return op->emitError("family conv computes transposed convolutions whose padding leaves the first input, found ")
             << real.padding[d] << " for a kernel of " << real.kernel[d];
  }
  return success();
}

/// The dispatch operand that is VALUE with its channels last, or nothing.
static std::optional<DispatchBuffer> findChannelsLast(Value value) {
  Operation *op = value.getDefiningOp();
  return op && movesChannels(op, /*toLast=*/false) ? findBuffer(op->getOperand(0)) : std::nullopt;
}

FailureOr<Conv> readConv(DispatchOp dispatch) {
  FailureOr<ContractionDispatch> ops = readContraction(dispatch, /*allowWindow=*/true);
  if (failed(ops))
    return failure();
  Conv conv;
  conv.ops = *ops;
  Operation *op = ops->contraction;
  if (auto conv1d = dyn_cast<aten::Conv1dOp>(op))
    readShape(conv1d, conv);
  else if (auto conv2d = dyn_cast<aten::Conv2dOp>(op))
    readShape(conv2d, conv);
  else if (auto conv3d = dyn_cast<aten::Conv3dOp>(op))
    readShape(conv3d, conv);
  else if (auto transposed1d = dyn_cast<aten::ConvTranspose1dOp>(op))
    readTransposed(transposed1d, conv);
  else if (auto transposed2d = dyn_cast<aten::ConvTranspose2dInputOp>(op))
    readTransposed(transposed2d, conv);
  else if (auto transposed3d = dyn_cast<aten::ConvTranspose3dInputOp>(op))
    readTransposed(transposed3d, conv);
  else
    return op->emitError("family conv cannot compute ") << op->getName();

  auto input = cast<RankedTensorType>(op->getOperand(0).getType());
  auto weight = cast<RankedTensorType>(op->getOperand(1).getType());
  auto output = cast<RankedTensorType>(op->getResult(0).getType());
  auto result = cast<RankedTensorType>(ops->result.getType());
  conv.rank = input.getRank() - 2;
  conv.elementType = input.getElementType();
  conv.resultType = result.getElementType();
  for (Type type : {conv.elementType, conv.resultType})
    if (!type.isF32() && !type.isF16() && !type.isBF16())
      return op->emitError("family conv computes on f32, f16 and bf16, found ") << type;
  conv.images = input.getDimSize(0);
  conv.channels = weight.getDimSize(1);
  conv.outChannels = weight.getDimSize(0) / conv.groups;
  conv.in = spatial(input.getShape().drop_front(2), 1);
  conv.kernel = spatial(weight.getShape().drop_front(2), 1);
  conv.out = spatial(output.getShape().drop_front(2), 1);
  conv.pooled = spatial(result.getShape().drop_front(2), 1);
  if (conv.transposed) {
    const Sizes pooled = conv.pooled;
    if (failed(foldPhases(op, conv)))
      return failure();
    if (ops->window)
      conv.pooled = pooled;
  }

  std::optional<DispatchBuffer> inputBuffer = findBuffer(op->getOperand(0)),
                                weightBuffer = findBuffer(op->getOperand(1));
  if (op->getNumOperands() == 3 && !(conv.bias = findBuffer(op->getOperand(2))))
    return op->emitError("family conv reads the bias from the dispatch's inputs");
  if (!conv.transposed) {
    if (!inputBuffer)
      conv.lastInput = bool(inputBuffer = findChannelsLast(op->getOperand(0)));
    if (!weightBuffer)
      conv.lastWeight = bool(weightBuffer = findChannelsLast(op->getOperand(1)));
  } else if (ops->permuted) {
    return ops->permuted->emitError("family conv puts the channels of plain convolutions last only");
  }
  conv.lastResult = ops->permuted;
  if (!inputBuffer || !weightBuffer)
    return op->emitError("family conv reads input and weight from the dispatch's inputs, directly or reshaped");
  conv.input = *inputBuffer;
  conv.weight = *weightBuffer;
  if (ops->fold) {
    conv.fold = readOutputFold(ops->fold);
    if (ops->permuted)
      return ops->permuted->emitError("family conv puts no channels last behind a reduction");
  }
  if (ops->window && failed(readPooling(ops->window, conv.rank, conv.pooling)))
    return failure();
  return conv;
}

LogicalResult completeOperandType(DispatchOp dispatch, const Conv &conv, ScheduleParams &params, StringRef how,
                                  bool scales) {
  using schedule::Dtype;
  Dtype own = dtypeOf(conv.elementType), expected = own == Dtype::Fp32 ? Dtype::Tf32 : own;
  Dtype dtype = params.wordOr(dispatch.getContext(), key::dtype, expected);
  const bool scaled = scales && own == Dtype::Fp32 && dtype == Dtype::Fp16;
  if (dtype != expected && !scaled)
    return dispatch.emitError("family conv multiplies ")
           << wordOf(own) << " as " << wordOf(expected) << " with " << how << ", found dtype = " << wordOf(dtype);
  Precision precision = precisionOf(dispatch->getParentOfType<ModuleOp>());
  if (own == Dtype::Fp32 &&
      !(scaled ? admitsScaledHalf(precision, schedule::SplitPrecision::None) : admitsOperandType(precision, dtype)))
    return dispatch.emitError("expected an operand type within precision class ")
           << stringifyPrecision(precision) << ", found dtype = " << wordOf(dtype);
  return success();
}

FailureOr<ConvTail> makeConvTail(const Conv &conv, StringRef name, bool addBias) {
  ConvTail made;
  std::string value = "value";
  if (conv.bias) {
    made.tail.operands.push_back({getStorageType(conv.elementType).str(), "bias", *conv.bias});
    if (addBias)
      value = conv.elementType.isF32() ? "value + bias[channel]" : "value + static_cast<float>(bias[channel])";
  }
  SmallVector<std::string> coordinates = {"image", "channel"};
  for (char axis : StringRef("zyx").take_back(conv.rank))
    coordinates.push_back(std::string(1, axis));
  Value product = conv.ops.contraction->getResult(0);
  Value produced = conv.ops.epilogue.empty() ? product : conv.ops.epilogue.back()->getResult(0);
  // What is read through a view is read where the view says.
  SmallVector<Operation *> ops;
  for (Operation *op : conv.ops.epilogue) {
    for (Value operand : op->getOperands())
      if (operand.getDefiningOp() && !findBuffer(operand))
        for (Operation *view : sliceBetween(operand, {product}))
          if (!llvm::is_contained(ops, view) && !llvm::is_contained(conv.ops.epilogue, view))
            ops.push_back(view);
    ops.push_back(op);
  }
  FailureOr<std::string> call =
      appendPointwise(made.tail, (name + "_pointwise").str(), "extra", ops, produced, product, value, coordinates);
  FailureOr<std::string> finish = std::string("value");
  if (conv.fold) {
    // What is folded has one coordinate, or none.
    const bool isSoftmax = conv.fold->kind == OutputFold::Kind::Softmax;
    SmallVector<std::string> left;
    for (auto [d, name] : llvm::enumerate(coordinates)) {
      const bool isFolded = !isSoftmax && (conv.fold->overChannels ? d == 1 : d >= 2);
      if (!isFolded || conv.fold->keepsRank)
        left.push_back(isFolded ? "0" : name);
    }
    finish = appendPointwise(made.tail, (name + "_finish").str(), "after", conv.ops.finish, conv.ops.result,
                             conv.ops.fold->getResult(0), "value", left);
  }
  if (conv.ops.window)
    finish = appendPointwise(made.tail, (name + "_finish").str(), "after", conv.ops.finish, conv.ops.result,
                             conv.ops.window->getResult(0), "value", coordinates);
  if (failed(call) || failed(finish))
    return failure();
  made.epilogue = *call;
  made.finish = *finish;
  return made;
}

} // namespace kgen::kernels
