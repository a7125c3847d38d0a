//===- OracleSlice.cpp - kgen-oracle-slice --------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/OracleLowering.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace kgen::oracle {
#define GEN_PASS_DEF_ORACLESLICEPASS
#include "kgen/Oracle/Passes.h.inc"
} // namespace kgen::oracle

using namespace mlir;

namespace {

int64_t elements(Type type) { return cast<RankedTensorType>(type).getNumElements(); }
int64_t bytes(Value tensor) {
  return elements(tensor.getType()) * cast<RankedTensorType>(tensor.getType()).getElementTypeBitWidth() / 8;
}

/// The largest tensor that linalg ops compute on the way to OP's operands, in bytes.
int64_t largestProducer(Operation *op, llvm::SmallPtrSetImpl<Operation *> &seen) {
  int64_t largest = 0;
  for (Value operand : op->getOperands()) {
    auto producer = operand.getDefiningOp<linalg::LinalgOp>();
    if (!producer || isa<linalg::FillOp>(producer) || !seen.insert(producer).second)
      continue;
    largest = std::max({largest, bytes(operand), largestProducer(producer, seen)});
  }
  return largest;
}

/// Tile sizes of 1 for as many leading parallel loops of OP as bring LARGEST down to LIMIT; the last two dimensions
/// stay whole. Empty if there is none.
SmallVector<int64_t> leadingTiles(linalg::GenericOp op, int64_t largest, int64_t limit) {
  SmallVector<int64_t> loops = op.getStaticLoopRanges(), tiles(loops.size(), 0);
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  int64_t leading = cast<RankedTensorType>(op.getResult(0).getType()).getRank();
  leading = std::max<int64_t>(1, leading - 2);
  bool any = false;
  for (int64_t i = 0; i < leading && i < int64_t(loops.size()) && largest > limit; ++i) {
    if (kinds[i] != utils::IteratorType::parallel || loops[i] == 1)
      continue;
    tiles[i] = 1;
    largest /= loops[i];
    any = true;
  }
  return any ? tiles : SmallVector<int64_t>();
}

/// Tiles OP by TILES and moves its producers into the loops where that repeats no work.
bool slice(RewriterBase &rewriter, linalg::GenericOp op, ArrayRef<int64_t> tiles) {
  int64_t trips = 1;
  SmallVector<OpFoldResult> sizes;
  for (auto [extent, tile] : llvm::zip(op.getStaticLoopRanges(), tiles)) {
    sizes.push_back(rewriter.getIndexAttr(tile));
    if (tile)
      trips *= extent;
  }
  scf::SCFTileAndFuseOptions options;
  options.tilingOptions.setTileSizes(sizes);
  options.setFusionControlFn([=](tensor::ExtractSliceOp candidate, OpResult producer,
                                 bool) -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
    if (!candidate.getType().hasStaticShape() || elements(candidate.getType()) * trips > elements(producer.getType()))
      return std::nullopt;
    return scf::SCFTileAndFuseOptions::ControlFnResult{};
  });
  rewriter.setInsertionPoint(op);
  auto tiled = scf::tileConsumerAndFuseProducersUsingSCF(rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (failed(tiled))
    return false;
  rewriter.replaceAllUsesWith(op.getResult(0), tiled->replacements.lookup(op.getResult(0)));
  return true;
}

struct OracleSlice : public kgen::oracle::impl::OracleSlicePassBase<OracleSlice> {
  using OracleSlicePassBase::OracleSlicePassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      // Consumers first: slicing one takes its producers along, and those that lost their last use go.
      SmallVector<Operation *> ops;
      for (Operation &op : function.getBody().front())
        ops.push_back(&op);
      for (Operation *op : llvm::reverse(ops)) {
        if (isOpTriviallyDead(op)) {
          rewriter.eraseOp(op);
          continue;
        }
        auto generic = dyn_cast<linalg::GenericOp>(op);
        if (!generic || generic.getNumResults() != 1 || bytes(generic.getResult(0)) > limit)
          continue;
        llvm::SmallPtrSet<Operation *, 16> seen;
        int64_t largest = largestProducer(op, seen);
        if (largest <= limit)
          continue;
        SmallVector<int64_t> tiles = leadingTiles(generic, largest, limit);
        if (!tiles.empty() && slice(rewriter, generic, tiles))
          rewriter.eraseOp(op);
      }
    }
    // A slice of an empty tensor is a smaller empty tensor: the whole must never be allocated.
    RewritePatternSet patterns(&getContext());
    tensor::populateFoldTensorEmptyPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
