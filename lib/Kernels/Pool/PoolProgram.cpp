//===- PoolProgram.cpp - What a pool's dispatch computes ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PoolProgram.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Kernels/Emit/ElementPiece.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace kgen::kernels {

int64_t PoolProgram::apart() const { return dilation[0] / std::gcd(dilation[0], stride[0]); }

int64_t PoolProgram::taps() const { return stride[0] / std::gcd(dilation[0], stride[0]); }

bool PoolProgram::leavesInput(unsigned i, int64_t outputs) const {
  return padding[i] > 0 || (outputs - 1) * stride[i] + (window[i] - 1) * dilation[i] - padding[i] >= input[i];
}

Stretches::Stretches(const PoolProgram &program, Type result, int64_t threads, int64_t coarsen) {
  const int64_t all = threads / program.apart() * program.apart() * coarsen; // outputs
  line = 1024 / result.getIntOrFloatBitWidth();
  length = all / line * line;
  held = (all - 1) * program.stride[0] + program.span(0) + 16;
  ofRow = length ? llvm::divideCeil(program.output[0] + line - 1, length) : 0;
}

PoolProgram describePool(Operation *op) {
  PoolProgram program;
  auto common = [&](auto pool) {
    program.pool = op;
    program.source = pool.getSelf();
    program.window = llvm::to_vector(pool.getKernelSize());
    program.stride = llvm::to_vector(pool.getEffectiveStride());
    program.padding = llvm::to_vector(pool.getPadding());
    program.dilation.assign(program.window.size(), 1);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<aten::MaxPool1dOp, aten::MaxPool2dOp, aten::MaxPool3dOp>([&](auto pool) {
        common(pool);
        program.dilation = llvm::to_vector(pool.getDilation());
        program.maximum = true;
      })
      .Case<aten::AvgPool1dOp>([&](auto pool) {
        common(pool);
        program.countsPadding = pool.getCountIncludePad();
      })
      .Case<aten::AvgPool2dOp, aten::AvgPool3dOp>([&](auto pool) {
        common(pool);
        program.countsPadding = pool.getCountIncludePad();
        if (pool.getDivisorOverride())
          program.divisor = static_cast<int64_t>(*pool.getDivisorOverride());
      })
      .Case<aten::AdaptiveAvgPool1dOp, aten::AdaptiveAvgPool2dOp, aten::AdaptiveAvgPool3dOp>([&](auto pool) {
        program.pool = op;
        program.source = pool.getSelf();
        program.adaptive = true;
        program.window.assign(pool.getOutputSize().size(), 1); // for the rank alone
      });
  return program;
}

Value beforeLayout(Value yielded) {
  Operation *op = yielded.getDefiningOp();
  return op && movesChannels(op, /*toLast=*/true) ? op->getOperand(0) : yielded;
}

static bool movesChannelsInFront(Value value) {
  return value.getDefiningOp() && movesChannels(value.getDefiningOp(), /*toLast=*/false);
}

FailureOr<PoolProgram> analyzePool(DispatchOp dispatch) {
  PoolProgram program;
  Value lastInput;
  YieldOp yield = dispatch.getYield();
  for (Operation &op : yield->getBlock()->without_terminator()) {
    if (isPointwiseAten(&op))
      continue;
    if (!program.pool && movesChannels(&op, /*toLast=*/false) && isa<BlockArgument>(op.getOperand(0))) {
      lastInput = op.getOperand(0);
      continue;
    }
    if (program.pool && movesChannels(&op, /*toLast=*/true) && op.hasOneUse() && *op.getUsers().begin() == yield) {
      program.lastResult = true;
      continue;
    }
    if (program.pool) {
      InFlightDiagnostic diag = op.emitOpError("has no place beside a pool: expected element-wise ops around it");
      diag.attachNote(program.pool->getLoc()) << "the pool";
      return failure();
    }
    program = describePool(&op);
    if (!program.pool)
      return op.emitOpError("has no place in a pool kernel: expected element-wise ops around one pool");
  }
  if (!program.pool)
    return dispatch.emitOpError("holds no pool");
  program.lastInput = lastInput;
  ArrayRef<int64_t> shape = shapeOf(program.source), result = shapeOf(program.pool->getResult(0));
  size_t rank = program.window.size();
  program.input = llvm::to_vector(shape.take_back(rank));
  program.output = llvm::to_vector(result.take_back(rank));
  for (int64_t extent : shape.drop_back(rank))
    program.planes *= extent;
  if (program.lastInput || program.lastResult) {
    auto readsPlaces = [&](Value value) {
      return isa<BlockArgument>(value) && value != program.source && value != program.lastInput &&
             shapeOf(value) == result;
    };
    if (shape.size() != rank + 2 || (program.lastInput && !movesChannelsInFront(program.source)) ||
        llvm::any_of(yield->getBlock()->getArguments(), readsPlaces))
      return program.pool->emitOpError("has its channels last where images are all that is read");
    program.channels = shape[1];
  }
  for (auto [index, yielded] : llvm::enumerate(yield.getValues())) {
    Value value = beforeLayout(yielded);
    if (program.lastResult && value == yielded)
      return dispatch.emitOpError("has its channels last in all results or in none");
    if (!isPacked(value, result))
      return dispatch.emitOpError("result ")
             << index << " of type " << value.getType() << " is not of the pooled shape and f32, f16 or bf16";
    // A second path from the input to a result would need the input at the pooled position.
    for (Operation *op : sliceBetween(value, {program.pool->getResult(0)}))
      for (Value operand : op->getOperands())
        if (operand == program.source)
          return op->emitOpError("uses the pool's operand behind the pool");
  }
  if (!isPacked(program.source, shape))
    return program.pool->emitOpError("works on ") << elementTypeOf(program.source) << ", expected f32, f16 or bf16";
  if (!program.adaptive && program.span(program.rank() - 1) > mostSpan)
    return program.pool->emitOpError("has windows that span ")
           << program.span(program.rank() - 1) << " elements of a row, at most " << mostSpan
           << " fit in a thread's registers";
  return program;
}

} // namespace kgen::kernels
