//===- ContractionDispatch.cpp - What gemm and conv read off a dispatch ----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Emit/ContractionDispatch.h"
#include "kgen/Kernels/Emit/ElementPiece.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/Aten/Views.h"
#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Dialect/KGen/Precision.h"
#include "kgen/Kernels/Emit/PointwiseFunction.h"
#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace kgen::kernels {

using aten::isReshape;

static std::optional<aten::OpKind> kindOf(Operation &op) {
  if (auto cost = dyn_cast<aten::AtenCostOpInterface>(&op))
    return cost.getKind();
  return std::nullopt;
}

std::optional<DispatchBuffer> findBuffer(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isReshape(op))
      return std::nullopt;
    value = op->getOperand(0);
  }
  return DispatchBuffer::operand(cast<BlockArgument>(value).getArgNumber());
}

FailureOr<ContractionDispatch> readContraction(DispatchOp dispatch, bool isConvolution) {
  ContractionDispatch read;
  if (dispatch.getNumResults() != 1)
    return dispatch.emitError("family ") << dispatch.getFamily() << " computes one result, the dispatch has "
                                         << dispatch.getNumResults();
  for (Operation &op : dispatch.getBody().front().without_terminator()) {
    std::optional<aten::OpKind> kind = kindOf(op);
    if (kind == aten::OpKind::Contraction) {
      if (read.contraction)
        return op.emitError("family ") << dispatch.getFamily()
                                       << " computes one product per dispatch, this is the second";
      read.contraction = &op;
    } else if (isConvolution && read.contraction && !read.window && !read.fold && readOutputFold(&op)) {
      read.fold = &op;
    } else if (kind == aten::OpKind::Window && !read.fold && isConvolution && read.contraction && !read.window) {
      read.window = &op;
    } else if (kind == aten::OpKind::View) {
      continue; // the operands' and the result's paths are checked where they are used
    } else if (isPointwiseAten(&op) || (!isConvolution && isa<aten::TrilOp, aten::TriuOp>(op))) {
      if (!read.contraction)
        return op.emitError("family ") << dispatch.getFamily() << " takes element-wise ops after its product only";
      (read.window || read.fold ? read.finish : read.epilogue).push_back(&op);
    } else {
      return op.emitError("family ") << dispatch.getFamily() << " cannot compute " << op.getName();
    }
  }
  if (!read.contraction)
    return dispatch.emitError("family ") << dispatch.getFamily() << " needs a product, the dispatch has none";
  read.result = dispatch.getYield().getValues().front();
  if (Operation *op = read.result.getDefiningOp(); op && isConvolution && movesChannels(op, /*toLast=*/true)) {
    read.permuted = op;
    read.result = op->getOperand(0);
  }
  while (read.result.getDefiningOp() && isReshape(read.result.getDefiningOp()))
    read.result = read.result.getDefiningOp()->getOperand(0);
  Operation *last = !read.finish.empty()     ? read.finish.back()
                    : read.window            ? read.window
                    : read.fold              ? read.fold
                    : !read.epilogue.empty() ? read.epilogue.back()
                                             : read.contraction;
  if (read.result.getDefiningOp() != last || read.result != last->getResult(0))
    return dispatch.emitError("family ") << dispatch.getFamily() << " yields the last op's result, which is "
                                         << last->getName();
  if (read.fold && cast<ShapedType>(read.result.getType()).getShape() !=
                       cast<ShapedType>(read.fold->getResult(0).getType()).getShape())
    return last->emitError("family ") << dispatch.getFamily() << " keeps the reduction's shape behind it";
  // What is stored and pooled has the shape of the product: a broadcast that grows it is another kernel.
  Operation *produced = read.epilogue.empty() ? read.contraction : read.epilogue.back();
  if (cast<ShapedType>(produced->getResult(0).getType()).getShape() !=
      cast<ShapedType>(read.contraction->getResult(0).getType()).getShape())
    return produced->emitError("family ") << dispatch.getFamily() << " keeps the product's shape in its epilogue";
  return read;
}

std::string Epilogue::parameters() const {
  std::string text;
  for (const EpilogueOperand &operand : operands)
    text += ", const " + operand.type + " *__restrict__ " + operand.name;
  return text;
}

std::string Epilogue::arguments() const {
  std::string text;
  for (const EpilogueOperand &operand : operands)
    text += ", " + operand.name;
  return text;
}

FailureOr<std::string> appendPointwise(Epilogue &epilogue, StringRef name, StringRef prefix, ArrayRef<Operation *> ops,
                                       Value result, Value scalar, StringRef value, ArrayRef<std::string> coordinates) {
  if (ops.empty())
    return value.str();
  const Precision precision = precisionOf(ops.front()->getParentOfType<ModuleOp>());
  FailureOr<PointwiseFunction> function =
      emitPointwiseFunction(name, ops, result, {scalar}, "float", {.approximates = precision != Precision::StrictFP32});
  if (failed(function))
    return failure();
  epilogue.functions += function->text;
  epilogue.longSteps += function->longSteps;
  std::string call = (name + "(" + value).str();
  for (const std::string &coordinate : coordinates)
    call += ", " + coordinate;
  for (auto [index, operand] : llvm::enumerate(function->operands)) {
    std::optional<DispatchBuffer> buffer = findBuffer(operand);
    if (!buffer)
      return ops.front()->emitError("an epilogue operand has to be an input of the dispatch");
    std::string operandName = (prefix + Twine(index)).str();
    epilogue.operands.push_back({getStorageType(getElementTypeOrSelf(operand.getType())).str(), operandName, *buffer});
    call += ", " + operandName;
  }
  return call + ")";
}

using schedule::Dtype;
using schedule::Mma;

Dtype dtypeOf(Type type) { return type.isF16() ? Dtype::Fp16 : type.isBF16() ? Dtype::Bf16 : Dtype::Fp32; }

StringRef computeTypeOf(Dtype dtype) {
  return dtype == Dtype::Fp16 ? "__half" : dtype == Dtype::Bf16 ? "__nv_bfloat16" : "float";
}

Type elementTypeOf(Dtype dtype, MLIRContext *context) {
  Builder builder(context);
  return dtype == Dtype::Fp16   ? Type(builder.getF16Type())
         : dtype == Dtype::Bf16 ? Type(builder.getBF16Type())
                                : Type(builder.getF32Type());
}

LogicalResult completeArithmetic(DispatchOp dispatch, ScheduleParams &params, Type elementType,
                                 bool preferTensorCores) {
  MLIRContext *context = dispatch.getContext();
  Dtype own = dtypeOf(elementType);
  std::optional<Mma> mma = params.getWord(key::mma);
  std::optional<Dtype> dtype = params.getWord(key::dtype);
  // Tensor cores round f32 operands: only where the graph's precision class admits it.
  Precision precision = precisionOf(dispatch->getParentOfType<ModuleOp>());
  // A thread tile has no meaning on tensor cores, a warp tile none without.
  preferTensorCores = (preferTensorCores || params.has(key::warpTile)) && !params.has(key::threadTile);
  preferTensorCores &= own != Dtype::Fp32 || admitsOperandType(precision, Dtype::Tf32);
  bool tensorCores = mma ? mma != Mma::None : dtype ? dtype != Dtype::Fp32 : preferTensorCores;
  if (!dtype)
    dtype = !tensorCores ? Dtype::Fp32 : own == Dtype::Fp32 ? Dtype::Tf32 : own;
  if (!mma)
    mma = tensorCores ? Mma::MmaSync : Mma::None;
  if (mma != Mma::None && own != Dtype::Fp32 && dtype != own)
    return dispatch.emitError("operands of ")
           << wordOf(own) << " are multiplied as " << wordOf(own) << ", found dtype = " << wordOf(*dtype);
  if (own == Dtype::Fp32 && !admitsOperandType(precision, *dtype))
    return dispatch.emitError("expected an operand type within precision class ")
           << stringifyPrecision(precision) << ", found dtype = " << wordOf(*dtype);
  params.set(context, key::mma, *mma);
  params.set(context, key::dtype, *dtype);
  return success();
}

} // namespace kgen::kernels
