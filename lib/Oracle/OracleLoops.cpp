//===- OracleLoops.cpp - kgen-oracle-loops --------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Contractions.h"
#include "kgen/Oracle/OracleLowering.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"

namespace kgen::oracle {
#define GEN_PASS_DEF_ORACLELOOPSPASS
#include "kgen/Oracle/Passes.h.inc"
} // namespace kgen::oracle

using namespace mlir;

namespace {

/// Tile sizes for a contraction in the order that kgen-oracle-arrange-contractions leaves: a
/// 128 x 512 block of doubles of the vectorized input (512 KiB) is read once for each of 64 rows.
SmallVector<int64_t> tileSizes(linalg::GenericOp op) {
  constexpr int64_t vectorTile = 512, reductionTile = 128, rowTile = 64;
  SmallVector<int64_t> loops = op.getStaticLoopRanges(), tiles(loops.size(), 0);
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  auto tile = [&](unsigned dim, int64_t size) {
    if (loops[dim] > size)
      tiles[dim] = size;
  };
  unsigned last = loops.size() - 1;
  tile(last, vectorTile);
  int64_t reductionLeft = reductionTile;
  bool rowsTiled = false;
  for (int dim = last - 1; dim >= 0; --dim) {
    if (kinds[dim] == utils::IteratorType::reduction) {
      tile(dim, std::max<int64_t>(1, reductionLeft));
      reductionLeft = std::max<int64_t>(1, reductionLeft / loops[dim]);
    } else if (!rowsTiled) {
      tile(dim, rowTile);
      rowsTiled = true;
    }
  }
  return tiles;
}

/// Lets LLVM add up what a reduction adds in any order, which vectorizes it. In fp64 no order is the right one, and
/// several partial sums are closer to the truth than one.
void allowReordering(linalg::GenericOp op) {
  for (Value yielded : op.getBody()->getTerminator()->getOperands())
    if (auto add = yielded.getDefiningOp<arith::AddFOp>())
      add.setFastmath(arith::FastMathFlags::reassoc);
}

struct OracleLoops : public kgen::oracle::impl::OracleLoopsPassBase<OracleLoops> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<memref::CopyOp> copies;
    SmallVector<linalg::GenericOp> contractions;
    getOperation().walk([&](Operation *op) {
      if (auto copy = dyn_cast<memref::CopyOp>(op))
        copies.push_back(copy);
      else if (auto generic = dyn_cast<linalg::GenericOp>(op); generic && kgen::oracle::isContraction(generic))
        contractions.push_back(generic);
    });
    getOperation().walk([](linalg::GenericOp op) {
      if (op.getNumReductionLoops() > 0)
        allowReordering(op);
    });
    for (memref::CopyOp copy : copies) {
      rewriter.setInsertionPoint(copy);
      linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(), copy.getTarget());
      rewriter.eraseOp(copy);
    }
    for (linalg::GenericOp op : contractions) {
      SmallVector<int64_t> tiles = tileSizes(op);
      if (llvm::all_of(tiles, [](int64_t size) { return size == 0; }))
        continue;
      rewriter.setInsertionPoint(op);
      if (succeeded(linalg::tileLinalgOp(rewriter, op, linalg::LinalgTilingOptions().setTileSizes(tiles))))
        rewriter.eraseOp(op);
    }
    SmallVector<linalg::LinalgOp> structured;
    getOperation().walk([&](linalg::LinalgOp op) { structured.push_back(op); });
    for (linalg::LinalgOp op : structured) {
      rewriter.setInsertionPoint(op);
      if (failed(linalg::linalgOpToLoops(rewriter, op))) {
        op.emitOpError("has no loop form");
        return signalPassFailure();
      }
      rewriter.eraseOp(op);
    }
  }
};

} // namespace
