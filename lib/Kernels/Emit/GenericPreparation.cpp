//===- GenericPreparation.cpp - Linalg ops made ready for kernels ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Emit/GenericPreparation.h"
#include "kgen/Kernels/Emit/GenericAccess.h"

#include "kgen/Dialect/KGen/KGen.h"
#include "kgen/Support/GraphMarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace kgen::kernels {

constexpr StringLiteral kComputesAttr = "kgen.computes";

/// Longer descriptions stop helping whoever reads the kernel.
constexpr size_t kLongestDescription = 72;

std::string describeOrigin(Operation *op) {
  if (auto text = op->getAttrOfType<StringAttr>(kComputesAttr))
    return text.getValue().str();
  std::string name;
  op->getLoc()->walk([&](Location location) {
    auto named = dyn_cast<NameLoc>(location);
    if (!named || !named.getName().getValue().starts_with("aten."))
      return WalkResult::advance();
    name = named.getName().str();
    return WalkResult::interrupt();
  });
  if (!name.empty())
    return name;
  if (op->hasAttr(kCopyAttr))
    return "copy";
  return op->getName().getStringRef().str();
}

std::string describeBody(linalg::GenericOp op) {
  SmallVector<StringRef> names;
  for (Operation &scalar : op.getBody()->without_terminator()) {
    StringRef name = scalar.getName().stripDialect();
    if (!isa<arith::ConstantOp, linalg::IndexOp>(scalar) && !llvm::is_contained(names, name))
      names.push_back(name);
  }
  if (names.empty())
    return "copy";
  return llvm::join(names, ", ");
}

LogicalResult generalizeNamed(Block &block) {
  IRRewriter rewriter(block.getParentOp()->getContext());
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (!structured || isa<linalg::FillOp, linalg::GenericOp>(op))
      continue;
    std::string origin = describeOrigin(&op);
    rewriter.setInsertionPoint(&op);
    FailureOr<linalg::GenericOp> generic = linalg::generalizeNamedOp(rewriter, structured);
    if (failed(generic))
      return op.emitOpError("has no form as linalg.generic");
    (*generic)->setDiscardableAttr(kComputesAttr, StringAttr::get(op.getContext(), origin));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Nothing
//===----------------------------------------------------------------------===//

static bool isEmpty(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && llvm::is_contained(tensor.getShape(), 0);
}

/// Takes out what has nothing to do: loops over an extent of 0 leave their initial values (a sum of nothing is 0, its
/// mean 0 / 0), and moving no elements changes none. Results without elements become tensor.empty.
static void dropEmpty(Block &block) {
  OpBuilder builder(block.getParentOp()->getContext());
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    if (isa<tensor::EmptyOp, LaunchOp, DispatchOp>(op))
      continue;
    builder.setInsertionPoint(&op);
    SmallVector<Value> values;
    if (auto structured = dyn_cast<linalg::LinalgOp>(op);
        structured && llvm::is_contained(structured.getStaticLoopRanges(), 0)) {
      llvm::append_range(values, structured.getDpsInits());
    } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op); insert && isEmpty(insert.getSourceType())) {
      values.push_back(insert.getDest());
    } else if (auto pad = dyn_cast<tensor::PadOp>(op);
               pad && isEmpty(pad.getSourceType()) && pad.getConstantPaddingValue()) {
      RankedTensorType type = pad.getResultType();
      Value room = tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(), type.getElementType());
      values.push_back(linalg::FillOp::create(builder, op.getLoc(), pad.getConstantPaddingValue(), room).getResult(0));
    } else if (op.getNumResults() && llvm::all_of(op.getResultTypes(), isEmpty)) {
      for (Type result : op.getResultTypes()) {
        auto type = cast<RankedTensorType>(result);
        values.push_back(
            tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(), type.getElementType()).getResult());
      }
    } else {
      continue;
    }
    op.replaceAllUsesWith(values);
    op.erase();
  }
}

//===----------------------------------------------------------------------===//
// Fusion
//===----------------------------------------------------------------------===//

static int64_t countWork(linalg::GenericOp op) {
  return llvm::count_if(op.getBody()->without_terminator(),
                        [](Operation &o) { return !isa<arith::ConstantOp, linalg::IndexOp>(o); });
}

static int64_t countIterations(linalg::GenericOp op) {
  int64_t product = 1;
  for (int64_t extent : op.getStaticLoopRanges())
    product *= extent;
  return product;
}

/// Whether computing the producer of OPERAND inside its consumer saves more traffic than it repeats
/// work.
static bool isWorthFusing(OpOperand &operand) {
  auto producer = operand.get().getDefiningOp<linalg::GenericOp>();
  auto consumer = cast<linalg::GenericOp>(operand.getOwner());
  // Views are read through, see GenericAccess.h; a copy was asked for.
  if (isViewGeneric(producer) || producer->hasAttr(kCopyAttr))
    return false;
  if (producer.getNumResults() != 1 || consumer->getNumOperands() + producer->getNumOperands() > 16)
    return false;
  // A window or a contraction would compute each element several times.
  AffineMap map = consumer.getMatchingIndexingMap(&operand);
  bool elementwise = consumer.getNumParallelLoops() == consumer.getNumLoops();
  if (!elementwise && !map.isPermutation())
    return false;
  // A consumer that broadcasts repeats the work too; that is fine for a few operations.
  int64_t work = countWork(producer);
  if (countIterations(consumer) > countIterations(producer) && work > 4)
    return false;
  // So is computing it once for each of a few users, as all of them then drop a read and the
  // intermediate result is never written.
  int64_t users = 0;
  SmallPtrSet<Operation *, 4> seen;
  for (Operation *user : producer->getUsers()) {
    if (!isa<linalg::GenericOp>(user))
      return false;
    users += seen.insert(user).second;
  }
  return users == 1 || (users <= 3 && work <= 4);
}

/// Keeps what a fused op computes readable.
static void setOrigin(Operation *fused, const std::string &producer, const std::string &consumer) {
  std::string text = producer;
  if (producer != consumer) {
    // The consumer may be a fusion that has named this producer already.
    text += (" + " + consumer);
    if (text.size() > kLongestDescription)
      text = consumer;
  }
  fused->setDiscardableAttr(kComputesAttr, StringAttr::get(fused->getContext(), text));
}

void fuseElementwise(Block &block, bool always) {
  IRRewriter rewriter(block.getParentOp()->getContext());
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto consumer = dyn_cast<linalg::GenericOp>(op);
    bool changed = consumer != nullptr && !consumer->hasAttr(kCopyAttr);
    while (changed) {
      changed = false;
      for (OpOperand *operand : consumer.getDpsInputOperands()) {
        auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
        if (!producer || !linalg::areElementwiseOpsFusable(operand) || (!always && !isWorthFusing(*operand)))
          continue;
        std::string producerOrigin = describeOrigin(producer), consumerOrigin = describeOrigin(consumer);
        // Fusion keeps a result that others use; with a producer of its own, each user drops it.
        rewriter.setInsertionPoint(consumer);
        if (!operand->get().hasOneUse()) {
          auto own = cast<linalg::GenericOp>(rewriter.clone(*producer));
          operand->set(own.getResult(0));
        }
        FailureOr<linalg::ElementwiseOpFusionResult> fusion = linalg::fuseElementwiseOps(rewriter, operand);
        if (failed(fusion))
          continue;
        Operation *ownProducer = operand->get().getDefiningOp();
        SmallVector<Value> replacements;
        for (Value result : consumer.getResults())
          replacements.push_back(fusion->replacements.lookup(result));
        rewriter.replaceOp(consumer, replacements);
        if (isOpTriviallyDead(ownProducer))
          rewriter.eraseOp(ownProducer);
        if (producer != ownProducer && isOpTriviallyDead(producer))
          rewriter.eraseOp(producer);
        consumer = cast<linalg::GenericOp>(fusion->fusedOp);
        setOrigin(consumer, producerOrigin, consumerOrigin);
        changed = true;
        break;
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

Value insertCopy(OpBuilder &builder, Location location, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Value empty = tensor::EmptyOp::create(builder, location, type.getShape(), type.getElementType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> kinds(type.getRank(), utils::IteratorType::parallel);
  auto copy = linalg::GenericOp::create(
      builder, location, type, value, empty, SmallVector<AffineMap>{identity, identity}, kinds,
      [](OpBuilder &b, Location l, ValueRange args) { linalg::YieldOp::create(b, l, args[0]); });
  copy->setDiscardableAttr(kCopyAttr, builder.getUnitAttr());
  return copy.getResult(0);
}

/// True when VALUE, behind reshapes, is or will be a buffer that a kernel writes.
static bool isWritten(Value value) {
  Operation *op = stripReshapes(value).getDefiningOp();
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  return isa_and_nonnull<LaunchOp, DispatchOp>(op) || (generic && !isViewGeneric(generic));
}

/// Whether the elements of SLICE lie one behind the other in its source, from a place on where buffers may begin.
static bool isContiguous(tensor::ExtractSliceOp slice) {
  constexpr int64_t alignment = 256; // bytes
  RankedTensorType source = slice.getSourceType();
  if (!source.hasStaticShape() || llvm::any_of(slice.getStaticOffsets(), ShapedType::isDynamic) ||
      !llvm::all_of(slice.getStaticStrides(), [](int64_t stride) { return stride == 1; }))
    return false;
  int64_t offset = 0;
  bool inside = false; // a dimension of the slice has several positions
  for (auto [start, size, extent] :
       llvm::zip_equal(slice.getStaticOffsets(), slice.getStaticSizes(), source.getShape())) {
    if (inside && size != extent)
      return false;
    inside |= size != 1;
    offset = offset * extent + start;
  }
  return offset * llvm::divideCeil(source.getElementTypeBitWidth(), 8) % alignment == 0;
}

void markContiguousSlices(Block &block) {
  for (auto slice : block.getOps<tensor::ExtractSliceOp>()) {
    Value root = stripReshapes(slice.getSource());
    Operation *op = root.getDefiningOp();
    if ((!op || op->hasAttr(kPartAttr) || isWritten(root)) && isContiguous(slice))
      slice->setAttr(kPartAttr, UnitAttr::get(slice.getContext()));
  }
}

/// Lets EXTRACT read in front of the views that permute or repeat what it reads: a copy of a weight, as of an expert's
/// transposed one, may be gigabytes.
static void readThroughViews(tensor::ExtractOp extract) {
  while (auto view = extract.getTensor().getDefiningOp<linalg::GenericOp>()) {
    auto argument = dyn_cast<BlockArgument>(view.getBody()->getTerminator()->getOperand(0));
    if (!isViewGeneric(view) || !argument || argument.getArgNumber() >= view.getNumDpsInputs() ||
        !view.getIndexingMapsArray().back().isIdentity())
      return;
    OpOperand &source = view->getOpOperand(argument.getArgNumber());
    SmallVector<Value> indices;
    OpBuilder builder(extract);
    for (AffineExpr expr : view.getMatchingIndexingMap(&source).getResults()) {
      auto constant = dyn_cast<AffineConstantExpr>(expr);
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!constant && !loop)
        return;
      indices.push_back(
          loop ? extract.getIndices()[loop.getPosition()]
               : arith::ConstantIndexOp::create(builder, extract.getLoc(), constant.getValue()).getResult());
    }
    extract.getTensorMutable().set(source.get());
    extract.getIndicesMutable().assign(indices);
  }
}

static void materialize(func::FuncOp function) {
  OpBuilder builder(function.getContext());
  function.walk([&](tensor::ExtractOp extract) {
    if (extract->getParentOfType<linalg::GenericOp>())
      readThroughViews(extract);
  });
  function.walk([&](Operation *op) {
    if (isa<LaunchOp, DispatchOp>(op)) {
      for (OpOperand &operand : op->getOpOperands()) {
        Value root = stripReshapes(operand.get());
        if (isa<BlockArgument>(root) || isWritten(root) || root.getDefiningOp<tensor::EmptyOp>())
          continue;
        builder.setInsertionPoint(op);
        operand.set(insertCopy(builder, operand.get().getLoc(), operand.get()));
      }
    }
    if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      auto parent = extract->getParentOfType<linalg::GenericOp>();
      Value tensor = extract.getTensor();
      if (!parent || isBuffer(stripReshapes(tensor)) || isWritten(tensor))
        return;
      builder.setInsertionPoint(parent);
      extract.getTensorMutable().set(insertCopy(builder, tensor.getLoc(), tensor));
    }
  });
  // Each output is a buffer of its own. One that is an argument written in place cannot be a copy: the others are.
  SmallPtrSet<Value, 4> returned;
  function.walk([&](func::ReturnOp op) {
    builder.setInsertionPoint(op);
    auto isInPlace = [&](OpOperand &operand) {
      return bool(function.getResultAttr(operand.getOperandNumber(), updatesAttr));
    };
    for (OpOperand &operand : op->getOpOperands())
      if (isInPlace(operand))
        returned.insert(stripReshapes(operand.get()));
    for (OpOperand &operand : op->getOpOperands())
      if (!isEmpty(operand.get().getType()) && !isInPlace(operand) &&
          (!isWritten(operand.get()) || !returned.insert(stripReshapes(operand.get())).second))
        operand.set(insertCopy(builder, op.getLoc(), operand.get()));
  });
}

/// Drops views that move nothing, such as a window of one element.
static void dropIdentities(Block &block) {
  for (auto generic : llvm::make_early_inc_range(block.getOps<linalg::GenericOp>())) {
    auto argument = dyn_cast<BlockArgument>(generic.getBody()->getTerminator()->getOperand(0));
    if (!isViewGeneric(generic) || !argument)
      continue;
    OpOperand &operand = generic->getOpOperand(argument.getArgNumber());
    if (operand.get().getType() != generic.getResult(0).getType() ||
        generic.getMatchingIndexingMap(&operand) != generic.getIndexingMapsArray().back())
      continue;
    generic.getResult(0).replaceAllUsesWith(operand.get());
    generic.erase();
  }
}

LogicalResult prepareForGeneric(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expected one block, found ") << function.getBody().getBlocks().size();
  Block &block = function.getBody().front();
  dropEmpty(block);
  if (failed(generalizeNamed(block)))
    return failure();
  fuseElementwise(block, /*always=*/false);

  // One argument per tensor and one op per value in each body, so that none is loaded or computed
  // twice.
  RewritePatternSet patterns(function.getContext());
  linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
  if (failed(applyPatternsGreedily(
          function, std::move(patterns),
          GreedyRewriteConfig().setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled))))
    return function.emitOpError("could not be simplified");
  IRRewriter rewriter(function.getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
  (void)runRegionDCE(rewriter, function->getRegions());
  dropIdentities(block);
  limitParts(block);
  materialize(function);
  return success();
}

} // namespace kgen::kernels
