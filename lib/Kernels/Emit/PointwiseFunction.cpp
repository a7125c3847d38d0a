//===- PointwiseFunction.cpp - Element-wise ops as one device function ----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Emit/PointwiseFunction.h"

#include "kgen/Kernels/Emit/GenericAccess.h"
#include "kgen/Kernels/Emit/GenericPreparation.h"

#include "kgen/Conversion/AtenToLinalg/Passes.h"
#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace kgen::kernels {
namespace {

/// What OP yields, in front of conversions.
Value yieldedBy(linalg::GenericOp op) {
  Value value = op.getBody()->getTerminator()->getOperand(0);
  while (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// Writes the function of one scratch graph: a block whose arguments are the scalars, then the
/// operands, and whose only kernel-worthy op is GENERIC.
class FunctionWriter {
public:
  FunctionWriter(StringRef name, linalg::GenericOp op, Block &scratch, unsigned numScalars, StringRef computeType,
                 PointwiseOptions options)
      : name(name), op(op), scratch(scratch), numScalars(numScalars), computeType(computeType),
        tracer(op.getContext(), op.getStaticLoopRanges()), body(bodyText),
        emitter(body, helpers,
                {"int", computeType == "float", 2, options.roundsProduct ? yieldedBy(op) : Value(),
                 options.approximates}) {}

  FailureOr<std::string> write();

private:
  FailureOr<std::string> writeLoad(const Access &access, Type type);
  LogicalResult checkScalar(BlockArgument scalar, const Access &access);

  StringRef name;
  linalg::GenericOp op;
  Block &scratch;
  unsigned numScalars;
  StringRef computeType;
  AccessTracer tracer;
  CudaHelpers helpers;
  std::string bodyText;
  llvm::raw_string_ostream body;
  ScalarEmitter emitter;
  SmallVector<std::string> names;
};

} // namespace

/// The caller holds one element of the scalar, so its index must be the one that broadcasting gives:
/// row-major over its own dimensions, each at the matching coordinate or 0.
LogicalResult FunctionWriter::checkScalar(BlockArgument scalar, const Access &access) {
  MLIRContext *context = op.getContext();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(scalar.getType()).getShape();
  ArrayRef<int64_t> result = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  // A row's statistic may have lost its dimension, (n) for (n, m); its coordinates still come in
  // order and have the scalar's extents.
  AffineExpr aligned = getAffineConstantExpr(0, context), leading = aligned;
  // A coordinate along an extent of 1 is 0, however the index has it.
  SmallVector<AffineExpr> coordinates;
  for (auto [d, size] : llvm::enumerate(op.getStaticLoopRanges()))
    coordinates.push_back(size == 1 ? getAffineConstantExpr(0, context) : getAffineDimExpr(d, context));
  AffineExpr index = tracer.simplify(access.index.replaceDims(coordinates));
  // As many elements in the same order: a reshape stands between.
  if (cast<RankedTensorType>(scalar.getType()).getNumElements() ==
      cast<RankedTensorType>(op->getResult(0).getType()).getNumElements()) {
    AffineExpr inOrder = getAffineConstantExpr(0, context);
    for (auto [i, size] : llvm::enumerate(result))
      inOrder = inOrder * size + coordinates[i];
    if (index == tracer.simplify(inOrder))
      return success();
  }
  int64_t shift = static_cast<int64_t>(result.size()) - static_cast<int64_t>(shape.size());
  if (shift < 0)
    return failure();
  for (auto [i, size] : llvm::enumerate(shape)) {
    aligned = aligned * size + (size == 1 ? getAffineConstantExpr(0, context) : getAffineDimExpr(i + shift, context));
    leading = leading * size + (size == 1 ? getAffineConstantExpr(0, context) : getAffineDimExpr(i, context));
  }
  return success(index == tracer.simplify(aligned) || index == tracer.simplify(leading));
}

FailureOr<std::string> FunctionWriter::writeLoad(const Access &access, Type type) {
  auto argument = dyn_cast<BlockArgument>(access.buffer);
  if (!argument || argument.getOwner() != &scratch)
    return op.emitOpError("reads a constant table, which a point-wise function does not hold");
  unsigned number = argument.getArgNumber();
  if (number < numScalars) {
    if (failed(checkScalar(argument, access)))
      return op.emitOpError("reads the fused value at another place than its own element");
    std::string held = "acc" + std::to_string(number);
    // Families hold what an op gives in floats, an index or a truth value, too; integer operators need it as what it
    // is.
    if (computeType != "float" || !type.isInteger())
      return held;
    return type.isInteger(1) ? "(" + held + " != 0.0f)" : "(" + std::string(getStorageType(type)) + ")" + held;
  }
  std::string load = "p" + std::to_string(number - numScalars) + "[" + printIndex(access.index, names) + "]";
  // Storage is 16 bits wide even where arithmetic is not.
  if (computeType == "float" && (type.isF16() || type.isBF16()))
    return (type.isF16() ? "__half2float(" : "__bfloat162float(") + load + ")";
  return load;
}

FailureOr<std::string> FunctionWriter::write() {
  for (unsigned i = 0; i < op.getNumLoops(); ++i)
    names.push_back("d" + std::to_string(i));
  emitter.bindDims(names);

  struct Read {
    BlockArgument argument;
    Access access;
  };
  SmallVector<Read> reads;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument.use_empty())
      continue;
    FailureOr<Access> access;
    Attribute constant;
    if (isa<RankedTensorType>(operand.get().getType())) {
      access = tracer.trace(op, operand.get(), op.getMatchingIndexingMap(&operand).getResults());
    } else if (matchPattern(operand.get(), m_Constant(&constant))) {
      access.emplace();
      access->literal = constant;
    }
    if (failed(access))
      return failure();
    reads.push_back({argument, std::move(*access)});
  }
  for (auto [i, definition] : llvm::enumerate(tracer.getNamedCoordinates())) {
    std::string text = printIndex(definition, names);
    names.push_back("c" + std::to_string(i));
    body << "  const int " << names.back() << " = " << text << ";\n";
  }
  for (Read &read : reads) {
    FailureOr<std::string> text = printAccess(
        read.access, helpers, /*widen=*/computeType == "float",
        [&](AffineExpr expr) { return printIndex(expr, names); },
        [&](const Access &load) { return writeLoad(load, read.argument.getType()); });
    if (failed(text))
      return failure();
    if (read.access.kind == Access::Kind::Literal || StringRef(*text).ltrim('(').starts_with("acc"))
      emitter.bind(read.argument, *text);
    else
      emitter.declare(read.argument, *text);
  }
  if (failed(emitter.emitBody(*op.getBody())))
    return failure();
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  body << "  return " << emitter.get(yielded) << ";\n";

  SmallVector<std::string> parameters;
  for (unsigned i = 0; i < numScalars; ++i)
    parameters.push_back((computeType + " acc" + Twine(i)).str());
  for (unsigned i = 0; i < op.getNumLoops(); ++i)
    parameters.push_back("int d" + std::to_string(i));
  for (unsigned i = numScalars; i < scratch.getNumArguments(); ++i) {
    Type element = cast<RankedTensorType>(scratch.getArgument(i).getType()).getElementType();
    helpers.needType(element);
    parameters.push_back(("const " + getStorageType(element) + " *p" + Twine(i - numScalars)).str());
  }
  std::string text = helpers.text();
  llvm::raw_string_ostream os(text);
  os << "__device__ __forceinline__ " << computeType << " " << name << "(" << llvm::join(parameters, ", ") << ") {\n"
     << bodyText << "}\n";
  return text;
}

/// Whether OP takes many instructions.
static bool isLong(Operation &op) {
  return isa<arith::DivFOp>(op) || (isa<math::MathDialect>(op.getDialect()) &&
                                    !isa<math::AbsFOp, math::AbsIOp, math::CopySignOp, math::FmaOp>(op));
}

/// Leaves one linalg.generic in BLOCK that computes VALUE.
static FailureOr<linalg::GenericOp> fuseToOne(func::FuncOp function, ArrayRef<Operation *> ops) {
  Block &block = function.getBody().front();
  RewritePatternSet lowerings(function.getContext());
  conversion::populateAtenToLinalgPatterns(lowerings);
  walkAndApplyPatterns(function, std::move(lowerings));
  if (failed(generalizeNamed(block)))
    return failure();
  fuseElementwise(block, /*always=*/true);
  RewritePatternSet patterns(function.getContext());
  linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
  (void)applyPatternsGreedily(function, std::move(patterns),
                              GreedyRewriteConfig().setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled));
  IRRewriter rewriter(function.getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
  (void)runRegionDCE(rewriter, function->getRegions());

  Value result = stripReshapes(block.getTerminator()->getOperand(0));
  auto last = result.getDefiningOp<linalg::GenericOp>();
  if (!last || last.getNumParallelLoops() != last.getNumLoops() || last.getNumResults() != 1 ||
      !last.getIndexingMapsArray().back().isIdentity() || result != block.getTerminator()->getOperand(0))
    return ops.back()->emitOpError("is not element-wise, so it cannot be fused");
  for (auto generic : block.getOps<linalg::GenericOp>())
    if (generic != last && !isViewGeneric(generic))
      return ops.back()->emitOpError("cannot be fused into one loop with the ops before it");
  return last;
}

FailureOr<PointwiseFunction> emitPointwiseFunction(StringRef functionName, ArrayRef<Operation *> ops, Value result,
                                                   ArrayRef<Value> scalars, StringRef computeType,
                                                   PointwiseOptions options) {
  MLIRContext *context = result.getContext();
  // What the ops take from outside, in order of first use.
  llvm::SetVector<Value> outside(scalars.begin(), scalars.end());
  llvm::SmallPtrSet<Operation *, 8> inside(ops.begin(), ops.end());
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (!operand.getDefiningOp() || !inside.contains(operand.getDefiningOp()))
        outside.insert(operand);

  PointwiseFunction function;
  function.operands.assign(outside.begin() + scalars.size(), outside.end());

  // A scratch function in a module of its own; nothing of it outlives this call.
  Location location = result.getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(module->getBody());
  auto type = builder.getFunctionType(TypeRange(ValueRange(outside.getArrayRef())), result.getType());
  auto scratch = func::FuncOp::create(builder, location, "scratch", type);
  Block *block = scratch.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  IRMapping mapping;
  mapping.map(outside.getArrayRef(), block->getArguments());
  for (Operation *op : ops)
    builder.clone(*op, mapping);
  // With no ops, the function is the identity on its scalar.
  func::ReturnOp::create(builder, location, mapping.lookupOrDefault(result));
  if (ops.empty()) {
    if (scalars.size() != 1 || scalars[0] != result)
      return emitError(location, "expected the fused value itself where there is nothing to fuse");
    SmallVector<std::string> parameters = {computeType.str() + " acc0"};
    for (int64_t i = 0; i < cast<RankedTensorType>(result.getType()).getRank(); ++i)
      parameters.push_back("int d" + std::to_string(i));
    function.text = ("__device__ __forceinline__ " + computeType + " " + functionName + "(" +
                     llvm::join(parameters, ", ") + ") { return acc0; }\n")
                        .str();
    return function;
  }

  FailureOr<linalg::GenericOp> generic = fuseToOne(scratch, ops);
  if (failed(generic))
    return failure();
  FailureOr<std::string> text =
      FunctionWriter(functionName, *generic, *block, scalars.size(), computeType, options).write();
  if (failed(text))
    return failure();
  function.text = std::move(*text);
  function.longSteps = llvm::count_if(*generic->getBody(), isLong);
  return function;
}

} // namespace kgen::kernels
