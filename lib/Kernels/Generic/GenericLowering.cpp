//===- GenericLowering.cpp - One kernel for each structured op ------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericKernel.h"
#include "kgen/Kernels/Emit/GenericAccess.h"
#include "kgen/Kernels/Emit/GenericPreparation.h"

#include "kgen/Dialect/KGen/KGen.h"
#include "kgen/Kernels/Passes.h"
#include "kgen/Support/GraphMarks.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/StringExtras.h"

namespace kgen::kernels {
#define GEN_PASS_DEF_LOWERGENERIC
#include "kgen/Kernels/Passes.h.inc"
} // namespace kgen::kernels

using namespace mlir;
using namespace kgen;
using namespace kgen::kernels;

namespace {

struct LowerGeneric : kgen::kernels::impl::LowerGenericBase<LowerGeneric> {
  using LowerGenericBase::LowerGenericBase;

  void runOnOperation() override {
    for (func::FuncOp function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      // Where a network calls its tasks, these have the kernels.
      if (!function.isExternal() && function.getOps<func::CallOp>().empty() && failed(lower(function)))
        return signalPassFailure();
  }

  LogicalResult lower(func::FuncOp function);
  void launchNothing(func::FuncOp function);
  LogicalResult lower(linalg::GenericOp op, func::FuncOp function, StringRef kernelName);
};

} // namespace

/// TEXT as part of a C identifier: "aten.add.Tensor + aten.relu" becomes "add_relu".
static std::string makeStem(StringRef text) {
  SmallVector<StringRef> parts, words;
  text.split(parts, " + ");
  for (StringRef part : parts) {
    part.consume_front("aten.");
    part.consume_front("linalg.");
    words.push_back(part.take_until([](char c) { return c == '.'; }));
  }
  std::string stem;
  for (char c : llvm::join(words, "_"))
    stem += llvm::isAlnum(c) ? c : '_';
  return StringRef(stem).take_front(40).str();
}

/// The argument of FUNCTION that the result of OP is, written in place; null: none.
static Value findUpdated(linalg::GenericOp op, func::FuncOp function) {
  for (OpOperand &use : op->getUses()) {
    auto end = dyn_cast<func::ReturnOp>(use.getOwner());
    auto number = end ? function.getResultAttrOfType<IntegerAttr>(use.getOperandNumber(), updatesAttr) : nullptr;
    if (number)
      return function.getArgument(unsigned(number.getInt()));
  }
  return nullptr;
}

LogicalResult LowerGeneric::lower(linalg::GenericOp op, func::FuncOp function, StringRef kernelName) {
  std::string origin = describeOrigin(op), body = describeBody(op);
  std::string what = origin == body ? body : origin + " (" + body + ")";
  const bool tiles = tiledProducts || function->hasAttr(kTiledProducts) || getOperation()->hasAttr(kTiledProducts);
  const Value updated = findUpdated(op, function);
  FailureOr<GenericKernel> kernel =
      updated ? emitUpdateKernel(op, kernelName, what) : emitGenericKernel(op, kernelName, what, tiles, wideTiles);
  if (failed(kernel))
    return failure();
  OpBuilder builder(function);
  auto source = SourceOp::create(builder, op.getLoc(), kernelName, arch, kernel->text);
  builder.setInsertionPoint(op);
  SmallVector<Value> outputs;
  for (Type type : op->getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    outputs.push_back(
        updated ? updated
                : Value(tensor::EmptyOp::create(builder, op.getLoc(), tensor.getShape(), tensor.getElementType())));
  }
  auto symbol =
      SymbolRefAttr::get(&getContext(), source.getSymName(), FlatSymbolRefAttr::get(&getContext(), kernelName));
  auto launch = LaunchOp::create(builder, op.getLoc(), op->getResultTypes(), symbol, kernel->grid, kernel->block,
                                 /*shared=*/0, kernel->inputs, outputs);
  op->replaceAllUsesWith(launch.getResults());
  op->erase();
  return success();
}

/// A graph whose results have no elements gets a kernel that does nothing, since a candidate without one is none.
void LowerGeneric::launchNothing(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  if (terminator->getNumOperands() == 0)
    return;
  auto type = cast<RankedTensorType>(terminator->getOperand(0).getType());
  std::string name = (function.getName() + "_nothing").str();
  OpBuilder builder(function);
  CudaHelpers helpers;
  helpers.needType(type.getElementType());
  std::string text = helpers.text() +
                     "// The results have no elements.\nextern \"C\" __global__ void __launch_bounds__(32) " + name +
                     "(" + getStorageType(type.getElementType()).str() + " *__restrict__) {}\n";
  auto source = SourceOp::create(builder, function.getLoc(), name, arch, text);
  builder.setInsertionPoint(terminator);
  Value output = tensor::EmptyOp::create(builder, function.getLoc(), type.getShape(), type.getElementType());
  auto symbol = SymbolRefAttr::get(&getContext(), source.getSymName(), FlatSymbolRefAttr::get(&getContext(), name));
  auto launch = LaunchOp::create(builder, function.getLoc(), TypeRange(type), symbol, ArrayRef<int64_t>{1, 1, 1},
                                 ArrayRef<int64_t>{32, 1, 1}, /*shared=*/0, ValueRange(), ValueRange(output));
  terminator->setOperand(0, launch.getResult(0));
}

LogicalResult LowerGeneric::lower(func::FuncOp function) {
  if (failed(prepareForGeneric(function)))
    return failure();
  if (contiguousSlices)
    markContiguousSlices(function.getBody().front());

  SymbolTable symbols(getOperation());
  unsigned number = 0;
  Block &block = function.getBody().front();
  for (linalg::GenericOp op : llvm::make_early_inc_range(block.getOps<linalg::GenericOp>())) {
    if (isViewGeneric(op))
      continue;
    std::string name;
    do
      name = (function.getName() + "_" + Twine(number++) + "_" + makeStem(describeOrigin(op))).str();
    while (symbols.lookup(name));
    if (failed(lower(op, function, name)))
      return failure();
  }

  if (block.getOps<LaunchOp>().empty())
    launchNothing(function);

  // What is left of the views has no user any more.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (isOpTriviallyDead(&op))
      op.erase();
    else if (!op.hasAttr(kPartAttr) && !isa<LaunchOp, DispatchOp, tensor::EmptyOp, tensor::CollapseShapeOp,
                                            tensor::ExpandShapeOp, tensor::CastOp, func::ReturnOp>(op))
      return op.emitOpError("has no generic kernel");
  }
  return success();
}
